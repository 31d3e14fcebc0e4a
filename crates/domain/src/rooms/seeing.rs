//! Visibility of rooms: participants may see their rooms, and every user may see public rooms
//! (D-0045).

use crate::people::user::UserId;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind, RoomRef};

/// Whether a user may see a room: participants may, and everyone may see a public room.
pub fn may_see(room: &Room, is_in: bool) -> bool {
    is_in || room.kind == RoomKind::Public
}

/// Returns the refusal for a user who is not in the requested room. It hides rooms that the user
/// may not see.
pub fn not_in(asked: &RoomRef, room: &Room, by: &UserId) -> Refusal {
    match may_see(room, false) {
        true => {
            let (user, room) = (by.as_str().to_owned(), room.id.to_string());
            Refusal::NotAParticipant { user, room }
        }
        false => Refusal::RoomNotFound(asked.shown()),
    }
}
