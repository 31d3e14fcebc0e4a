//! Metrics of answered requests: counts and durations.
//!
//! The recorder looks metrics up by their labels, which costs as much as a small answer. Each
//! thread therefore caches the metrics that it has used. Their number is bounded, because it
//! depends only on the numbers of routes, methods and statuses.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};

/// The metrics of one route.
struct RouteMetrics {
    seconds: Histogram,
    requests: Vec<((&'static str, StatusCode), Counter)>,
}

thread_local! {
    static USED: RefCell<HashMap<String, RouteMetrics>> = RefCell::default();
}

/// Records an answered request.
pub(crate) fn record(method: &Method, route: &str, status: StatusCode, took: Duration) {
    USED.with_borrow_mut(|used| {
        if !used.contains_key(route) {
            used.insert(route.to_owned(), RouteMetrics::of(route));
        }
        if let Some(metrics) = used.get_mut(route) {
            metrics.seconds.record(took.as_secs_f64());
            metrics.requests(route, label(method), status).increment(1);
        }
    });
}

impl RouteMetrics {
    fn of(route: &str) -> Self {
        let seconds =
            metrics::histogram!("confab_http_request_seconds", "route" => route.to_owned());
        Self { seconds, requests: Vec::new() }
    }

    fn requests(&mut self, route: &str, method: &'static str, status: StatusCode) -> &Counter {
        let kind = (method, status);
        let known = self.requests.iter().position(|(it, _)| *it == kind);
        let at = known.unwrap_or_else(|| {
            let labels = [
                ("method", method.to_owned()),
                ("route", route.to_owned()),
                ("status", status.as_u16().to_string()),
            ];
            self.requests.push((kind, metrics::counter!("confab_http_requests_total", &labels)));
            self.requests.len() - 1
        });
        &self.requests[at].1
    }
}

/// Returns the value of the `method` label. Clients can invent methods, and label values are
/// retained until the server stops, so all unknown methods share the value `other`.
fn label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
