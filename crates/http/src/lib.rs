//! HTTP: translates requests into calls, and never decides itself.
//!
//! Started by `confab serve` and by tests. The types of a handler authenticate the caller. The
//! handler parses the request once, makes one call and renders the result. [`routes`] lists the
//! files with calls, [`api`] has what the calls of an API share, and [`envelope`] is the outermost
//! middleware. Every answer has a request id; every failure has an error body of its API; no input
//! causes a panic or a 5xx.

mod api;
mod calls;
mod connections;
mod declaration;
mod docs;
#[cfg(feature = "document")]
mod document;
mod envelope;
mod health;
mod live;
mod message_api;
mod mqtt;
mod omnichannel;
mod realtime;
mod requests;
mod responses;
mod router;
mod routes;
mod sdk;
mod web;
mod webhooks;

pub use connections::serve::{Stopper, serve};
#[cfg(feature = "document")]
pub use document::document;
pub use router::{layered, router};
