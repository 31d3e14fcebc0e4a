//! What runs beside requests: the delivery engine, the realtime feed, and work that the clock calls
//! for.
//!
//! Started by `commands::serve` and by tests, after the store is open; stopped before it closes.

use std::sync::Arc;
use std::time::Duration;

use confab_domain::decision::Stamps;
use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use tokio::task::JoinHandle;

use crate::actions;
use crate::allocation::keep_allocating;
use crate::clock::{COMMAND_NODE, SystemStamps};
use crate::delivery::attempting::Parts;
use crate::delivery::engine::Engine;
use crate::delivery::pushing::Pushing;
use crate::failures::chain;
use crate::realtime::hub::Hub;
use crate::recorder::recorder;
use crate::services::Services;

/// How often the server tidies up its own memory.
const TIDY_EVERY: Duration = Duration::from_secs(5);
/// How often old deliveries are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(3600);

/// How often those are taken offline who are signed in nowhere any more.
const LAPSE_EVERY: Duration = Duration::from_secs(60);

/// How often it is written who is there.
const NOTE_EVERY: Duration = Duration::from_secs(1);

/// Everything that runs beside requests.
pub struct Background {
    engine: Engine,
    chores: [JoinHandle<()>; 7],
    hub: Hub,
}

impl Background {
    /// Starts all of it.
    pub fn start(services: &Services) -> Self {
        // Only asked for the time: ids come from the store's own.
        let stamps = Arc::new(SystemStamps::new(COMMAND_NODE));
        let parts = Parts {
            store: services.store().clone(),
            client: services.outbound(),
            brands: services.config().brands.clone(),
            stamps: stamps.clone(),
            listeners: services.listeners(),
            pushing: services.config().apns.clone().map(|apns| Pushing {
                apns,
                hub: services.hub().clone(),
                presences: services.shared_presences(),
            }),
        };
        let engine = Engine::start(parts, services.delivery_wake());
        services.watch(engine.pulse());
        let tidying = tokio::spawn(tidy_up(services.clone()));
        let allocating = tokio::spawn(keep_allocating(services.clone(), stamps.clone()));
        let forgetting = tokio::spawn(forget(services.clone(), stamps.clone()));
        let forgetting_events = tokio::spawn(forget_events(services.clone(), stamps));
        let lapsing = tokio::spawn(lapse(services.clone()));
        let hub = services.hub().clone();
        let feed = services.feed();
        let showing = tokio::spawn(async move {
            if let Some(feed) = feed {
                feed.run().await;
            }
        });
        let noting = tokio::spawn(note_presences(services.clone()));
        let chores = [tidying, forgetting, forgetting_events, allocating, lapsing, showing, noting];
        Self { engine, chores, hub }
    }

    /// Stops: what is under way may end within the grace.
    pub async fn stop(self, grace: Duration) {
        self.hub.stop();
        self.chores.iter().for_each(JoinHandle::abort);
        self.engine.stop(grace).await;
    }
}

async fn tidy_up(services: Services) {
    let mut every = tokio::time::interval(TIDY_EVERY);
    loop {
        every.tick().await;
        services.rate_limits().forget_quiet();
        if let Some(recorder) = recorder() {
            recorder.run_upkeep();
        }
    }
}

/// Who is signed in nowhere takes no customers (D-0033).
async fn lapse(services: Services) {
    let mut every = tokio::time::interval(LAPSE_EVERY);
    loop {
        every.tick().await;
        if let Err(error) = actions::lapse(&services).await {
            tracing::warn!("absent people are not taken offline: {}", chain(&error));
        }
    }
}

/// Forgets what happened to messages too long ago for anybody to catch up with it.
async fn forget_events(services: Services, stamps: Arc<SystemStamps>) {
    let kept_us = limits::EVENTS_KEPT_DAYS * 24 * 3600 * 1_000_000;
    let mut every = tokio::time::interval(FORGET_EVERY);
    loop {
        every.tick().await;
        let before = EventId::first_at(Timestamp(stamps.now().0 - kept_us));
        loop {
            match services.store().forget_events(before).await {
                Ok(0) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!("old events are not forgotten: {}", chain(&error));
                    break;
                }
            }
        }
    }
}

/// Writes who came and went; nobody waits for that (D-0043).
async fn note_presences(services: Services) {
    let mut has_begun = false;
    let mut every = tokio::time::interval(NOTE_EVERY);
    loop {
        every.tick().await;
        if !has_begun {
            let begun = actions::begin_presences(&services).await;
            has_begun = begun.inspect_err(not_noted).is_ok();
            continue;
        }
        let seen = services.presences().take_unwritten();
        if seen.is_empty() {
            continue;
        }
        if let Err(error) = actions::note_presences(&services, seen).await {
            not_noted(&error);
        }
    }
}

fn not_noted(error: &confab_store::WriteError) {
    tracing::warn!("who is there is not written: {}", chain(error));
}

/// Forgets deliveries that are older than the operator wants to keep them (D-0031).
async fn forget(services: Services, stamps: Arc<SystemStamps>) {
    let kept_us = i64::from(services.config().webhook_kept_days) * 24 * 3600 * 1_000_000;
    let mut every = tokio::time::interval(FORGET_EVERY);
    loop {
        every.tick().await;
        let now = stamps.now();
        let before = Timestamp(now.0 - kept_us);
        loop {
            match services.store().forget_deliveries(before, now).await {
                Ok(0) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!("old deliveries are not forgotten: {}", chain(&error));
                    break;
                }
            }
        }
    }
}
