//! The users of an app (wire facts 3.1).

use axum::extract::State;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::people::registering::SetActive;
use confab_domain::people::resetting_tokens::ResetToken;
use confab_domain::refusal::Refusal;
use confab_queries::{reply_times, unread_users};
use confab_runtime::counted::counted;
use confab_runtime::ids;
use confab_store::{Store, UserColumn, UserListing};
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
use crate::calls::calls;
use crate::requests::bodies::{ListedUsers, RequestBody, RequestQuery};
use crate::requests::callers::SdkCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Users";
    /// Register a user or change its profile
    POST "/login_or_register" login_or_register = register [403];
    /// Get a user's profile
    GET "/user_profile" user_profile = load [404 409];
    /// Get a user's access token
    GET "/get_user_token" get_user_token = load_token [403 404];
    /// Replace a user's access token; the old one stops working
    POST "/reset_user_token" reset_user_token = reset_token [403 404];
    /// List the app's users
    GET "/get_user_list" get_user_list = list;
    /// Deactivate users; they can no longer post
    DELETE "/deactivate_users" deactivate_users = deactivate [403 404];
    /// Reactivate users; they can post again
    POST "/reactivate_users" reactivate_users = reactivate [403 404];
    /// Count users' unread messages in all of their rooms
    GET "/get_user_unread_count" get_user_unread_count = count_unread [404 409];
    /// List users with unread messages
    GET "/get_unread_users" get_unread_users = list_unread;
    /// Get a user's average reply time, in seconds
    GET "/get_average_reply_time_user" get_average_reply_time_user = average_reply_time [404 409];
}

async fn register(
    State(services): State<Services>,
    caller: SdkCaller,
    body: RequestBody<LoginOrRegisterFields>,
) -> Answer<Results<UserBox<'static>>> {
    let wanted = read_login_or_register(&body.fields()?)?;
    let user = actions::register_user(&services, &caller, wanted).await?;
    ok(one_user(&user))
}

async fn load(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<ProfileFields>,
) -> Answer<Results<UserBox<'static>>> {
    let user = read_profile(&query.fields()?)?;
    ok(one_user(&addressed(&store, caller.app.id, &user).await?))
}

async fn load_token(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<OneUserFields>,
) -> Answer<Results<TokenBox>> {
    let user_id = read_one_user(&query.fields()?)?;
    if user_id == App::system_user_id(&caller.app.code) {
        return Err(Refusal::SystemUser(user_id.as_str().to_owned()).into());
    }
    let found = store.token(caller.app.id, &user_id).await?;
    ok(TokenBox { token: found.ok_or_else(|| unknown_user(&user_id))? })
}

async fn reset_token(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    body: RequestBody<OneUserFields>,
) -> Answer<Results<TokenBox>> {
    let user_id = read_one_user(&body.fields()?)?;
    let rule = ResetToken { user: user_id.into(), token: ids::secret() };
    let token = decisions.decide(&caller, rule).await?;
    ok(TokenBox { token })
}

async fn list(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<UserListFields>,
) -> Answer<Results<UserListShape<'static>>> {
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
    let (users, total) = store.users(caller.app.id, listing).await?;
    ok(user_list(&users, total, wanted.page))
}

async fn deactivate(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    query: RequestQuery<ListedUsers>,
    body: RequestBody<SomeUsersFields>,
) -> Answer<Results<Confirmed>> {
    let users = read_some_users(&body.fields()?, &query.fields()?)?;
    let count = users.len();
    decisions.decide(&caller, SetActive { users, is_active: false }).await?;
    ok(confirmed(format!("{} deactivated", counted(count, "user"))))
}

async fn reactivate(
    Part(decisions): Part<Decisions>,
    caller: SdkCaller,
    query: RequestQuery<ListedUsers>,
    body: RequestBody<SomeUsersFields>,
) -> Answer<Results<Confirmed>> {
    let users = read_some_users(&body.fields()?, &query.fields()?)?;
    let count = users.len();
    decisions.decide(&caller, SetActive { users, is_active: true }).await?;
    ok(confirmed(format!("{} reactivated", counted(count, "user"))))
}

async fn count_unread(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<CountedUsersFields>,
) -> Answer<Results<UserUnreadList>> {
    let users = read_counted_users(&query.fields()?)?;
    let mut user_unread_count = Vec::with_capacity(users.len());
    for user in users {
        let key = addressed(&store, caller.app.id, &user).await?.key;
        let unread_count = store.unread_in_all(key).await?;
        let user_id = user.address();
        user_unread_count.push(UserUnread { unread_count, user_id });
    }
    ok(UserUnreadList { user_unread_count })
}

async fn list_unread(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<UnreadUsersFields>,
) -> Answer<Results<UserIds>> {
    let wanted = UnreadUsers::read(&query.fields()?)?;
    ok(UserIds { user_ids: unread_users::find(&store, &caller.app, wanted).await? })
}

async fn average_reply_time(
    Part(store): Part<Store>,
    caller: SdkCaller,
    query: RequestQuery<ReplyTimeFields>,
) -> Answer<Results<ReplyTimeBox>> {
    let asked = ReplyTimes::read(&query.fields()?)?;
    let found = addressed(&store, caller.app.id, &asked.user).await?;
    let (system, since, until) = (caller.app.system_user, asked.since, asked.until);
    let duration = reply_times::find(&store, &found, system, since, until).await?;
    ok(reply_time(&asked, duration))
}
