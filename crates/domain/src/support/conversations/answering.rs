//! Replies: messages from agents and bots that are sent to the customer's channel.
//!
//! Only this file creates deliveries of replies to channels. Messages posted through the message
//! API stay in their room (spec 1). A reply from an agent's own client is handled like the call of
//! the omnichannel API (design/support).

use crate::agents::agent::{Agent, Person};
use crate::agents::role::Role;
use crate::app::App;
use crate::channels::channel::ChannelKind;
use crate::channels::outgoing::OutgoingKind;
use crate::channels::window;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::RoomId;
use crate::json_text::JsonText;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::posting;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
pub use crate::support::conversations::answerer::Answerer;
use crate::support::conversations::customer_room::CustomerRoom;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::conversations::trail::TrailKind;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{ChannelMessage, Event, MessageSource};
use crate::webhooks::event_kind::EventKind;

/// Posts a reply to the customer of a room and sends it to the channel.
pub struct AnswerCustomer {
    pub room: RoomId,
    pub draft: Draft,
    pub answerer: Answerer,
}

impl Rule for AnswerCustomer {
    type Outcome = PostedMessage;

    fn question(&self, _: &App) -> Question {
        let mut question = posting::question(&RoomRef::Id(self.room), &self.draft);
        question.endpoints = Some((Lane(self.room.0), EventKind::TO_CUSTOMERS.to_vec()));
        question.omni = Some(OmnichannelQuestion {
            finds_support: true,
            finds_people: true,
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
        self.answered(context, facts, stamp, None)
    }

    fn message_source(&self) -> MessageSource {
        message_source_of(self.answerer)
    }
}

impl AnswerCustomer {
    fn answered(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
        template: Option<&JsonText>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let Self { room, ref draft, answerer } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        check(&serving, facts, answerer)?;
        let (posted, is_new) = speak(&serving, (context, facts), draft, stamp)?;
        if !is_new {
            return serving.end(posted);
        }
        serving.add(&posted);
        if let Some(agent) = answerer.staff() {
            serving.replied(agent, &posted);
        }
        if deliver_by(&mut serving, context, answerer, &posted, template) {
            let kind = serving.before.channel.kind;
            // A bot's message never gets the human agent tag.
            let is_tagged = answerer.staff().is_some() && facts.omni.tags_people;
            window::must_be_open(kind, facts.omni.last_inbound_at, stamp.now, is_tagged)?;
        }
        serving.end(posted)
    }
}

/// Replies with a message template of the customer's provider, which the provider accepts even
/// after its messaging window has closed. The draft contains the text that the customer reads.
pub struct SendTemplate {
    pub answer: AnswerCustomer,
    /// Template as the provider's API expects it.
    pub template: JsonText,
}

impl Rule for SendTemplate {
    type Outcome = PostedMessage;

    fn question(&self, app: &App) -> Question {
        self.answer.question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        self.answer.answered(context, facts, stamp, Some(&self.template))
    }

    fn message_source(&self) -> MessageSource {
        self.answer.message_source()
    }
}

/// Posts a reply without sending it to the channel. The flag is `false` if a message with this
/// unique id was posted before.
pub(crate) fn speak(
    serving: &SupportRoom<'_>,
    (context, facts): (&Context, &Facts),
    draft: &Draft,
    stamp: &Stamp<'_>,
) -> Result<(PostedMessage, bool), Refusal> {
    // Compare by name: a reply under the customer's name would be taken for theirs, even if another
    // user has that name.
    if *draft.sender.user_id() == serving.before.customer.user_id {
        let problem = "must not be the customer of the room";
        return Err(FieldProblem::new("sender_email", problem).into());
    }
    let by = RoomRef::Id(serving.now.room);
    posting::sender(context, facts, Some(facts.room(&by)?), draft)?;
    let spoken = posting::speak(context, facts, &by, draft, stamp)?;
    let is_new = !spoken.changes.is_empty();
    Ok((spoken.outcome, is_new))
}

/// Sends a stored reply to the customer's channel. Returns whether the provider accepts it only
/// within its messaging window. The facts must include the people in the room.
pub(crate) fn deliver(
    serving: &mut SupportRoom<'_>,
    context: &Context,
    answerer: Answerer,
    posted: &PostedMessage,
) -> bool {
    deliver_by(serving, context, answerer, posted, None)
}

/// Sends a stored reply to the customer's channel, as a template if one is given. Returns whether
/// the provider accepts it only within its messaging window.
pub(crate) fn deliver_by(
    serving: &mut SupportRoom<'_>,
    context: &Context,
    answerer: Answerer,
    posted: &PostedMessage,
    template: Option<&JsonText>,
) -> bool {
    let channel = &serving.before.channel;
    // A listener receives the deliveries of a gateway, even if no gateway is registered.
    let is_told = channel.webhook_url.is_some() || context.is_listened_to;
    if channel.kind == ChannelKind::Custom && is_told {
        let notice = channel_message(serving, context, answerer, posted);
        serving.notify(notice);
    }
    let what = OutgoingKind::Message(answerer);
    channel.kind.is_service() && serving.carry_out_by(&posted.message, what, template)
}

/// Refuses if the channel is switched off or deleted.
pub(crate) fn must_be_on(serving: &SupportRoom<'_>) -> Result<(), Refusal> {
    let channel = &serving.before.channel;
    if !channel.is_active || channel.deleted_at.is_some() {
        return Err(Refusal::ChannelOff(channel.name.clone()));
    }
    Ok(())
}

fn check(serving: &SupportRoom<'_>, facts: &Facts, answerer: Answerer) -> Result<(), Refusal> {
    must_be_on(serving)?;
    let Answerer::Staff(agent) = answerer else { return Ok(()) };
    let found = facts.omni.agents.iter().find(|it| it.profile.user.id == agent);
    let found = found.ok_or(Refusal::AgentNotFound(agent.0))?;
    let is_serving = || serving.agents.iter().any(|it| it.user.id == agent);
    match found.profile.user.role {
        Role::Agent if !is_serving() => Err(Refusal::NotServing(serving.now.room.to_string())),
        Role::Admin | Role::Supervisor | Role::Agent => Ok(()),
    }
}

fn channel_message(
    serving: &SupportRoom<'_>,
    context: &Context,
    answerer: Answerer,
    posted: &PostedMessage,
) -> Event {
    Event::ChannelMessage(ChannelMessage {
        app: context.app.code.clone(),
        channel: serving.now.channel,
        message_source: message_source_of(answerer),
        sender: posted.sender.clone(),
        message: posted.message.clone(),
        room: serving.shown_room(),
        people: serving.before.people.clone(),
    })
}

/// Returns the message source of a reply: the app posts through the message API, staff through
/// clients.
fn message_source_of(answerer: Answerer) -> MessageSource {
    if answerer == Answerer::Bot { MessageSource::MessageApi } else { MessageSource::Client }
}

/// Hands the open session to the bot, or takes it from the bot. Assigned agents stay.
pub struct HandOver {
    pub room: RoomId,
    /// Agent who requests the change and must be assigned to the room; `None` for the app.
    pub by: Option<Agent>,
    /// Whether the bot handles the session from now on.
    pub is_handled_by_bot: bool,
}

impl Rule for HandOver {
    type Outcome = CustomerRoom;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: vec![RoomRef::Id(self.room)],
            endpoints: Some((Lane(self.room.0), Vec::new())),
            omni: Some(OmnichannelQuestion {
                finds_support: true,
                ..OmnichannelQuestion::default()
            }),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<CustomerRoom>, Refusal> {
        let Self { room, ref by, is_handled_by_bot } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_serve_or_oversee(by.as_ref())?;
        if !serving.now.is_open() {
            return Err(Refusal::SessionResolved(room.to_string()));
        }
        let before = (serving.bot_receives(), serving.now.is_handled_by_bot);
        serving.switch_bot(is_handled_by_bot);
        if before != (serving.bot_receives(), serving.now.is_handled_by_bot) {
            let what = if is_handled_by_bot { TrailKind::BotOn } else { TrailKind::BotOff };
            serving.trace(what, None, by.as_ref().map(Person::from).as_ref());
        }
        let customer_room = serving.now.clone();
        serving.end(customer_room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{
        self, add_endpoint, candidate, customer_facts, decided, delivered_kinds, draft,
        stored_customer_room,
    };
    use crate::ids::AgentId;
    use crate::messages::message::MessageRef;
    use crate::messages::unique_id::UniqueId;
    use crate::time::Timestamp;

    const STAFF: Answerer = Answerer::Staff(AgentId(9));

    /// Returns facts in which agent 9 has this role.
    fn facts(role: Role) -> Facts {
        let mut facts = customer_facts();
        add_endpoint(&mut facts, EventKind::ChannelMessage, "30");
        facts.omni.agents.push(candidate(role));
        facts
    }

    fn answered(
        facts: &Facts,
        sender: &str,
        answerer: Answerer,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let rule = AnswerCustomer { room: RoomId(10), draft: draft(sender), answerer };
        decided(facts, &rule)
    }

    #[test]
    fn an_assigned_agents_reply_is_sent_to_the_channel() {
        let mut facts = facts(Role::Agent);
        let refused = answered(&facts, "bob", STAFF).err();
        assert_eq!(refused, Some(Refusal::NotServing("10".to_owned())));
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        let Ok(decision) = answered(&facts, "bob", STAFF) else { panic!("the reply is posted") };
        assert_eq!(delivered_kinds(&decision), [EventKind::ChannelMessage]);
        facts.omni.agents.clear();
        let refused = answered(&facts, "bob", STAFF).err();
        assert_eq!(refused, Some(Refusal::AgentNotFound(9)), "the agent was deleted");
    }

    #[test]
    fn a_bot_may_reply_even_if_an_agent_serves_the_customer() {
        let mut facts = facts(Role::Agent);
        add_endpoint(&mut facts, EventKind::Bot, "");
        for is_handled_by_bot in [true, false] {
            facts.omni.services[0].customer_room.is_handled_by_bot = is_handled_by_bot;
            assert!(answered(&facts, "bob", Answerer::Bot).is_ok());
        }
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        let Ok(decision) = answered(&facts, "bob", Answerer::Bot) else {
            panic!("the reply is posted")
        };
        assert_eq!(delivered_kinds(&decision), [EventKind::ChannelMessage]);
    }

    #[test]
    fn replies_as_the_customer_or_through_a_disabled_channel_are_refused() {
        let mut facts = facts(Role::Admin);
        let refused = answered(&facts, "ana", STAFF).err();
        assert!(matches!(refused, Some(Refusal::Invalid(_))));
        facts.omni.services[0].channel.is_active = false;
        let refused = answered(&facts, "bob", STAFF).err();
        assert_eq!(refused, Some(Refusal::ChannelOff("SMS".to_owned())));
    }

    #[test]
    fn a_reply_after_the_resolution_does_not_change_the_session() {
        let mut facts = facts(Role::Supervisor);
        let session = facts.omni.services[0].customer_room.session.as_mut().expect("a session");
        session.resolved_at = Some(Timestamp(1));
        let Ok(decision) = answered(&facts, "bob", STAFF) else { panic!("the reply is posted") };
        assert!(stored_customer_room(&decision.changes).is_none());
    }

    #[test]
    fn the_unique_id_of_a_colleagues_message_does_not_reveal_the_message() {
        let mut facts = facts(Role::Admin);
        let id = UniqueId::parse("unique_temp_id", "once").expect("valid");
        facts.messages.push((MessageRef::Unique(id.clone()), example::posted_message(5)));
        let draft = Draft { unique_id: Some(id), ..draft("bob") };
        let answer = |answerer| {
            let draft = draft.clone();
            decided(&facts, &AnswerCustomer { room: RoomId(10), draft, answerer }).err()
        };
        for answerer in [STAFF, Answerer::Bot] {
            assert!(matches!(answer(answerer), Some(Refusal::UniqueIdTaken { .. })));
        }
    }

    #[test]
    fn only_an_open_session_is_handed_over_between_bot_and_agents() {
        let mut facts = customer_facts();
        let handed = |facts: &Facts, is_handled_by_bot| {
            decided(facts, &HandOver { room: RoomId(10), by: None, is_handled_by_bot })
        };
        let Ok(decision) = handed(&facts, true) else { panic!("the session is handed over") };
        assert!(
            stored_customer_room(&decision.changes)
                .expect("the customer room changed")
                .is_handled_by_bot
        );
        facts.omni.services[0].customer_room.is_handled_by_bot = true;
        let Ok(decision) = handed(&facts, false) else { panic!("the session is handed over") };
        assert!(decision.is_allocating, "the customer waits for an agent now");
        facts.omni.services[0].customer_room.session = None;
        assert_eq!(handed(&facts, true).err(), Some(Refusal::SessionResolved("10".to_owned())));
    }
}
