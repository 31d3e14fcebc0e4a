//! The working copy of a customer's room that all rules about customers' rooms share.
//!
//! A rule creates a [`SupportRoom`] from its facts, modifies it (adds a message, opens a session,
//! assigns an agent) and ends it. [`SupportRoom::end`] derives the changed rows, the room's options
//! and the events from all modifications together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agents::agent::{Agent, Person};
use crate::app::App;
use crate::channels::channel_message::{MessageState, PartState};
use crate::channels::outgoing::{OutgoingKind, OutgoingPart, ProviderMessage};
use crate::decision::change::{Change, ChannelChange, MessageChange, RoomChange, SupportChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, MessageId, RoomId, SessionId, TrailId};
use crate::json_text::JsonText;
use crate::limits;
use crate::messages::conversation_event::{ConversationEvent, ConversationEventKind};
use crate::messages::message::{Draft, Message, PostedMessage};
use crate::messages::payload::Payload;
use crate::messages::posting;
use crate::messages::rating::RatingQuestion;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::{LastMessage, Room, RoomRef};
use crate::support::assignment::tally::Tallies;
use crate::support::conversations::customer_room::{BotDuty, CustomerRoom, SupportFacts};
use crate::support::conversations::seeing::{self, AgentAccess};
use crate::support::conversations::trail::{TrailEntry, TrailKind};
use crate::time::Timestamp;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{self, AgentProfile, ChannelSend, Event, EventRoom, Info, Session};
use crate::webhooks::fan_out;

/// A customer's room while a rule decides on it.
pub struct SupportRoom<'a> {
    context: &'a Context,
    facts: &'a Facts,
    stamp: &'a Stamp<'a>,
    /// Facts before the decision.
    pub before: &'a SupportFacts,
    /// The room's support data, including the changes so far.
    pub now: CustomerRoom,
    /// Assigned agents after the steps of this rule, in order of joining.
    pub agents: Vec<AgentProfile>,
    room: Arc<Room>,
    last: Option<LastMessage>,
    changes: Vec<Change>,
    notices: Vec<Event>,
    tallies: Tallies,
}

impl<'a> SupportRoom<'a> {
    /// Creates the room from the facts. Refuses a room that belongs to no customer.
    pub fn of(
        context: &'a Context,
        facts: &'a Facts,
        room: RoomId,
        stamp: &'a Stamp<'a>,
    ) -> Result<Self, Refusal> {
        let found = facts.room(&RoomRef::Id(room))?;
        let before = facts.service(room).ok_or(Refusal::NotACustomerRoom(room.to_string()))?;
        Ok(Self {
            context,
            facts,
            stamp,
            before,
            now: before.customer_room.clone(),
            agents: before.agents.clone(),
            room: found.room.clone(),
            last: found.last,
            changes: Vec::new(),
            notices: Vec::new(),
            tallies: Tallies::default(),
        })
    }

    /// Returns the channel as events show it.
    pub fn channel(&self) -> event::ChannelSummary {
        let first_brand = &self.context.renderers.widget_source;
        self.now.shown_channel(&self.before.channel, first_brand)
    }

    /// Adds a message that `posting` has accepted.
    pub fn add(&mut self, posted: &PostedMessage) {
        let message = &posted.message;
        self.last = Some(LastMessage { id: message.id, number: message.number });
        // A message after the resolution is not part of the session.
        let session = self.now.session.as_mut().filter(|session| session.resolved_at.is_none());
        if let Some(session) = session {
            session.last_message = message.id;
        }
        let is_customers = posted.sender.key == self.now.customer;
        self.tallies.add_message(self.now.channel, posted, is_customers);
        self.changes.push(Change::Message(MessageChange::Insert {
            posted: Arc::new(posted.clone()),
            room: self.room.clone(),
        }));
    }

    /// Posts a system message about an event of the conversation, such as an agent who joined.
    pub fn note(
        &mut self,
        what: ConversationEventKind,
        agent: Option<&Person>,
        by: Option<&Person>,
    ) -> Result<(), Refusal> {
        let event = ConversationEvent { what, agent: agent.cloned(), by: by.cloned() };
        self.post_as_system(event.text(), Payload::Conversation(event), None).map(drop)
    }

    /// Adds an entry to the history of the room, which only staff see.
    pub fn trace(&mut self, what: TrailKind, agent: Option<&Person>, by: Option<&Person>) {
        self.changes.push(
            SupportChange::AddTrail(TrailEntry {
                id: TrailId(self.stamp.next_id()),
                room: self.now.room,
                what,
                by: by.cloned(),
                agent: agent.cloned(),
                at: self.stamp.now,
            })
            .into(),
        );
    }

    /// Posts a text to the customer as the System user.
    pub fn post_text(&mut self, text: String) -> Result<PostedMessage, Refusal> {
        self.post_as_system(text, Payload::Text, None)
    }

    /// Posts the rating question as the System user.
    pub fn ask(&mut self, question: RatingQuestion) -> Result<PostedMessage, Refusal> {
        self.post_as_system(String::new(), Payload::RatingQuestion(question), None)
    }

    /// Posts a message of any type as the System user.
    pub fn post_as_system(
        &mut self,
        text: String,
        payload: Payload,
        extras: Option<JsonText>,
    ) -> Result<PostedMessage, Refusal> {
        let draft = Draft {
            sender: UserRef::own(App::system_user_id(&self.context.app.code)),
            text,
            payload,
            extras,
            unique_id: None,
        };
        let sender = self.facts.user(&draft.sender)?;
        let (context, facts, room) = (self.context, self.facts, &self.room);
        let posted =
            posting::create_message(context, facts, room, self.last, sender, &draft, self.stamp)?;
        self.add(&posted);
        Ok(posted)
    }

    /// Opens a session that begins with this message of the customer.
    pub fn open_session(&mut self, first: &PostedMessage) {
        self.put_session(first, None);
        self.trace(TrailKind::Opened, None, None);
    }

    /// Opens a session that begins with this message of a staff member, before the customer has
    /// written.
    pub fn begin_session(&mut self, first: &PostedMessage, by: &Person) {
        self.put_session(first, Some(self.stamp.now));
        self.trace(TrailKind::Opened, None, Some(by));
    }

    /// Records that the customer wrote. Returns whether it is their first message in a session that
    /// a staff member began.
    pub fn note_first_reply(&mut self) -> bool {
        let session = self.now.session.as_mut();
        session.is_some_and(|session| session.unheard_since.take().is_some())
    }

    fn put_session(&mut self, first: &PostedMessage, unheard_since: Option<Timestamp>) {
        let now = self.stamp.now;
        self.now.session = Some(Session {
            id: SessionId(self.stamp.next_id()),
            app: self.now.app,
            room: self.now.room,
            served_by: None,
            taken_at: None,
            notes: None,
            first_message: first.message.id,
            first_message_at: first.message.posted_at,
            last_message: first.message.id,
            created_at: now,
            updated_at: now,
            resolved_at: None,
            resolved_by: None,
            first_reply_at: None,
            first_reply_by: None,
            reopened_at: None,
            rating: None,
            rated_at: None,
            rating_asked_at: None,
            unheard_since,
        });
        self.now.bot_duty = match self.agents.is_empty() {
            true => BotDuty::Always,
            false => BotDuty::WhileUnserved,
        };
        self.now.waits_since = self.agents.is_empty().then_some(now);
    }

    /// Assigns an agent and adds them to the room's participants.
    pub fn join(
        &mut self,
        agent: &AgentProfile,
        what: TrailKind,
        by: Option<&Person>,
    ) -> Result<(), Refusal> {
        let (room, now) = (self.now.room, self.stamp.now);
        self.changes.push(SupportChange::AddAgent { room, agent: agent.user.id, at: now }.into());
        self.changes.push(Change::Room(RoomChange::AddParticipant {
            room,
            user: agent.speaker(),
            read_number: self.last.map_or(0, |last| last.number),
            at: now,
        }));
        if let Some(session) = &mut self.now.session {
            session.served_by = Some(agent.user.id);
            session.taken_at.get_or_insert(now);
        }
        self.now.waits_since = None;
        self.now.bot_duty = self.now.bot_duty.after_join();
        self.now.is_handled_by_bot = false;
        self.agents.push(agent.clone());
        let person = Person::from(&agent.user);
        self.trace(what, Some(&person), by);
        self.note(ConversationEventKind::AgentJoined, Some(&person), by)
    }

    /// Records that a staff member replied, if it is the first reply in the open session.
    pub fn replied(&mut self, agent: AgentId, posted: &PostedMessage) {
        let session = self.now.session.as_mut().filter(|session| session.resolved_at.is_none());
        if let Some(session) = session.filter(|session| session.first_reply_at.is_none()) {
            session.first_reply_at = Some(posted.message.posted_at);
            session.first_reply_by = Some(agent);
        }
    }

    /// Switches the bot on or off in this session.
    pub fn switch_bot(&mut self, is_on: bool) {
        self.now.bot_duty = if is_on { BotDuty::Always } else { BotDuty::SwitchedOff };
        self.now.is_handled_by_bot = is_on;
    }

    /// Whether the bot receives the customer's messages now.
    pub fn bot_receives(&self) -> bool {
        match self.now.bot_duty {
            BotDuty::Always => true,
            BotDuty::WhileUnserved => self.agents.is_empty(),
            BotDuty::SwitchedOff => false,
        }
    }

    /// Removes an agent from the room with a system message. Has no effect if the agent is not
    /// assigned.
    pub fn leave(&mut self, agent: AgentId, by: Option<&Person>) -> Result<(), Refusal> {
        let Some(person) = self.person(agent) else { return Ok(()) };
        // Post before the removal, so that the agent receives the message.
        self.note(ConversationEventKind::AgentLeft, Some(&person), by)?;
        self.take_out(agent);
        let session = self.now.session.as_mut().filter(|it| it.served_by == Some(agent));
        if let (Some(session), Some(last)) = (session, self.agents.last()) {
            session.served_by = Some(last.user.id);
        }
        Ok(())
    }

    /// Removes an agent from the room with a system message and an entry in the history.
    pub fn remove(&mut self, agent: AgentId, by: Option<&Person>) -> Result<(), Refusal> {
        let Some(person) = self.person(agent) else { return Ok(()) };
        self.trace(TrailKind::Removed, Some(&person), by);
        self.leave(agent, by)
    }

    /// Returns the assigned agent with this id.
    pub fn person(&self, agent: AgentId) -> Option<Person> {
        let found = self.agents.iter().find(|it| it.user.id == agent);
        found.map(|it| Person::from(&it.user))
    }

    /// Fails if an agent requests the action and is not assigned to the room. Admins, supervisors
    /// and the app pass.
    pub fn must_serve_or_oversee(&self, by: Option<&Agent>) -> Result<(), Refusal> {
        match seeing::limited(by) {
            Some(agent) if self.person(agent.id).is_none() => {
                Err(Refusal::NotServing(self.now.room.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Removes an agent from the room without a message. If no agent remains, the customer of an
    /// open session waits for one, and the bot receives messages again unless it was switched off
    /// (D-0201).
    pub fn take_out(&mut self, agent: AgentId) {
        let room = self.now.room;
        let Some(place) = self.agents.iter().position(|it| it.user.id == agent) else { return };
        let left = self.agents.remove(place);
        let until_message = self.last_message().unwrap_or(MessageId(0));
        self.changes.push(SupportChange::RemoveAgent { room, agent, until_message }.into());
        self.changes
            .push(Change::Room(RoomChange::RemoveParticipant { room, user: left.speaker() }));
        if self.agents.is_empty() && self.now.is_open() {
            // First come, first served: customers who waited before keep their place in the queue.
            let session = self.now.session.as_ref();
            self.now.waits_since =
                session.map(|session| session.reopened_at.unwrap_or(session.first_message_at));
        }
    }

    /// Adds infos that the customer's client reports. Infos beyond the limit are dropped instead of
    /// refused, so that the customer's message is accepted.
    pub fn learn(&mut self, infos: &[Info]) {
        let (known, room) = (&self.before.infos, self.now.room);
        let mut keys: BTreeSet<_> = known.iter().map(|info| info.key.as_str()).collect();
        for info in infos.iter().filter(|info| !known.contains(info)) {
            if keys.len() < limits::INFOS_MAX || keys.contains(info.key.as_str()) {
                keys.insert(&info.key);
                self.changes.push(SupportChange::PutInfo { room, info: info.clone() }.into());
            }
        }
    }

    /// Replaces all infos of the room. If a key is repeated, its last value counts.
    pub fn replace_infos(&mut self, infos: &[Info]) -> Result<(), Refusal> {
        let (known, room) = (&self.before.infos, self.now.room);
        let wanted: BTreeMap<_, _> = infos.iter().map(|info| (info.key.as_str(), info)).collect();
        if wanted.len() > limits::INFOS_MAX {
            let max = limits::INFOS_MAX;
            return Err(Refusal::TooMany { what: "infos about a customer", max });
        }
        for gone in known.iter().filter(|info| !wanted.contains_key(info.key.as_str())) {
            self.changes.push(SupportChange::RemoveInfo { room, key: gone.key.clone() }.into());
        }
        for info in wanted.into_values().filter(|info| !known.contains(info)) {
            self.changes.push(SupportChange::PutInfo { room, info: info.clone() }.into());
        }
        Ok(())
    }

    /// Fails if an agent may not act in the room: neither assigned nor allowed to take it over. The
    /// facts must include the agent.
    pub fn must_be_open_to(&self, agent: AgentId) -> Result<(), Refusal> {
        let asker = self.facts.omni.agents.iter().find(|it| it.profile.user.id == agent);
        let standing = AgentAccess {
            is_serving: self.agents.iter().any(|it| it.user.id == agent),
            serves_channel: asker.is_some_and(|it| it.serves_channel(self.now.channel)),
        };
        match seeing::may_act(standing, &self.now, &self.facts.omni.settings) {
            true => Ok(()),
            false => Err(Refusal::NotYourRoom(self.now.room.to_string())),
        }
    }

    /// Fails if `by` is an agent who may not act in the room. Admins, supervisors and the app
    /// (`None`) pass.
    pub fn must_be_open_to_role(&self, by: Option<&Agent>) -> Result<(), Refusal> {
        seeing::limited(by).map_or(Ok(()), |agent| self.must_be_open_to(agent.id))
    }

    /// Creates the deliveries that send, edit or delete a message through the customer's provider,
    /// one per part (D-0150). Returns whether the provider accepts a part only within its messaging
    /// window.
    pub fn carry_out(&mut self, message: &Message, what: OutgoingKind) -> bool {
        self.carry_out_by(message, what, None)
    }

    /// Creates the deliveries like [`Self::carry_out`], as a message template if one is given.
    pub fn carry_out_by(
        &mut self,
        message: &Message,
        what: OutgoingKind,
        template: Option<&JsonText>,
    ) -> bool {
        let kind = self.before.channel.kind;
        let outgoing = ProviderMessage { kind, message, what, template };
        let parts = (self.context.renderers.channel_parts)(&outgoing);
        let (channel, room) = (self.now.channel, self.now.room);
        let mut any_needs_window = false;
        for (part, OutgoingPart { body, needs_window }) in (0_u32..).zip(parts) {
            any_needs_window |= needs_window;
            let (id, at) = (message.id, self.stamp.now);
            if matches!(what, OutgoingKind::Message(_)) {
                let state = MessageState::Queued;
                let (code, reason) = (None, None);
                let state = PartState { room, message: id, part, state, code, reason, at };
                self.changes.push(ChannelChange::AddState(state).into());
            }
            let message = id;
            self.notify(Event::ChannelSend(ChannelSend { channel, message, part, body }));
        }
        any_needs_window
    }

    /// Adds another change to the decision.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Adds an event, for which [`Self::end`] creates deliveries.
    pub fn notify(&mut self, notice: Event) {
        self.notices.push(notice);
    }

    /// Returns the room as events show it.
    pub fn shown_room(&self) -> EventRoom {
        EventRoom {
            id: self.room.id,
            kind: self.room.kind,
            name: self.room.name.clone(),
            avatar_url: self.room.avatar_url.clone(),
            options: self.options(),
            participants: self.before.participants.clone(),
        }
    }

    fn options(&self) -> JsonText {
        let is_waiting = self.now.waits_since.is_some();
        (self.context.renderers.room_options)(&self.channel(), self.now.is_resolved(), is_waiting)
    }

    /// Returns the decision with all changes and deliveries that follow from the steps.
    pub fn end<Outcome>(mut self, outcome: Outcome) -> Result<Decision<Outcome>, Refusal> {
        let place = fan_out::EventContext {
            app: self.now.app,
            lane: Lane(self.now.room.0),
            depth_before: self.context.depth_before,
        };
        let told = fan_out::fan_out(
            self.facts,
            self.stamp,
            place,
            &self.notices,
            self.context.renderers.webhook_body,
        )?;
        let before = &self.before.customer_room;
        let waits = |it: &CustomerRoom| it.waits_since.filter(|_| !it.is_handled_by_bot);
        let begins_to_wait = waits(&self.now).is_some() && waits(before).is_none();
        let is_allocating = begins_to_wait || self.agents.len() < self.before.agents.len();
        if self.now != *before {
            self.now.updated_at = self.stamp.now;
            let options = self.options();
            if options.as_str() != self.room.options {
                let options = options.as_str().to_owned();
                let updated_at = self.stamp.now;
                let room = Room { options, updated_at, ..(*self.room).clone() };
                self.changes.push(Change::Room(RoomChange::Update(room)));
            }
            if let Some(session) =
                self.now.session.as_mut().filter(|it| before.session.as_ref() != Some(it))
            {
                session.updated_at = self.stamp.now;
            }
            let (channel, session) = (self.now.channel, self.now.session.as_ref());
            self.tallies.add_session(channel, before.session.as_ref(), session);
            self.changes.push(SupportChange::PutCustomerRoom(Box::new(self.now)).into());
        }
        let tallies = self.tallies.into_changed();
        self.changes.extend(tallies.map(|tally| SupportChange::Tally(tally).into()));
        Ok(Decision::new(self.changes, outcome).with_deliveries(told).allocating(is_allocating))
    }

    /// Returns the newest message of the room.
    pub fn last_message(&self) -> Option<MessageId> {
        self.last.map(|last| last.id)
    }
}
