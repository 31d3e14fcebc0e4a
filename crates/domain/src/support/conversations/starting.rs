//! Conversations that an agent or the app starts with a customer (D-0157).
//!
//! An agent who starts a conversation may be assigned to it. A message from the app opens no
//! session; the customer's answer opens one, like any other message of a customer.

use crate::agents::agent::Person;
use crate::app::App;
use crate::channels::window;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::json_text::JsonText;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::posting;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::support::conversations::answering::{self, Answerer};
use crate::support::conversations::customer_room::Candidate;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::MessageSource;
use crate::webhooks::event_kind::EventKind;

/// Posts a message to a room's customer without a preceding message of theirs, as a template if the
/// provider requires one.
pub struct StartConversation {
    pub room: RoomId,
    /// Text that the customer reads.
    pub draft: Draft,
    pub answerer: Answerer,
    /// Whether the staff member who starts the conversation is assigned to it. Has no effect if an
    /// agent is assigned already.
    pub serves: bool,
    /// Message template in the format of the provider's API.
    pub template: JsonText,
}

impl Rule for StartConversation {
    type Outcome = PostedMessage;

    fn question(&self, app: &App) -> Question {
        let mut question = posting::question(&RoomRef::Id(self.room), &self.draft);
        question.users.push(App::system_user_id(&app.code));
        question.endpoints = Some((Lane(self.room.0), EventKind::TO_CUSTOMERS.to_vec()));
        question.omni = Some(OmnichannelQuestion {
            finds_support: true,
            finds_people: true,
            finds_settings: true,
            finds_speakers: true,
            agents: self.answerer.staff().into_iter().collect(),
            last_heard_in: Some(self.room),
            ..OmnichannelQuestion::default()
        });
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let Self { room, ref draft, answerer, serves, ref template } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        answering::must_be_on(&serving)?;
        let staff = self.staff(facts)?;
        if let Some(staff) = staff {
            check(&serving, staff)?;
        }
        let (posted, is_new) = answering::speak(&serving, (context, facts), draft, stamp)?;
        if !is_new {
            return serving.end(posted);
        }
        serving.add(&posted);
        if let Some(staff) = staff.filter(|_| serves) {
            serve(&mut serving, staff, &posted)?;
        }
        if let Some(staff) = answerer.staff() {
            serving.replied(staff, &posted);
        }
        if answering::deliver_by(&mut serving, context, answerer, &posted, Some(template)) {
            let kind = serving.before.channel.kind;
            window::must_be_open(kind, facts.omni.last_inbound_at, stamp.now, false)?;
        }
        serving.end(posted)
    }

    fn message_source(&self) -> MessageSource {
        if self.answerer == Answerer::Bot {
            MessageSource::MessageApi
        } else {
            MessageSource::Client
        }
    }
}

impl StartConversation {
    /// Returns the staff member who starts the conversation; `None` for the app.
    fn staff<'a>(&self, facts: &'a Facts) -> Result<Option<&'a Candidate>, Refusal> {
        let Some(staff) = self.answerer.staff() else { return Ok(None) };
        let found = facts.omni.agents.iter().find(|it| it.profile.user.id == staff);
        found.map(Some).ok_or(Refusal::AgentNotFound(staff.0))
    }
}

/// Fails if an agent may not serve the channel, or if the session is open and the agent may not act
/// in it. Admins and supervisors may start conversations in all rooms.
fn check(serving: &SupportRoom<'_>, staff: &Candidate) -> Result<(), Refusal> {
    let Some(agent) = seeing::limited(Some(&staff.profile.user)) else { return Ok(()) };
    if !staff.serves_channel(serving.now.channel) {
        return Err(Refusal::WrongChannel(agent.id.0));
    }
    if serving.now.is_open() { serving.must_be_open_to(agent.id) } else { Ok(()) }
}

/// Opens a session if none is open, and assigns the staff member if no agent serves it.
fn serve(
    serving: &mut SupportRoom<'_>,
    staff: &Candidate,
    posted: &PostedMessage,
) -> Result<(), Refusal> {
    let person = Person::from(&staff.profile.user);
    if !serving.now.is_open() {
        serving.begin_session(posted, &person);
    }
    match serving.agents.is_empty() {
        true => serving.join(&staff.profile, TrailKind::Taken, Some(&person)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{
        add_endpoint, candidate, customer_facts, decided, delivered_kinds, draft,
        stored_customer_room,
    };
    use crate::ids::{AgentId, ChannelId};
    use crate::support::conversations::customer_room::BotDuty;
    use crate::support::conversations::receiving::RECEIVED_KINDS;
    use crate::time::Timestamp;

    const NINA: Answerer = Answerer::Staff(AgentId(9));

    /// Returns facts in which agent 9 has this role, without an open session.
    fn facts(role: Role) -> Facts {
        let mut facts = customer_facts();
        let room = &mut facts.omni.services[0].customer_room;
        room.waits_since = None;
        room.session = None;
        facts.omni.agents.push(candidate(role));
        RECEIVED_KINDS.into_iter().for_each(|kind| add_endpoint(&mut facts, kind, ""));
        facts
    }

    fn started(facts: &Facts, answerer: Answerer) -> Result<Decision<PostedMessage>, Refusal> {
        decided(facts, &rule(answerer))
    }

    fn rule(answerer: Answerer) -> StartConversation {
        let (room, template) = (RoomId(10), JsonText::from_checked("{}".to_owned()));
        StartConversation { room, draft: draft("bob"), answerer, serves: true, template }
    }

    #[test]
    fn a_started_conversation_is_assigned_to_its_starter_and_sends_no_event() {
        for role in Role::ALL {
            let Ok(decision) = started(&facts(role), NINA) else {
                panic!("the conversation is started")
            };
            assert_eq!(delivered_kinds(&decision), []);
            assert!(!decision.is_allocating);
            let room = stored_customer_room(&decision.changes).expect("the customer room changed");
            let session = room.session.as_ref().expect("a session");
            assert_eq!(session.first_message, decision.outcome.message.id);
            assert_eq!((session.served_by, session.first_reply_by), (NINA.staff(), NINA.staff()));
            assert!(session.unheard_since.is_some());
            assert_eq!(room.bot_duty, BotDuty::WhileUnserved);
            assert_eq!(room.waits_since, None);
        }
    }

    #[test]
    fn messages_from_the_app_and_broadcasts_open_no_session() {
        let many = StartConversation { serves: false, ..rule(NINA) };
        for rule in [rule(Answerer::Bot), many] {
            let Ok(decision) = decided(&facts(Role::Admin), &rule) else {
                panic!("the conversation is started")
            };
            assert_eq!(delivered_kinds(&decision), []);
            assert!(stored_customer_room(&decision.changes).is_none());
        }
    }

    #[test]
    fn agents_can_write_first_to_waiting_customers_but_not_to_those_of_colleagues() {
        let mut facts = customer_facts();
        facts.omni.agents.push(candidate(Role::Agent));
        let Ok(decision) = started(&facts, NINA) else { panic!("the conversation is started") };
        let session = stored_customer_room(&decision.changes).and_then(|it| it.session.clone());
        let session = session.expect("the session");
        assert_eq!((session.id.0, session.served_by), (20, Some(AgentId(9))));
        assert_eq!(session.unheard_since, None, "the customer opened it");
        facts.omni.services[0].customer_room.waits_since = None;
        let mut colleague = candidate(Role::Agent).profile;
        colleague.user.id = AgentId(8);
        facts.omni.services[0].agents.push(colleague);
        let refused = started(&facts, NINA).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("a session");
        session.resolved_at = Some(Timestamp(1));
        facts.omni.services[0].agents.clear();
        assert!(started(&facts, NINA).is_ok(), "the session is resolved");
    }

    #[test]
    fn starting_a_conversation_needs_an_agent_of_the_channel_and_an_enabled_channel() {
        let mut facts = facts(Role::Agent);
        facts.omni.agents[0].channels = vec![ChannelId(31)];
        assert_eq!(started(&facts, NINA).err(), Some(Refusal::WrongChannel(9)));
        facts.omni.services[0].channel.is_active = false;
        assert_eq!(started(&facts, NINA).err(), Some(Refusal::ChannelOff("SMS".to_owned())));
        assert!(matches!(started(&facts, Answerer::Bot).err(), Some(Refusal::ChannelOff(_))));
    }
}
