//! Fills a store with a year of conversations, in order of time.
//!
//! It writes the same changes that the rules would write. It does not compute analytics, which
//! `confab analytics rebuild` does later. The store writes the search index in larger steps than a
//! server does.

use std::sync::Arc;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::agent::Person;
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::HireAgent;
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::channels::connecting::{ChannelInput, ConnectChannel};
use confab_domain::decision::change::{
    Change, MessageChange, NewUser, RoomChange, SupportChange, UserChange,
};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{EventId, MessageId, RoomId, SessionId, TrailId, UserKey};
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::rooms::room::{LastMessage, Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::support::conversations::customer_room::{AgentRecord, BotDuty, CustomerRoom};
use confab_domain::support::conversations::trail::{TrailEntry, TrailKind};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::Session;
use confab_runtime::SystemStamps;
use confab_store::Location;

use super::words::{Dice, name, sentence};
use crate::failure::Failure;
use crate::fill::Filler;

const AGENTS: usize = 20;
const CHANNELS: usize = 4;
/// Number of open conversations, which are the newest ones. The newest `WAITING` of them are
/// unassigned, and the newest `WITH_BOT` of these are handled by a bot.
const OPEN: usize = 300;
const WAITING: usize = 80;
const WITH_BOT: usize = 20;
/// Number of conversations that one decision writes.
const PER_DECISION: usize = 20;
const AT_ONCE_MAX: usize = 16;

const YEAR_US: i64 = 365 * 86_400 * 1_000_000;
const SECOND_US: i64 = 1_000_000;

/// Returns the identifier key of the channel with this index.
pub(super) fn channel_key(at: usize) -> String {
    format!("bench-channel-key-{at}")
}

pub(super) fn email(agent: usize) -> String {
    format!("agent{agent}@bench.example")
}

/// Fills a store with `conversations` conversations, `each` per customer.
pub(super) async fn fill(
    location: &Location,
    conversations: usize,
    each: usize,
) -> Result<(), Failure> {
    let (filler, _) = Filler::open(location).await?;
    let office = Arc::new(Office::open(filler, conversations, each).await?);
    let mut running = tokio::task::JoinSet::new();
    // Conversations of one customer are further apart than concurrent decisions, so decisions may
    // run in any order.
    let at_once = (office.customers() / PER_DECISION / 2).clamp(1, AT_ONCE_MAX);
    for first in (0..conversations).step_by(PER_DECISION) {
        if running.len() >= at_once
            && let Some(done) = running.join_next().await
        {
            done??;
        }
        let office = office.clone();
        running.spawn(async move { office.write(first).await });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    // The index may have advanced past messages that were written with earlier times.
    confab_store::rebuild_search(location).await?;
    let store = office.filler.store.clone();
    office.filler.write_index().await?;
    Ok(store.close().await?)
}

struct Office {
    filler: Filler,
    system: Arc<User>,
    agents: Vec<(AgentRecord, Arc<User>)>,
    channels: Vec<Channel>,
    conversations: usize,
    /// Number of conversations per customer.
    each: usize,
    /// Time of the fill, at which the year ends.
    end: Timestamp,
}

/// The sender of a message: the customer, the assigned agent, or the System user.
enum Who {
    Customer,
    Agent,
    System,
}

impl Office {
    async fn open(filler: Filler, conversations: usize, each: usize) -> Result<Self, Failure> {
        let mut channels = Vec::new();
        for at in 0..CHANNELS {
            let wanted =
                ChannelInput { name: Some(format!("Channel {at}")), ..ChannelInput::default() };
            let new_key = channel_key(at);
            channels.push(filler.decide(ConnectChannel { wanted, new_key }).await?);
        }
        let mut agents = Vec::new();
        for at in 0..AGENTS {
            let email = EmailAddress::parse("email", &email(at));
            let rule = HireAgent {
                email: email.map_err(|problem| problem.to_string())?,
                name: name(at * 37),
                // The first is an admin, the second a supervisor.
                role: [Role::Admin, Role::Supervisor].get(at).copied().unwrap_or(Role::Agent),
                avatar_url: None,
                divisions: None,
                channels: Vec::new(),
                password_hash: "none".to_owned(),
                code_hash: None,
                sdk_key: format!("bench-sdk-key-{at}"),
            };
            let agent = filler.decide(rule).await?;
            let speaker = User {
                key: agent.speaker,
                app: filler.app.id,
                realm: Realm::App,
                user_id: agent.profile.sdk_user.clone(),
                username: agent.profile.user.name.clone(),
                avatar_url: String::new(),
                extras: None,
                is_active: true,
                created_at: agent.profile.updated_at,
                updated_at: agent.profile.updated_at,
            };
            agents.push((agent, Arc::new(speaker)));
        }
        let system = App::system_user_id(&filler.app.code);
        let system = filler.store.user(filler.app.id, &system).await?;
        let system = system.ok_or("the System user is there")?;
        let end = SystemStamps::new(0);
        let end = confab_domain::decision::stamp::Stamps::now(&end);
        Ok(Self { filler, system: Arc::new(system), agents, channels, conversations, each, end })
    }

    fn customers(&self) -> usize {
        self.conversations.div_ceil(self.each)
    }

    fn begins(&self, conversation: usize) -> Timestamp {
        let left = (self.conversations - conversation) as i64;
        Timestamp(self.end.0 - YEAR_US / self.conversations as i64 * left)
    }

    /// Returns the index of a conversation's customer. Customers take turns, in a shuffled order.
    fn customer(&self, conversation: usize) -> usize {
        (conversation % self.customers()) * 7_919 % self.customers()
    }

    /// Returns an id for this time. Its lowest bits number the conversation, so that conversations
    /// at the same time get different ids.
    fn id(&self, at: Timestamp, conversation: usize) -> i64 {
        EventId::first_at(at).0 + (conversation % 4_096) as i64
    }

    /// Returns the user key, room id and channel of a customer. The ids are derived from the time
    /// just before the customer's first conversation.
    fn ids_of(&self, customer: usize, conversation: usize) -> (UserKey, RoomId, &Channel) {
        let first = conversation % self.customers();
        let before = |seconds| Timestamp(self.begins(first).0 - seconds * SECOND_US);
        let channel = &self.channels[customer % CHANNELS];
        let (key, room) = (self.id(before(2), first), self.id(before(1), first));
        (UserKey(key), RoomId(room), channel)
    }

    /// Writes up to `PER_DECISION` conversations in one decision, after another one that adds new
    /// customers.
    async fn write(self: Arc<Self>, first: usize) -> Result<(), Failure> {
        let last = (first + PER_DECISION).min(self.conversations);
        if first < self.customers() {
            let mut changes = Vec::new();
            for conversation in first..last.min(self.customers()) {
                self.welcome(conversation, &mut changes);
            }
            let rule = move |_: &Facts, _: &Stamp<'_>| Ok(Decision::new(changes.clone(), ()));
            self.filler.store.decide(self.filler.app.id, Question::default(), rule).await?;
        }
        let rooms = (first..last).map(|it| self.ids_of(self.customer(it), it).1);
        let question = Question { rooms: rooms.map(RoomRef::Id).collect(), ..Question::default() };
        let office = self.clone();
        let rule = move |facts: &Facts, _: &Stamp<'_>| {
            let mut changes = Vec::new();
            for conversation in first..last {
                office.converse(conversation, facts, &mut changes)?;
            }
            Ok(Decision::new(changes, ()))
        };
        self.filler.store.decide(self.filler.app.id, question, rule).await?;
        Ok(())
    }

    fn user(&self, customer: usize, conversation: usize) -> User {
        let (key, _, channel) = self.ids_of(customer, conversation);
        User {
            key,
            app: self.filler.app.id,
            realm: Realm::Channel(channel.id),
            user_id: UserId::from_stored(format!("customer-{customer}")),
            username: name(customer),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: EventId(key.0).made_at(),
            updated_at: EventId(key.0).made_at(),
        }
    }

    /// Adds the changes that create the customer of this conversation and their room.
    fn welcome(&self, conversation: usize, changes: &mut Vec<Change>) {
        let customer = self.customer(conversation);
        let (key, room, channel) = self.ids_of(customer, conversation);
        let (app, at) = (self.filler.app.id, EventId(room.0).made_at());
        let user = self.user(customer, conversation);
        let unique_id = RoomUniqueId::from_trusted(format!("office-{customer}"));
        let opened = Room {
            name: user.username.clone(),
            customer: Some(key),
            ..Room::new(room, app, unique_id, RoomKind::Group, at)
        };
        let token = format!("token-of-customer-{customer}");
        changes.push(Change::User(UserChange::Insert(NewUser {
            user,
            token,
            password_hash: None,
        })));
        changes.push(Change::Room(RoomChange::Insert(opened)));
        let joined = RoomChange::AddParticipant { room, user: key, read_number: 0, at };
        changes.push(Change::Room(joined));
        let customer_room = self.customer_room(room, key, channel, at);
        changes.push(SupportChange::PutCustomerRoom(Box::new(customer_room)).into());
    }

    fn customer_room(
        &self,
        room: RoomId,
        customer: UserKey,
        channel: &Channel,
        at: Timestamp,
    ) -> CustomerRoom {
        CustomerRoom {
            room,
            app: self.filler.app.id,
            channel: channel.id,
            customer,
            session: None,
            waits_since: None,
            is_handled_by_bot: false,
            bot_duty: BotDuty::Always,
            brand: None,
            extras: None,
            badge_url: None,
            created_at: at,
            updated_at: at,
        }
    }

    /// Adds the changes of one conversation: up to its resolution, or up to its current state if it
    /// is still open.
    fn converse(
        &self,
        conversation: usize,
        facts: &Facts,
        changes: &mut Vec<Change>,
    ) -> Result<(), confab_domain::refusal::Refusal> {
        let dice = &mut Dice(conversation as u64 * 31 + 7);
        let customer = self.customer(conversation);
        let (key, room_id, channel) = self.ids_of(customer, conversation);
        let found = facts.room(&RoomRef::Id(room_id))?;
        let left = self.conversations - conversation;
        let is_served = left > WAITING;
        let is_resolved = left > OPEN;
        let (agent, speaker) = &self.agents[2 + dice.roll(AGENTS - 2)];
        let agent_id = agent.profile.user.id;
        let person = Person::from(&agent.profile.user);
        let begin = self.begins(conversation);
        let mut clock = begin;
        let mut talk = Talk {
            office: self,
            conversation,
            room: found.room.clone(),
            last: found.last,
            customer: Arc::new(self.user(customer, conversation)),
            agent: speaker.clone(),
            changes,
        };
        let first = talk.say(Who::Customer, sentence(dice, conversation), clock);
        let session_id = SessionId(self.id(Timestamp(begin.0 + 1_000), conversation));
        let mut session = Session {
            id: session_id,
            app: self.filler.app.id,
            room: room_id,
            served_by: None,
            taken_at: None,
            notes: None,
            first_message: first,
            first_message_at: begin,
            last_message: first,
            created_at: begin,
            updated_at: begin,
            resolved_at: None,
            resolved_by: None,
            first_reply_at: None,
            first_reply_by: None,
            reopened_at: None,
            rating: None,
            rated_at: None,
            rating_asked_at: None,
            unheard_since: None,
        };
        talk.trace(TrailKind::Opened, None, clock);
        if is_served {
            clock.0 += (5 + dice.roll(120) as i64) * SECOND_US;
            talk.join(agent, clock);
            talk.trace(TrailKind::Assigned, Some(&person), clock);
            talk.say(Who::System, format!("{} joined this conversation", person.name), clock);
            session.served_by = Some(agent_id);
            session.taken_at = Some(clock);
            clock.0 += (5 + dice.roll(600) as i64) * SECOND_US;
            session.last_message = talk.say(Who::Agent, sentence(dice, conversation), clock);
            session.first_reply_at = Some(clock);
            session.first_reply_by = Some(agent_id);
            for who in [Who::Customer, Who::Agent] {
                clock.0 += (5 + dice.roll(300) as i64) * SECOND_US;
                session.last_message = talk.say(who, sentence(dice, conversation), clock);
            }
        }
        if is_resolved {
            clock.0 += (5 + dice.roll(3_600) as i64) * SECOND_US;
            talk.trace(TrailKind::Resolved, None, clock);
            let text = "admin marked this conversation as resolved".to_owned();
            session.last_message = talk.say(Who::System, text, clock);
            session.resolved_at = Some(clock);
            session.resolved_by = Some(agent_id);
            talk.leave(agent, session.last_message);
        }
        session.updated_at = clock;
        let mut customer_room = self.customer_room(room_id, key, channel, clock);
        customer_room.created_at = found.room.created_at;
        customer_room.waits_since = (!is_served).then_some(begin);
        customer_room.is_handled_by_bot = left <= WITH_BOT;
        customer_room.bot_duty = if is_served { BotDuty::WhileUnserved } else { BotDuty::Always };
        customer_room.session = Some(session);
        changes.push(SupportChange::PutCustomerRoom(Box::new(customer_room)).into());
        Ok(())
    }
}

struct Talk<'a> {
    office: &'a Office,
    conversation: usize,
    room: Arc<Room>,
    last: Option<LastMessage>,
    customer: Arc<User>,
    agent: Arc<User>,
    changes: &'a mut Vec<Change>,
}

impl Talk<'_> {
    fn say(&mut self, who: Who, text: String, at: Timestamp) -> MessageId {
        let (sender, kind) = match who {
            Who::Customer => (&self.customer, MessageKind::Text),
            Who::Agent => (&self.agent, MessageKind::Text),
            Who::System => (&self.office.system, MessageKind::SystemEvent),
        };
        let number = self.last.map_or(0, |last| last.number) + 1;
        let id = MessageId(self.office.id(at, self.conversation));
        let message = Message {
            id,
            room: self.room.id,
            number,
            before: self.last.map(|last| last.id),
            sender: sender.key,
            kind,
            text,
            payload: None,
            extras: None,
            client_unique_id: None,
            posted_at: at,
            is_deleted: false,
        };
        self.last = Some(LastMessage { id, number });
        let posted = Arc::new(PostedMessage { message, sender: sender.clone() });
        self.changes.push(MessageChange::Insert { posted, room: self.room.clone() }.into());
        id
    }

    fn trace(&mut self, what: TrailKind, agent: Option<&Person>, at: Timestamp) {
        let id = TrailId(self.office.id(at, self.conversation));
        let (room, agent) = (self.room.id, agent.cloned());
        let entry = TrailEntry { id, room, what, by: None, agent, at };
        self.changes.push(SupportChange::AddTrail(entry).into());
    }

    fn join(&mut self, agent: &AgentRecord, at: Timestamp) {
        let (room, user) = (self.room.id, agent.speaker);
        let agent = agent.profile.user.id;
        self.changes.push(SupportChange::AddAgent { room, agent, at }.into());
        let read_number = self.last.map_or(0, |last| last.number);
        let joined = RoomChange::AddParticipant { room, user, read_number, at };
        self.changes.push(Change::Room(joined));
    }

    fn leave(&mut self, agent: &AgentRecord, until_message: MessageId) {
        let (room, user) = (self.room.id, agent.speaker);
        let agent = agent.profile.user.id;
        self.changes.push(SupportChange::RemoveAgent { room, agent, until_message }.into());
        self.changes.push(Change::Room(RoomChange::RemoveParticipant { room, user }));
    }
}
