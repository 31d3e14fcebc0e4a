//! The board: waiting customers, agents, and the load of each channel.

use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::support::conversations::customer_room::Candidate;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::omnichannel_api::support::assignment::counts::InboxCounts;
use crate::time::to_the_second;

/// The current state of an app's customer support. Counts stop at 100,000.
#[derive(Debug, Serialize, ToSchema)]
pub struct Board<'a> {
    /// All agents of the app.
    agents: Vec<BoardAgent<'a>>,
    /// All channels of the app.
    channels: Vec<BoardChannel<'a>>,
    queue: BoardQueue,
}

/// Numbers of conversations in all channels.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardQueue {
    /// Number of waiting customers that a bot handles.
    bot: usize,
    /// Start of the longest current wait of a customer, without customers handled by a bot; null if
    /// none is waiting.
    longest_wait_since: Option<String>,
    /// Number of conversations that are not resolved.
    open: usize,
    /// Number of waiting customers that no bot handles.
    waiting: usize,
}

/// An agent on the board.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardAgent<'a> {
    avatar_url: Option<&'a str>,
    /// Names of the agent's divisions.
    divisions: Vec<&'a str>,
    /// Whether an admin set the agent offline.
    force_offline: bool,
    id: i64,
    /// Whether the agent accepts customers.
    is_available: bool,
    /// Start of the agent's connection or, if the agent is offline, the time when they were last
    /// seen; null if no connection is recorded.
    last_seen_at: Option<String>,
    name: &'a str,
    #[schema(example = "agent")]
    role: &'static str,
    /// Number of customers currently assigned to the agent.
    serves: u32,
    /// Maximum number of assigned customers; null for roles that are not assigned automatically.
    serves_max: Option<u32>,
}

/// A channel on the board.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardChannel<'a> {
    id: i64,
    name: &'a str,
    /// Number of conversations that are not resolved.
    open: usize,
    /// Kind of the channel, as in lists of customer rooms.
    source: String,
    /// Number of waiting customers that no bot handles.
    waiting: usize,
}

/// An agent, with the start of their connection or the time when they were last seen.
pub struct Worker {
    pub candidate: Candidate,
    pub last_seen_at: Option<Timestamp>,
}

/// A channel, with its numbers of open conversations and of waiting customers.
pub struct ChannelLoad<'a> {
    pub channel: &'a Channel,
    pub open: usize,
    pub waiting: usize,
}

/// The values that a board is created from.
pub struct BoardView<'a> {
    pub counts: &'a InboxCounts,
    pub workers: &'a [Worker],
    pub divisions: &'a Divisions,
    /// Maximum number of customers per agent, for agents without their own limit.
    pub agent_customers_max: u32,
    pub channels: &'a [ChannelLoad<'a>],
    /// Kind (`source`) that the board shows for widget channels.
    pub widget_source: &'a str,
}

pub fn board<'a>(view: &BoardView<'a>) -> Board<'a> {
    let InboxCounts { unassigned, bot, open, longest_wait_since, .. } = *view.counts;
    let channel = |it: &ChannelLoad<'a>| BoardChannel {
        id: it.channel.id.0,
        name: &it.channel.name,
        open: it.open,
        source: it.channel.shown(view.widget_source).source,
        waiting: it.waiting,
    };
    Board {
        agents: view.workers.iter().map(|it| agent(view, it)).collect(),
        channels: view.channels.iter().map(channel).collect(),
        queue: BoardQueue {
            bot,
            longest_wait_since: longest_wait_since.map(to_the_second),
            open,
            waiting: unassigned,
        },
    }
}

fn agent<'a>(view: &BoardView<'a>, worker: &'a Worker) -> BoardAgent<'a> {
    let Candidate { profile, serves, serves_max, .. } = &worker.candidate;
    let user = &profile.user;
    let is_given_customers = user.role == Role::Agent;
    let divisions = view.divisions.of(user.id);
    BoardAgent {
        avatar_url: profile.avatar_url.as_deref(),
        divisions: divisions.map(|it| it.name.as_str()).collect(),
        force_offline: profile.is_forced_offline,
        id: user.id.0,
        is_available: profile.is_available,
        last_seen_at: worker.last_seen_at.map(to_the_second),
        name: &user.name,
        role: user.role.as_str(),
        serves: *serves,
        serves_max: is_given_customers.then(|| serves_max.unwrap_or(view.agent_customers_max)),
    }
}
