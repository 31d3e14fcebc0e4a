//! HTTP: translates requests into calls, and never decides itself.
//!
//! Started by `confab serve` and by tests. A handler authenticates the caller, parses the
//! request once, makes one call and renders the result. [`routes`] lists every route, [`api`] has
//! what the calls of an API share, and [`envelope`] is the outermost middleware. Every answer has a
//! request id; every failure has an error body of its API; no input causes a panic or a 5xx.

// Imports that only API descriptions need stay unused without the feature.
#![cfg_attr(not(feature = "document"), allow(unused_imports))]

mod accepting;
mod activity;
mod answer;
mod api;
mod arriving;
mod bodies;
mod callers;
mod calls;
mod compressing;
mod cookie;
#[cfg(feature = "document")]
mod description;
mod docs;
#[cfg(feature = "document")]
mod document;
mod envelope;
mod error_shape;
mod etag;
mod health;
mod idle_timeouts;
mod json;
mod large_answers;
mod live;
mod message_api;
mod mqtt;
mod omnichannel;
mod peer;
mod problem;
mod quotas;
mod realtime;
mod request;
mod request_metrics;
mod request_span;
mod router;
mod routes;
mod sdk;
mod serve;
mod targets;
mod web;
mod webhooks;

#[cfg(feature = "document")]
pub use document::document;
pub use router::{layered, router};
pub use serve::{Stopper, serve};
