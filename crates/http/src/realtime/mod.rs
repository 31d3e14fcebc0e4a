//! `GET /realtime`: live events of one user as WebSocket or as server-sent events
//! (docs/realtime.md).
//!
//! Called by clients with a user's token. It has the guarantees of `realtime::watching`, and waits
//! for a client only for a bounded time.

mod client_frames;
mod connected_user;
mod user_source;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use confab_app::services::Services;
use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_realtime::cursor::Cursor;
use confab_realtime::watching::{UserStream, believed};
use confab_runtime::clock;
use confab_wire::realtime::RealtimeFrame;
use serde::Deserialize;
use utoipa::IntoParams;

use self::connected_user::ConnectedUser;
use self::user_source::UserSource;
use super::live;
use crate::calls::calls;
use crate::requests::callers::RealtimeCaller;
use crate::responses::answer::{Answer, Frames};
use crate::responses::problem::Problem;

/// The query of `/realtime`.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RealtimeFields {
    /// Ticket from `realtime_ticket`, for clients that cannot send headers; can be used once.
    #[allow(dead_code)] // read by the caller's extractor
    ticket: Option<String>,
    /// The user's access token. Prefer a ticket, because proxies log URLs.
    #[allow(dead_code)] // read by the caller's extractor
    token: Option<String>,
    /// Id of the last frame that the client received; later events are sent first.
    last_event_id: Option<String>,
}

calls! {
    "Realtime";
    /// Receive events, by WebSocket or server-sent events
    GET "/realtime" realtime = handler;
}

async fn handler(
    State(services): State<Services>,
    RealtimeCaller(caller): RealtimeCaller,
    Query(query): Query<RealtimeFields>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answer<Frames<RealtimeFrame>> {
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    // A client that reconnects by itself sends the header; its URL has the position of the first
    // connect.
    let last = header.or(query.last_event_id.as_deref()).filter(|last| !last.is_empty());
    let seen = last.map(|last| Cursor::parse(last).ok_or_else(wrong_cursor)).transpose()?;
    let user = caller.user.clone();
    let ticket = services.admission().connections.admit_user(&user).ok_or_else(live::too_many)?;
    services.realtime().hub.begun().await;
    let seen = match seen {
        Some(seen) => Some(believed(&services.realtime().hub, services.store(), seen).await?),
        None => None,
    };
    let who = (user.clone(), caller.token.as_str());
    let watching =
        UserStream::start(&services.realtime().hub, services.store(), who, seen, oldest_event());
    // The token may have become invalid after the first check and before the hub could cut us off.
    let still = services.store().user_of_token(&caller.token).await?;
    if !still.is_some_and(|still| still.key == user.key && still.is_active) {
        return Err(Problem::wrong_token());
    }
    // The connection no longer counts as a running request.
    drop(caller);
    let staying = ConnectedUser::begin(&services, &user, ticket);
    Ok(live::answer(upgrade, UserSource::new(services, user, watching, staying)).into())
}

/// Returns the smallest event id from which on all events are still retained.
fn oldest_event() -> EventId {
    let kept_us = limits::EVENT_RETENTION_DAYS * 86_400_000_000;
    EventId::first_at(Timestamp(clock::now().0 - kept_us))
}

fn wrong_cursor() -> Problem {
    let message = "last_event_id must be the id of a received frame.";
    Problem::new(StatusCode::BAD_REQUEST, "bad_request", message)
}
