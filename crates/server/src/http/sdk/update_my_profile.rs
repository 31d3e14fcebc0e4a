//! `PATCH /my_profile` (wire facts 4.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels::VerifiedUser;
use confab_wire::sdk_api::people::{ProfileFields, read_profile};

use super::account_with;
use crate::actions;
use crate::http::answer::Answer;
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    patch,
    path = "/my_profile",
    operation_id = "sdk_update_my_profile",
    tag = "Clients",
    summary = "Change the name, picture or extras of the caller",
    request_body = ProfileFields,
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<VerifiedUser<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    let edit = read_profile(&body.fields()?)?;
    let user = caller.user.itself();
    let user = actions::edit_profile(&services, &caller.app, user, edit).await?;
    account_with(&services, &caller.app, &user, &caller.token).await
}
