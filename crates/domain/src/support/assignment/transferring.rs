//! Transfer of customers to another agent or back to the queue (design/support).

use crate::agents::agent::{Agent, Person};
use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, RoomId};
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;

/// Replaces agents of a room by another agent. If an agent requests it, only that agent is
/// replaced; if an admin, a supervisor or the app does, all assigned agents are.
pub struct Transfer {
    pub room: RoomId,
    /// New agent; `None` to return the customer to the queue.
    pub to: Option<AgentId>,
    /// Staff member who requests the transfer; `None` for the app.
    pub by: Option<Agent>,
}

impl Rule for Transfer {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question(app, self.room, self.to.as_slice())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, to, ref by } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_serve_or_oversee(by.as_ref())?;
        if !serving.now.is_open() {
            return Err(Refusal::SessionResolved(room.to_string()));
        }
        let person = by.as_ref().map(Person::from);
        let leaving = leaving(&serving, to, by.as_ref());
        match to {
            Some(to) => give_to(&mut serving, facts, to, &leaving, person.as_ref())?,
            None => {
                give_back(&mut serving, &leaving, person.as_ref())?;
            }
        }
        serving.end(())
    }
}

/// Returns the agents to be replaced, never the new agent.
fn leaving(serving: &SupportRoom<'_>, to: Option<AgentId>, by: Option<&Agent>) -> Vec<AgentId> {
    let own = seeing::limited(by).map(|by| by.id);
    let serve = serving.agents.iter().map(|it| it.user.id);
    serve.filter(|it| own.is_none_or(|own| own == *it) && Some(*it) != to).collect()
}

fn give_to(
    serving: &mut SupportRoom<'_>,
    facts: &Facts,
    to: AgentId,
    leaving: &[AgentId],
    by: Option<&Person>,
) -> Result<(), Refusal> {
    let found = facts.omni.agents.iter().find(|it| it.profile.user.id == to);
    let found = found.ok_or(Refusal::AgentNotFound(to.0))?;
    let is_there = serving.person(to).is_some();
    if is_there && leaving.is_empty() {
        return Err(Refusal::AlreadyAssigned { agent: to.0, room: serving.now.room.to_string() });
    }
    if !found.serves_channel(serving.now.channel) {
        return Err(Refusal::WrongChannel(to.0));
    }
    for agent in leaving {
        serving.leave(*agent, by)?;
    }
    let person = Person::from(&found.profile.user);
    if is_there {
        serving.trace(TrailKind::Transferred, Some(&person), by);
        return Ok(());
    }
    let what = match leaving.is_empty() {
        true => TrailKind::of_coming(&person, by),
        false => TrailKind::Transferred,
    };
    serving.join(&found.profile, what, by)
}

/// Removes the leaving agents without a replacement. Has no effect if there are none.
fn give_back(
    serving: &mut SupportRoom<'_>,
    leaving: &[AgentId],
    by: Option<&Person>,
) -> Result<(), Refusal> {
    if leaving.is_empty() {
        return Ok(());
    }
    serving.trace(TrailKind::Returned, None, by);
    leaving.iter().try_for_each(|agent| serving.leave(*agent, by))
}

/// Removes the agent who requests it. If no agent remains, the customer waits for one.
pub struct Leave {
    pub room: RoomId,
    pub by: Agent,
}

impl Rule for Leave {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question(app, self.room, &[])
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, ref by } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        let person = serving.person(by.id);
        let person = person.ok_or_else(|| Refusal::NotServing(room.to_string()))?;
        serving.trace(TrailKind::Left, Some(&person), Some(&person));
        serving.leave(by.id, Some(&person))?;
        serving.end(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::decision::change::{Change, SupportChange};
    use crate::example::{candidate, customer_facts, decided, stored_customer_room};
    use crate::support::conversations::customer_room::Candidate;
    use crate::time::Timestamp;

    fn agent(id: i64, role: Role) -> Candidate {
        let mut agent = candidate(role);
        agent.profile.user.id = AgentId(id);
        agent
    }

    /// Returns facts in which agents 8 and 9 serve the room and agent 7 does not.
    fn facts() -> Facts {
        let mut facts = customer_facts();
        let service = &mut facts.omni.services[0];
        service.agents = vec![agent(8, Role::Agent).profile, agent(9, Role::Agent).profile];
        service.customer_room.waits_since = None;
        facts.omni.agents.push(agent(7, Role::Agent));
        facts
    }

    fn history(changes: &[Change]) -> Vec<TrailKind> {
        let kinds = changes.iter().filter_map(|change| match change {
            Change::Service(SupportChange::AddTrail(entry)) => Some(entry.what),
            _ => None,
        });
        kinds.collect()
    }

    fn removed_agents(changes: &[Change]) -> Vec<i64> {
        let ids = changes.iter().filter_map(|change| match change {
            Change::Service(SupportChange::RemoveAgent { agent, .. }) => Some(agent.0),
            _ => None,
        });
        ids.collect()
    }

    fn transferred(
        facts: &Facts,
        to: Option<i64>,
        by: Option<Agent>,
    ) -> Result<Vec<Change>, Refusal> {
        let rule = Transfer { room: RoomId(10), to: to.map(AgentId), by };
        decided(facts, &rule).map(|it| it.changes)
    }

    #[test]
    fn an_agent_transfers_their_own_assignment_and_a_supervisor_those_of_all_agents() {
        let facts = facts();
        let nine = agent(9, Role::Agent).profile.user;
        let changes = transferred(&facts, Some(7), Some(nine)).expect("transferred");
        assert_eq!(
            (removed_agents(&changes), history(&changes)),
            (vec![9], vec![TrailKind::Transferred])
        );
        let chief = agent(1, Role::Supervisor).profile.user;
        for by in [Some(chief), None] {
            let changes = transferred(&facts, Some(7), by).expect("transferred");
            assert_eq!(removed_agents(&changes), [8, 9]);
            let session = stored_customer_room(&changes)
                .and_then(|it| it.session.as_ref())
                .expect("a session");
            assert_eq!(session.served_by, Some(AgentId(7)));
        }
        let seven = agent(7, Role::Agent).profile.user;
        let refused = transferred(&facts, Some(7), Some(seven)).err();
        assert_eq!(refused, Some(Refusal::NotServing("10".to_owned())));
    }

    #[test]
    fn a_transfer_to_an_assigned_agent_removes_the_others() {
        let mut facts = facts();
        facts.omni.agents.push(agent(8, Role::Agent));
        let changes = transferred(&facts, Some(8), None).expect("transferred");
        assert_eq!(
            (removed_agents(&changes), history(&changes)),
            (vec![9], vec![TrailKind::Transferred])
        );
        let eight = agent(8, Role::Agent).profile.user;
        let refused = transferred(&facts, Some(8), Some(eight)).err();
        assert!(matches!(refused, Some(Refusal::AlreadyAssigned { .. })));
    }

    #[test]
    fn a_returned_customer_keeps_their_place_in_the_queue() {
        let mut facts = facts();
        let changes = transferred(&facts, None, None).expect("returned");
        assert_eq!(history(&changes), [TrailKind::Returned]);
        let room = stored_customer_room(&changes).expect("the customer room changed");
        let first = room.session.as_ref().map(|it| it.first_message_at);
        assert_eq!(room.waits_since, first);
        facts.omni.services[0].agents.clear();
        assert!(transferred(&facts, None, None).expect("not refused").is_empty());
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("a session");
        session.resolved_at = Some(Timestamp(1));
        let refused = transferred(&facts, Some(7), None).err();
        assert_eq!(refused, Some(Refusal::SessionResolved("10".to_owned())));
    }

    #[test]
    fn only_assigned_agents_can_leave() {
        let facts = facts();
        let leave = |id| {
            let by = agent(id, Role::Agent).profile.user;
            decided(&facts, &Leave { room: RoomId(10), by }).map(|it| it.changes)
        };
        let changes = leave(9).expect("left");
        assert_eq!((removed_agents(&changes), history(&changes)), (vec![9], vec![TrailKind::Left]));
        assert!(
            stored_customer_room(&changes).is_none_or(|room| room.waits_since.is_none()),
            "agent 8 still serves"
        );
        assert_eq!(leave(7).err(), Some(Refusal::NotServing("10".to_owned())));
    }
}
