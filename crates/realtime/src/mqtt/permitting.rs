//! Permission checks of MQTT subscriptions. The answer does not reveal whether a room or user does
//! not exist or the client may not see it.

use bytes::Bytes;
use confab_domain::ids::RoomId;
use confab_domain::people::presence::Presence;
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::rooms::seeing;
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_queries::{customer_rooms, visibility};
use confab_store::StoreError;
use confab_wire::realtime as wire;

use super::subscriptions::Subject;
use super::topic::Topic;
use crate::hub::{Address, Listener};
use crate::node::Realtime;

/// Resolves a topic to the subject of a subscription. Returns `None` if the user may not subscribe
/// to it. The token of a [`Topic::Own`] must have been checked before.
pub(super) async fn subject(
    realtime: &Realtime,
    listener: &Listener,
    user: &User,
    topic: &Topic,
) -> Result<Option<Subject>, StoreError> {
    let store = &realtime.store;
    let (room, subject) = match topic {
        Topic::Own { what, .. } => return Ok(Some(Subject::Own(user.key, *what))),
        Topic::Channel { app, unique_id } => {
            let Ok(room) = RoomRef::parse("unique_id", unique_id) else { return Ok(None) };
            let room = store.room(user.app, &room).await?;
            let own_app = store.app_by_id(user.app).await?;
            let is_own = own_app.is_some_and(|own| own.code.as_str() == app);
            // A number could match the integer of another room: only the unique id counts.
            let is_meant = |room: &Room| is_own && room.unique_id.as_str() == unique_id;
            let room = room.filter(|room| room.kind == RoomKind::Public && is_meant(room));
            let room = room.filter(|room| seeing::may_see(room, user.realm, false));
            return Ok(room.map(|room| Subject::Channel(room.id)));
        }
        Topic::Presence { user: who } => {
            let meant = store.meant_by(user, std::slice::from_ref(who)).await?;
            let setting = Settings::AGENT_AND_CUSTOMER_PRESENCE;
            let shown = visibility::only_shown(&realtime.store, user, meant, setting).await?.pop();
            return Ok(shown.map(|(who, _)| Subject::Presence(who)));
        }
        Topic::InRoom { room, user: who, what } => {
            (*room, Subject::InRoom(*room, who.clone(), *what))
        }
        Topic::Custom { room } => (*room, Subject::Custom(*room)),
        Topic::Assistant { room } => (*room, Subject::Assistant(*room)),
    };
    let hears = is_in(realtime, listener, user, room).await?
        || customer_rooms::is_seen_permanently(&realtime.store, user, room).await?;
    Ok(hears.then_some(subject))
}

/// Whether the user is a participant of the room. For users other than agents, a subscription to
/// the room proves it, because the hub unsubscribes users who leave. Agents may subscribe without
/// being participants, so they are checked in the store.
pub(super) async fn is_in(
    realtime: &Realtime,
    listener: &Listener,
    user: &User,
    room: RoomId,
) -> Result<bool, StoreError> {
    if user.works_as().is_none() && listener.sits_at(Address::Room(room)) {
        return Ok(true);
    }
    realtime.store.is_participant(room, user.key).await
}

/// Whether the user may stay subscribed to a room. Checked after subscribing, because the user may
/// have left the room just before, when there was no subscription to remove.
pub(super) async fn is_still_in(
    realtime: &Realtime,
    user: &User,
    at: Address,
) -> Result<bool, StoreError> {
    match at {
        Address::Room(room) => Ok(realtime.store.is_participant(room, user.key).await?
            || customer_rooms::is_seen_permanently(&realtime.store, user, room).await?),
        _ => Ok(true),
    }
}

/// Parses a presence payload: `1` for online, `0` or an empty payload for offline, with or without
/// a time (wire facts 4.4). The client's time is ignored.
pub(super) fn presence_of(payload: &[u8]) -> Option<bool> {
    match payload.split(|byte| *byte == b':').next() {
        Some(b"1") => Some(true),
        Some(b"0" | b"") => Some(false),
        _ => None,
    }
}

/// Encodes a presence payload.
pub(super) fn presence(user: &UserId, is_online: bool, at: Timestamp) -> Bytes {
    wire::presence_payload(&Presence { user: user.clone(), is_online, at }).into()
}
