//! The channels that each agent serves.

use std::collections::HashMap;

use confab_domain::ids::{AgentId, AppId, ChannelId};
use confab_domain::support::conversations::customer_room::Candidate;

use crate::error::{Read, StoreError};
use crate::sql::{Ask, Row, ValueRow, prepared, values};
use crate::store::Store;

prepared! {
    CHANNELS_OF_AGENT = "SELECT channel FROM agent_channels WHERE agent = $1 ORDER BY channel";
    AGENT_CHANNELS = "SELECT a.agent, a.channel FROM agent_channels a \
        JOIN dashboard_users d ON d.id = a.agent WHERE d.app = $1 ORDER BY a.agent, a.channel";
    CLEAR_AGENT_CHANNELS = "DELETE FROM agent_channels WHERE agent = $1";
    ADD_AGENT_CHANNEL = "INSERT INTO agent_channels (agent, channel) VALUES ($1, $2) \
        ON CONFLICT (agent, channel) DO NOTHING";
}

/// Channels of each agent, by the agent's id.
pub(crate) type ChannelsOfAgents = HashMap<i64, Vec<ChannelId>>;

/// Reads an agent's id and a channel that the agent serves.
pub(crate) fn row(row: &ValueRow) -> Result<(i64, ChannelId), StoreError> {
    Ok((row.number(0)?, ChannelId(row.number(1)?)))
}

pub(crate) fn by_agent(pairs: Vec<(i64, ChannelId)>) -> ChannelsOfAgents {
    let mut channels = ChannelsOfAgents::new();
    for (agent, channel) in pairs {
        channels.entry(agent).or_default().push(channel);
    }
    channels
}

/// Sets the channels of each candidate.
pub(crate) fn with_channels(found: Vec<Candidate>, channels: &ChannelsOfAgents) -> Vec<Candidate> {
    let with = |it: Candidate| {
        let channels = channels.get(&it.profile.user.id.0).cloned().unwrap_or_default();
        Candidate { channels, ..it }
    };
    found.into_iter().map(with).collect()
}

/// Replaces the channels that an agent serves.
pub(crate) fn set(agent: AgentId, channels: &[ChannelId]) -> Vec<Ask> {
    let mut asks = vec![Ask::new(&CLEAR_AGENT_CHANNELS, values![agent.0])];
    for channel in channels {
        asks.push(Ask::new(&ADD_AGENT_CHANNEL, values![agent.0, channel.0]));
    }
    asks
}

impl Store {
    pub(super) async fn with_channels(
        &self,
        app: AppId,
        found: Vec<Candidate>,
    ) -> Read<Vec<Candidate>> {
        let ask = Ask::new(&AGENT_CHANNELS, values![app.0]);
        let pairs = self.query_now(ask, row).await?;
        Ok(with_channels(found, &by_agent(pairs)))
    }
}
