//! Where a request comes from: its address, and the browser that sent it.
//!
//! Set by the outermost layer of `http` for as long as a request runs, and read where a decision is
//! made, so that what is kept of a sign-in or of a change says where it came from (D-0132, D-0135).
//! Chores and connections that stay have none.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::peer::Peer;

mod browser;

tokio::task_local! {
    static ORIGIN: Origin;
}

/// Where a request comes from.
struct Origin {
    peer: Peer,
    user_agent: Option<HeaderValue>,
}

/// Runs a request that comes from there.
pub(crate) async fn coming_from<Answer>(
    peer: Peer,
    user_agent: Option<HeaderValue>,
    running: impl Future<Output = Answer>,
) -> Answer {
    ORIGIN.scope(Origin { peer, user_agent }, running).await
}

/// The address of the request that runs, if one does.
pub(crate) fn address() -> Option<Arc<str>> {
    ORIGIN.try_with(|it| it.peer.address().to_string().into()).ok()
}

/// What the request that runs was sent with, as people call it.
pub(crate) fn browser() -> Option<String> {
    let name = |it: &Origin| browser::name(it.user_agent.as_ref()?.to_str().ok()?);
    ORIGIN.try_with(name).ok().flatten()
}
