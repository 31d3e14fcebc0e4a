//! Assignment of agents to customers, by request or by the server.

use crate::agents::agent::{Agent, Person};
use crate::agents::role::Role;
use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{CandidateScope, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, ChannelId, RoomId};
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::support::conversations::customer_room::Candidate;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::support::settings::Settings;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::AgentProfile;
use crate::webhooks::event_kind::EventKind;

/// Options of an assignment.
#[derive(Debug, Clone, Copy, Default)]
pub struct AssignmentOptions {
    /// Maximum number of agents in the room, if lower than the limit in the app's settings.
    pub agents_max: Option<u32>,
    /// Whether the agent who joined last is removed before the new one is assigned.
    pub replaces_latest: bool,
    /// Agent who requests the assignment and must be allowed to act in the room; `None` if an
    /// admin, a supervisor or the app requests it.
    pub asked_by: Option<AgentId>,
}

/// Returns the query for a room's support data, the app's settings and these agents.
pub(crate) fn question(app: &App, room: RoomId, agents: &[AgentId]) -> Question {
    Question {
        rooms: vec![RoomRef::Id(room)],
        users: vec![App::system_user_id(&app.code)],
        endpoints: Some((Lane(room.0), Vec::new())),
        finds_devices: true,
        omni: Some(OmnichannelQuestion {
            finds_support: true,
            finds_settings: true,
            finds_speakers: true,
            agents: agents.to_vec(),
            ..OmnichannelQuestion::default()
        }),
        ..Question::default()
    }
}

/// Returns the query for a rule that changes no assignment. If an agent requests the action, that
/// agent is loaded; admins, supervisors and the app (`None`) may act in every room without a check.
pub(crate) fn question_of(app: &App, room: RoomId, by: Option<&Agent>) -> Question {
    let agent = seeing::limited(by).map(|by| by.id);
    question(app, room, agent.as_slice())
}

/// Assigns an agent to a customer's room.
#[derive(Debug, Clone)]
pub struct AssignAgent {
    pub room: RoomId,
    pub agent: AgentId,
    /// Person who requests the assignment; `None` for the app.
    pub by: Option<Person>,
    pub wish: AssignmentOptions,
}

impl Rule for AssignAgent {
    type Outcome = AgentProfile;

    fn question(&self, app: &App) -> Question {
        let agents: Vec<_> = [self.agent].into_iter().chain(self.wish.asked_by).collect();
        question(app, self.room, &agents)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentProfile>, Refusal> {
        let Self { room, agent, ref by, wish } = *self;
        let by = by.as_ref();
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        let found = facts.omni.agents.iter().find(|it| it.profile.user.id == agent);
        let found = found.ok_or(Refusal::AgentNotFound(agent.0))?;
        if let Some(asker) = wish.asked_by {
            serving.must_be_open_to(asker)?;
        }
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
            serving.remove(latest, by)?;
        }
        must_have_place(&serving, facts, wish.agents_max)?;
        let profile = found.profile.clone();
        let what = TrailKind::of_coming(&Person::from(&profile.user), by);
        serving.join(&profile, what, by)?;
        serving.end(profile)
    }
}

fn must_have_place(
    serving: &SupportRoom<'_>,
    facts: &Facts,
    wanted_max: Option<u32>,
) -> Result<(), Refusal> {
    let allowed = facts.omni.settings.room_agents_max();
    let agents_max = wanted_max.map_or(allowed, |max| max.min(allowed));
    if serving.agents.len() < agents_max as usize {
        return Ok(());
    }
    Err(Refusal::TooManyAgents { room: serving.now.room.to_string(), agents_max })
}

/// Assigns a room without agents to the agent who requests it.
pub struct TakeOver {
    pub room: RoomId,
    pub agent: AgentId,
}

impl Rule for TakeOver {
    type Outcome = AgentProfile;

    fn question(&self, app: &App) -> Question {
        question(app, self.room, &[self.agent])
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentProfile>, Refusal> {
        let Self { room, agent } = *self;
        let serving = SupportRoom::of(context, facts, room, stamp)?;
        if !facts.omni.settings.is_on(Settings::TAKEOVER) {
            return Err(Refusal::NotYourRoom(room.to_string()));
        }
        if !serving.agents.is_empty() {
            return Err(Refusal::AlreadyServed(room.to_string()));
        }
        let taker = facts.omni.agents.iter().find(|it| it.profile.user.id == agent);
        let by = taker.map(|it| Person::from(&it.profile.user));
        AssignAgent { room, agent, by, wish: AssignmentOptions::default() }
            .decide(context, facts, stamp)
    }
}

/// Removes an agent from a customer's room.
pub struct RemoveAgent {
    pub room: RoomId,
    pub agent: AgentId,
    /// Person who requests the removal; `None` for the app.
    pub by: Option<Person>,
}

impl Rule for RemoveAgent {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        question(app, self.room, &[])
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, agent, ref by } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        if !serving.agents.iter().any(|it| it.user.id == agent) {
            return Err(Refusal::NotAssigned { agent: agent.0, room: room.to_string() });
        }
        serving.remove(agent, by.as_ref())?;
        serving.end(())
    }
}

/// Removes an agent from a customer's room, unless the agent has become available again.
pub struct RemoveAwayAgent {
    pub room: RoomId,
    pub agent: AgentId,
}

impl Rule for RemoveAwayAgent {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        question(app, self.room, &[self.agent])
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, agent } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        let is_it = |it: &&Candidate| it.profile.user.id == agent;
        let found = facts.omni.agents.iter().find(is_it);
        if !found.is_some_and(|it| it.profile.is_there()) {
            serving.remove(agent, None)?;
        }
        serving.end(())
    }
}

/// Returns the query for choosing an agent among candidates. It locks the app's automatic
/// assignment, so that two decisions do not choose the same free agent.
fn own_question(app: &App, room: RoomId, scope: CandidateScope) -> Question {
    let mut question = question(app, room, &[]);
    let kinds = vec![EventKind::Bot, EventKind::AgentAllocation];
    question.endpoints = Some((Lane(room.0), kinds));
    question.omni = question.omni.map(|omni| OmnichannelQuestion {
        candidates: Some(scope),
        locks_allocation: true,
        ..omni
    });
    question
}

/// Outcome of [`AssignFreest`].
#[derive(Clone)]
pub enum Allocation {
    /// The agent was assigned.
    Served(Box<AgentProfile>),
    /// The server must not assign an agent: the room has one, a bot answers, the session is
    /// resolved, or the app assigns agents itself on its agent allocation webhook.
    NotNeeded,
    /// No agent may take a customer of the channel now.
    NobodyFree,
}

/// Assigns the available agent with the fewest customers to a room, if it needs one.
pub struct AssignFreest {
    pub room: RoomId,
}

impl Rule for AssignFreest {
    type Outcome = Allocation;

    fn question(&self, app: &App) -> Question {
        own_question(app, self.room, CandidateScope::Available)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Allocation>, Refusal> {
        let room = self.room;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        let now = &serving.now;
        let has_bot = now.is_handled_by_bot && facts.has_endpoint(EventKind::Bot);
        let is_asked = facts.has_endpoint(EventKind::AgentAllocation);
        if !now.is_open() || has_bot || is_asked || !serving.agents.is_empty() {
            return serving.end(Allocation::NotNeeded);
        }
        let cap = facts.omni.settings.agent_customers_max();
        // An agent who left the session gets it back only if no other agent is free.
        let left: Vec<_> = now.session.iter().filter_map(|it| it.served_by).collect();
        let candidates = &facts.omni.candidates;
        let other = freest(candidates, now.channel, cap, &left);
        match other.or_else(|| freest(candidates, now.channel, cap, &[])) {
            None => serving.end(Allocation::NobodyFree),
            Some(freest) => {
                serving.join(&freest.profile, TrailKind::Assigned, None)?;
                serving.end(Allocation::Served(Box::new(freest.profile.clone())))
            }
        }
    }
}

/// Assigns the agent with the fewest customers when a staff member or the app requests it. Fails if
/// no agent has capacity.
pub struct AssignChosen {
    pub room: RoomId,
    /// Whether agents who are away are considered too.
    pub ignores_availability: bool,
    /// Person who requests the assignment; `None` for the app.
    pub by: Option<Person>,
}

impl Rule for AssignChosen {
    type Outcome = Candidate;

    fn question(&self, app: &App) -> Question {
        let scope = match self.ignores_availability {
            true => CandidateScope::Agents,
            false => CandidateScope::Available,
        };
        own_question(app, self.room, scope)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Candidate>, Refusal> {
        let room = self.room;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        if !serving.now.is_open() {
            return Err(Refusal::SessionResolved(room.to_string()));
        }
        must_have_place(&serving, facts, None)?;
        let cap = facts.omni.settings.agent_customers_max();
        let there: Vec<_> = serving.agents.iter().map(|it| it.user.id).collect();
        let freest = freest(&facts.omni.candidates, serving.now.channel, cap, &there);
        let mut freest = freest.ok_or(Refusal::NobodyFree)?.clone();
        serving.join(&freest.profile, TrailKind::Assigned, self.by.as_ref())?;
        freest.serves += 1;
        serving.end(freest)
    }
}

/// Returns the candidate with the fewest customers who has capacity for another customer of this
/// channel. Agents in `there` are excluded.
pub fn freest<'a>(
    candidates: &'a [Candidate],
    channel: ChannelId,
    cap: u32,
    there: &[AgentId],
) -> Option<&'a Candidate> {
    freest_of_any(candidates, &[channel], cap, there)
}

/// Returns the candidate with the fewest customers who has capacity for another customer of any of
/// these channels, or of any channel if the list is empty. Agents in `there` are excluded.
pub fn freest_of_any<'a>(
    candidates: &'a [Candidate],
    channels: &[ChannelId],
    cap: u32,
    there: &[AgentId],
) -> Option<&'a Candidate> {
    let serves = |it: &Candidate| {
        channels.is_empty() || channels.iter().any(|channel| it.serves_channel(*channel))
    };
    let fits =
        |it: &&Candidate| serves(it) && it.has_room(cap) && !there.contains(&it.profile.user.id);
    candidates.iter().filter(fits).min_by_key(|it| (it.serves, it.profile.user.id))
}

/// Returns the agent that the agent allocation webhook proposes: the available one with the fewest
/// customers. If none has capacity, it is the most suitable other agent, shown as not available; in
/// an app without agents, an admin or a supervisor.
pub fn proposed(candidates: &[Candidate], channel: ChannelId, cap: u32) -> Option<AgentProfile> {
    let there: Vec<_> = candidates.iter().filter(|it| it.takes_customers()).cloned().collect();
    if let Some(freest) = freest(&there, channel, cap, &[]) {
        return Some(freest.profile.clone());
    }
    let agents = candidates.iter().filter(|it| it.profile.user.role == Role::Agent);
    let next = agents.min_by_key(|it| {
        let (is_elsewhere, is_full) = (!it.serves_channel(channel), !it.has_room(cap));
        (is_elsewhere, is_full, it.serves, it.profile.user.id)
    });
    if let Some(next) = next {
        return Some(AgentProfile { is_available: false, ..next.profile.clone() });
    }
    let staff = candidates.iter().min_by_key(|it| {
        (!it.profile.is_there(), !it.serves_channel(channel), it.serves, it.profile.user.id)
    });
    staff.map(|it| it.profile.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::change::{Change, RoomChange};
    use crate::example::{
        self, CountingStamps, candidate, customer_facts, decided, stored_customer_room,
    };
    use crate::ids::{AppId, UserKey};
    use crate::people::user::UserId;
    use crate::time::Timestamp;

    fn agent(id: i64, serves: u32, serves_max: Option<u32>, channels: &[i64]) -> Candidate {
        let user = Agent {
            id: AgentId(id),
            app: AppId(1),
            email: String::new(),
            name: String::new(),
            role: Role::Agent,
            created_at: Timestamp(0),
        };
        let profile = AgentProfile {
            user,
            avatar_url: None,
            is_forced_offline: false,
            is_available: true,
            is_verified: true,
            last_login_at: None,
            sdk_user: UserId::from_stored(String::new()),
            sdk_key: String::new(),
            updated_at: Timestamp(0),
        };
        let channels = channels.iter().map(|id| ChannelId(*id)).collect();
        Candidate { profile, serves, serves_max, channels }
    }

    #[track_caller]
    fn check(agents: &[Candidate], cap: u32, assigned: &[i64], expected: Option<i64>) {
        let assigned: Vec<_> = assigned.iter().map(|id| AgentId(*id)).collect();
        let found = freest(agents, ChannelId(5), cap, &assigned);
        assert_eq!(found.map(|it| it.profile.user.id.0), expected);
    }

    #[test]
    fn the_freest_agent_has_the_fewest_customers_and_then_the_lowest_id() {
        let agents = [agent(1, 2, None, &[]), agent(2, 1, None, &[]), agent(3, 1, None, &[])];
        check(&agents, 10, &[], Some(2));
        check(&agents, 10, &[2], Some(3));
        check(&agents, 1, &[], None);
        check(&[], 10, &[], None);
    }

    #[test]
    fn the_next_agent_is_proposed_as_not_available_if_no_agent_is_available() {
        let away = |mut it: Candidate| {
            it.profile.is_available = false;
            it
        };
        let shown = |agents: &[Candidate]| {
            let proposed = proposed(agents, ChannelId(30), 2);
            proposed.map(|it| (it.user.id.0, it.is_available))
        };
        let available = |id, serves, channels: &[i64]| {
            let mut it = agent(id, serves, None, channels);
            it.profile.is_available = true;
            it
        };
        let agents = [away(agent(1, 0, None, &[])), available(2, 1, &[])];
        assert_eq!(shown(&agents), Some((2, true)), "an available agent");
        let agents = [away(agent(1, 1, None, &[])), away(agent(2, 0, None, &[]))];
        assert_eq!(shown(&agents), Some((2, false)), "fewer customers");
        assert_eq!(shown(&[available(1, 2, &[])]), Some((1, false)), "at the limit");
        let agents = [available(1, 0, &[31]), away(agent(2, 2, None, &[30]))];
        assert_eq!(shown(&agents), Some((2, false)), "may serve the channel");
        assert_eq!(shown(&agents[..1]), Some((1, false)), "any agent");
        let admin = |id| {
            let mut it = agent(id, 0, None, &[]);
            it.profile.user.role = Role::Admin;
            it
        };
        assert_eq!(shown(&[admin(1), agents[0].clone()]), Some((1, false)), "agents before admins");
        assert_eq!(shown(&[away(admin(1)), admin(2)]), Some((2, true)), "an app without agents");
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn the_server_assigns_no_agent_if_an_allocation_webhook_is_registered() {
        let mut facts = customer_facts();
        facts.omni.candidates.push(candidate(Role::Agent));
        let became =
            |facts: &Facts| decided(facts, &AssignFreest { room: RoomId(10) }).map(|it| it.outcome);
        assert!(matches!(became(&facts), Ok(Allocation::Served(_))));
        example::add_endpoint(&mut facts, EventKind::AgentAllocation, "");
        assert!(matches!(became(&facts), Ok(Allocation::NotNeeded)));
    }

    #[test]
    fn an_agent_takes_over_an_unserved_customer_if_the_setting_allows_it() {
        let mut facts = customer_facts();
        facts.omni.agents.push(candidate(Role::Agent));
        let taken =
            |facts: &Facts| decided(facts, &TakeOver { room: RoomId(10), agent: AgentId(9) });
        facts.omni.settings = Settings::default().with(Settings::TAKEOVER, "false");
        assert_eq!(taken(&facts).err(), Some(Refusal::NotYourRoom("10".to_owned())));
        facts.omni.settings = Settings::default();
        let Ok(decision) = taken(&facts) else { panic!("the agent takes the room over") };
        let room = stored_customer_room(&decision.changes).expect("the customer room changed");
        let session = room.session.as_ref().expect("a session");
        assert_eq!((session.served_by, room.waits_since), (Some(AgentId(9)), None));
        facts.omni.services[0].agents.push(agent(1, 1, None, &[]).profile);
        assert_eq!(taken(&facts).err(), Some(Refusal::AlreadyServed("10".to_owned())));
        facts.omni.services[0].agents.clear();
        facts.omni.agents[0].channels.push(ChannelId(31));
        assert_eq!(taken(&facts).err(), Some(Refusal::WrongChannel(9)));
    }

    #[test]
    fn agents_may_take_customers_of_their_channels_only() {
        let mut facts = customer_facts();
        facts.omni.settings = Settings::default().with(Settings::TAKEOVER, "true");
        let is_open = |facts: &Facts| {
            let (context, stamps) = (example::context(), CountingStamps::default());
            let stamp = Stamp::new(&stamps, facts);
            SupportRoom::of(&context, facts, RoomId(10), &stamp)?.must_be_open_to(AgentId(9))
        };
        let refused = Err(Refusal::NotYourRoom("10".to_owned()));
        assert_eq!(is_open(&facts), refused, "the facts lack the agent");
        facts.omni.agents.push(candidate(Role::Agent));
        assert_eq!(is_open(&facts), Ok(()));
        facts.omni.agents[0].channels.push(ChannelId(31));
        assert_eq!(is_open(&facts), refused);
        facts.omni.agents[0].channels.push(ChannelId(30));
        assert_eq!(is_open(&facts), Ok(()));
    }

    #[test]
    fn an_assigned_agent_becomes_a_participant_until_removed() {
        let mut facts = customer_facts();
        facts.omni.candidates.push(agent(7, 0, None, &[]));
        let Ok(decision) = decided(&facts, &AssignFreest { room: RoomId(10) }) else {
            panic!("an agent is assigned")
        };
        let budi = UserKey(7);
        let joins = |it: &Change| match it {
            Change::Room(RoomChange::AddParticipant { user, .. }) => *user == budi,
            _ => false,
        };
        assert!(decision.changes.iter().any(joins));
        facts.omni.services[0].agents.push(agent(7, 1, None, &[]).profile);
        let rule = RemoveAgent { room: RoomId(10), agent: AgentId(7), by: None };
        let Ok(decision) = decided(&facts, &rule) else { panic!("the agent is removed") };
        let leaves = |it: &Change| match it {
            Change::Room(RoomChange::RemoveParticipant { user, .. }) => *user == budi,
            _ => false,
        };
        assert!(decision.changes.iter().any(leaves));
    }

    #[test]
    fn an_agents_own_limit_and_channels_are_respected() {
        let agents =
            [agent(1, 0, Some(0), &[]), agent(2, 0, None, &[7]), agent(3, 4, Some(5), &[5])];
        check(&agents, 1, &[], Some(3));
        check(&agents, 1, &[3], None);
    }
}
