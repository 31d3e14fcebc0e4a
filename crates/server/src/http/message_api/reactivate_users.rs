//! `POST /reactivate_users` (wire facts 3.1)

use axum::extract::State;
use confab_wire::message_api::users::{SomeUsersFields, read_some_users};
use confab_wire::message_api::{Confirmed, Results, confirmed};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::bodies::{RequestBody, RequestQuery};
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::counted;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/reactivate_users",
    operation_id = "reactivate_users",
    tag = "Users",
    summary = "Let users post again",
    request_body = SomeUsersFields,
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<Confirmed>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let users = read_some_users(&body.fields()?, &query.fields()?)?;
    let count = users.len();
    actions::set_active(&services, &caller.app, users, true).await?;
    ok(confirmed(format!("{} reactivated", counted(count, "user"))))
}
