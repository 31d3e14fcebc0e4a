//! `POST /login_or_register` (wire facts 3.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{
    LoginOrRegisterFields, UserBox, one_user, read_login_or_register,
};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestBody;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/login_or_register",
    operation_id = "login_or_register",
    tag = "Users",
    summary = "Register a user or change its profile",
    request_body = LoginOrRegisterFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<UserBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let wanted = read_login_or_register(&body.fields()?)?;
    let user = actions::register_user(&services, &caller.app, wanted).await?;
    ok(one_user(&user))
}
