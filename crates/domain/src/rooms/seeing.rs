//! Who may look into a room: those who are in it, and everybody into a channel (D-0045).

use crate::people::user::UserId;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind, RoomRef};

/// Whether somebody may look into a room: those who are in it may, and everybody into a channel.
pub fn may_see(room: &Room, is_in: bool) -> bool {
    is_in || room.kind == RoomKind::Public
}

/// What somebody is told who is not in the room that they asked for.
pub fn not_in(asked: &RoomRef, room: &Room, by: &UserId) -> Refusal {
    match may_see(room, false) {
        true => {
            let (user, room) = (by.as_str().to_owned(), room.id.to_string());
            Refusal::NotAParticipant { user, room }
        }
        false => Refusal::RoomNotFound(asked.shown()),
    }
}
