//! Messages that are hidden from one user without being deleted (design/message-api).

use confab_domain::ids::{RoomId, UserKey};

use crate::error::Read;
use crate::sql::{Ask, Row, prepared, statements, values};
use crate::store::Store;

prepared! {
    HIDE = "INSERT INTO hidden_messages (room, user_key, number) VALUES ($1, $2, $3) \
        ON CONFLICT (room, user_key, number) DO NOTHING";
    FORGET_HIDDEN = "DELETE FROM hidden_messages WHERE room = $1 AND number = $2";
}

statements! {
    HIDDEN = "SELECT number FROM hidden_messages WHERE room = $1 AND user_key = $2";
}

pub(crate) fn hide(room: RoomId, user: UserKey, number: u64) -> Vec<Ask> {
    vec![Ask::new(&HIDE, values![room.0, user.0, number as i64])]
}

/// Deletes the entries of a deleted message, which is hidden from all users anyway.
pub(crate) fn delete(room: RoomId, number: u64) -> Ask {
    Ask::new(&FORGET_HIDDEN, values![room.0, number as i64])
}

impl Store {
    /// Returns the numbers of a room's messages that are hidden from a user.
    pub async fn hidden_numbers(&self, room: RoomId, user: UserKey) -> Read<Vec<u64>> {
        let ask = Ask::new(&HIDDEN, values![room.0, user.0]);
        self.query_now(ask, |row| row.number(0).map(|number| number as u64)).await
    }
}
