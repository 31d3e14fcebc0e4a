//! Connections that stay and are shown what happens, as WebSocket or as server-sent events.
//!
//! Used by `/realtime`, which shows one user their rooms, and by the inbox, which shows those who
//! work in an app its conversations. A [`LiveSource`] says what is shown; how it gets there, how
//! fast a client may speak and how a connection ends stands here once.

mod allowance;
mod event_stream;
mod source;
mod websocket;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::Response;
use confab_domain::limits;

use super::problem::Problem;

pub(super) use source::{LiveFrame, LiveSource, NextFrames};

/// Shows the source by whichever way the client asked for.
pub(super) fn answer(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    source: impl LiveSource,
) -> Response {
    match upgrade {
        Ok(upgrade) => websocket::answer(upgrade, source),
        Err(_) => event_stream::answer(source),
    }
}

pub(super) fn too_many() -> Problem {
    let message = "There are too many connections; come again later.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_connections", message)
        .retry_after(limits::COME_AGAIN_S)
}
