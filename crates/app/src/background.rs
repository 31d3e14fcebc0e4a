//! Background tasks: the delivery engine, the realtime feed and periodic jobs.
//!
//! `confab serve` and tests start them after opening the store and stop them before closing it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use confab_delivery::attempting::Parts;
use confab_delivery::carriers::apns::{ConnectedUsers, PushContext};
use confab_delivery::carriers::provider::ProviderCarrier;
use confab_delivery::engine::DeliveryEngine;
use confab_delivery::our_buckets::OurBuckets;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{EventId, UserKey};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_realtime::hub::Hub;
use confab_realtime::presence::Presences;
use confab_runtime::clock::{COMMAND_NODE, SystemStamps};
use confab_runtime::failures::chain;
use confab_runtime::process::memory;
use confab_runtime::recorder::recorder;
use confab_runtime::traces::{TraceExporter, Tracer};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::actions;
use crate::channels::channel_tasks::keep_channels;
use crate::jobs::allocation::keep_allocating;
use crate::jobs::file_removal::keep_removing_files;
use crate::jobs::idling::keep_ending_idle;
use crate::jobs::indexing::keep_indexing;
use crate::services::Services;

/// Interval of [`tidy_up`].
const TIDY_EVERY: Duration = Duration::from_secs(5);
/// Interval of the tasks that delete old deliveries, events, audit entries and uploads.
const PURGE_EVERY: Duration = Duration::from_secs(3600);

/// Interval of [`expire_sign_ins`] and [`purge_expired`].
const LAPSE_EVERY: Duration = Duration::from_secs(60);

/// Interval of checking the certificate files for changes.
const CERTIFICATE_EVERY: Duration = Duration::from_secs(10);

/// Interval of measuring the free space of the disk.
const FREE_SPACE_EVERY: Duration = Duration::from_secs(10);

/// Interval of [`persist_presences`].
const NOTE_EVERY: Duration = Duration::from_secs(1);

/// A supervised task, which runs until it is aborted.
type SupervisedTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The users with an open connection to any node.
struct Connected {
    hub: Hub,
    presences: Arc<Presences>,
}

impl ConnectedUsers for Connected {
    fn is_connected(&self, user: UserKey) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async move {
            if self.hub.is_connected(user) {
                return true;
            }
            // The presence of users connected to other nodes may be outdated: a superfluous push
            // is better than a missing one.
            let found = self.presences.of(&[user]).await.unwrap_or_default();
            found.iter().any(|(_, is_online, _)| *is_online)
        })
    }
}

/// The running background tasks.
pub struct Background {
    engine: DeliveryEngine,
    running: Vec<JoinHandle<()>>,
    hub: Hub,
    exporter: Option<Arc<Mutex<TraceExporter>>>,
}

impl Background {
    /// Starts all background tasks.
    pub fn start(services: &Services) -> Self {
        // Install the recorder first: metrics recorded before it are lost.
        recorder();
        // Used as a clock only; the store creates ids with its own stamps.
        let stamps = Arc::new(SystemStamps::new(COMMAND_NODE));
        let ours = Arc::new(OurBuckets::default());
        let parts = Parts {
            store: services.store().clone(),
            client: services.outbound(),
            brands: services.config().brands.clone(),
            stamps: stamps.clone(),
            renderers: services.decisions().renderers(),
            listeners: services.decisions().listeners().clone(),
            provider: Some(ProviderCarrier { client: services.channel_client() }),
            inbound: Some(Box::new(actions::InboundWorker { services: services.clone() })),
            ours: ours.clone(),
            tracer: services.decisions().tracer().cloned(),
            pushing: services.config().apns.clone().map(|apns| PushContext {
                apns,
                connected: Box::new(Connected {
                    hub: services.realtime().hub.clone(),
                    presences: services.realtime().presences.clone(),
                }),
            }),
        };
        let supervisor = services.supervisor();
        let engine =
            DeliveryEngine::start(parts, services.decisions().delivery_wake(), supervisor.clone());
        services.watch(engine.liveness());
        let keep = |name, begin: fn(Services, Arc<SystemStamps>) -> SupervisedTask| {
            let (services, stamps) = (services.clone(), stamps.clone());
            let begin = move || begin(services.clone(), stamps.clone());
            tokio::spawn(supervisor.clone().keep(name, begin))
        };
        let mut running = vec![
            keep("memory upkeep", |services, _| Box::pin(tidy_up(services))),
            keep("purge deliveries", |services, stamps| {
                Box::pin(purge_deliveries(services, stamps))
            }),
            keep("purge events", |services, at| Box::pin(purge_events(services, at))),
            keep("purge audit log", |services, stamps| Box::pin(purge_audit_log(services, stamps))),
            keep("purge unfinished uploads", |services, at| Box::pin(purge_uploads(services, at))),
            keep("purge expired nonces", |services, _| Box::pin(purge_expired(services))),
            keep("allocate agents", |services, stamps| Box::pin(keep_allocating(services, stamps))),
            keep("index messages", |services, stamps| Box::pin(keep_indexing(services, stamps))),
            keep("watch free space", |services, _| Box::pin(watch_free_space(services))),
            keep("remove files", |services, _| Box::pin(keep_removing_files(services))),
            keep("resolve idle conversations", |services, at| {
                Box::pin(keep_ending_idle(services, at))
            }),
            keep("expire sign-ins", |services, _| Box::pin(expire_sign_ins(services))),
            keep("persist presence", |services, _| Box::pin(persist_presences(services))),
        ];
        let (of_channels, channels) = (services.clone(), supervisor.clone());
        running.push(tokio::spawn(
            channels.keep("provider channels", move || {
                keep_channels(of_channels.clone(), ours.clone())
            }),
        ));
        if services.config().tls.is_some() {
            running.push(keep("reload certificate", |services, _| {
                Box::pin(read_certificate_again(services))
            }));
        }
        if let Some(feed) = services.realtime().feed(services.config(), services.supervisor()) {
            let feed = Arc::new(Mutex::new(feed));
            running.push(tokio::spawn(supervisor.keep("realtime feed", move || {
                let feed = feed.clone();
                async move { feed.lock().await.run().await }
            })));
        }
        let exporter = services.decisions().tracer().and_then(Tracer::exporter);
        let exporter = exporter.map(|exporter| Arc::new(Mutex::new(exporter)));
        if let Some(exporter) = exporter.clone() {
            running.push(tokio::spawn(services.supervisor().keep("export traces", move || {
                let exporter = exporter.clone();
                async move { exporter.lock().await.run().await }
            })));
        }
        Self { engine, running, hub: services.realtime().hub.clone(), exporter }
    }

    /// Stops all tasks. Running delivery attempts may finish within the grace period.
    pub async fn stop(self, grace: Duration) {
        self.hub.stop();
        self.running.iter().for_each(JoinHandle::abort);
        self.engine.stop(grace).await;
        if let Some(exporter) = self.exporter {
            exporter.lock().await.flush().await;
        }
    }
}

async fn tidy_up(services: Services) {
    let mut every = tokio::time::interval(TIDY_EVERY);
    loop {
        every.tick().await;
        services.admission().rate_limits.remove_quiet();
        services.admission().quotas.remove_quiet();
        if let Some(recorder) = recorder() {
            recorder.run_upkeep();
        }
        memory::give_back();
    }
}

/// Measures the free space of the disk, so that a filling disk is noticed before uploads or writes
/// fail.
async fn watch_free_space(services: Services) {
    let mut every = tokio::time::interval(FREE_SPACE_EVERY);
    loop {
        every.tick().await;
        if let Err(error) = services.files().show_free_space().await {
            tracing::warn!(%error, "failed to measure free disk space");
        }
    }
}

/// Reloads the certificate when its files change, and at once on SIGHUP.
async fn read_certificate_again(services: Services) {
    let Some(tls) = &services.config().tls else { return std::future::pending().await };
    let mut every = tokio::time::interval(CERTIFICATE_EVERY);
    // Without a signal handler, polling alone detects a renewed certificate.
    let mut told = signal(SignalKind::hangup()).ok();
    loop {
        let hangup = async {
            match &mut told {
                Some(told) => told.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = every.tick() => {
                let tls = tls.clone();
                // Reading files may block; keep that off the async threads.
                let _ = tokio::task::spawn_blocking(move || tls.read_if_changed()).await;
            }
            Some(()) = hangup => {
                let tls = tls.clone();
                let _ = tokio::task::spawn_blocking(move || tls.read_again()).await;
            }
        }
    }
}

/// Sets agents offline whose last sign-in has expired, so that no customers are assigned to them.
async fn expire_sign_ins(services: Services) {
    let mut every = tokio::time::interval(LAPSE_EVERY);
    loop {
        every.tick().await;
        if let Err(error) = actions::expire_sign_ins(services.decisions()).await {
            tracing::warn!(error = %chain(&error), "failed to set signed-out agents offline");
        }
    }
}

/// Deletes events after the retention time, within which clients can catch up.
async fn purge_events(services: Services, stamps: Arc<SystemStamps>) {
    let retention_us = limits::EVENT_RETENTION_DAYS * 24 * 3600 * 1_000_000;
    let mut every = tokio::time::interval(PURGE_EVERY);
    loop {
        every.tick().await;
        let before = EventId::first_at(Timestamp(stamps.now().0 - retention_us));
        loop {
            match services.store().purge_events(before).await {
                Ok(0) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "failed to purge message events");
                    break;
                }
            }
        }
    }
}

/// Deletes audit entries after `audit_retention_days`.
async fn purge_audit_log(services: Services, stamps: Arc<SystemStamps>) {
    let retention_us = i64::from(services.config().audit_retention_days) * 24 * 3600 * 1_000_000;
    let mut every = tokio::time::interval(PURGE_EVERY);
    loop {
        every.tick().await;
        let before = Timestamp(stamps.now().0 - retention_us);
        loop {
            match services.store().purge_audit_log(before).await {
                Ok(0) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "failed to purge expired audit entries");
                    break;
                }
            }
        }
    }
}

/// Deletes unfinished uploads of processes that have ended (D-0060).
async fn purge_uploads(services: Services, stamps: Arc<SystemStamps>) {
    let mut every = tokio::time::interval(PURGE_EVERY);
    loop {
        every.tick().await;
        let before = Timestamp(stamps.now().0 - limits::UPLOAD_LEFT_US);
        match services.files().delete_unfinished(before).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "unfinished uploads deleted"),
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to delete unfinished uploads");
            }
        }
    }
}

/// Deletes expired nonces, upload counts of past days and old states of direct sends, and updates
/// the gauges of quotas and uploads.
async fn purge_expired(services: Services) {
    let mut every = tokio::time::interval(LAPSE_EVERY);
    loop {
        every.tick().await;
        services.admission().quotas.show();
        if let Err(error) = actions::purge_expired(services.store()).await {
            tracing::warn!(error = %chain(&error), "failed to purge expired nonces and counters");
        }
        match services.store().uploaded_by_app().await {
            Ok(apps) => {
                apps.iter().for_each(|(app, bytes)| {
                    services.admission().quotas.show_uploaded(app, *bytes)
                });
            }
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to read upload sizes of apps");
            }
        }
    }
}

/// Stores changed presences in the background, so that no request waits for the store.
async fn persist_presences(services: Services) {
    let mut has_begun = false;
    let mut every = tokio::time::interval(NOTE_EVERY);
    loop {
        every.tick().await;
        if !has_begun {
            let begun = actions::begin_presences(services.store()).await;
            has_begun = begun.inspect_err(warn_not_persisted).is_ok();
            // An earlier start may have stored presences that are now outdated; write all again.
            services.realtime().presences.write_all();
            continue;
        }
        let seen = services.realtime().presences.take_unwritten();
        if seen.is_empty() {
            continue;
        }
        if let Err(error) = actions::persist_presences(services.store(), seen).await {
            warn_not_persisted(&error);
        }
    }
}

fn warn_not_persisted(error: &confab_store::WriteError) {
    tracing::warn!(error = %chain(error), "failed to persist presence");
}

/// Deletes deliveries after `webhook_retention_days` (D-0031).
async fn purge_deliveries(services: Services, stamps: Arc<SystemStamps>) {
    let retention_us = i64::from(services.config().webhook_retention_days) * 24 * 3600 * 1_000_000;
    let mut every = tokio::time::interval(PURGE_EVERY);
    loop {
        every.tick().await;
        let now = stamps.now();
        let before = Timestamp(now.0 - retention_us);
        loop {
            match services.store().purge_deliveries(before, now).await {
                Ok(0) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "failed to purge expired deliveries");
                    break;
                }
            }
        }
    }
}
