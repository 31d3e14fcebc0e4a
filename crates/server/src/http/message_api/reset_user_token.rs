//! `POST /reset_user_token` (wire facts 3.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{OneUserFields, TokenBox, read_one_user};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/reset_user_token",
    operation_id = "reset_user_token",
    tag = "Users",
    summary = "Give a user a new token; the old one stops working",
    request_body = OneUserFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<TokenBox>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let user_id = read_one_user(&body.fields()?)?;
    let token = actions::reset_token(&services, &caller.app, user_id.into()).await?;
    ok(TokenBox { token })
}
