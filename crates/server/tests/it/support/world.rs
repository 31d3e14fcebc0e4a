//! Agents, channels and customers created directly in the store. Other tests cover the routes that
//! create them.

use std::ops::Deref;
use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode};
use confab_domain::audit::entry::Actor;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::decision::change::{
    AgentChange, Change, ChannelChange, NewUser, RoomChange, SupportChange, UserChange,
};
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::{Decision, Rule};
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AgentId, ChannelId, RoomId, SignInId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::rooms::room::{Room, RoomKind, RoomUniqueId};
use confab_domain::support::assignment::tally::{Measure, Tally, TallyKey, quarter};
use confab_domain::support::conversations::customer_room::{AgentRecord, BotDuty, CustomerRoom};
use confab_domain::support::conversations::receiving::ReceiveMessage;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::{self, AgentProfile, MessageSource};
use confab_store::Store;
use confab_wire::webhooks::{self, RoomOptions};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::answer::Answer;
use super::caller::Caller;
use super::office::{Office, Worker};
use super::test_server::TestServer;
use super::waiting::until;

/// Expiry time of all sign-ins.
const FAR_AWAY: Timestamp = Timestamp(4_000_000_000_000_000);

/// An app of a server with its staff. Dereferences to its [`Office`].
pub struct World {
    office: Office,
    pub store: Store,
    pub app: Arc<App>,
    /// The channel of customers, unless a test names another.
    pub channel: ChannelId,
}

impl Deref for World {
    type Target = Office;

    fn deref(&self) -> &Office {
        &self.office
    }
}

/// A customer in a room.
#[derive(Clone, Debug)]
pub struct Customer {
    pub room: RoomId,
    pub key: UserKey,
    name: String,
}

impl Customer {
    /// Returns the room's id as text.
    pub fn room(&self) -> String {
        self.room.to_string()
    }
}

impl World {
    /// Creates the world of the server's first app.
    pub async fn of(server: &TestServer) -> Self {
        Self::of_app(server, server).await
    }

    /// Creates the world of any app of the server.
    pub async fn of_app(server: &TestServer, caller: &Caller) -> Self {
        let mut world = Self::without_channel(server, caller).await;
        world.channel = world.open_channel("Shop").await;
        world
    }

    pub async fn without_channel(server: &TestServer, caller: &Caller) -> Self {
        let code = AppCode::parse(&caller.code).expect("a code");
        let app = Arc::new(server.store.app(&code).await.expect("read").expect("an app"));
        let (office, store) = (Office::of(caller), server.store.clone());
        Self { office, store, app, channel: ChannelId(0) }
    }

    /// Returns this world as seen through another node.
    pub fn at(&self, server: &TestServer) -> Self {
        let (office, store) = (Office::of(server), server.store.clone());
        Self { office, store, app: self.app.clone(), channel: self.channel }
    }

    /// Returns the first channel of the app.
    pub fn channel_id(&self) -> ChannelId {
        self.channel
    }

    async fn decide<Outcome: Send + 'static>(
        &self,
        make: impl Fn(&App, &Stamp<'_>) -> (Vec<Change>, Outcome) + Send + 'static,
    ) -> Outcome {
        let app = self.app.clone();
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let (changes, outcome) = make(&app, stamp);
            Ok(Decision::new(changes, outcome))
        };
        self.store.decide(self.app.id, Question::default(), rule).await.expect("written")
    }

    pub async fn open_channel(&self, name: &str) -> ChannelId {
        let name = name.to_owned();
        self.decide(move |app, stamp| {
            let channel = Channel {
                id: ChannelId(stamp.next_id()),
                app: app.id,
                kind: ChannelKind::Custom,
                name: name.clone(),
                is_active: true,
                identifier_key: format!("key-{}", stamp.next_id()),
                webhook_url: None,
                logo_url: None,
                phone: String::new(),
                deleted_at: None,
                created_at: stamp.now,
                updated_at: stamp.now,
            };
            let id = channel.id;
            (vec![ChannelChange::Put(channel).into()], id)
        })
        .await
    }

    pub async fn admin(&self) -> Worker {
        self.worker("Ada", Role::Admin, &[]).await
    }

    /// Creates an available agent.
    pub async fn agent(&self, name: &str) -> Worker {
        self.worker(name, Role::Agent, &[]).await
    }

    /// Creates an available agent of any role, limited to `channels` unless they are empty.
    pub async fn worker(&self, name: &str, role: Role, channels: &[ChannelId]) -> Worker {
        let (name, channels) = (name.to_owned(), channels.to_vec());
        let made = self.decide(move |app, stamp| {
            let key = UserKey(stamp.next_id());
            let token = format!("token-{key}");
            let hash = Sha256::digest(&token).iter().map(|byte| format!("{byte:02x}")).collect();
            let user =
                user(app, key, &format!("{}_{key}@dashboard", app.code.as_str()), &name, stamp.now);
            let agent_record = agent_record(app, &user, role, &channels, stamp.now);
            let (id, until) = (agent_record.profile.user.id, FAR_AWAY);
            let changes = vec![
                insert(user),
                AgentChange::Put(Box::new(agent_record)).into(),
                AgentChange::AddSignIn {
                    hash,
                    user: id,
                    until,
                    id: SignInId(stamp.next_id()),
                    at: stamp.now,
                    browser: None,
                    address: None,
                }
                .into(),
            ];
            (changes, (id, token))
        });
        let (id, token) = made.await;
        Worker { id: id.0, token, caller: self.caller.clone() }
    }

    /// Marks an agent as away or available in the store only. No event is sent.
    pub async fn set_away(&self, worker: &Worker, since: Option<Timestamp>) {
        self.put_worker(worker, since, None).await;
    }

    /// Marks an agent as deleted in the store, without the consequences of a deletion.
    pub async fn delete_only(&self, worker: &Worker) {
        let now = Timestamp(1);
        self.put_worker(worker, Some(now), Some(now)).await;
    }

    async fn put_worker(
        &self,
        worker: &Worker,
        away_since: Option<Timestamp>,
        deleted_at: Option<Timestamp>,
    ) {
        let workers = self.store.agents(self.app.id).await.expect("read");
        let found = workers.into_iter().find(|it| it.profile.user.id.0 == worker.id);
        let found = found.expect("an agent");
        let speaker = UserKey(worker.id);
        self.decide(move |_, _| {
            let is_available = away_since.is_none();
            let user = AgentRecord {
                profile: AgentProfile { is_available, ..found.profile.clone() },
                speaker,
                serves_max: found.serves_max,
                channels: found.channels.clone(),
                away_since,
                deleted_at,
            };
            (vec![AgentChange::Put(Box::new(user)).into()], ())
        })
        .await;
    }

    pub async fn set(&self, name: &str, value: &str) {
        let (name, value) = (name.to_owned(), Some(value.to_owned()));
        self.decide(move |_, _| {
            let change = SupportChange::SetSetting { name: name.clone(), value: value.clone() };
            (vec![change.into()], ())
        })
        .await;
    }

    /// Adds to the count of incoming messages at this time.
    pub async fn count_messages(&self, at: Timestamp, count: i64) {
        let channel = self.channel;
        self.decide(move |_, _| {
            let (quarter, measure) = (quarter(at), Measure::MessageIn);
            let key = TallyKey { quarter, channel, agent: None, measure };
            (vec![SupportChange::Tally(Tally { key, count }).into()], ())
        })
        .await;
    }

    /// Stores a nonce that is valid until this time.
    pub async fn add_nonce(&self, nonce: &str, until: Timestamp) {
        let nonce = nonce.to_owned();
        self.decide(move |_, _| {
            (vec![UserChange::AddNonce { nonce: nonce.clone(), until }.into()], ())
        })
        .await;
    }

    /// Creates a customer of the first channel, with a room without messages.
    pub async fn customer(&self, name: &str) -> Customer {
        self.customer_of(self.channel, name).await
    }

    pub async fn customer_of(&self, channel: ChannelId, name: &str) -> Customer {
        let its_name = name.to_owned();
        let made = self.decide(move |app, stamp| {
            let (key, room) = (UserKey(stamp.next_id()), RoomId(stamp.next_id()));
            let user = user(app, key, &its_name, &its_name.to_uppercase(), stamp.now);
            let user = User { realm: Realm::Channel(channel), ..user };
            let changes = vec![
                insert(user),
                Change::Room(RoomChange::Insert(new_room(app, room, key, &its_name, stamp.now))),
                Change::Room(RoomChange::AddParticipant {
                    room,
                    user: key,
                    read_number: 0,
                    at: stamp.now,
                }),
                SupportChange::PutCustomerRoom(Box::new(idle_room(
                    app, room, channel, key, stamp.now,
                )))
                .into(),
            ];
            (changes, (key, room))
        });
        let (key, room) = made.await;
        Customer { room, key, name: name.to_owned() }
    }

    /// Creates another room of the customer, without messages.
    pub async fn another_room(&self, of: &Customer) -> Customer {
        self.more_rooms(of, 1).await
    }

    /// Creates several rooms of the customer in one decision; returns the last one.
    pub async fn more_rooms(&self, of: &Customer, count: usize) -> Customer {
        let (key, name, channel) = (of.key, of.name.clone(), self.channel);
        let room = self.decide(move |app, stamp| {
            let (mut changes, mut room) = (Vec::new(), RoomId(0));
            for _ in 0..count {
                room = RoomId(stamp.next_id());
                let (user, at) = (key, stamp.now);
                let opened = new_room(app, room, key, &name, at);
                let joined = RoomChange::AddParticipant { room, user, read_number: 0, at };
                let idle_room = Box::new(idle_room(app, room, channel, key, at));
                changes.push(Change::Room(RoomChange::Insert(opened)));
                changes.push(Change::Room(joined));
                changes.push(SupportChange::PutCustomerRoom(idle_room).into());
            }
            (changes, room)
        });
        Customer { room: room.await, ..of.clone() }
    }

    /// Posts a message of the customer with all its effects in the store. No background task is
    /// woken.
    pub async fn says(&self, customer: &Customer, text: &str) {
        let draft = Draft {
            sender: UserId::parse("user_id", &customer.name).expect("an id").into(),
            text: text.to_owned(),
            payload: Payload::Text,
            extras: None,
            unique_id: None,
        };
        let renderers = Renderers {
            local_time: confab_wire::time::local_time,
            complete_payload: confab_wire::complete_payload,
            is_same_payload: confab_wire::is_same_payload,
            webhook_body: webhooks::body,
            channel_parts: |_| Vec::new(),
            example: webhooks::examples::example,
            room_options: options,
            widget_source: "service".to_owned(),
        };
        let (app, room, renderers) = (self.app.clone(), customer.room, Arc::new(renderers));
        let context = Context {
            app: app.clone(),
            renderers,
            depth_before: 0,
            is_listened_to: false,
            actor: Actor::Server,
            address: None,
        };
        let rule = ReceiveMessage { room, draft, message_source: MessageSource::Client };
        let question = rule.question(&app);
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| rule.decide(&context, facts, stamp);
        self.store.decide(app.id, question, rule).await.expect("received");
    }

    /// Creates a customer waiting for an agent.
    pub async fn waiting(&self, name: &str) -> Customer {
        let customer = self.customer(name).await;
        self.says(&customer, "hello").await;
        customer
    }

    /// Assigns an agent to a customer's room on behalf of the app.
    pub async fn assign(&self, customer: &Customer, agent: &Worker) -> Answer {
        self.assign_room(&customer.room(), agent).await
    }

    /// Returns the room as an inbox shows it.
    pub async fn room(&self, customer: &Customer) -> Value {
        let path = format!("/api/v2/customer_rooms/{}", customer.room);
        self.get(&path, &[]).await.data()["customer_room"].take()
    }

    /// Returns the ids of the agents assigned to a room.
    pub async fn serving(&self, customer: &Customer) -> Vec<i64> {
        let agents = self.store.agents_of_room(customer.room).await.expect("read");
        agents.iter().map(|it| it.user.id.0).collect()
    }

    /// Waits until a room has assigned agents; returns their ids.
    pub async fn until_served(&self, customer: &Customer) -> Vec<i64> {
        until("an agent is assigned", async || {
            let serving = self.serving(customer).await;
            (!serving.is_empty()).then_some(serving)
        })
        .await
    }

    /// Returns the texts of a room, newest first.
    pub async fn texts(&self, customer: &Customer) -> Vec<String> {
        self.caller.texts(&customer.room()).await
    }
}

/// Returns the token with which an agent's own user connects to the chat.
pub fn chat_token(worker: i64) -> String {
    format!("chat-token-{worker}")
}

fn user(app: &App, key: UserKey, id: &str, name: &str, now: Timestamp) -> User {
    User {
        key,
        app: app.id,
        realm: Realm::App,
        user_id: UserId::parse("user_id", id).expect("an id"),
        username: name.to_owned(),
        avatar_url: String::new(),
        extras: None,
        is_active: true,
        created_at: now,
        updated_at: now,
    }
}

fn insert(user: User) -> Change {
    let token = chat_token(user.key.0);
    Change::User(UserChange::Insert(NewUser { user, token, password_hash: None }))
}

fn agent_record(
    app: &App,
    user: &User,
    role: Role,
    channels: &[ChannelId],
    now: Timestamp,
) -> AgentRecord {
    let profile = AgentProfile {
        user: Agent {
            id: AgentId(user.key.0),
            app: app.id,
            email: format!("worker-{}@{}.example", user.key, app.code.as_str()),
            name: user.username.clone(),
            role,
            created_at: now,
        },
        avatar_url: None,
        is_forced_offline: false,
        is_available: true,
        is_verified: true,
        last_login_at: Some(now),
        sdk_user: user.user_id.clone(),
        sdk_key: String::new(),
        updated_at: now,
    };
    AgentRecord {
        profile,
        speaker: user.key,
        serves_max: None,
        channels: channels.to_vec(),
        away_since: None,
        deleted_at: None,
    }
}

fn new_room(app: &App, id: RoomId, customer: UserKey, name: &str, now: Timestamp) -> Room {
    let unique_id = RoomUniqueId::from_trusted(format!("room-{id}"));
    Room {
        name: format!("The room of {name}"),
        customer: Some(customer),
        ..Room::new(id, app.id, unique_id, RoomKind::Group, now)
    }
}

fn idle_room(
    app: &App,
    room: RoomId,
    channel: ChannelId,
    customer: UserKey,
    now: Timestamp,
) -> CustomerRoom {
    CustomerRoom {
        room,
        app: app.id,
        channel,
        customer,
        session: None,
        waits_since: None,
        is_handled_by_bot: false,
        bot_duty: BotDuty::Always,
        brand: None,
        extras: None,
        badge_url: None,
        created_at: now,
        updated_at: now,
    }
}

fn options(channel: &event::ChannelSummary, is_resolved: bool, is_waiting: bool) -> JsonText {
    RoomOptions { channel, is_resolved, is_waiting }.to_json()
}
