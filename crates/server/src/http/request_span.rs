//! The span of a request, for traces: which route it asked for, and what it was answered
//! (D-0168). The names are those of OpenTelemetry's semantic conventions for HTTP.

use axum::extract::MatchedPath;
use axum::http::{HeaderMap, Method, StatusCode};

use super::request::RequestContext;
use crate::services::Services;
use crate::traces::Span;

/// Asked every few seconds by those who watch.
const NOT_TRACED: [&str; 4] = ["/health", "/ready", "/metrics", "/health/stream"];

/// Begins it, if it is to be recorded.
pub(super) fn begin(
    services: &Services,
    headers: &HeaderMap,
    route: Option<&MatchedPath>,
) -> Option<Span> {
    let tracer = services.tracer()?;
    let is_traced = route.is_none_or(|route| !NOT_TRACED.contains(&route.as_str()));
    is_traced.then(|| tracer.request(headers)).flatten()
}

/// Ends it. The path is not told, as it holds ids of rooms and people: only the route.
pub(super) fn end(
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

/// Anybody may invent methods.
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
