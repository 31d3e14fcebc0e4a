//! The product's words on any store. Every write goes through a rule of `domain` and
//! `Store::decide`, exactly as the server's actions do it; only here the store's verbs are called.

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

pub use messages::{completed, said_by};

/// One app of one open store. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct World {
    pub store: Store,
    pub stamps: Arc<TestStamps>,
    pub engine: Engine,
    pub app: AppId,
    pub system_user: UserKey,
    pub code: AppCode,
    /// Where rules decide. Made once: decisions are handed in at once, in the order of the calls.
    pub context: Context,
}

impl World {
    /// A new store with the app `acme`.
    pub async fn start(engine: Engine) -> Self {
        let stamps = Arc::new(TestStamps::at(MORNING));
        make_app(&engine, &stamps, "acme").await;
        let store = engine.open(stamps.clone()).await.expect("a new store opens");
        Self::of(store, stamps, engine, "acme").await
    }

    /// A new, empty store of the same engine.
    pub async fn another(&self) -> Self {
        Self::start(self.engine.another()).await
    }

    /// Another app of the same store, made while the store is in use.
    pub async fn beside(&self, code: &str) -> Self {
        make_app(&self.engine, &self.stamps, code).await;
        Self::of(self.store.clone(), self.stamps.clone(), self.engine.clone(), code).await
    }

    /// The app of this code as another process finds it after an orderly end.
    pub async fn reopened(&self) -> Self {
        self.reopened_at(self.stamps.now()).await
    }

    /// The same, by a clock that shows this time.
    pub async fn reopened_at(&self, now: Timestamp) -> Self {
        self.store.close().await.expect("the store closes");
        self.found_in(self.engine.clone(), now).await
    }

    /// The app as another process finds it after the machine stopped now.
    pub async fn crashed(&self) -> Self {
        self.found_in(self.engine.after_crash().await, self.stamps.now()).await
    }

    /// The same app in a store that is opened anew.
    pub async fn found_in(&self, engine: Engine, now: Timestamp) -> Self {
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

/// A room as callers name it: digits are an id or a unique id, all else is a unique id.
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

/// As lists of names are read.
pub fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Why the rule said no.
#[track_caller]
pub fn refusal<T>(written: Result<T, WriteError>) -> Refusal {
    match written {
        Err(WriteError::Refused(refusal)) => refusal,
        Err(WriteError::Failed(error)) => panic!("the store failed: {error}: {}", error.source),
        Ok(_) => panic!("it was done, not refused"),
    }
}

/// Why the store could not.
#[track_caller]
pub fn failure<T>(written: Result<T, WriteError>) -> StoreError {
    match written {
        Err(WriteError::Failed(error)) => error,
        Err(WriteError::Refused(refusal)) => panic!("the rule said no: {refusal}"),
        Ok(_) => panic!("it was done, it did not fail"),
    }
}

/// Runs the check now, after a crash and after an orderly restart; gives the world after that.
pub async fn everywhere(world: &World, check: impl AsyncFn(&World)) -> World {
    let crashed = world.crashed().await;
    check(world).await;
    check(&crashed).await;
    check(&crashed.reopened().await).await;
    let world = world.reopened().await;
    check(&world).await;
    world
}

/// Runs all of them side by side; the outcomes stand in the order of the tasks.
pub async fn side_by_side<T: Send + 'static>(
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let running: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    let mut outcomes = Vec::with_capacity(running.len());
    for task in running {
        outcomes.push(task.await.expect("the task ends well"));
    }
    outcomes
}
