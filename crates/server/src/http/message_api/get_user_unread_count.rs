//! `GET /get_user_unread_count` (wire facts 3.1)

use axum::extract::State;
use confab_wire::body::Body;
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{
    SomeUsersFields, UserUnread, UserUnreadList, read_some_users,
};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::http::message_api::unknown_user;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_user_unread_count",
    operation_id = "get_user_unread_count",
    tag = "Users",
    summary = "Count what users have not read, in all their rooms",
    params(SomeUsersFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses((status = 200, description = "Done", body = Results<UserUnreadList>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let users = read_some_users(&Body::from_json(b"")?, &query.fields()?)?;
    let mut user_unread_count = Vec::with_capacity(users.len());
    for user in users {
        let found = services.store().user(caller.app.id, &user).await?;
        let key = found.ok_or_else(|| unknown_user(&user))?.key;
        let unread_count = services.store().unread_in_all(key).await?;
        let user_id = user.as_str().to_owned();
        user_unread_count.push(UserUnread { unread_count, user_id });
    }
    ok(UserUnreadList { user_unread_count })
}
