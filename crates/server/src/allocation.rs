//! Built-in allocation: the server itself has customers served, first come, first served (D-0037).
//!
//! Woken when a customer begins to wait or an agent has room for one more, and now and then by the
//! clock, so that nothing waits for a hint that was lost or meant for another node. Each customer
//! is one decision of the store, which keeps all others of the app out meanwhile: what was read
//! before may be old, and does no harm.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::app::App;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AppId, RoomId};
use confab_domain::limits;
use confab_domain::support::allocating::{Allocation, AssignFreest, RemoveAwayAgent};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::{StoreError, WriteError};

use crate::failures::chain;
use crate::services::Services;

/// How often all apps are looked at, whatever was heard.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Runs until it is stopped.
pub(crate) async fn keep_allocating(services: Services, stamps: Arc<dyn Stamps>) {
    let mut every = tokio::time::interval(LOOK_EVERY);
    loop {
        let is_time = tokio::select! {
            _ = every.tick() => true,
            () = services.allocation_wanted() => false,
        };
        let mut apps: HashSet<_> = services.take_allocation().into_iter().collect();
        if is_time {
            if let Err(error) = take_from_the_deleted(&services).await {
                tracing::warn!("deleted agents keep customers: {}", chain(&error));
            }
            match services.store().apps_that_allocate().await {
                Ok(found) => apps.extend(found),
                Err(error) => tracing::debug!("apps cannot be read: {}", chain(&error)),
            }
        }
        for app in apps {
            if let Err(error) = look_at(&services, app, stamps.now()).await {
                tracing::warn!(app.id = app.0, "customers are not allocated: {}", chain(&error));
            }
        }
    }
}

/// Everything that can be done for an app now.
async fn look_at(services: &Services, app: AppId, now: Timestamp) -> Result<(), WriteError> {
    let settings = services.store().settings(app).await?;
    if !settings.is_on(Settings::ALLOCATES) || is_asked_by_webhook(services, app).await? {
        return Ok(());
    }
    let Some(known) = services.app_by_id(app).await? else { return Ok(()) };
    take_from_the_away(services, &known.app, &settings, now).await?;
    serve_queue(services, &known.app, &settings).await
}

/// Whether the app has a service of its own that says who serves: then the server rests.
async fn is_asked_by_webhook(services: &Services, app: AppId) -> Result<bool, StoreError> {
    let endpoints = services.store().endpoints(app).await?;
    Ok(endpoints.iter().any(|it| it.kind == EventKind::AgentAllocation && it.is_enabled))
}

/// Agents who are away for too long lose their customers, who wait again.
async fn take_from_the_away(
    services: &Services,
    app: &Arc<App>,
    settings: &Settings,
    now: Timestamp,
) -> Result<(), WriteError> {
    let grace_us = i64::from(settings.offline_grace_s()) * 1_000_000;
    let (store, since) = (services.store(), Timestamp(now.0 - grace_us));
    let away = store.away_agents(app.id, since, limits::CANDIDATES_MAX).await?;
    for agent in away {
        for room in rooms_of(services, agent).await? {
            skip_refused(services.decide(app, RemoveAwayAgent { room, agent }).await)?;
        }
    }
    Ok(())
}

/// Agents who were deleted lose what customers they still have, whether the server allocates or
/// not: the process may have ended before it came to all of them.
async fn take_from_the_deleted(services: &Services) -> Result<(), WriteError> {
    for (app, agent) in services.store().deleted_agents(limits::CANDIDATES_MAX).await? {
        let Some(known) = services.app_by_id(app).await? else { continue };
        for room in rooms_of(services, agent).await? {
            skip_refused(services.decide(&known.app, RemoveAwayAgent { room, agent }).await)?;
        }
    }
    Ok(())
}

async fn rooms_of(services: &Services, agent: AgentId) -> Result<Vec<RoomId>, StoreError> {
    services.store().rooms_of_agent(agent, limits::QUEUE_LOOKED_AT).await
}

/// From the one who waits longest on, until nobody is free. An agent may serve some channels only,
/// so a customer whom nobody may take does not hold up those of other channels.
async fn serve_queue(
    services: &Services,
    app: &Arc<App>,
    settings: &Settings,
) -> Result<(), WriteError> {
    let (mut after, mut seen) = ((Timestamp(i64::MIN), RoomId(0)), 0);
    let mut full = HashSet::new();
    while seen < limits::QUEUE_LOOKED_AT && somebody_is_free(services, app.id, settings).await? {
        let waiting = services.store().queue(app.id, after, limits::QUEUE_PER_READ).await?;
        let Some((since, room, _)) = waiting.last() else { return Ok(()) };
        (after, seen) = ((*since, *room), seen + waiting.len());
        for (_, room, channel) in waiting {
            if full.contains(&channel) {
                continue;
            }
            let became = services.decide(app, AssignFreest { room }).await;
            if matches!(skip_refused(became)?, Some(Allocation::NobodyFree)) {
                full.insert(channel);
            }
        }
    }
    Ok(())
}

async fn somebody_is_free(
    services: &Services,
    app: AppId,
    settings: &Settings,
) -> Result<bool, StoreError> {
    let cap = settings.agent_customers_max();
    let agents = services.store().agents(app).await?;
    Ok(agents.iter().any(|it| it.takes_customers() && it.has_room(cap)))
}

/// The room may have changed or gone since it was read.
fn skip_refused<T>(result: Result<T, WriteError>) -> Result<Option<T>, WriteError> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(WriteError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
