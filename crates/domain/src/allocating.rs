//! Allocating: who serves a customer.

use crate::customer_room::Candidate;
use crate::decision::{Decision, Facts, Question, Stamp};
use crate::delivery::Lane;
use crate::ids::{DashboardUserId, RoomId};
use crate::notice::DashboardProfile;
use crate::omnichannel::OmniQuestion;
use crate::people::UserId;
use crate::refusal::Refusal;
use crate::room::RoomRef;
use crate::serving::{Desk, Served, Serving};

/// How an agent is assigned.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wish {
    /// At most so many agents in the room, if fewer than the app allows.
    pub agents_max: Option<u32>,
    /// The one who came last leaves.
    pub replaces_latest: bool,
}

/// What the rules here want to know about a room and an agent. `speakers` are the users that speak
/// for the agents who may come or go.
pub fn question(desk: &Desk<'_>, room: RoomId, agents: &[DashboardUserId]) -> Question {
    Question {
        rooms: vec![RoomRef::Id(room)],
        users: vec![crate::app::App::system_user_id(&desk.app.code)],
        endpoints: Some((Lane(room.0), Vec::new())),
        omni: Some(OmniQuestion {
            finds_service: true,
            finds_settings: true,
            finds_speakers: true,
            dashboard_users: agents.to_vec(),
            ..OmniQuestion::default()
        }),
        ..Question::default()
    }
}

/// Assigns an agent to a customer's room.
pub fn assign(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    agent: DashboardUserId,
    wish: Wish,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<DashboardProfile>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    let found = facts.omni.dashboard_users.iter().find(|it| it.profile.user.id == agent);
    let found = found.ok_or(Refusal::AgentNotFound(agent.0))?;
    if !serving.now.is_open() {
        return Err(Refusal::SessionResolved(room.to_string()));
    }
    if serving.agents.iter().any(|it| it.user.id == agent) {
        return Err(Refusal::AlreadyAssigned { agent: agent.0, room: room.to_string() });
    }
    if !found.serves_channel(serving.now.channel) {
        return Err(Refusal::WrongChannel(agent.0));
    }
    if wish.replaces_latest
        && let Some(latest) = serving.agents.last().map(|it| it.user.id)
    {
        serving.leave(latest);
    }
    let allowed = facts.omni.settings.room_agents_max();
    let agents_max = wish.agents_max.map_or(allowed, |max| max.min(allowed));
    if serving.agents.len() >= agents_max as usize {
        return Err(Refusal::TooManyAgents { room: room.to_string(), agents_max });
    }
    let profile = found.profile.clone();
    serving.join(&profile)?;
    serving.end(profile)
}

/// Takes an agent out of a customer's room.
pub fn remove(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    agent: DashboardUserId,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<()>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    if !serving.agents.iter().any(|it| it.user.id == agent) {
        return Err(Refusal::NotAssigned { agent: agent.0, room: room.to_string() });
    }
    serving.leave(agent);
    serving.end(())
}

/// What the server asks before it assigns somebody itself: all who are free, and nobody else
/// decides about them meanwhile.
pub fn own_question(desk: &Desk<'_>, room: RoomId) -> Question {
    let mut question = question(desk, room, &[]);
    question.omni = question.omni.map(|omni| OmniQuestion {
        finds_candidates: true,
        locks_allocation: true,
        ..omni
    });
    question
}

/// The server assigns whoever serves the fewest; nobody if nobody is free or needed.
pub fn assign_freest(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<Option<DashboardProfile>>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    let is_needed = serving.now.is_open() && serving.agents.is_empty();
    let freest = freest(facts, &serving).filter(|_| is_needed);
    let Some(freest) = freest else { return serving.end(None) };
    serving.join(&freest)?;
    serving.end(Some(freest))
}

fn freest(facts: &Facts, serving: &Serving<'_>) -> Option<DashboardProfile> {
    let cap = facts.omni.settings.agent_customers_max();
    let fits = |it: &&Candidate| it.serves_channel(serving.now.channel) && it.has_room(cap);
    let free = facts.omni.candidates.iter().filter(fits);
    free.min_by_key(|it| (it.serves, it.profile.user.id)).map(|it| it.profile.clone())
}

/// The users that speak for dashboard users.
pub fn speakers(agents: &[DashboardProfile]) -> Vec<UserId> {
    agents.iter().map(|agent| agent.sdk_user.clone()).collect()
}
