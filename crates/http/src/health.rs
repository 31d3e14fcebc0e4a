//! Health checks and metrics for monitoring.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_domain::limits;
use confab_runtime::admission::peer::PROBE_ADDRESS;
use confab_runtime::failures::chain;
use confab_runtime::recorder::recorder;
use confab_store::StoreProblem;
use confab_wire::probe::{ProbeReport, ProbedAddress};
use futures_util::stream;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::api;
use crate::calls::calls;
use crate::requests::callers::Public;
use crate::requests::peer;
use crate::responses::answer::{Answer, Bare, Readiness, Text, bare};
use crate::responses::problem::Problem;

const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// Duration for which the probe's answer stays open. It is longer than `confab doctor` waits for
/// the answer's first event.
const STREAM_OPEN: Duration = Duration::from_secs(8);

/// State of the server.
#[derive(Serialize, ToSchema)]
#[schema(as = Standing)]
pub(crate) struct HealthReport {
    /// Always `ok`.
    status: &'static str,
    /// Problem that needs attention but does not prevent the server from working.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

calls! {
    "Operating" of api::OPERATING;
    /// Check whether the process is running.
    GET "/health" health = health;
    /// Check whether the server is ready: the store accepts reads, and writes as proved by one in
    /// the last second; deliveries make progress, background tasks run, and connected clients are
    /// shown the committed events (D-0041). A server that is about to stop is not ready.
    GET "/ready" ready = ready;
    /// Get metrics for Prometheus.
    GET "/metrics" metrics = metrics;
}

async fn health(_: State<Services>, _: Public) -> Answer<Bare<HealthReport>> {
    bare(HealthReport { status: "ok", warning: None })
}

async fn ready(State(services): State<Services>, _: Public) -> Answer<Readiness<HealthReport>> {
    if services.is_leaving() {
        return Err(not_ready("This server is stopping."));
    }
    let mut trouble = StoreProblem::Unavailable;
    let reason = match timeout(CHECK_TIMEOUT, services.store().check()).await {
        Ok(Ok(())) => {
            let problem = services.delivery_problem().map(str::to_owned);
            let problem = problem.or_else(|| services.supervisor().problem());
            match problem.or_else(|| services.realtime().hub.lag.problem()) {
                None => {
                    let warning =
                        services.realtime().bus_problem().or(services.realtime().hub.lag.warning());
                    let warning = warning.or(services.channels().problem());
                    return bare(HealthReport { status: "ok", warning });
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
    tracing::warn!(%reason, "readiness check failed");
    Err(not_ready(what_is_wrong(trouble)))
}

fn not_ready(message: &'static str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", message).retry_after(1)
}

/// Returns the public message for a store problem. Details about the machine are only in the log.
fn what_is_wrong(trouble: StoreProblem) -> &'static str {
    match trouble {
        StoreProblem::Full => "The disk is full, so nothing can be written. Free some space.",
        StoreProblem::ReadOnly => "The store is read-only, so nothing can be written. See the log.",
        StoreProblem::Disk => "The disk reports errors, so nothing can be written. See the log.",
        StoreProblem::Damaged => "Stored data is damaged. See the log, and run `confab check`.",
        StoreProblem::Unavailable | StoreProblem::Busy | StoreProblem::TooSlow => {
            "The store does not accept writes, deliveries make no progress, realtime lags behind, \
             or a background task does not run. See the log."
        }
    }
}

/// Handles `GET /health/stream`, by which `confab doctor` probes a proxy. Reports at once which
/// headers arrived, and whether the server would accept the client address that the caller sent
/// ([`PROBE_ADDRESS`]). Then keeps the answer open for a while, so that the doctor detects a proxy
/// that buffers answers. Never reveals an address, because addresses of proxies may be internal.
pub(crate) async fn probe(State(services): State<Services>, parts: Parts) -> Response {
    // The call is public, and each answer holds a connection that cannot yield.
    static PROBES: Semaphore = Semaphore::const_new(limits::PROBES_MAX);
    let Ok(running) = PROBES.try_acquire() else {
        let message = "Too many probes are running. Try again later.";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", message);
        return problem.retry_after(STREAM_OPEN.as_secs()).into_response();
    };
    let config = services.config();
    let report = ProbeReport {
        underscores: parts.headers.contains_key("confab_probe"),
        client_address: Some(match peer::last_written(&parts.headers, config) {
            _ if !peer::is_from_proxy(&parts, config) => ProbedAddress::NotRead,
            None => ProbedAddress::Missing,
            Some(Some(PROBE_ADDRESS)) => ProbedAddress::Spoofed,
            Some(_) => ProbedAddress::Written,
        }),
    };
    let report = serde_json::to_string(&report).unwrap_or_default();
    let first = Bytes::from(format!("data: {report}\n\n"));
    let parts = stream::unfold((Some(first), running), |(first, running)| async {
        match first {
            Some(first) => Some((Ok::<_, Infallible>(first), (None, running))),
            None => {
                // Wait until the time is over.
                let _ = timeout(STREAM_OPEN, std::future::pending::<()>()).await;
                None
            }
        }
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // The same header as the event streams have, so that the probe sees what clients get.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

async fn metrics(State(services): State<Services>, _: Public) -> Answer<Text> {
    // Set on read, because a stuck feed would not set it.
    let lag = services.realtime().hub.lag.now();
    metrics::gauge!("confab_realtime_lag_seconds").set(lag.as_secs_f64());
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response().into())
}
