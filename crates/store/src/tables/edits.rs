//! Records of edited messages. The events of edits have the same information, but are purged after
//! some days (D-0041).

use confab_domain::ids::{MessageId, RoomId};

use crate::error::Read;
use crate::sql::{Ask, Row, prepared, statements, values};
use crate::store::Store;

prepared! {
    NOTE_EDIT = "INSERT INTO edits (room, message) VALUES ($1, $2) \
        ON CONFLICT (room, message) DO NOTHING";
}

statements! {
    EDITED = "SELECT message FROM edits WHERE room = $1 AND message >= $2 AND message <= $3 \
        ORDER BY message";
}

pub(crate) fn note(room: RoomId, message: MessageId) -> Ask {
    Ask::new(&NOTE_EDIT, values![room.0, message.0])
}

impl Store {
    /// Returns which messages of a room were edited, in a range of ids that must not be larger than
    /// a page.
    pub async fn edited(
        &self,
        room: RoomId,
        (first, last): (MessageId, MessageId),
    ) -> Read<Vec<MessageId>> {
        let ask = Ask::new(&EDITED, values![room.0, first.0, last.0]);
        self.query_now(ask, |row| row.number(0).map(MessageId)).await
    }
}
