//! Trace spans of requests: route and status (D-0167). Names follow OpenTelemetry's semantic
//! conventions for HTTP.

use axum::extract::MatchedPath;
use axum::http::{HeaderMap, Method, StatusCode};
use confab_app::decide::Decisions;
use confab_runtime::traces::Span;

use crate::requests::request::RequestContext;

/// Routes without traces, because monitoring calls them every few seconds.
const NOT_TRACED: [&str; 4] = ["/health", "/ready", "/metrics", "/health/stream"];

/// Starts the trace span of a request. Returns `None` if the request is not traced.
pub(crate) fn begin(
    decisions: &Decisions,
    headers: &HeaderMap,
    route: Option<&MatchedPath>,
) -> Option<Span> {
    let tracer = decisions.tracer()?;
    let is_traced = route.is_none_or(|route| !NOT_TRACED.contains(&route.as_str()));
    is_traced.then(|| tracer.request(headers)).flatten()
}

/// Sets the attributes of a request's span and ends it. They contain the route, but not the path,
/// because paths contain ids of rooms and people.
pub(crate) fn end(
    mut span: Span,
    request: &RequestContext,
    method: &Method,
    route: Option<&MatchedPath>,
    status: StatusCode,
) {
    let method = known(method);
    span.set("http.request.method", method);
    match route.map(MatchedPath::as_str) {
        Some(route) => {
            span.name(format!("{method} {route}"));
            span.set("http.route", route);
        }
        None => span.name(method.to_owned()),
    }
    span.set("http.response.status_code", i64::from(status.as_u16()));
    span.set("confab.request.id", request.id());
    if let Some(app) = request.app() {
        span.set("confab.app.id", app.code.as_str());
    }
    if status.is_server_error() {
        span.fail(status.as_str());
    }
    span.end();
}

/// Returns a standard method's name, or `_OTHER` for methods that a client invented.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::CONNECT => "CONNECT",
        Method::TRACE => "TRACE",
        _ => "_OTHER",
    }
}
