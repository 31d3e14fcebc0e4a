//! Fills a store: 1,000 rooms with two users each, a room with a million messages, and more
//! messages spread over the rooms.

use std::path::PathBuf;
use std::sync::Arc;

use confab_domain::app::{App, AppCode};
use confab_domain::audit::entry::Actor;
use confab_domain::decision::change::MessageChange;
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::rule::{Decision, Rule};
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{ID_END, MessageId};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::people::registering::{Profile, RegisterUser};
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::rooms::opening::{NewRoom, OpenRoom};
use confab_domain::rooms::room::{RoomRef, RoomUniqueId};
use confab_domain::support::conversations::index_state::IndexState;
use confab_domain::support::conversations::indexing::IndexStep;
use confab_domain::support::conversations::speaking::{PostMessage, PostOutcome};
use confab_domain::webhooks::event::MessageSource;
use confab_runtime::SystemStamps;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_store::{Location, NewApp, Registry, Sealer, Store};

use crate::failure::Failure;

pub(crate) const APP: &str = "bench";
pub(crate) const SDK_SECRET: &str = "bench-sdk-secret";
pub(crate) const SECRET_KEY: &str = "bench-secret-key";
pub(crate) const ROOMS: usize = 1000;
pub(crate) const BIG_ROOM: &str = "big";
pub(crate) const BIG_ROOM_MESSAGES: usize = 1_000_000;

/// Number of messages that one decision writes to a single room.
const CHUNK: usize = 500;
/// Number of users added to the search index in one step.
const INDEXED_PER_STEP: usize = 4_000;
const AT_ONCE: usize = 32;

/// Returns the location of a folder, or of a database given by its URL.
pub(crate) fn location(place: &str) -> Result<Location, Failure> {
    if is_database(place) {
        return Ok(Location::database(place)?);
    }
    Ok(Location::folder(place))
}

/// Returns the server's flag for a folder or a database.
pub(crate) fn flag(place: &str) -> [&str; 2] {
    [if is_database(place) { "--database-url" } else { "--data" }, place]
}

fn is_database(place: &str) -> bool {
    place.contains("://")
}

/// Fills the store up to about `messages` messages in total.
pub(crate) fn fill(location: &Location, messages: usize) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(fill_all(location, messages))
}

async fn fill_all(location: &Location, messages: usize) -> Result<(), Failure> {
    let (filler, is_new) = Filler::open(location).await?;
    if is_new {
        filler.open_rooms().await?;
        filler.post(vec![BIG_ROOM.to_owned()], BIG_ROOM_MESSAGES).await?;
    }
    let rooms: Vec<String> = (0..ROOMS).map(room_name).collect();
    let rest = messages.saturating_sub(BIG_ROOM_MESSAGES);
    if rest > 0 {
        filler.post(rooms, rest).await?;
    }
    filler.write_index().await?;
    filler.store.close().await?;
    Ok(())
}

/// Creates the app and its rooms, without messages.
pub(crate) fn rooms(location: &Location) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (filler, _) = Filler::open(location).await?;
        filler.open_rooms().await?;
        Ok(filler.store.close().await?)
    })
}

/// A room's unique id, and the index range of the users who participate in it.
pub(crate) type Party = (String, std::ops::Range<usize>);

/// Creates the app, `count` users, and their rooms.
pub(crate) fn people(location: &Location, count: usize, parties: &[Party]) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (filler, _) = Filler::open(location).await?;
        let filler = Arc::new(filler);
        let mut running = tokio::task::JoinSet::new();
        for at in 0..count {
            // The store rejects more than it can queue.
            if running.len() >= AT_ONCE * 32
                && let Some(done) = running.join_next().await
            {
                done??;
            }
            let filler = filler.clone();
            running.spawn(async move { filler.register(&user(&person(at))?).await });
        }
        while let Some(done) = running.join_next().await {
            done??;
        }
        for (room, members) in parties {
            let members: Result<Vec<_>, _> = members.clone().map(|at| user(&person(at))).collect();
            filler.open_room(room.clone(), members?).await?;
        }
        Ok(filler.store.clone().close().await?)
    })
}

pub(crate) fn person(at: usize) -> String {
    format!("person-{at}")
}

/// Returns a user's access token.
pub(crate) fn token_of(user: &str) -> String {
    format!("token-of-{user}")
}

fn user(id: &str) -> Result<UserId, Failure> {
    Ok(UserId::parse("user_id", id).map_err(|problem| problem.to_string())?)
}

/// Returns the path of the secrets key file for PostgreSQL stores.
pub(crate) fn shared_secrets_key_file() -> PathBuf {
    std::env::temp_dir().join("confab-bench-secrets.key")
}

pub(crate) async fn sealer(location: &Location) -> Result<Arc<Sealer>, Failure> {
    let file = match location {
        Location::Folder(folder) => folder.join("secrets.key"),
        Location::Postgres(_) => shared_secrets_key_file(),
    };
    Ok(SecretsFile::at(file).sealer(location).await?)
}

/// Creates `count` more apps. All have the same keys.
pub(crate) fn apps(
    location: &Location,
    name: fn(usize) -> String,
    count: usize,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut registry =
            Registry::open(location, Arc::new(SystemStamps::new(0)), sealer(location).await?)
                .await?;
        for at in 0..count {
            registry.create_app(&new_app(&name(at))?, None).await?;
        }
        Ok(())
    })
}

fn new_app(code: &str) -> Result<NewApp, Failure> {
    Ok(NewApp {
        code: AppCode::parse(code)?,
        name: "Bench".to_owned(),
        sdk_secret: SDK_SECRET.to_owned(),
        secret_key: SECRET_KEY.to_owned(),
        system_token: format!("system-token-of-{code}"),
    })
}

pub(crate) fn room_name(at: usize) -> String {
    format!("room-{at}")
}

/// An open store and its app.
pub(crate) struct Filler {
    pub(crate) store: Store,
    pub(crate) app: confab_domain::app::App,
}

impl Filler {
    /// Opens the store, and creates the app if it does not exist. Also returns whether the app was
    /// created.
    pub(crate) async fn open(location: &Location) -> Result<(Self, bool), Failure> {
        let stamps = Arc::new(SystemStamps::new(0));
        let sealer = sealer(location).await?;
        let store = Store::open(location, stamps.clone(), sealer.clone()).await?;
        let mut registry = Registry::open(location, stamps, sealer).await?;
        let new = new_app(APP)?;
        let is_new = registry.create_app(&new, None).await?;
        let app = store.app(&new.code).await?.ok_or("the app was just made")?;
        Ok((Self { store, app }, is_new))
    }

    async fn open_rooms(&self) -> Result<(), Failure> {
        let users = [user("user-0")?, user("user-1")?];
        for user in &users {
            self.register(user).await?;
        }
        for name in (0..ROOMS).map(room_name).chain([BIG_ROOM.to_owned()]) {
            self.open_room(name, users.to_vec()).await?;
        }
        Ok(())
    }

    async fn register(&self, user_id: &UserId) -> Result<(), Failure> {
        let profile = Profile {
            app: self.app.id,
            realm: Realm::App,
            user_id: user_id.clone(),
            username: user_id.as_str().to_owned(),
            avatar_url: None,
            extras: None,
            password_hash: None,
            new_token: token_of(user_id.as_str()),
        };
        self.decide(RegisterUser { profile }).await?;
        Ok(())
    }

    async fn open_room(&self, name: String, participants: Vec<UserId>) -> Result<(), Failure> {
        let new = NewRoom {
            app: self.app.id,
            unique_id: RoomUniqueId::from_trusted(name.clone()),
            name,
            avatar_url: String::new(),
            options: String::new(),
            participants: participants.into_iter().map(UserRef::from).collect(),
        };
        self.decide(OpenRoom { new, creator: None }).await?;
        Ok(())
    }

    pub(crate) async fn decide<R: Rule>(&self, rule: R) -> Result<R::Outcome, Failure> {
        let (app, renderers) = (Arc::new(self.app.clone()), Arc::new(renderers()));
        let context = context(app, renderers);
        let question = rule.question(&self.app);
        let deciding = move |facts: &Facts, stamp: &Stamp<'_>| rule.decide(&context, facts, stamp);
        Ok(self.store.decide(self.app.id, question, deciding).await?)
    }

    /// Completes the search index, so that the server has no indexing to do while it is measured.
    pub(crate) async fn write_index(&self) -> Result<(), Failure> {
        let now = SystemStamps::new(0).now();
        loop {
            let state = self.store.index_state().await?;
            let unindexed = self.store.unindexed(state.reached, MessageId(ID_END)).await?;
            let contacts = self.store.users_after(state.contacts_up_to, INDEXED_PER_STEP).await?;
            if unindexed.up_to.is_none() && contacts.is_empty() {
                return Ok(());
            }
            let reached = unindexed.up_to.unwrap_or(state.reached);
            let contacts_up_to = contacts.last().map_or(state.contacts_up_to, |it| it.key);
            let state = IndexState { up_to: reached, reached, contacts_up_to, ..state };
            let step = IndexStep { messages: unindexed.messages, contacts, state, now };
            self.store.write_index(step).await?;
        }
    }

    /// Posts messages to the rooms in round-robin order. A decision posts one message, or `CHUNK`
    /// messages if there is only one room.
    async fn post(&self, rooms: Vec<String>, messages: usize) -> Result<(), Failure> {
        let chunk = if rooms.len() == 1 { CHUNK } else { 1 };
        let mut running = tokio::task::JoinSet::new();
        let (mut started, mut room) = (0, 0);
        let at_once = if chunk == 1 { AT_ONCE * 32 } else { AT_ONCE };
        while started < messages || !running.is_empty() {
            if started < messages && running.len() < at_once {
                let name = rooms[room % rooms.len()].clone();
                running.spawn(post_some(self.store.clone(), self.app.clone(), name, chunk));
                started += chunk;
                room += 1;
                continue;
            }
            if let Some(done) = running.join_next().await {
                done??;
            }
        }
        Ok(())
    }
}

/// Returns the server's renderers, with stubs for customer rooms, examples and the widget.
fn renderers() -> Renderers {
    Renderers {
        complete_payload: confab_wire::complete_payload,
        is_same_payload: confab_wire::is_same_payload,
        webhook_body: confab_wire::webhooks::body,
        channel_parts: |_| Vec::new(),
        room_options: |_, _, _| JsonText::empty_object(),
        example: |_, _| None,
        widget_source: String::new(),
        local_time: confab_wire::time::local_time,
    }
}

/// Posts `count` messages to a room in one decision: `PostMessage` decides the first, and the
/// others are copies of it.
async fn post_some(
    store: Store,
    app: confab_domain::app::App,
    room: String,
    count: usize,
) -> Result<(), Failure> {
    let room = RoomRef::Unique(RoomUniqueId::from_trusted(room));
    let draft = Draft {
        sender: user("user-0")?.into(),
        text: "hello from the load generator".to_owned(),
        payload: Payload::Text,
        extras: None,
        unique_id: None,
    };
    let post = PostMessage { room: room.clone(), draft, message_source: MessageSource::MessageApi };
    let (app, renderers) = (Arc::new(app), Arc::new(renderers()));
    let context = context(app, renderers);
    let question = post.question(&context.app);
    store
        .decide(context.app.id, question, move |facts, stamp| {
            let first = post.decide(&context, facts, stamp)?;
            let PostOutcome::Stored(posted) = first.outcome else {
                unreachable!("it serves no customer")
            };
            let mut last = *posted;
            let into = facts.room(&room)?.room.clone();
            let mut changes = first.changes;
            for _ in 1..count {
                let (id, before) = (stamp.next_id(), Some(last.message.id));
                last.message.id = MessageId(id);
                last.message.number += 1;
                last.message.before = before;
                let posted = std::sync::Arc::new(last.clone());
                changes.push(MessageChange::Insert { posted, room: into.clone() }.into());
            }
            Ok(Decision::new(changes, ()))
        })
        .await?;
    Ok(())
}

/// Returns the context for decisions that the server makes itself, as if no webhook listener were
/// connected.
fn context(app: Arc<App>, renderers: Arc<Renderers>) -> Context {
    let (actor, address) = (Actor::Server, None);
    Context { app, renderers, depth_before: 0, is_listened_to: false, actor, address }
}
