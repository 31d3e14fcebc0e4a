//! `GET /get_user_list` (wire facts 3.1)

use axum::extract::State;
use confab_store::{UserColumn, UserListing};
use confab_wire::message_api::Results;
use confab_wire::message_api::users::{
    UserList, UserListFields, UserListShape, UserOrder, user_list,
};

use crate::http::answer::{Answer, ok};
use crate::http::bodies::RequestQuery;
use crate::http::callers::SdkCaller;
use crate::http::docs::Failures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/get_user_list",
    operation_id = "get_user_list",
    tag = "Users",
    summary = "List the app's users",
    params(UserListFields),
    security(("app_id" = [], "sdk_secret" = [])),
    responses(
        (status = 200, description = "Done", body = Results<UserListShape<'static>>),
        Failures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = UserList::read(&query.fields()?)?;
    let order = match wanted.order {
        UserOrder::CreatedAt => UserColumn::CreatedAt,
        UserOrder::UpdatedAt => UserColumn::UpdatedAt,
        UserOrder::Username => UserColumn::Username,
        UserOrder::UserId => UserColumn::UserId,
    };
    let listing = UserListing {
        order,
        is_descending: wanted.is_descending,
        shows_all: wanted.shows_all,
        skipped: wanted.page.skipped(),
        size: wanted.page.size,
    };
    let (users, total) = services.store().users(caller.app.id, listing).await?;
    ok(user_list(&users, total, wanted.page))
}
