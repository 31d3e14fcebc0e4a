//! The origin of a request: the client's address and browser, and the request's trace.
//!
//! The outermost layer of `http` sets it for the duration of a request. Decisions read it, so that
//! sign-ins and audit entries show the origin (design/sign-in-and-limits), and traces show the
//! effects of a request (D-0167). Background tasks and long-lived connections have no origin;
//! delivery attempts have only a trace.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::admission::peer::Peer;
use crate::traces::TraceContext;

mod browser;

tokio::task_local! {
    static ORIGIN: Origin;
}

/// The origin of a request.
struct Origin {
    peer: Option<Peer>,
    user_agent: Option<HeaderValue>,
    trace: Option<TraceContext>,
}

/// Runs a request with its origin set.
pub async fn coming_from<Answer>(
    peer: Peer,
    user_agent: Option<HeaderValue>,
    trace: Option<TraceContext>,
    running: impl Future<Output = Answer>,
) -> Answer {
    ORIGIN.scope(Origin { peer: Some(peer), user_agent, trace }, running).await
}

/// Runs work that belongs to a trace but not to a request.
pub async fn in_trace<Answer>(
    trace: Option<TraceContext>,
    running: impl Future<Output = Answer>,
) -> Answer {
    ORIGIN.scope(Origin { peer: None, user_agent: None, trace }, running).await
}

/// Returns the current trace, if it is recorded.
pub fn trace() -> Option<TraceContext> {
    ORIGIN.try_with(|it| it.trace).ok().flatten()
}

/// Returns the client address of the current request.
pub fn address() -> Option<Arc<str>> {
    ORIGIN.try_with(|it| Some(it.peer?.address().to_string().into())).ok().flatten()
}

/// Returns the name of the browser that sent the current request.
pub fn browser() -> Option<String> {
    let name = |it: &Origin| browser::name(it.user_agent.as_ref()?.to_str().ok()?);
    ORIGIN.try_with(name).ok().flatten()
}
