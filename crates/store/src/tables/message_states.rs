//! Delivery states of messages to customers, by part. A state never changes back to an earlier one,
//! except that a failed part can be resent.

use confab_domain::channels::channel_message::{MessageState, PartState};
use confab_domain::ids::{MessageId, RoomId};

use crate::error::Read;
use crate::sql::{Ask, Row, SqlValue, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    ADD_STATE = "INSERT INTO message_states (room, message, part, state, code, reason, at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (room, message, part) DO NOTHING";
    // State 9 is failed: it is final unless the part is resent, and a delivered part cannot fail.
    SET_STATE = "INSERT INTO message_states (room, message, part, state, code, reason, at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (room, message, part) DO UPDATE \
        SET state = excluded.state, code = excluded.code, reason = excluded.reason, \
        at = excluded.at WHERE message_states.state < excluded.state \
        AND NOT (excluded.state = 9 AND message_states.state >= 2)";
    // A failure reported while the part was being resent is newer than the resend.
    SET_STATE_AGAIN = "INSERT INTO message_states (room, message, part, state, code, reason, at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (room, message, part) DO UPDATE \
        SET state = excluded.state, code = excluded.code, reason = excluded.reason, \
        at = excluded.at WHERE message_states.state < excluded.state \
        OR (message_states.state = 9 AND message_states.at <= excluded.at)";
    FORGET_STATES = "DELETE FROM message_states WHERE room = $1";
}

statements! {
    STATES = "SELECT room, message, part, state, code, reason, at FROM message_states \
        WHERE room = $1 AND message >= $2 AND message <= $3 ORDER BY message, part";
    // State 0 is queued.
    QUEUED = "SELECT room, message, part, state, code, reason, at FROM message_states \
        WHERE room = $1 AND state = 0 ORDER BY message, part LIMIT $2";
}

fn row(row: &ValueRow) -> Read<PartState> {
    Ok(PartState {
        room: RoomId(row.number(0)?),
        message: MessageId(row.number(1)?),
        part: row.number(2)? as u32,
        state: row.known_number(3, "state of a message", MessageState::from_number)?,
        code: row.maybe_text(4)?,
        reason: row.maybe_text(5)?,
        at: row.time(6)?,
    })
}

fn values_of(state: &PartState) -> Vec<SqlValue> {
    let PartState { room, message, part, state, code, reason, at } = state;
    let (code, reason) = (code.as_deref(), reason.as_deref());
    values![room.0, message.0, *part, state.number(), code, reason, *at]
}

pub(crate) fn add(state: &PartState) -> Vec<Ask> {
    vec![Ask::new(&ADD_STATE, values_of(state))]
}

pub(crate) fn set(state: &PartState, is_again: bool) -> Vec<Ask> {
    let statement = if is_again { &SET_STATE_AGAIN } else { &SET_STATE };
    vec![Ask::new(statement, values_of(state))]
}

pub(crate) fn delete(room: RoomId) -> Ask {
    Ask::new(&FORGET_STATES, values![room.0])
}

impl Store {
    /// Returns the delivery states of the messages of a room in a range of ids, by part.
    pub async fn message_states(
        &self,
        room: RoomId,
        (from, to): (MessageId, MessageId),
    ) -> Read<Vec<PartState>> {
        self.query_now(Ask::new(&STATES, values![room.0, from.0, to.0]), row).await
    }

    /// Returns the parts of messages to a room's customer that are not yet recorded as sent, oldest
    /// first.
    pub async fn queued_parts(&self, room: RoomId, limit: usize) -> Read<Vec<PartState>> {
        self.query_now(Ask::new(&QUEUED, values![room.0, limit as i64]), row).await
    }
}
