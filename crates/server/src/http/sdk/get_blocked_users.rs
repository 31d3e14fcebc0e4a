//! `GET /get_blocked_users` (wire facts 4.2)

use axum::extract::State;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{BlockedUsers, PageFields, blocked_users, read_plain_page};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_blocked_users",
    operation_id = "sdk_get_blocked_users",
    tag = "Clients",
    summary = "Whom the caller blocked",
    params(PageFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<BlockedUsers<'static>>),
        ClientFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let page = read_plain_page(&query.fields()?)?;
    let user = caller.user.key;
    let blocked = services.store().blocked(user, page.skipped(), page.size).await?;
    ok(blocked_users(&blocked.users, blocked.total))
}
