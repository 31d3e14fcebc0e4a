//! Visibility of rooms: participants may see their rooms, and every user of the app's own realm may
//! see public rooms (design/message-api). A channel's customer sees only rooms that they are in
//! (D-0071).

use crate::people::user::{Realm, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind, RoomRef};

/// Whether a user of this realm may see a room. `is_in` states whether the user is a participant.
pub fn may_see(room: &Room, realm: Realm, is_in: bool) -> bool {
    is_in || (room.kind == RoomKind::Public && realm == Realm::App)
}

/// Returns the refusal for a user who is not in the requested room. A room that the user may not
/// see is reported as not found.
pub fn not_in(asked: &RoomRef, room: &Room, by: &UserRef) -> Refusal {
    match may_see(room, by.realm(), false) {
        true => {
            let (user, room) = (by.as_str().to_owned(), room.id.to_string());
            Refusal::NotAParticipant { user, room }
        }
        false => Refusal::RoomNotFound(asked.shown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::ids::ChannelId;

    #[test]
    fn public_rooms_are_visible_to_the_apps_own_users_but_not_to_customers_outside() {
        let mut facts = example::facts();
        example::make_public(&mut facts);
        let room = &facts.rooms[0].1.room;
        let customer = Realm::Channel(ChannelId(7));
        assert!(may_see(room, Realm::App, false));
        assert!(!may_see(room, customer, false));
        assert!(may_see(room, customer, true));
        let by = UserRef::Of(customer, facts.users[0].user_id.clone());
        let asked = example::room_ref();
        assert_eq!(not_in(&asked, room, &by), Refusal::RoomNotFound(asked.shown()));
    }
}
