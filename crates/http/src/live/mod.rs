//! Live streams, as WebSocket or as server-sent events.
//!
//! Used by `/realtime`, the stream of a user's rooms, and by the inbox, the stream of an app's
//! conversations for agents. A [`LiveSource`] provides the frames; transport, rate limit and
//! closing are shared.

mod allowance;
mod event_stream;
mod source;
mod websocket;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::Response;
use confab_domain::limits;

use crate::responses::problem::Problem;

pub(super) use source::{LiveFrame, LiveSource, NextFrames};

/// Answers with the source's stream, by the transport that the client requested.
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
    let message = "Too many connections are open. Try again later.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_connections", message)
        .retry_after(limits::COME_AGAIN_S)
}
