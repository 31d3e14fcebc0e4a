//! `POST /expire_user_token` (wire facts 4.1)

use axum::extract::State;
use confab_wire::message_api::{Confirmed, Results, confirmed};
use confab_wire::sdk_api::people::TokenFields;

use super::means_own_token;
use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/expire_user_token",
    operation_id = "sdk_expire_user_token",
    tag = "Clients",
    summary = "Make the token of the caller useless, on all devices",
    request_body = TokenFields,
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<Confirmed>), ClientFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    means_own_token(&caller, &body.fields()?)?;
    actions::log_out(&services, &caller.app, &caller.user).await?;
    ok(confirmed("The token is not good any more."))
}
