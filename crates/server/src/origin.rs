//! Where a request comes from: its address, the browser that sent it, and the trace it is part of.
//!
//! Set by the outermost layer of `http` for as long as a request runs, and read where a decision is
//! made, so that what is kept of a sign-in or of a change says where it came from (D-0132, D-0135),
//! and what follows from a request is seen in its trace (D-0168). Chores and connections that stay
//! have none; an attempt of a delivery has only a trace.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::peer::Peer;
use crate::traces::TraceContext;

mod browser;

tokio::task_local! {
    static ORIGIN: Origin;
}

/// Where a request comes from.
struct Origin {
    peer: Option<Peer>,
    user_agent: Option<HeaderValue>,
    trace: Option<TraceContext>,
}

/// Runs a request that comes from there.
pub(crate) async fn coming_from<Answer>(
    peer: Peer,
    user_agent: Option<HeaderValue>,
    trace: Option<TraceContext>,
    running: impl Future<Output = Answer>,
) -> Answer {
    ORIGIN.scope(Origin { peer: Some(peer), user_agent, trace }, running).await
}

/// Runs what no request does, as a part of a trace.
pub(crate) async fn in_trace<Answer>(
    trace: Option<TraceContext>,
    running: impl Future<Output = Answer>,
) -> Answer {
    ORIGIN.scope(Origin { peer: None, user_agent: None, trace }, running).await
}

/// What runs is a part of this, if it is recorded.
pub(crate) fn trace() -> Option<TraceContext> {
    ORIGIN.try_with(|it| it.trace).ok().flatten()
}

/// The address of the request that runs, if one does.
pub(crate) fn address() -> Option<Arc<str>> {
    ORIGIN.try_with(|it| Some(it.peer?.address().to_string().into())).ok().flatten()
}

/// What the request that runs was sent with, as people call it.
pub(crate) fn browser() -> Option<String> {
    let name = |it: &Origin| browser::name(it.user_agent.as_ref()?.to_str().ok()?);
    ORIGIN.try_with(name).ok().flatten()
}
