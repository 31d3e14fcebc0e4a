//! Receiving of customers' messages, with all their effects.
//!
//! The message is posted, and opens a session if none is open. Events are sent in this order: the
//! new session; the request for an agent, while none is assigned; the message for the bot, while
//! the bot receives messages. The automatic reply follows.

use std::sync::Arc;

use crate::app::App;
use crate::channels::channel_message::{ChannelMessage, ExternalRef};
use crate::decision::change::{Change, ChannelChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{CandidateScope, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::posting;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::support::assignment::allocating;
use crate::support::automation::auto_replying;
use crate::support::automation::surveying;
use crate::support::conversations::customer_room::{BotDuty, CustomerRoom};
use crate::support::conversations::initiating::is_left_by;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::settings::Settings;
use crate::time::Timestamp;
use crate::webhooks::delivering::RecordAttempt;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{
    AgentAllocation, AgentProfile, Bot, Event, MessageSource, NewSession,
};
use crate::webhooks::event_kind::EventKind;

/// Kinds of events that a customer's message can cause besides messages to the customer.
pub const RECEIVED_KINDS: [EventKind; 3] =
    [EventKind::NewSession, EventKind::AgentAllocation, EventKind::Bot];

/// Outcome of [`ReceiveMessage`].
#[derive(Clone)]
pub struct ReceivingOutcome {
    pub posted: PostedMessage,
    /// The room after the message.
    pub customer_room: CustomerRoom,
    pub customer: Arc<User>,
    /// Assigned agents, in order of joining.
    pub agents: Vec<AgentProfile>,
}

/// Receives a message from a room's customer.
pub struct ReceiveMessage {
    pub room: RoomId,
    pub draft: Draft,
    pub message_source: MessageSource,
}

impl Rule for ReceiveMessage {
    type Outcome = ReceivingOutcome;

    fn question(&self, app: &App) -> Question {
        let mut question = posting::question(&RoomRef::Id(self.room), &self.draft);
        question.users.push(App::system_user_id(&app.code));
        let kinds = RECEIVED_KINDS.into_iter().chain(EventKind::TO_CUSTOMERS).collect();
        question.endpoints = Some((Lane(self.room.0), kinds));
        question.omni = Some(OmnichannelQuestion {
            finds_support: true,
            finds_auto_replies: true,
            finds_people: true,
            finds_settings: true,
            candidates: Some(CandidateScope::Staff),
            ..OmnichannelQuestion::default()
        });
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ReceivingOutcome>, Refusal> {
        let Self { room, ref draft, message_source } = *self;
        let stored = posting::post(context, facts, &RoomRef::Id(room), draft, stamp)?;
        let posted = stored.outcome;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        if stored.changes.is_empty() {
            // The message was received before.
            return end(serving, posted);
        }
        let settings = &facts.omni.settings;
        serving.add(&posted);
        if let Some(answer) = surveying::answer(&serving.now, draft, settings, stamp.now) {
            surveying::take(&mut serving, &posted, answer);
            return end(serving, posted);
        }
        let is_opened = !serving.now.is_open();
        if is_opened {
            serving.open_session(&posted);
        }
        // A session begun by an agent is announced with the customer's first message (D-0157).
        let is_new = is_opened || serving.note_first_reply();
        // Check for the app's bot with each message (D-0201).
        let has_bot = facts.has_endpoint(EventKind::Bot);
        serving.now.is_handled_by_bot = has_bot && serving.now.bot_duty == BotDuty::Always;
        if is_new {
            let notice = new_session(&serving, &posted);
            serving.notify(notice);
        }
        if serving.agents.is_empty() {
            let notice = agent_allocation(&serving, context, facts, is_new);
            serving.notify(notice);
        }
        // Without a bot endpoint, listeners still receive the event.
        if serving.bot_receives() || settings.is_on(Settings::FORCES_BOT) {
            let notice = Event::Bot(Bot {
                app: context.app.code.clone(),
                channel: serving.channel(),
                message_source,
                customer: serving.before.customer.clone(),
                message: posted.message.clone(),
                room: serving.shown_room(),
            });
            serving.notify(notice);
        }
        auto_replying::reply(&mut serving, context, facts, is_opened, stamp)?;
        end(serving, posted)
    }

    fn message_source(&self) -> MessageSource {
        self.message_source
    }
}

/// Receives a customer's message through their channel, unless it was received before. A message
/// that would open a new room is not stored unless `takes_any` is set.
pub struct ReceiveFromChannel {
    pub room: RoomId,
    pub draft: Draft,
    pub takes_any: bool,
    /// The provider's id of the message (D-0150).
    pub external: Option<ExternalRef>,
    /// Another id of the message in the provider's API, to which replies may refer. If the id
    /// already belongs to another message, it remains with that message.
    pub also_known_as: Option<String>,
    /// Time of the message by the provider's clock. The provider's messaging window begins at this
    /// time.
    pub said_at: Option<Timestamp>,
    /// Room of the customer's previous message: `room`, or the room before it.
    pub heard_in: RoomId,
    /// Whether the message neither opens a session nor sends events, like a reaction.
    pub is_quiet: bool,
    /// Delivery attempt of the provider's event that contained the message. It is recorded in the
    /// same transaction (D-0150).
    pub ends: Option<RecordAttempt>,
}

/// Outcome of [`ReceiveFromChannel`].
pub enum FromChannel {
    /// The message opens a new room. Nothing was stored; the caller must admit the customer again.
    LeftBehind,
    /// The message was received before and is not stored again.
    Known(ChannelMessage),
    Received(Box<ReceivingOutcome>),
}

impl ReceiveFromChannel {
    fn message(&self) -> ReceiveMessage {
        ReceiveMessage {
            room: self.room,
            draft: self.draft.clone(),
            message_source: MessageSource::Client,
        }
    }

    fn ended(&self) -> Vec<Change> {
        self.ends.as_ref().map(RecordAttempt::changes).unwrap_or_default()
    }

    fn noted(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ReceivingOutcome>, Refusal> {
        let by = RoomRef::Id(self.room);
        let posted = posting::post(context, facts, &by, &self.draft, stamp)?.outcome;
        let mut serving = SupportRoom::of(context, facts, self.room, stamp)?;
        serving.add(&posted);
        end(serving, posted)
    }
}

impl Rule for ReceiveFromChannel {
    type Outcome = FromChannel;

    fn question(&self, app: &App) -> Question {
        let mut question = self.message().question(app);
        let omni = question.omni.get_or_insert_default();
        omni.external_message = self.external.clone();
        omni.last_heard_in = self.external.is_some().then_some(self.heard_in);
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<FromChannel>, Refusal> {
        if let Some(known) = &facts.omni.external_message {
            let known = FromChannel::Known(known.clone());
            return Ok(Decision::nothing(known).also(self.ended()));
        }
        let known = facts.service(self.room).map(|service| &service.customer_room);
        let is_left = known
            .is_some_and(|it| is_left_by(it, Some(&self.draft), &facts.omni.settings, stamp.now));
        if is_left && !self.takes_any {
            return Ok(Decision::nothing(FromChannel::LeftBehind));
        }
        let received = match self.is_quiet {
            true => self.noted(context, facts, stamp)?,
            false => self.message().decide(context, facts, stamp)?,
        };
        let message = received.outcome.posted.message.id;
        let alias = self.external.clone().zip(self.also_known_as.clone());
        let alias = alias.map(|(external, name)| ExternalRef { external_id: name, ..external });
        let named = self.external.clone().into_iter().chain(alias).map(|external| {
            let (room, is_outgoing) = (self.room, false);
            // A provider's clock that runs ahead extends no window, and a message that is
            // delivered late shortens none.
            let at = self.said_at.map_or(stamp.now, |at| at.min(stamp.now));
            let at = facts.omni.last_inbound_at.map_or(at, |before| at.max(before));
            let named = ChannelMessage { external, room, message, is_outgoing, at };
            ChannelChange::AddMessage(named).into()
        });
        let received = received.also(named).also(self.ended());
        Ok(received.map(|it| FromChannel::Received(Box::new(it))))
    }
}

fn end(
    serving: SupportRoom<'_>,
    posted: PostedMessage,
) -> Result<Decision<ReceivingOutcome>, Refusal> {
    let received = ReceivingOutcome {
        posted,
        customer_room: serving.now.clone(),
        customer: serving.before.customer.clone(),
        agents: serving.agents.clone(),
    };
    serving.end(received)
}

fn new_session(serving: &SupportRoom<'_>, posted: &PostedMessage) -> Event {
    Event::NewSession(NewSession {
        channel: serving.channel(),
        customer: serving.before.customer.clone(),
        message: posted.message.clone(),
        room: serving.shown_room(),
        room_opened_at: serving.now.created_at,
        extras: serving.now.extras.clone(),
        badge_url: serving.now.badge_url.clone(),
        is_waiting: serving.now.waits_since.is_some(),
    })
}

fn agent_allocation(
    serving: &SupportRoom<'_>,
    context: &Context,
    facts: &Facts,
    is_new_session: bool,
) -> Event {
    let cap = facts.omni.settings.agent_customers_max();
    let candidate = allocating::proposed(&facts.omni.candidates, serving.now.channel, cap);
    Event::AgentAllocation(AgentAllocation {
        app: context.app.code.clone(),
        customer: serving.before.customer.clone(),
        extras: serving.now.extras.clone(),
        candidate,
        is_new_session,
        is_resolved: false,
        latest_session: serving.before.last_served.clone(),
        room: serving.now.room,
        source: serving.channel().source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::decision::change::WebhookChange;
    use crate::example::{
        add_endpoint, candidate, customer_facts, decided, delivered_kinds, draft,
        stored_customer_room,
    };
    use crate::ids::{ChannelId, DeliveryId, MessageId};
    use crate::webhooks::delivery::{Attempt, DeliveryState, Progress};

    fn received(facts: &Facts) -> Result<Decision<ReceivingOutcome>, Refusal> {
        let rule = ReceiveMessage {
            room: RoomId(10),
            draft: draft("ana"),
            message_source: MessageSource::Client,
        };
        decided(facts, &rule)
    }

    fn from_channel(name: &str, ends: Option<RecordAttempt>) -> ReceiveFromChannel {
        let (channel, external_id) = (ChannelId(30), name.to_owned());
        ReceiveFromChannel {
            room: RoomId(10),
            draft: draft("ana"),
            takes_any: false,
            external: Some(ExternalRef { channel, external_id, part: 0 }),
            also_known_as: None,
            said_at: None,
            heard_in: RoomId(10),
            is_quiet: false,
            ends,
        }
    }

    fn with_all_endpoints() -> Facts {
        let mut facts = customer_facts();
        RECEIVED_KINDS.into_iter().for_each(|kind| add_endpoint(&mut facts, kind, ""));
        facts
    }

    fn resolve(facts: &mut Facts) {
        let room = &mut facts.omni.services[0].customer_room;
        room.waits_since = None;
        let session = room.session.as_mut().expect("a session");
        session.resolved_at = Some(Timestamp(1));
    }

    #[test]
    fn a_message_after_the_resolution_opens_a_session_and_sends_events_in_order() {
        let mut facts = with_all_endpoints();
        resolve(&mut facts);
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), RECEIVED_KINDS);
        let room = stored_customer_room(&decision.changes).expect("the customer room changed");
        let session = room.session.as_ref().expect("a new session");
        assert_ne!(session.id.0, 20);
        assert_eq!(session.first_message, decision.outcome.posted.message.id);
        assert!(room.is_open() && room.waits_since.is_some() && room.is_handled_by_bot);
    }

    #[test]
    fn a_message_in_an_open_session_announces_no_new_session() {
        let mut facts = with_all_endpoints();
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), [EventKind::AgentAllocation, EventKind::Bot]);
        facts.omni.services[0].customer_room.bot_duty = BotDuty::SwitchedOff;
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(
            delivered_kinds(&decision),
            [EventKind::AgentAllocation],
            "the bot is switched off"
        );
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), [], "an agent serves");
        facts.omni.settings = Settings::default().with(Settings::FORCES_BOT, "true");
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), [EventKind::Bot]);
    }

    #[test]
    fn a_session_begun_by_an_agent_is_announced_with_the_customers_first_message() {
        let mut facts = with_all_endpoints();
        let room = &mut facts.omni.services[0].customer_room;
        room.bot_duty = BotDuty::WhileUnserved;
        room.session.as_mut().expect("a session").unheard_since = Some(Timestamp(1));
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), [EventKind::NewSession], "the agent keeps serving");
        let room = stored_customer_room(&decision.changes).expect("the customer room changed");
        let session = room.session.clone().expect("the session");
        assert_eq!((session.id.0, session.unheard_since), (20, None));
        facts.omni.services[0].customer_room.session = Some(session);
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), []);
    }

    #[test]
    fn a_provider_event_ends_with_its_message_even_if_the_message_is_stored_already() {
        let at = Timestamp(7);
        let attempt = Attempt {
            number: 1,
            at,
            error: None,
            status: None,
            url: None,
            peer: None,
            phases_us: [None; 5],
            answer: String::new(),
            headers: None,
        };
        let progress = Progress {
            standing: DeliveryState::Delivered,
            attempts: 1,
            tries: 1,
            since: at,
            due_at: at,
            failed_at: None,
        };
        let (delivery, lane, also) = (DeliveryId(5), Lane(6), Vec::new());
        let ends = Some(RecordAttempt { delivery, lane, attempt, progress, also });
        let rule = from_channel("wamid.1", ends);
        let external = rule.external.clone().expect("it has an external id");
        let is_end = |change: &Change| {
            matches!(change, Change::Webhook(WebhookChange::RecordAttempt { delivery, .. })
                if delivery.0 == 5)
        };
        let mut facts = customer_facts();
        let Ok(new) = decided(&facts, &rule) else { panic!("the message is received") };
        assert_eq!(new.changes.iter().filter(|it| is_end(it)).count(), 1);
        assert!(new.changes.len() > 1);
        let (room, message) = (RoomId(10), MessageId(1));
        facts.omni.external_message =
            Some(ChannelMessage { external, room, message, is_outgoing: false, at });
        let Ok(known) = decided(&facts, &rule) else { panic!("a known message is not refused") };
        assert!(known.changes.len() == 1 && known.changes.iter().all(is_end));
    }

    #[test]
    fn a_message_that_is_delivered_late_does_not_move_the_window_back() {
        let mut rule = from_channel("wamid.1", None);
        let recorded_at = |facts: &Facts, rule: &ReceiveFromChannel| {
            let Ok(received) = decided(facts, rule) else { panic!("the message is received") };
            let at = received.changes.iter().find_map(|change| match change {
                Change::Channel(ChannelChange::AddMessage(named)) => Some(named.at),
                _ => None,
            });
            at.expect("the external id is stored")
        };
        let mut facts = customer_facts();
        let now = recorded_at(&facts, &rule);
        rule.said_at = Some(Timestamp(3));
        assert_eq!(recorded_at(&facts, &rule), Timestamp(3));
        facts.omni.last_inbound_at = Some(Timestamp(5));
        assert_eq!(recorded_at(&facts, &rule), Timestamp(5));
        rule.said_at = Some(Timestamp(now.0 + 1));
        assert_eq!(recorded_at(&facts, &rule), now, "a clock that runs ahead extends no window");
    }

    #[test]
    fn a_bot_registered_during_a_session_receives_the_next_message() {
        let mut facts = customer_facts();
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert!(!decision.outcome.customer_room.is_handled_by_bot, "no bot is registered");
        facts.omni.services[0].customer_room = decision.outcome.customer_room;
        add_endpoint(&mut facts, EventKind::Bot, "");
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert_eq!(delivered_kinds(&decision), [EventKind::Bot]);
        assert!(decision.outcome.customer_room.is_handled_by_bot);
    }

    #[test]
    fn a_session_is_not_handled_by_a_bot_without_an_endpoint() {
        let mut facts = customer_facts();
        facts.omni.services[0].customer_room.is_handled_by_bot = true;
        let Ok(decision) = received(&facts) else { panic!("the message is received") };
        assert!(!decision.outcome.customer_room.is_handled_by_bot);
        assert!(decision.is_allocating, "an agent is assigned instead");
    }
}
