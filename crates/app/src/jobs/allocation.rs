//! Automatic agent assignment: the server assigns waiting customers to agents, first come, first
//! served (design/support).
//!
//! The task wakes when a customer starts to wait or an agent has a free slot on this node. A timer
//! covers lost wake-ups, and changes that other nodes made. Each assignment is one decision of the
//! store, which excludes all other assignments of the app, so that outdated reads before it do no
//! harm.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AppId, RoomId};
use confab_domain::limits;
use confab_domain::support::assignment::allocating::{Allocation, AssignFreest, RemoveAwayAgent};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;
use confab_runtime::failures::chain;
use confab_store::{Store, StoreError, WriteError};

use crate::decide::Decisions;
use crate::services::Services;

/// Interval at which all apps are checked, even without a wake-up.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// Assigns waiting customers to agents until the task is aborted.
pub(crate) async fn keep_allocating(services: Services, stamps: Arc<dyn Stamps>) {
    let mut every = tokio::time::interval(CHECK_EVERY);
    loop {
        let is_time = tokio::select! {
            _ = every.tick() => true,
            () = services.decisions().allocation_wake().wanted() => false,
        };
        let mut apps: HashSet<_> = services.decisions().allocation_wake().take();
        if is_time {
            if let Err(error) = take_from_the_deleted(services.decisions()).await {
                tracing::warn!(
                    error = %chain(&error),
                    "failed to remove deleted agents from their rooms"
                );
            }
            match services.store().apps_that_allocate().await {
                Ok(found) => apps.extend(found),
                Err(error) => {
                    tracing::debug!(
                        error = %chain(&error),
                        "failed to read apps with automatic assignment"
                    );
                }
            }
        }
        for app in apps {
            if let Err(error) = allocate_for_app(services.decisions(), app, stamps.now()).await {
                tracing::warn!(
                    app.id = app.0,
                    error = %chain(&error),
                    "failed to assign waiting customers to agents"
                );
            }
        }
    }
}

/// Assigns an app's waiting customers, as far as agents are free.
async fn allocate_for_app(
    decisions: &Decisions,
    app: AppId,
    now: Timestamp,
) -> Result<(), WriteError> {
    let settings = decisions.store().settings(app).await?;
    if !settings.is_on(Settings::ALLOCATES) || is_asked_by_webhook(decisions.store(), app).await? {
        return Ok(());
    }
    let Some(known) = decisions.apps().of_id(app).await? else { return Ok(()) };
    take_from_the_away(decisions, &known.app, &settings, now).await?;
    serve_queue(decisions, &known.app, &settings).await
}

/// Whether the app selects agents itself, through its agent allocation webhook. The server then
/// assigns no customers.
async fn is_asked_by_webhook(store: &Store, app: AppId) -> Result<bool, StoreError> {
    let endpoints = store.endpoints(app).await?;
    Ok(endpoints.iter().any(|it| it.kind == EventKind::AgentAllocation && it.is_enabled))
}

/// Removes agents who have been away for too long from their rooms. Their customers wait again.
async fn take_from_the_away(
    decisions: &Decisions,
    app: &Arc<App>,
    settings: &Settings,
    now: Timestamp,
) -> Result<(), WriteError> {
    let grace_us = i64::from(settings.offline_grace_s()) * 1_000_000;
    let (store, since) = (decisions.store(), Timestamp(now.0 - grace_us));
    let server = Principal::server(app);
    let away = store.away_agents(app.id, since, limits::CANDIDATES_MAX).await?;
    for agent in away {
        for room in rooms_of(store, agent).await? {
            skip_refused(decisions.decide(&server, RemoveAwayAgent { room, agent }).await)?;
        }
    }
    Ok(())
}

/// Removes deleted agents from their remaining rooms, even in apps without automatic assignment.
/// Needed because the process may have ended before the deletion reached all rooms.
async fn take_from_the_deleted(decisions: &Decisions) -> Result<(), WriteError> {
    for (app, agent) in decisions.store().deleted_agents(limits::CANDIDATES_MAX).await? {
        let Some(known) = decisions.apps().of_id(app).await? else { continue };
        let server = Principal::server(&known.app);
        for room in rooms_of(decisions.store(), agent).await? {
            skip_refused(decisions.decide(&server, RemoveAwayAgent { room, agent }).await)?;
        }
    }
    Ok(())
}

async fn rooms_of(store: &Store, agent: AgentId) -> Result<Vec<RoomId>, StoreError> {
    store.rooms_of_agent(agent, limits::QUEUE_SCANNED).await
}

/// Assigns customers, longest waiting first, until no agent is free. An agent may serve only some
/// channels, so a customer for whom no agent is free does not block customers of other channels.
async fn serve_queue(
    decisions: &Decisions,
    app: &Arc<App>,
    settings: &Settings,
) -> Result<(), WriteError> {
    let (mut after, mut seen) = ((Timestamp(i64::MIN), RoomId(0)), 0);
    let (mut full, server) = (HashSet::new(), Principal::server(app));
    while seen < limits::QUEUE_SCANNED
        && has_free_agent(decisions.store(), app.id, settings).await?
    {
        let waiting = decisions.store().queue(app.id, after, limits::QUEUE_PER_READ).await?;
        let Some((since, room, _)) = waiting.last() else { return Ok(()) };
        (after, seen) = ((*since, *room), seen + waiting.len());
        for (_, room, channel) in waiting {
            if full.contains(&channel) {
                continue;
            }
            let became = decisions.decide(&server, AssignFreest { room }).await;
            if matches!(skip_refused(became)?, Some(Allocation::NobodyFree)) {
                full.insert(channel);
            }
        }
    }
    Ok(())
}

async fn has_free_agent(
    store: &Store,
    app: AppId,
    settings: &Settings,
) -> Result<bool, StoreError> {
    let cap = settings.agent_customers_max();
    let agents = store.agents(app).await?;
    Ok(agents.iter().any(|it| it.takes_customers() && it.has_room(cap)))
}

/// Turns a refusal into success: the room changed or was deleted after it was read.
fn skip_refused<T>(result: Result<T, WriteError>) -> Result<Option<T>, WriteError> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(WriteError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
