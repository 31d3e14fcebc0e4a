//! Delivery states of messages that apps sent through their channels outside of rooms (D-0155). A
//! state never changes back to an earlier one.

use confab_domain::channels::channel_message::MessageState;
use confab_domain::channels::direct_send::DirectSend;
use confab_domain::ids::ChannelId;
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    // State 9 is failed: it is final, and a delivered message cannot fail.
    SET_DIRECT_SEND = "INSERT INTO direct_sends (external_id, channel, state, code, reason, at) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (external_id, channel) DO UPDATE \
        SET state = excluded.state, code = excluded.code, reason = excluded.reason, \
        at = excluded.at WHERE direct_sends.state < excluded.state \
        AND NOT (excluded.state = 9 AND direct_sends.state >= 2)";
    FORGET_DIRECT_SENDS = "DELETE FROM direct_sends WHERE at < $1";
}

statements! {
    DIRECT_SEND = "SELECT external_id, channel, state, code, reason, at FROM direct_sends \
        WHERE external_id = $1 AND channel = $2";
}

fn row(row: &ValueRow) -> Read<DirectSend> {
    Ok(DirectSend {
        external_id: row.text(0)?,
        channel: ChannelId(row.number(1)?),
        state: row.known_number(2, "state of a message", MessageState::from_number)?,
        code: row.maybe_text(3)?,
        reason: row.maybe_text(4)?,
        at: row.time(5)?,
    })
}

pub(crate) fn set(sent: &DirectSend) -> Vec<Ask> {
    let DirectSend { channel, external_id, state, code, reason, at } = sent;
    let (code, reason) = (code.as_deref(), reason.as_deref());
    let values = values![external_id, channel.0, state.number(), code, reason, *at];
    vec![Ask::new(&SET_DIRECT_SEND, values)]
}

/// Deletes the states of direct messages that were last updated before this time.
pub(crate) fn purge(before: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&FORGET_DIRECT_SENDS, values![before])]
}

impl Store {
    /// Returns the delivery state of a message that an app sent through a channel outside of rooms.
    pub async fn direct_send(
        &self,
        channel: ChannelId,
        external_id: &str,
    ) -> Read<Option<DirectSend>> {
        let ask = Ask::new(&DIRECT_SEND, values![external_id, channel.0]);
        Ok(self.query_now(ask, row).await?.pop())
    }
}
