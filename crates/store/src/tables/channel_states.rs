//! Health of channels that belong to providers, and for each the cursor up to which its provider
//! was polled.

use confab_domain::channels::provider_health::{ProviderHealth, ProviderState};
use confab_domain::ids::ChannelId;

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    HEALTH = "SELECT state, reason, since FROM channel_states WHERE channel = $1";
    SET_HEALTH = "INSERT INTO channel_states (channel, state, reason, since, cursor) \
        VALUES ($1, $2, $3, $4, 0) ON CONFLICT (channel) DO UPDATE \
        SET state = excluded.state, reason = excluded.reason, since = excluded.since";
    // The cursor only rises: a node may finish its poll after another node polled further.
    SET_CURSOR = "INSERT INTO channel_states (channel, state, reason, since, cursor) \
        VALUES ($1, 'ok', '', 0, $2) ON CONFLICT (channel) DO UPDATE \
        SET cursor = excluded.cursor WHERE channel_states.cursor < excluded.cursor";
}

statements! {
    CURSOR = "SELECT cursor FROM channel_states WHERE channel = $1";
    UNWELL = "SELECT count(*) FROM channel_states s JOIN channels ch ON ch.id = s.channel \
        WHERE ch.deleted_at IS NULL AND ch.is_active = 1 \
        AND s.state IN ('unauthorized', 'misconfigured')";
}

pub(crate) fn health(row: &ValueRow) -> Read<ProviderHealth> {
    Ok(ProviderHealth {
        state: row.known(0, "state of a channel", ProviderState::parse)?,
        reason: row.text(1)?,
        since: row.time(2)?,
    })
}

pub(crate) fn set_health(channel: ChannelId, health: &ProviderHealth) -> Vec<Ask> {
    let ProviderHealth { state, reason, since } = health;
    vec![Ask::new(&SET_HEALTH, values![channel.0, state.as_str(), reason, *since])]
}

pub(crate) fn set_cursor(channel: ChannelId, cursor: i64) -> Vec<Ask> {
    vec![Ask::new(&SET_CURSOR, values![channel.0, cursor])]
}

impl Store {
    /// Returns the health of a channel's account at its provider.
    pub async fn service_health(&self, channel: ChannelId) -> Read<Option<ProviderHealth>> {
        Ok(self.query_now(Ask::new(&HEALTH, values![channel.0]), health).await?.pop())
    }

    /// Returns the cursor up to which a channel's provider was polled, or 0 before the first poll.
    pub async fn service_cursor(&self, channel: ChannelId) -> Read<i64> {
        let ask = Ask::new(&CURSOR, values![channel.0]);
        Ok(self.query_now(ask, |row| row.number(0)).await?.pop().unwrap_or(0))
    }

    /// Returns the number of active channels, of all apps, whose account at the provider must be
    /// repaired.
    pub async fn unwell_channels(&self) -> Read<u64> {
        self.counted(Ask::new(&UNWELL, Vec::new())).await
    }
}
