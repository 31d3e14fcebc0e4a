//! Other users of the app, as a client sees them (wire facts 4.2).

use axum::extract::State;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::people::blocking::UnblockUser;
use confab_domain::support::settings::{Settings, UserListSetting};
use confab_queries::visibility;
use confab_store::Store;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{
    BlockFields, BlockedUsers, ClientUserBox, FindUsersFields, FoundUsers, PageFields,
    StatusFields, UserStatuses, blocked_users, found_users, other_user, read_block,
    read_find_users, read_plain_page, read_status, user_status,
};

use super::must_reach;
use crate::calls::calls;
use crate::requests::bodies::{RequestBody, RequestQuery};
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Search for users of the app by name
    ///
    /// The app's setting `user_list` determines the result: with `off` it is empty, with `names` it
    /// has no `extras`.
    GET "/get_user_list" sdk_get_user_list = list;
    /// Block a user: refuse their messages in the single room with the caller
    POST "/block_user" sdk_block_user = block [404];
    /// Unblock a user
    POST "/unblock_user" sdk_unblock_user = unblock [404];
    /// List the users whom the caller blocked
    GET "/get_blocked_users" sdk_get_blocked_users = list_blocked;
    /// Get whether users are online
    ///
    /// Agents and customers are omitted if they share no room with the caller, unless
    /// `agent_and_customer_presence` is `all`.
    POST "/users/status" sdk_users_status = load_status;
}

async fn list(
    Part(store): Part<Store>,
    caller: UserCaller,
    query: RequestQuery<FindUsersFields>,
) -> Answer<Results<FoundUsers<'static>>> {
    let (text, page) = read_find_users(&query.fields()?)?;
    let skipped = page.skipped();
    let shown = store.settings(caller.app.id).await?.user_list();
    if shown == UserListSetting::Off {
        return ok(found_users(&[], 0, page, false));
    }
    let found = store.find_users(&caller.app, &text, skipped, page.size);
    let found = match text.is_empty() {
        true => found.await?,
        false => store.search(found).await?,
    };
    ok(found_users(&found.users, found.total, page, shown == UserListSetting::All))
}

async fn block(
    Part(decisions): Part<Decisions>,
    caller: UserCaller,
    body: RequestBody<BlockFields>,
) -> Answer<Results<ClientUserBox<'static>>> {
    let other = read_block(&body.fields()?)?;
    must_reach(decisions.store(), &caller, std::slice::from_ref(&other)).await?;
    let user = caller.user.key;
    let other = actions::block_user(&decisions, &caller, user, other).await?;
    ok(other_user(&other))
}

async fn unblock(
    Part(decisions): Part<Decisions>,
    caller: UserCaller,
    body: RequestBody<BlockFields>,
) -> Answer<Results<ClientUserBox<'static>>> {
    let other = read_block(&body.fields()?)?;
    let user = caller.user.key;
    // The caller may always unblock a user whom the caller blocked, even without a shared room.
    let known = decisions.store().meant_by(&caller.user, std::slice::from_ref(&other)).await?;
    let has_blocked = match known.first() {
        Some((key, _)) => decisions.store().has_blocked(user, *key).await?,
        None => false,
    };
    if !has_blocked {
        must_reach(decisions.store(), &caller, std::slice::from_ref(&other)).await?;
    }
    let other = decisions.decide(&caller, UnblockUser { user, other }).await?;
    ok(other_user(&other))
}

async fn list_blocked(
    Part(store): Part<Store>,
    caller: UserCaller,
    query: RequestQuery<PageFields>,
) -> Answer<Results<BlockedUsers<'static>>> {
    let page = read_plain_page(&query.fields()?)?;
    let user = caller.user.key;
    let blocked = store.blocked(user, page.skipped(), page.size).await?;
    ok(blocked_users(&blocked.users, blocked.total))
}

async fn load_status(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<StatusFields>,
) -> Answer<Results<UserStatuses<'static>>> {
    let users = read_status(&body.fields()?)?;
    let meant = services.store().meant_by(&caller.user, &users).await?;
    let setting = Settings::AGENT_AND_CUSTOMER_PRESENCE;
    let found = visibility::only_shown(services.store(), &caller.user, meant, setting).await?;
    let keys: Vec<_> = found.iter().map(|(key, _)| *key).collect();
    let seen = services.realtime().presences.of(&keys).await?;
    let status = found.iter().map(|(key, user)| {
        let seen = seen.iter().find(|(of, ..)| of == key);
        user_status(user, seen.is_some_and(|it| it.1), seen.map(|it| it.2))
    });
    ok(UserStatuses { user_status: status.collect() })
}
