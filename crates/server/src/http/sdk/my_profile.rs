//! `GET /my_profile` (wire facts 4.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::VerifiedUser;

use super::account_with;
use crate::http::answer::Answer;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/my_profile",
    operation_id = "sdk_my_profile",
    tag = "Clients",
    summary = "The caller",
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<VerifiedUser<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: UserCaller) -> Answer {
    account_with(&services, &caller.app, &caller.user, &caller.token).await
}
