//! Ids that providers gave to messages, for lookups by message and by the provider's id (D-0150).

use confab_domain::channels::channel_message::{ChannelMessage, ExternalRef};
use confab_domain::ids::{ChannelId, MessageId, RoomId};
use confab_domain::time::Timestamp;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, columns, prepared, statements, values};
use crate::store::Store;

macro_rules! channel_message_columns {
    () => {
        columns!(""; "external_id", "channel", "part", "room", "message", "is_outgoing", "at")
    };
}

prepared! {
    EXTERNAL_MESSAGE = concat!("SELECT ", channel_message_columns!(), " FROM channel_messages \
        WHERE external_id = $1 AND channel = $2 AND part = $3");
    // A repeated insert changes nothing.
    ADD_CHANNEL_MESSAGE = "INSERT INTO channel_messages \
        (external_id, channel, part, room, message, is_outgoing, at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (external_id, channel, part) DO NOTHING";
    LAST_HEARD = "SELECT m.at, s.value FROM channel_messages m LEFT JOIN channel_settings s \
        ON s.channel = m.channel AND s.name = 'human_agent_enabled' \
        WHERE m.room = $1 AND m.is_outgoing = 0 ORDER BY m.message DESC LIMIT 1";
    FORGET_CHANNEL_MESSAGES = "DELETE FROM channel_messages WHERE room = $1";
}

statements! {
    MESSAGES_NAMED = concat!("SELECT ", channel_message_columns!(), " FROM channel_messages \
        WHERE external_id = $1 AND channel = $2 ORDER BY part");
    NAMES_OF_MESSAGE = concat!("SELECT ", channel_message_columns!(), " FROM channel_messages \
        WHERE room = $1 AND message = $2 ORDER BY part, external_id");
    OUTGOING_UNTIL = concat!("SELECT ", channel_message_columns!(), " FROM channel_messages \
        WHERE room = $1 AND is_outgoing = 1 AND at <= $2 \
        ORDER BY message DESC, part DESC LIMIT $3");
    LAST_AT = "SELECT at FROM channel_messages WHERE channel = $1 AND is_outgoing = $2 \
        ORDER BY at DESC LIMIT 1";
}

pub(crate) fn row(row: &ValueRow) -> Read<ChannelMessage> {
    let external = ExternalRef {
        external_id: row.text(0)?,
        channel: ChannelId(row.number(1)?),
        part: row.number(2)? as u32,
    };
    Ok(ChannelMessage {
        external,
        room: RoomId(row.number(3)?),
        message: MessageId(row.number(4)?),
        is_outgoing: row.flag(5)?,
        at: row.time(6)?,
    })
}

/// Reads the time of the customer's last message, and whether the channel may mark replies as
/// written by a human agent.
pub(crate) fn read_last_inbound(row: &ValueRow) -> Read<(Timestamp, bool)> {
    Ok((row.time(0)?, row.maybe_text(1)?.as_deref() == Some("true")))
}

pub(crate) fn asked_for(external: &ExternalRef) -> Ask {
    let ExternalRef { channel, external_id, part } = external;
    Ask::new(&EXTERNAL_MESSAGE, values![external_id, channel.0, *part])
}

pub(crate) fn add(message: &ChannelMessage) -> Vec<Ask> {
    let ChannelMessage { external, room, message, is_outgoing, at } = message;
    let ExternalRef { channel, external_id, part } = external;
    let values = values![external_id, channel.0, *part, room.0, message.0, *is_outgoing, *at];
    vec![Ask::new(&ADD_CHANNEL_MESSAGE, values)]
}

pub(crate) fn delete(room: RoomId) -> Ask {
    Ask::new(&FORGET_CHANNEL_MESSAGES, values![room.0])
}

impl Store {
    /// Returns the parts of a message by the id that the channel's provider gave it, first part
    /// first.
    pub async fn messages_named(
        &self,
        channel: ChannelId,
        external_id: &str,
    ) -> Read<Vec<ChannelMessage>> {
        let ask = Ask::new(&MESSAGES_NAMED, values![external_id, channel.0]);
        self.query_now(ask, row).await
    }

    /// Returns the ids that a provider gave to the parts of a message, first part first.
    pub async fn names_of_message(
        &self,
        room: RoomId,
        message: MessageId,
    ) -> Read<Vec<ChannelMessage>> {
        self.query_now(Ask::new(&NAMES_OF_MESSAGE, values![room.0, message.0]), row).await
    }

    /// Returns the time, by the provider's clock, of the last message that a room's customer sent
    /// through the provider.
    pub async fn last_inbound_at(&self, room: RoomId) -> Read<Option<Timestamp>> {
        let ask = Ask::new(&LAST_HEARD, values![room.0]);
        Ok(self.query_now(ask, |row| row.time(0)).await?.pop())
    }

    /// Returns messages sent to a room's customer up to a time, newest first.
    pub async fn outgoing_until(
        &self,
        room: RoomId,
        until: Timestamp,
        limit: usize,
    ) -> Read<Vec<ChannelMessage>> {
        self.query_now(Ask::new(&OUTGOING_UNTIL, values![room.0, until, limit as i64]), row).await
    }

    /// Returns the time of a channel's last message through its provider, outgoing or incoming as
    /// requested.
    pub async fn last_through(
        &self,
        channel: ChannelId,
        is_outgoing: bool,
    ) -> Read<Option<Timestamp>> {
        let ask = Ask::new(&LAST_AT, values![channel.0, is_outgoing]);
        Ok(self.query_now(ask, |row| row.time(0)).await?.pop())
    }
}
