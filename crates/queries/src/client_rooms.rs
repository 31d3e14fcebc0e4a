//! Rooms that a user may see: their own, public channels unless the user is a customer, and
//! customers' rooms for staff (D-0090, D-0071).

use std::collections::HashSet;

use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::room_view::RoomForClient;
use confab_domain::rooms::seeing;
use confab_store::{Store, StoreError};
use futures_util::future::try_join_all;

use super::QueryError;
use super::customer_rooms::is_seen_as_staff;

/// A room that a user may see, with the messages that are not visible to the user.
pub struct VisibleRoom {
    pub room: Room,
    /// Number of the newest message that the user cleared. All messages up to it are invisible.
    pub cleared_number: u64,
    /// Numbers of the messages that the user hid.
    pub hidden: HashSet<u64>,
}

impl VisibleRoom {
    /// Whether the user may see the message with this number.
    pub fn shows(&self, number: u64) -> bool {
        number > self.cleared_number && !self.hidden.contains(&number)
    }
}

/// Returns the room, or a refusal if the user may not see it.
pub async fn visible(
    store: &Store,
    user: &User,
    asked: &RoomRef,
) -> Result<VisibleRoom, QueryError> {
    let found = store.room(user.app, asked).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(asked.shown()))?;
    let cleared = store.cleared_number(room.id, user.key).await?;
    if !sees(store, user, &room, cleared.is_some()).await? {
        return Err(seeing::not_in(asked, &room, &user.itself()).into());
    }
    shown_of(store, user, room, cleared.unwrap_or(0)).await
}

/// Reads which messages of a room are not visible to the user, without checking whether the user
/// may see the room.
pub async fn shown_of(
    store: &Store,
    user: &User,
    room: Room,
    cleared_number: u64,
) -> Result<VisibleRoom, QueryError> {
    let hidden = store.hidden_numbers(room.id, user.key).await?.into_iter().collect();
    Ok(VisibleRoom { room, cleared_number, hidden })
}

/// Returns the user's view of a room with at most `participants_max` participants, or a refusal if
/// the user may not see the room.
pub async fn seen(
    store: &Store,
    user: &User,
    asked: &RoomRef,
    participants_max: usize,
) -> Result<RoomForClient, QueryError> {
    let unknown = || Refusal::RoomNotFound(asked.shown());
    let found = store.room(user.app, asked).await?.ok_or_else(unknown)?;
    let seen = store.seen_rooms(user.key, vec![found], participants_max).await?.pop();
    let seen = seen.ok_or_else(unknown)?;
    match sees(store, user, &seen.room, seen.is_in).await? {
        true => Ok(seen),
        false => Err(unknown().into()),
    }
}

/// Returns those of the rooms that the user may see.
pub async fn visible_among(
    store: &Store,
    user: &User,
    rooms: Vec<Room>,
) -> Result<Vec<Room>, StoreError> {
    let is_visible = async |room: &Room| {
        let cleared = store.cleared_number(room.id, user.key).await?;
        sees(store, user, room, cleared.is_some()).await
    };
    let are_visible = try_join_all(rooms.iter().map(is_visible)).await?;
    let seen = rooms.into_iter().zip(are_visible).filter(|(_, is_visible)| *is_visible);
    Ok(seen.map(|(room, _)| room).collect())
}

async fn sees(store: &Store, user: &User, room: &Room, is_in: bool) -> Result<bool, StoreError> {
    Ok(seeing::may_see(room, user.realm, is_in) || is_seen_as_staff(store, user, room).await?)
}
