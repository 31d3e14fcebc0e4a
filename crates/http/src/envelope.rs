//! The outermost middleware: gives every request an id, a time limit, a log line and metrics, and
//! every failure its body.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_domain::limits;
use confab_runtime::origin;
use confab_runtime::traces::{Span, TraceContext};
use tokio::time::sleep;

use crate::connections::activity::{busy_until_taken, busy_with};
use crate::requests::arriving::body_first;
use crate::requests::peer;
use crate::requests::request::RequestContext;
use crate::requests::{request_metrics, request_span};
use crate::responses::error_shape::ErrorShape;
use crate::responses::large_answers::counted;
use crate::responses::problem::Problem;

/// Runs the request and completes its answer. Error bodies have the format of the router's API if
/// it has one, and otherwise a format that follows from the path.
pub(crate) async fn envelope(
    State((services, shape)): State<(Services, Option<ErrorShape>)>,
    mut http: HttpRequest,
    next: Next,
) -> Response {
    let started = Instant::now();
    let busy = busy_with(&http);
    let request = RequestContext::new(http.headers());
    let method = http.method().clone();
    let shape = shape.unwrap_or_else(|| ErrorShape::of_path(http.uri().path()));
    let route = http.extensions().get::<MatchedPath>().cloned();
    let is_shared = http.version() >= Version::HTTP_2;
    let span = request_span::begin(services.decisions(), http.headers(), route.as_ref());
    let trace = span.as_ref().map(Span::context);
    http.extensions_mut().insert(request.clone());

    let (parts, body) = http.into_parts();
    let peer = peer::of(&parts, services.config());
    let user_agent = parts.headers.get(header::USER_AGENT).cloned();
    let http = HttpRequest::from_parts(parts, body);
    let reads = request.reads();
    let running =
        AssertUnwindSafe(reads.run(origin::coming_from(peer, user_agent, trace, async {
            let response = body_first(&services, http, next).await;
            counted(&services, &request, response).await
        })));
    let response = match request.in_time(confab_runtime::process::panics::caught(running)).await {
        Some(Ok(response)) => response,
        Some(Err(())) => {
            tracing::error!(request.id = request.id(), "request panicked; this is a defect");
            Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR).into_response()
        }
        None => Problem::of_status(StatusCode::REQUEST_TIMEOUT).into_response(),
    };
    let pause = pause_of(&response);
    let mut response = finished(response, &request, shape);
    // Unread bytes of the body would be parsed as the next request. And while the server is
    // leaving, its clients must open their next connection to another node.
    let is_last = !request.is_body_read() || services.is_leaving();
    if is_last && !is_shared && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // The connection closes after this response.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if let Some(span) = span {
        request_span::end(span, &request, &method, route.as_ref(), response.status());
    }
    let route = route.as_ref().map_or("unknown", |route| route.as_str());
    record(&request, &method, route, response.status(), started.elapsed(), trace);
    if let Some(pause) = pause {
        sleep(pause).await;
    }
    match busy {
        Some(busy) => busy_until_taken(busy, response),
        None => response,
    }
}

/// Returns how long the response to a refused read is held back. The handler has ended, so the
/// request uses up none of the caller's concurrent requests meanwhile.
fn pause_of(response: &Response) -> Option<Duration> {
    let problem = response.extensions().get::<Problem>()?;
    problem.is_held_back.then_some(Duration::from_millis(limits::READ_REFUSAL_PAUSE_MS))
}

fn finished(mut response: Response, request: &RequestContext, shape: ErrorShape) -> Response {
    let is_bare_failure =
        response.status().is_client_error() || response.status().is_server_error();
    let problem = response.extensions_mut().remove::<Problem>();
    let problem =
        problem.or_else(|| is_bare_failure.then(|| Problem::of_status(response.status())));
    if let Some(problem) = problem {
        let kept = std::mem::take(response.headers_mut());
        response = problem.answer(shape, request.id());
        keep_facts(&mut response, kept);
        if let Some(seconds) = problem.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if problem.status == StatusCode::TOO_MANY_REQUESTS {
            put(response.headers_mut(), "ratelimit-remaining", 0);
            let reset = problem.retry_after_s.unwrap_or(1);
            put(response.headers_mut(), "ratelimit-reset", reset);
        }
    }
    let headers = response.headers_mut();
    if let Some(standing) = request.standing() {
        put(headers, "ratelimit-limit", u64::from(standing.limit));
        if !headers.contains_key("ratelimit-remaining") {
            put(headers, "ratelimit-remaining", u64::from(standing.remaining));
            put(headers, "ratelimit-reset", 1);
        }
    }
    guard(headers);
    if let Ok(id) = HeaderValue::from_str(request.id()) {
        headers.insert("x-request-id", id);
    }
    response
}

/// Copies to an error response the headers of the original one that clients need: the allowed
/// methods, and the size of a file.
fn keep_facts(response: &mut Response, mut kept: HeaderMap) {
    for name in [header::ALLOW, header::CONTENT_RANGE] {
        if let Some(value) = kept.remove(&name) {
            response.headers_mut().insert(name, value);
        }
    }
}

/// Sets security headers. JSON contains tokens and messages, so it must not be cached, and browsers
/// must not guess types. Files and pages set their own cache control.
fn guard(headers: &mut HeaderMap) {
    let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    if kind.starts_with(b"application/json") && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

fn put(headers: &mut HeaderMap, name: &'static str, value: u64) {
    headers.insert(name, value.into());
}

fn record(
    request: &RequestContext,
    method: &Method,
    route: &str,
    answered: StatusCode,
    took: Duration,
    trace: Option<TraceContext>,
) {
    let app = request.app().map_or("-", |app| app.code.as_str());
    let (id, status, took_us) = (request.id(), answered.as_u16(), took.as_micros() as u64);
    tracing::info!(
        request.id = id,
        app.code = app,
        http.status = status,
        http.took_us = took_us,
        trace.id = trace.map(|trace| trace.trace_id()),
        "{method} {route} {status} request {id}"
    );
    request_metrics::record(method, route, answered, took);
}

#[cfg(test)]
mod tests {
    use confab_store::{StoreError, StoreProblem};

    use super::*;

    #[test]
    fn only_responses_to_refused_reads_are_held_back() {
        for (trouble, is_held_back) in [
            (StoreProblem::Busy, true),
            (StoreProblem::TooSlow, false),
            (StoreProblem::Unavailable, false),
        ] {
            let source = Box::new(std::io::Error::other("refused"));
            let error = StoreError { doing: "searching", trouble, source };
            let response = Problem::from(error).into_response();
            assert_eq!(pause_of(&response).is_some(), is_held_back, "{trouble:?}");
        }
    }
}
