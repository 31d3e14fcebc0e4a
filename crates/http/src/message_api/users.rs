//! The users of an app (wire facts 3.1).
//!
//! - `POST /login_or_register`, `GET /user_profile`
//! - `GET /get_user_token`, `POST /reset_user_token`
//! - `GET /get_user_list`
//! - `DELETE /deactivate_users`, `POST /reactivate_users`
//! - `GET /get_user_unread_count`, `GET /get_unread_users`
//! - `GET /get_average_reply_time_user`

use axum::extract::State;
use confab_app::counted::counted;
use confab_app::queries::{reply_times, unread_users};
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::app::App;
use confab_domain::people::registering::SetActive;
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::refusal::Refusal;
use confab_store::{UserColumn, UserListing};
use confab_wire::message_api::reply_times::{
    ReplyTimeBox, ReplyTimeFields, ReplyTimes, reply_time,
};
use confab_wire::message_api::unread_users::{UnreadUsers, UnreadUsersFields, UserIds};
use confab_wire::message_api::users::{
    CountedUsersFields, LoginOrRegisterFields, OneUserFields, ProfileFields, SomeUsersFields,
    TokenBox, UserBox, UserList, UserListFields, UserListShape, UserOrder, UserUnread,
    UserUnreadList, one_user, read_counted_users, read_login_or_register, read_one_user,
    read_profile, read_some_users, user_list,
};
use confab_wire::message_api::{Confirmed, Results, confirmed};

use super::{addressed, unknown_user};
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    post,
    path = "/login_or_register",
    operation_id = "login_or_register",
    tag = "Users",
    summary = "Register a user or change its profile",
    request_body = LoginOrRegisterFields,
    responses((status = 200, description = "Done", body = Results<UserBox<'static>>)),
)]
pub(crate) async fn register(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let wanted = read_login_or_register(&body.fields()?)?;
    let user = actions::register_user(&services, &caller.app, wanted).await?;
    ok(one_user(&user))
}

#[utoipa::path(
    get,
    path = "/user_profile",
    operation_id = "user_profile",
    tag = "Users",
    summary = "Get a user's profile",
    params(ProfileFields),
    responses((status = 200, description = "Done", body = Results<UserBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let user = read_profile(&query.fields()?)?;
    ok(one_user(&addressed(&services, caller.app.id, &user).await?))
}

#[utoipa::path(
    get,
    path = "/get_user_token",
    operation_id = "get_user_token",
    tag = "Users",
    summary = "Get a user's access token",
    params(OneUserFields),
    responses((status = 200, description = "Done", body = Results<TokenBox>)),
)]
pub(crate) async fn load_token(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let user_id = read_one_user(&query.fields()?)?;
    if user_id == App::system_user_id(&caller.app.code) {
        return Err(Refusal::SystemUser(user_id.as_str().to_owned()).into());
    }
    let found = services.store().token(caller.app.id, &user_id).await?;
    ok(TokenBox { token: found.ok_or_else(|| unknown_user(&user_id))? })
}

#[utoipa::path(
    post,
    path = "/reset_user_token",
    operation_id = "reset_user_token",
    tag = "Users",
    summary = "Replace a user's access token; the old one stops working",
    request_body = OneUserFields,
    responses((status = 200, description = "Done", body = Results<TokenBox>)),
)]
pub(crate) async fn reset_token(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody,
) -> Answer {
    let user_id = read_one_user(&body.fields()?)?;
    let rule = ResetToken { user: user_id.into(), token: ids::secret() };
    let token = services.decide(&caller.app, rule).await?;
    ok(TokenBox { token })
}

#[utoipa::path(
    get,
    path = "/get_user_list",
    operation_id = "get_user_list",
    tag = "Users",
    summary = "List the app's users",
    params(UserListFields),
    responses((status = 200, description = "Done", body = Results<UserListShape<'static>>)),
)]
pub(crate) async fn list(
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

#[utoipa::path(
    delete,
    path = "/deactivate_users",
    operation_id = "deactivate_users",
    tag = "Users",
    summary = "Deactivate users; they can no longer post",
    params(("user_ids[]" = Option<Vec<String>>, Query,
        description = "User ids, used if the body has none. Repeat the parameter for each id.")),
    request_body = SomeUsersFields,
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn deactivate(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let users = read_some_users(&body.fields()?, &query.fields()?)?;
    let count = users.len();
    services.decide(&caller.app, SetActive { users, is_active: false }).await?;
    ok(confirmed(format!("{} deactivated", counted(count, "user"))))
}

#[utoipa::path(
    post,
    path = "/reactivate_users",
    operation_id = "reactivate_users",
    tag = "Users",
    summary = "Reactivate users; they can post again",
    params(("user_ids[]" = Option<Vec<String>>, Query,
        description = "User ids, if the body has none; repeated for each")),
    request_body = SomeUsersFields,
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn reactivate(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
    body: RequestBody,
) -> Answer {
    let users = read_some_users(&body.fields()?, &query.fields()?)?;
    let count = users.len();
    services.decide(&caller.app, SetActive { users, is_active: true }).await?;
    ok(confirmed(format!("{} reactivated", counted(count, "user"))))
}

#[utoipa::path(
    get,
    path = "/get_user_unread_count",
    operation_id = "get_user_unread_count",
    tag = "Users",
    summary = "Count users' unread messages in all of their rooms",
    params(CountedUsersFields),
    responses((status = 200, description = "Done", body = Results<UserUnreadList>)),
)]
pub(crate) async fn count_unread(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let users = read_counted_users(&query.fields()?)?;
    let mut user_unread_count = Vec::with_capacity(users.len());
    for user in users {
        let key = addressed(&services, caller.app.id, &user).await?.key;
        let unread_count = services.store().unread_in_all(key).await?;
        let user_id = user.address();
        user_unread_count.push(UserUnread { unread_count, user_id });
    }
    ok(UserUnreadList { user_unread_count })
}

#[utoipa::path(
    get,
    path = "/get_unread_users",
    operation_id = "get_unread_users",
    tag = "Users",
    summary = "List users with unread messages",
    params(UnreadUsersFields),
    responses((status = 200, description = "Done", body = Results<UserIds>)),
)]
pub(crate) async fn list_unread(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = UnreadUsers::read(&query.fields()?)?;
    ok(UserIds { user_ids: unread_users::find(&services, &caller.app, wanted).await? })
}

#[utoipa::path(
    get,
    path = "/get_average_reply_time_user",
    operation_id = "get_average_reply_time_user",
    tag = "Users",
    summary = "Get a user's average reply time, in seconds",
    params(ReplyTimeFields),
    responses((status = 200, description = "Done", body = Results<ReplyTimeBox>)),
)]
pub(crate) async fn average_reply_time(
    State(services): State<Services>,
    caller: SdkCaller,
    query: RequestQuery,
) -> Answer {
    let asked = ReplyTimes::read(&query.fields()?)?;
    let found = addressed(&services, caller.app.id, &asked.user).await?;
    let (system, since, until) = (caller.app.system_user, asked.since, asked.until);
    let duration = reply_times::find(&services, &found, system, since, until).await?;
    ok(reply_time(&asked, duration))
}
