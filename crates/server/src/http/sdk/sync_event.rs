//! `GET /sync_event` (wire facts 4.3)

use axum::extract::State;
use axum::http::StatusCode;
use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_wire::sdk_api::events::{SyncEventFields, SyncedEvents, read_sync_event, synced_events};

use crate::clock;
use crate::http::answer::Answer;
use crate::http::bodies::RequestQuery;
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::json::json;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/sync_event",
    operation_id = "client_sync_event",
    tag = "Clients",
    summary = "Catch up with what happened to messages",
    params(SyncEventFields),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = SyncedEvents<'static>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: UserCaller,
    query: RequestQuery,
) -> Answer {
    let after = read_sync_event(&query.fields()?)?;
    let size = limits::SYNC_EVENTS_MAX;
    let events = services.store().changes_after(caller.user.key, after, size).await?;
    // What happened before that is forgotten.
    let kept_us = limits::EVENTS_KEPT_DAYS * 24 * 3600 * 1_000_000;
    let oldest = EventId::first_at(Timestamp(clock::now().0 - kept_us));
    let is_found = after.0 == 0 || after >= oldest;
    Ok(json(StatusCode::OK, &synced_events(&events, is_found)))
}
