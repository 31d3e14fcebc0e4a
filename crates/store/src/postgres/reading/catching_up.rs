//! Reads across all rooms of a user, for clients that reconnect. Each read is a single statement,
//! and therefore sees a single snapshot.

use confab_domain::ids::{EventId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::RoomEvent;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::postgres::Engine;
use crate::reading::pages::{MessageKey, PageEntry};
use crate::sql::{Ask, Row, ValueRow, statements, values};
use crate::tables::room_events::{self, RoomEventPage, event_rows};

/// Ranges of messages that the user `$1` sees: in their rooms, messages after the cleared ones; in
/// rooms that they served in the past, messages up to the end of their service. May leave out
/// ranges that end before `$2`.
macro_rules! seen_stretches {
    () => {
        "(SELECT room, cleared_number, 9223372036854775807 AS until_message FROM participants \
        WHERE user_key = $1 UNION ALL \
        SELECT s.room, 0::bigint, s.until_message FROM served_rooms s \
        WHERE s.agent = $1 AND s.until_message > $2 \
        AND NOT EXISTS (SELECT 1 FROM participants o WHERE o.room = s.room AND o.user_key = $1)) p"
    };
}

/// Messages after `$2` in the rooms of the user `$1`, as event rows.
macro_rules! events_after {
    ($only_if:literal) => {
        event_rows!(
            "SELECT 'said' AS happened, m.id AS event, '' AS subject",
            "0::bigint",
            "FROM ",
            seen_stretches!(),
            " JOIN rooms r ON r.id = p.room CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = p.room AND id > $2 AND is_deleted = 0 \
            AND number > p.cleared_number AND id <= p.until_message \
            AND NOT EXISTS (SELECT 1 FROM hidden_messages h \
            WHERE h.room = p.room AND h.user_key = $1 AND h.number = messages.number) \
            ORDER BY id LIMIT $3) m JOIN users u ON u.id = m.sender WHERE r.last_message > $2 ",
            $only_if,
            " ORDER BY m.id LIMIT $3"
        )
    };
}

/// Keys of messages after `$2` in the rooms of the user `$1`.
macro_rules! keys_after {
    ($only_messages:literal, $order:literal, $only_rooms:literal, $order_of_all:literal) => {
        concat!(
            "SELECT m.room, m.id, m.number FROM ",
            seen_stretches!(),
            " JOIN rooms r ON r.id = p.room CROSS JOIN LATERAL ( \
            SELECT room, id, number FROM messages WHERE room = p.room AND id > $2 ",
            $only_messages,
            "AND is_deleted = 0 AND number > p.cleared_number AND id <= p.until_message \
            AND NOT EXISTS (SELECT 1 FROM hidden_messages h WHERE h.room = p.room \
            AND h.user_key = $1 AND h.number = messages.number) ORDER BY ",
            $order,
            " LIMIT $3) m WHERE r.last_message > $2 ",
            $only_rooms,
            "ORDER BY ",
            $order_of_all,
            " LIMIT $3"
        )
    };
}

/// Changes of messages after `$2` in the rooms of the user `$1`, as event rows. An edited message
/// has its current content, and is left out if it is deleted, or cleared or hidden by the user.
macro_rules! happened_after {
    () => {
        event_rows!(
            "SELECT e.kind AS happened, e.id AS event, e.subject AS subject",
            "e.message",
            "FROM participants p JOIN events e ON e.room = p.room AND e.id > $2 \
            JOIN rooms r ON r.id = e.room JOIN users u ON u.id = e.actor \
            LEFT JOIN messages m ON m.room = e.room AND m.id = e.message AND e.kind = 'edited' \
            WHERE p.user_key = $1 AND (e.kind <> 'cleared' OR e.actor = $1) \
            AND (e.kind <> 'edited' OR (m.is_deleted = 0 AND m.number > p.cleared_number \
            AND NOT EXISTS (SELECT 1 FROM hidden_messages h WHERE h.room = p.room \
            AND h.user_key = $1 AND h.number = m.number))) ORDER BY e.id LIMIT $3"
        )
    };
}

// A receipt names the newest undeleted message up to the participant's position. A message that is
// read and received by the same event is shown once.
statements! {
    KEYS_AFTER = keys_after!("", "id", "", "m.id");
    LATE_KEYS = keys_after!(
        "AND id < $4 AND (id & 63) <> ($4::bigint & 63) ",
        "id DESC",
        "AND NOT EXISTS (SELECT 1 FROM messages x WHERE x.room = p.room AND x.id = $4) ",
        "m.id DESC"
    );
    KEYS_FOLLOWING = "SELECT room, id, number FROM messages \
        WHERE room = $1 AND id > $2 AND number > $3 AND is_deleted = 0 ORDER BY id LIMIT $4";
    HAPPENED = concat!(
        // The bytes before each row are computed without loading it.
        "SELECT * FROM (SELECT *, (sum(weight) OVER (ORDER BY event, happened) - weight)::bigint \
        AS before, count(*) OVER () AS total FROM (SELECT *, (coalesce(octet_length(m7), 0) \
        + coalesce(octet_length(m8), 0) + coalesce(octet_length(m9), 0) \
        + coalesce(octet_length(u6), 0) + octet_length(r7))::bigint AS weight FROM ((",
        events_after!("AND $4::bigint = 1"), ") UNION ALL (", happened_after!(), ") UNION ALL (",
        event_rows!(
            "SELECT 'read' AS happened, o.read_event AS event, '' AS subject",
            "0::bigint",
            "FROM participants p JOIN participants o ON o.room = p.room AND o.read_event > $2 \
            JOIN rooms r ON r.id = p.room JOIN users u ON u.id = o.user_key CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = o.room AND is_deleted = 0 \
            AND number <= o.read_number ORDER BY number DESC LIMIT 1) m \
            WHERE p.user_key = $1 ORDER BY o.read_event LIMIT $3"
        ),
        ") UNION ALL (",
        event_rows!(
            "SELECT 'received' AS happened, o.received_event AS event, '' AS subject",
            "0::bigint",
            "FROM participants p JOIN participants o ON o.room = p.room \
            AND o.received_event > $2 AND o.received_event <> o.read_event \
            JOIN rooms r ON r.id = p.room JOIN users u ON u.id = o.user_key CROSS JOIN LATERAL ( \
            SELECT * FROM messages WHERE room = o.room AND is_deleted = 0 \
            AND number <= o.received_number ORDER BY number DESC LIMIT 1) m \
            WHERE p.user_key = $1 ORDER BY o.received_event LIMIT $3"
        ),
        ")) happened ORDER BY event LIMIT $3) weighed) first \
        WHERE before < $5::bigint ORDER BY event"
    );
    FOLLOWING = event_rows!(
        "SELECT 'said' AS happened, m.id AS event, '' AS subject",
        "0::bigint",
        "FROM messages m JOIN rooms r ON r.id = m.room JOIN users u ON u.id = m.sender \
        WHERE m.room = $1 AND m.id > $2 AND m.number > $3 AND m.is_deleted = 0 \
        ORDER BY m.id LIMIT $4"
    );
    RECEIPT_AT = event_rows!(
        "SELECT CASE WHEN o.read_event = $2 THEN 'read' ELSE 'received' END AS happened, \
        $2::bigint AS event, '' AS subject",
        "0::bigint",
        "FROM participants o JOIN rooms r ON r.id = o.room JOIN users u ON u.id = o.user_key \
        CROSS JOIN LATERAL (SELECT * FROM messages WHERE room = $1 AND is_deleted = 0 \
        AND number <= CASE WHEN o.read_event = $2 THEN o.read_number ELSE o.received_number END \
        ORDER BY number DESC LIMIT 1) m \
        WHERE o.room = $1 AND (o.read_event = $2 OR o.received_event = $2) LIMIT 1"
    );
}

/// Column of the total number of rows, including those that are not returned. It follows the
/// columns of the event, the row's weight and the weight of the rows before it.
const TOTAL: usize = room_events::COLUMNS + 2;

impl Engine {
    /// Returns events after an id in the rooms of a user, ordered by id; new messages only if
    /// `has_messages` is set.
    pub(crate) async fn events_after(
        &self,
        user: UserKey,
        after: EventId,
        size: usize,
        has_messages: bool,
    ) -> Read<RoomEventPage> {
        let bytes = limits::REALTIME_MISSED_READ_BYTES as i64;
        let values = values![user.0, after.0, size as i64, has_messages, bytes];
        let found = self.query_now(&Ask::new(&HAPPENED, values)).await?;
        let total = found.first().map_or(Ok(0), |row| row.number(TOTAL))?;
        let has_more = total > found.len() as i64 || total >= size as i64;
        let events = found.iter().map(room_events::row).collect::<Read<Vec<_>>>()?;
        Ok(RoomEventPage { events, has_more })
    }

    /// Implements [`crate::Store::messages_after`].
    pub(crate) async fn messages_after(
        &self,
        user: UserKey,
        after: MessageId,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let values = values![user.0, after.0, size as i64];
        let found = self.query_now(&Ask::new(&KEYS_AFTER, values)).await?;
        self.first_messages(&keys(&found)?).await
    }

    /// Implements [`crate::Store::late_messages`].
    pub(crate) async fn late_messages(
        &self,
        user: UserKey,
        last: MessageId,
        now: Timestamp,
    ) -> Read<Vec<PageEntry>> {
        let made_at = EventId(last.0).made_at();
        // An id of a node whose clock was ahead does not tell how far other nodes have written.
        let late_ms = if made_at > now { limits::SYNC_LATE_ASKED_MS } else { limits::SYNC_LATE_MS };
        let first = EventId::first_at(Timestamp(made_at.min(now).0 - late_ms * 1_000));
        let values = values![user.0, first.0, limits::SYNC_LATE_MAX as i64, last.0];
        let found = self.query_now(&Ask::new(&LATE_KEYS, values)).await?;
        let mut late = self.first_messages(&keys(&found)?).await?;
        late.reverse();
        Ok(late)
    }

    /// Implements [`crate::Store::following`].
    pub(crate) async fn following(
        &self,
        room: RoomId,
        after: MessageId,
        number: u64,
        size: usize,
    ) -> Read<Vec<PageEntry>> {
        let values = values![room.0, after.0, number as i64, size as i64];
        let found = self.query_now(&Ask::new(&KEYS_FOLLOWING, values)).await?;
        self.first_messages(&keys(&found)?).await
    }

    /// Returns messages of a room after this id, as events.
    pub(crate) async fn events_in(
        &self,
        room: RoomId,
        after: EventId,
        size: usize,
    ) -> Read<RoomEventPage> {
        let values = values![room.0, after.0, 0_i64, size as i64];
        let posted = self.query_now(&Ask::new(&FOLLOWING, values)).await?;
        let events = posted.iter().map(room_events::row).collect::<Read<Vec<_>>>()?;
        Ok(RoomEventPage { has_more: events.len() >= size, events })
    }

    /// Returns the receipt with this id, if it is still the newest of its participant.
    pub(crate) async fn receipt_at(&self, room: RoomId, id: EventId) -> Read<Option<RoomEvent>> {
        let ask = Ask::new(&RECEIPT_AT, values![room.0, id.0]);
        self.asked(ask).await?.first().map(room_events::row).transpose()
    }
}

fn keys(rows: &[ValueRow]) -> Read<Vec<MessageKey>> {
    let key = |row: &ValueRow| {
        let (room, id) = (RoomId(row.number(0)?), MessageId(row.number(1)?));
        Ok(MessageKey { room, id, number: row.number(2)? as u64 })
    };
    rows.iter().map(key).collect()
}
