//! The support dashboard's overview, by bounded reads, for callers that see every room.

use confab_domain::agents::division::Divisions;
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{ChannelId, UserKey};
use confab_domain::limits;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::office::board::{ChannelLoad, Worker};
use confab_wire::omnichannel_api::support::assignment::counts::InboxCounts;

use super::inbox_counts;

/// The current state of an app's customer support: conversations, agents and channels.
pub struct Office {
    pub counts: InboxCounts,
    pub workers: Vec<Worker>,
    pub divisions: Divisions,
    pub agent_customers_max: u32,
    channels: Vec<Channel>,
    /// Number of unresolved conversations by channel.
    open: Vec<(ChannelId, usize)>,
    /// Number of conversations that wait for an agent, by channel.
    waiting: Vec<(ChannelId, usize)>,
}

impl Office {
    /// Reads the current state of an app's support.
    pub async fn read(store: &Store, app: &App) -> Result<Self, StoreError> {
        const MAX: usize = limits::ROOMS_COUNTED_MAX;
        let candidates = store.agents(app.id).await?;
        let users: Vec<_> = candidates.iter().map(|it| it.profile.speaker()).collect();
        let seen = store.presences(&users).await?;
        let last_seen = |user: UserKey| seen.iter().find(|it| it.0 == user).map(|it| it.2);
        let workers = candidates.into_iter().map(|candidate| Worker {
            last_seen_at: last_seen(candidate.profile.speaker()),
            candidate,
        });
        let waiting = store.count_waiting(app.id, MAX).await?;
        let counts = inbox_counts::of_all(store, app.id, &waiting).await?;
        let waiting = waiting.into_iter().filter(|it| !it.is_handled_by_bot);
        Ok(Self {
            counts,
            workers: workers.collect(),
            divisions: store.divisions(app.id).await?,
            agent_customers_max: store.settings(app.id).await?.agent_customers_max(),
            channels: store.channels(app.id).await?,
            open: store.count_open(app.id, MAX).await?,
            waiting: waiting.map(|it| (it.channel, it.count)).collect(),
        })
    }

    /// Returns every channel with its number of open and waiting conversations.
    pub fn channels(&self) -> Vec<ChannelLoad<'_>> {
        let of = |counts: &[(ChannelId, usize)], channel: &Channel| {
            counts.iter().find(|it| it.0 == channel.id).map_or(0, |it| it.1)
        };
        let load = |channel| ChannelLoad {
            channel,
            open: of(&self.open, channel),
            waiting: of(&self.waiting, channel),
        };
        self.channels.iter().map(load).collect()
    }
}
