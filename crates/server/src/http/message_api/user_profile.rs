//! `GET /user_profile` (wire facts 3.1)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{OneUserFields, UserBox, one_user, read_one_user};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::unknown_user;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/user_profile",
    operation_id = "user_profile",
    tag = "Users",
    summary = "Read a user's profile",
    params(OneUserFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<UserBox<'static>>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let user_id = read_one_user(&query.fields()?)?;
    let found = services.store().user(caller.app.id, &user_id).await?;
    ok(one_user(&found.ok_or_else(|| unknown_user(&user_id))?))
}
