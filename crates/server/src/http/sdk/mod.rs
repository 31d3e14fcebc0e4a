//! The client API: one file a route (wire facts 4.1 to 4.3). Whoever calls sees the rooms they are
//! in, and public channels; any other room is one that does not exist (D-0045).

use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::room_view::SeenRoom;
use confab_domain::rooms::seeing;
use confab_domain::service::settings::Settings;
use confab_wire::body::Body;
use confab_wire::omnichannel_api::channels::verified_user;
use confab_wire::sdk_api::people::read_token_owner;
use confab_wire::sdk_api::rooms::opened_room;

use super::answer::{Answer, ok};
use super::callers::UserCaller;
use super::problem::Problem;
use crate::services::Services;
use crate::strangers;

pub(super) mod add_room_participants;
pub(super) mod block_user;
pub(super) mod clear_room_messages;
pub(super) mod comment_receipt;
pub(super) mod config;
pub(super) mod create_room;
pub(super) mod delete_messages;
pub(super) mod event_report;
pub(super) mod expire_user_token;
pub(super) mod file_list;
pub(super) mod files;
pub(super) mod get_blocked_users;
pub(super) mod get_or_create_room_with_target;
pub(super) mod get_or_create_room_with_unique_id;
pub(super) mod get_room_by_id;
pub(super) mod get_room_unread_count;
pub(super) mod get_user_list;
pub(super) mod load_comments;
pub(super) mod login_or_register;
pub(super) mod logout;
pub(super) mod mqtt_config;
pub(super) mod my_profile;
pub(super) mod nonce;
pub(super) mod post_comment;
pub(super) mod realtime;
pub(super) mod realtime_ticket;
pub(super) mod refresh_user_token;
pub(super) mod remove_room_participants;
pub(super) mod remove_user_device_token;
pub(super) mod room_participants;
pub(super) mod rooms_info;
pub(super) mod search;
pub(super) mod search_messages;
pub(super) mod set_user_device_token;
pub(super) mod sync;
pub(super) mod sync_event;
pub(super) mod total_unread_count;
pub(super) mod unblock_user;
pub(super) mod update_comment_status;
pub(super) mod update_message;
pub(super) mod update_my_profile;
pub(super) mod update_room;
pub(super) mod upload;
pub(super) mod user_rooms;
pub(super) mod users_status;
pub(super) mod verify_identity_token;

mod looking;
mod room_list;
mod searching;

/// A user as their own client knows them, with what they connect with.
async fn account(services: &Services, app: &App, user: &User) -> Answer {
    let store = services.store();
    let unknown = || Refusal::UsersNotFound(vec![user.user_id.as_str().to_owned()]);
    let token = store.token_of(user.key).await?.ok_or_else(unknown)?;
    account_with(services, app, user, &token).await
}

/// The same for who showed their token.
async fn account_with(services: &Services, app: &App, user: &User, token: &str) -> Answer {
    let newest = services.store().newest_of_user(user.key).await?;
    let pushes_to_ios = services.config().apns.is_some();
    ok(verified_user(app, user, token, newest, pushes_to_ios))
}

/// Who names whose token they mean must mean their own.
fn means_own_token(caller: &UserCaller, body: &Body<'_>) -> Result<(), Problem> {
    let named = read_token_owner(body)?;
    match named.is_none_or(|named| named == caller.user.user_id.as_str()) {
        true => Ok(()),
        false => Err(Problem::wrong_token()),
    }
}

/// Refuses what brings the caller together with somebody they are not shown (D-0071). They are told
/// what they would be told of somebody who is not there.
async fn must_reach(
    services: &Services,
    caller: &UserCaller,
    others: &[UserId],
) -> Result<(), Problem> {
    let setting = Settings::AGENT_AND_CUSTOMER_ROOMS;
    let meant = services.store().meant_by(&caller.user, others).await?;
    let named = meant.len();
    let shown = strangers::only_shown(services, &caller.user, meant, setting).await?;
    if shown.len() == named {
        return Ok(());
    }
    let absent = others.iter().filter(|user| shown.iter().all(|(_, it)| it != *user));
    Err(Refusal::UsersNotFound(absent.map(|user| user.as_str().to_owned()).collect()).into())
}

/// Whether who looks may see the room at all.
fn may_see(seen: &SeenRoom) -> bool {
    seeing::may_see(&seen.room, seen.is_in)
}

/// How many participants of a room are read; the two of a single room give it its name.
fn participants_shown(are_wanted: bool) -> usize {
    if are_wanted { limits::ROOM_PARTICIPANTS_SHOWN_MAX } else { 2 }
}

/// A room as the caller sees it, if they may.
async fn seen_room(
    services: &Services,
    caller: &UserCaller,
    room: &RoomRef,
) -> Result<SeenRoom, Problem> {
    let unknown = || Refusal::RoomNotFound(room.shown());
    let (store, shown) = (services.store(), participants_shown(true));
    let found = store.room(caller.app.id, room).await?.ok_or_else(unknown)?;
    let seen = store.seen_rooms(caller.user.key, vec![found], shown).await?.pop();
    Ok(seen.filter(may_see).ok_or_else(unknown)?)
}

/// A room that the caller just opened or changed.
async fn opened_as(services: &Services, caller: &UserCaller, room: &Room, changed: bool) -> Answer {
    let seen = seen_room(services, caller, &RoomRef::Id(room.id)).await?;
    opened(services, caller, seen, changed).await
}

/// A room with its newest comments.
async fn opened(services: &Services, caller: &UserCaller, seen: SeenRoom, changed: bool) -> Answer {
    let (app, room) = (caller.app.id, RoomRef::Id(seen.room.id));
    let store = services.store();
    let page = store.page(app, &room, 0, limits::PAGE_DEFAULT).await?.unwrap_or_default();
    let comments = store.loaded(page).await?;
    ok(opened_room(&seen, &comments, caller.user.key, changed))
}
