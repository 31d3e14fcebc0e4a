//! Reopening of resolved sessions (design/support).

use crate::agents::agent::{Agent, Person};
use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{ChannelId, RoomId};
use crate::messages::conversation_event::ConversationEventKind;
use crate::people::user::UserId;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::webhooks::event::AgentProfile;

/// Reopens the newest session of a room. If an agent reopens it, the agent is assigned; if an admin
/// or supervisor does, the customer waits for an agent.
pub struct Reopen {
    pub room: RoomId,
    pub by: AgentProfile,
    /// Whether the staff member served the room before, without which an agent may not reopen it.
    pub has_served: bool,
    /// Channel and id of the customer.
    pub customer: (ChannelId, UserId),
}

impl Rule for Reopen {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        let mut question = allocating::question(app, self.room, &[self.by.user.id]);
        if let Some(omni) = &mut question.omni {
            omni.customer = Some(self.customer.clone());
        }
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, ref by, .. } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        let agent = seeing::limited(Some(&by.user));
        self.check(&serving, facts, agent)?;
        let person = Person::from(&by.user);
        if let Some(session) = &mut serving.now.session {
            session.resolved_at = None;
            session.resolved_by = None;
            session.reopened_at = Some(stamp.now);
        }
        serving.note(ConversationEventKind::Reopened, None, Some(&person))?;
        if agent.is_none() {
            // Admins and supervisors reopen a conversation for an agent, not for the bot.
            serving.switch_bot(false);
            serving.now.waits_since = Some(stamp.now);
            serving.trace(TrailKind::Reopened, None, Some(&person));
            return serving.end(());
        }
        let found = facts.omni.agents.iter().find(|it| it.profile.user.id == by.user.id);
        let found = found.ok_or(Refusal::AgentNotFound(by.user.id.0))?;
        if !found.serves_channel(serving.now.channel) {
            return Err(Refusal::WrongChannel(by.user.id.0));
        }
        serving.join(&found.profile, TrailKind::Reopened, Some(&person))?;
        serving.end(())
    }
}

impl Reopen {
    fn check(
        &self,
        serving: &SupportRoom<'_>,
        facts: &Facts,
        agent: Option<&Agent>,
    ) -> Result<(), Refusal> {
        let room = || self.room.to_string();
        let is_known = |agent: &Agent| self.has_served || serving.person(agent.id).is_some();
        if agent.is_some_and(|agent| !is_known(agent)) {
            return Err(Refusal::NotYourRoom(room()));
        }
        if !serving.now.is_resolved() {
            return Err(Refusal::NotResolved(room()));
        }
        // In a sessional app the customer may have a newer room.
        if facts.omni.customer_room.as_ref().is_some_and(|newest| newest.room != self.room) {
            return Err(Refusal::LeftBehind(room()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{
        add_endpoint, candidate, customer_facts, decided, delivered_kinds, stored_customer_room,
    };
    use crate::ids::AgentId;
    use crate::support::conversations::customer_room::BotDuty;
    use crate::support::conversations::receiving::RECEIVED_KINDS;
    use crate::time::Timestamp;

    fn facts() -> Facts {
        let mut facts = customer_facts();
        facts.omni.agents.push(candidate(Role::Agent));
        let room = &mut facts.omni.services[0].customer_room;
        room.waits_since = None;
        let session = room.session.as_mut().expect("a session");
        session.resolved_at = Some(Timestamp(1));
        session.resolved_by = Some(AgentId(9));
        facts.omni.customer_room = Some(room.clone());
        RECEIVED_KINDS.into_iter().for_each(|kind| add_endpoint(&mut facts, kind, ""));
        facts
    }

    fn reopened(facts: &Facts, role: Role, has_served: bool) -> Result<Decision<()>, Refusal> {
        let by = candidate(role).profile;
        let ana = UserId::parse("user_id", "ana").expect("valid");
        decided(facts, &Reopen { room: RoomId(10), by, has_served, customer: (ChannelId(30), ana) })
    }

    #[test]
    fn reopening_assigns_the_agent_and_announces_no_new_session() {
        let Ok(decision) = reopened(&facts(), Role::Agent, true) else {
            panic!("the session is reopened")
        };
        assert_eq!(delivered_kinds(&decision), []);
        let room = stored_customer_room(&decision.changes).expect("the customer room changed");
        let session = room.session.as_ref().expect("the session");
        assert_eq!((session.id.0, session.served_by), (20, Some(AgentId(9))));
        assert_eq!((session.resolved_at, session.resolved_by), (None, None));
        assert_eq!((room.waits_since, room.bot_duty), (None, BotDuty::WhileUnserved));
        let refused = reopened(&facts(), Role::Agent, false).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
    }

    #[test]
    fn a_session_reopened_by_an_admin_waits_for_an_agent_from_now_on() {
        let Ok(decision) = reopened(&facts(), Role::Admin, false) else {
            panic!("the session is reopened")
        };
        let room = stored_customer_room(&decision.changes).expect("the customer room changed");
        let reopened_at = room.session.as_ref().and_then(|it| it.reopened_at);
        assert_eq!(room.waits_since, reopened_at);
        assert!(reopened_at.is_some() && !room.is_handled_by_bot && decision.is_allocating);
    }

    #[test]
    fn only_the_newest_and_resolved_conversation_can_be_reopened() {
        let mut facts = facts();
        let newest = facts.omni.customer_room.as_mut().expect("a customer room");
        newest.room = RoomId(11);
        let refused = reopened(&facts, Role::Admin, false).err();
        assert_eq!(refused, Some(Refusal::LeftBehind("10".to_owned())));
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("a session");
        session.resolved_at = None;
        let refused = reopened(&facts, Role::Admin, false).err();
        assert_eq!(refused, Some(Refusal::NotResolved("10".to_owned())));
        facts.omni.services[0].customer_room.session = None;
        let refused = reopened(&facts, Role::Admin, false).err();
        assert_eq!(refused, Some(Refusal::NotResolved("10".to_owned())));
    }
}
