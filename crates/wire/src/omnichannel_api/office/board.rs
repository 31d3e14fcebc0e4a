//! The board: who waits, who works, and how busy each channel is (D-0139).

use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::support::customer_room::Candidate;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::omnichannel_api::support::counts::InboxCounts;
use crate::time::to_the_second;

/// An office at this moment. Each number above 100,000 is shown as 100,000.
#[derive(Debug, Serialize, ToSchema)]
pub struct Board<'a> {
    /// Everybody who works in the app.
    agents: Vec<BoardAgent<'a>>,
    /// Every channel of the app.
    channels: Vec<BoardChannel<'a>>,
    queue: BoardQueue,
}

/// Customers as a whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardQueue {
    /// Customers who wait, and a bot answers.
    bot: usize,
    /// Since when the first waits of those whom no bot answers.
    longest_wait_since: Option<String>,
    /// Conversations that are not resolved.
    open: usize,
    /// Customers who wait, and no bot answers.
    waiting: usize,
}

/// Somebody who works in the app.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardAgent<'a> {
    avatar_url: Option<&'a str>,
    /// The names of the divisions they are in.
    divisions: Vec<&'a str>,
    /// Whether an admin says that they are not there.
    force_offline: bool,
    id: i64,
    /// Whether they say that they are there.
    is_available: bool,
    /// Since when they are connected, or when they last were; null if they never were.
    last_seen_at: Option<String>,
    name: &'a str,
    #[schema(example = "agent")]
    role: &'static str,
    /// How many customers they serve now.
    serves: u32,
    /// How many they serve at most; null for those whom nobody is given to.
    serves_max: Option<u32>,
}

/// A channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct BoardChannel<'a> {
    id: i64,
    name: &'a str,
    /// Conversations that are not resolved.
    open: usize,
    /// The kind of channel, as rows of customers' rooms show it.
    source: String,
    /// Customers who wait, and no bot answers.
    waiting: usize,
}

/// Somebody who works in the app, and when they were last connected.
pub struct Worker {
    pub candidate: Candidate,
    pub last_seen_at: Option<Timestamp>,
}

/// How busy a channel is.
pub struct ChannelLoad<'a> {
    pub channel: &'a Channel,
    pub open: usize,
    pub waiting: usize,
}

/// Everything that a board shows.
pub struct BoardView<'a> {
    pub counts: &'a InboxCounts,
    pub workers: &'a [Worker],
    pub divisions: &'a Divisions,
    /// How many customers agents serve at most who have no number of their own.
    pub agent_customers_max: u32,
    pub channels: &'a [ChannelLoad<'a>],
    /// What the widget's channel goes by.
    pub widget_source: &'a str,
}

/// The board.
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
