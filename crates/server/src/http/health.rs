//! For those who watch: is it alive, does it take writes, how is it doing.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_store::StoreProblem;
use futures_util::stream;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::problem::Problem;
use crate::failures::chain;
use crate::http::json::json;
use crate::recorder::recorder;
use crate::services::Services;

const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// Longer than `confab doctor` waits for the beginning.
const STREAM_OPEN: Duration = Duration::from_secs(8);

/// A state in one word.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentAccess)]
pub(crate) struct HealthReport {
    /// `ok`
    status: &'static str,
    /// What does not keep the server from working, but should be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

/// `GET /health`: the process answers.
#[utoipa::path(get, path = "/health", operation_id = "health", tag = "Operating",
    responses((status = 200, description = "The process answers", body = HealthReport)))]
pub(crate) async fn health() -> Response {
    json(StatusCode::OK, &HealthReport { status: "ok", warning: None })
}

/// `GET /ready`: the store takes writes, which a write of the last second proves, and gives reads;
/// deliveries move, what runs beside requests goes on (D-0083), and connected clients are shown
/// what is committed (D-0210). Not once it is told to stop: others shall take over (D-0184).
#[utoipa::path(get, path = "/ready", operation_id = "ready", tag = "Operating", responses(
    (status = 200, description = "The store takes writes, deliveries move", body = HealthReport),
    (status = 503, description = "It does not, or the server is about to stop", body = confab_wire::refusal::ErrorBody)))]
pub(crate) async fn ready(State(services): State<Services>) -> Response {
    if services.is_leaving() {
        return not_ready("This server is about to stop.");
    }
    let mut trouble = StoreProblem::Unavailable;
    let reason = match timeout(CHECK_TIMEOUT, services.store().check()).await {
        Ok(Ok(())) => {
            let problem = services.delivery_problem().map(str::to_owned);
            let problem = problem.or_else(|| services.chores().problem());
            match problem.or_else(|| services.hub().lag.problem()) {
                None => {
                    let warning = services.bus_problem().or(services.hub().lag.warning());
                    let warning = warning.or(services.channel_problem());
                    return json(StatusCode::OK, &HealthReport { status: "ok", warning });
                }
                Some(problem) => problem,
            }
        }
        Ok(Err(error)) => {
            trouble = error.trouble;
            chain(&error)
        }
        Err(_) => "the store did not answer in time".to_owned(),
    };
    tracing::warn!("not ready: {reason}");
    not_ready(what_is_wrong(trouble))
}

fn not_ready(message: &'static str) -> Response {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", message)
        .retry_after(1)
        .into_response()
}

/// For anybody who asks: what it is, and nothing else about the machine.
fn what_is_wrong(trouble: StoreProblem) -> &'static str {
    match trouble {
        StoreProblem::Full => "The disk is full: nothing can be written until there is room.",
        StoreProblem::ReadOnly => "The store is read-only: nothing can be written.",
        StoreProblem::Disk => "The disk gives errors: nothing can be written; see the log.",
        StoreProblem::Damaged => {
            "Something stored is damaged; see the log, and run `confab check`."
        }
        StoreProblem::Unavailable => {
            "The store does not take writes, deliveries do not move, realtime lags behind, or \
             something that runs beside requests does not go on; see the log."
        }
    }
}

/// `GET /health/stream`: what `confab doctor` asks through a proxy. Says at once whether a header
/// with an underscore came through, then keeps the answer open for a while, so that a proxy that
/// collects answers is noticed (D-0182).
pub(crate) async fn probe(headers: HeaderMap) -> Response {
    let has_underscores = headers.contains_key("confab_probe");
    let first = Bytes::from(format!("data: {{\"underscores\": {has_underscores}}}\n\n"));
    let parts = stream::unfold(Some(first), |first| async {
        match first {
            Some(first) => Some((Ok::<_, Infallible>(first), None)),
            None => {
                // Nothing comes here: it is only the time that passes.
                let _ = timeout(STREAM_OPEN, std::future::pending::<()>()).await;
                None
            }
        }
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // As the streams of events have it: what is tried is what clients get.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// `GET /metrics`: numbers for Prometheus.
#[utoipa::path(get, path = "/metrics", operation_id = "metrics", tag = "Operating",
    responses((status = 200, description = "Prometheus text", body = String,
        content_type = "text/plain")))]
pub(crate) async fn metrics(State(services): State<Services>) -> Response {
    // Set when it is read: a feed that is stuck sets nothing.
    let lag = services.hub().lag.now();
    metrics::gauge!("confab_realtime_lag_seconds").set(lag.as_secs_f64());
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
