//! The product's operations on any store. Every write is a rule of `domain` passed to
//! `Store::decide`, exactly as in the server's actions; methods of the store are called only here.

pub mod clients;
mod held_writer;
mod messages;
pub mod people;
pub mod reading;
mod rooms;
pub mod service;
pub mod webhooks;

use std::sync::Arc;

use confab_domain::app::AppCode;
use confab_domain::decision::context::Context;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_store::{NewApp, Store, StoreError, WriteError};

use crate::engine::Engine;
use crate::stamps::{MORNING, TestStamps};

pub use messages::{completed, draft_by};

/// One app of an open store. Cheap to clone; clones share the store.
#[derive(Clone)]
pub struct World {
    pub store: Store,
    pub stamps: Arc<TestStamps>,
    pub engine: Engine,
    pub app: AppId,
    pub system_user: UserKey,
    pub code: AppCode,
    /// Context of rules. Created once, so that decisions are queued at once, in the order of calls.
    pub context: Context,
}

impl World {
    /// Creates a store of an engine, with the app `acme`.
    pub async fn start(engine: Engine) -> Self {
        let stamps = Arc::new(TestStamps::at(MORNING));
        make_app(&engine, &stamps, "acme").await;
        let store = engine.open(stamps.clone()).await.expect("a new store opens");
        Self::of(store, stamps, engine, "acme").await
    }

    /// Creates another empty store of the same engine.
    pub async fn another(&self) -> Self {
        Self::start(self.engine.another()).await
    }

    /// Creates another app in the same store, while it is in use.
    pub async fn another_app(&self, code: &str) -> Self {
        make_app(&self.engine, &self.stamps, code).await;
        Self::of(self.store.clone(), self.stamps.clone(), self.engine.clone(), code).await
    }

    /// Reopens the app after an orderly shutdown.
    pub async fn reopened(&self) -> Self {
        self.reopened_at(self.stamps.now()).await
    }

    /// Reopens the app with a clock that shows this time.
    pub async fn reopened_at(&self, now: Timestamp) -> Self {
        self.store.close().await.expect("the store closes");
        self.opened_in(self.engine.clone(), now).await
    }

    /// Returns the app as found after a crash at this moment.
    pub async fn crashed(&self) -> Self {
        self.opened_in(self.engine.after_crash().await, self.stamps.now()).await
    }

    /// Opens the app in another location.
    pub async fn opened_in(&self, engine: Engine, now: Timestamp) -> Self {
        let stamps = Arc::new(TestStamps::at(now));
        let store = engine.open(stamps.clone()).await.expect("the store opens again");
        Self { store, stamps, engine, ..self.clone() }
    }

    async fn of(store: Store, stamps: Arc<TestStamps>, engine: Engine, code: &str) -> Self {
        let code = AppCode::parse(code).expect("a valid code");
        let app = store.app(&code).await.expect("read").expect("the app was made");
        let (id, system_user) = (app.id, app.system_user);
        let context = service::context(app);
        Self { store, stamps, engine, app: id, system_user, code, context }
    }
}

async fn make_app(engine: &Engine, stamps: &Arc<TestStamps>, code: &str) {
    let mut registry = engine.registry(stamps.clone()).await;
    let is_new = registry.create_app(&new_app(code), None).await;
    assert!(is_new.expect("written"), "app {code} is new");
}

pub fn new_app(code: &str) -> NewApp {
    NewApp {
        code: AppCode::parse(code).expect("a valid code"),
        name: code.to_uppercase(),
        sdk_secret: format!("{code}-sdk-secret"),
        secret_key: format!("{code}-secret-key"),
        system_token: format!("{code}-system-token"),
    }
}

/// Parses a reference to a room: digits are an id or a unique id, anything else is a unique id.
pub fn room_ref(room: &str) -> RoomRef {
    RoomRef::parse("room_id", room).expect("a valid room")
}

pub fn user_id(user: &str) -> UserId {
    UserId::parse("user_id", user).expect("a valid user id")
}

fn user_refs(users: &[&str]) -> Vec<UserRef> {
    user_ids(users).into_iter().map(UserRef::from).collect()
}

fn user_ids(users: &[&str]) -> Vec<UserId> {
    users.iter().map(|user| user_id(user)).collect()
}

/// Converts names to owned strings.
pub fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the refusal of a rule.
#[track_caller]
pub fn refusal<T>(written: Result<T, WriteError>) -> Refusal {
    match written {
        Err(WriteError::Refused(refusal)) => refusal,
        Err(WriteError::Failed(error)) => panic!("the store failed: {error}: {}", error.source),
        Ok(_) => panic!("the operation succeeded instead of being refused"),
    }
}

/// Returns the error of a store.
#[track_caller]
pub fn failure<T>(written: Result<T, WriteError>) -> StoreError {
    match written {
        Err(WriteError::Failed(error)) => error,
        Err(WriteError::Refused(refusal)) => panic!("the rule refused: {refusal}"),
        Ok(_) => panic!("the operation succeeded instead of failing"),
    }
}

/// Runs the check now, after a crash and after an orderly restart. Returns the world after the
/// restart.
pub async fn everywhere(world: &World, check: impl AsyncFn(&World)) -> World {
    let crashed = world.crashed().await;
    check(world).await;
    check(&crashed).await;
    check(&crashed.reopened().await).await;
    let world = world.reopened().await;
    check(&world).await;
    world
}

/// Runs the tasks concurrently. Returns their results in the order of the tasks.
pub async fn side_by_side<T: Send + 'static>(
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let running: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    let mut outcomes = Vec::with_capacity(running.len());
    for task in running {
        outcomes.push(task.await.expect("the task succeeds"));
    }
    outcomes
}
