//! `POST /refresh_user_token` (wire facts 4.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{NewToken, TokenFields, new_token};

use super::means_own_token;
use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/refresh_user_token",
    operation_id = "sdk_refresh_user_token",
    tag = "Clients",
    summary = "A new token for the caller; the old one stops working",
    request_body = TokenFields,
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<NewToken>), ClientFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    body: RequestBody,
) -> Answer {
    means_own_token(&caller, &body.fields()?)?;
    let user = caller.user.itself();
    ok(new_token(actions::reset_token(&services, &caller.app, user).await?))
}
