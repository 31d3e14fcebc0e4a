//! The state of a running request, shared by the outermost middleware and the handler.

use std::pin::pin;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use confab_domain::app::App;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_runtime::admission::rate_limits::RateLimitStatus;
use confab_runtime::admission::response_backpressure::Asker;
use confab_runtime::admission::running_requests::CountedCaller;
use confab_runtime::ids;
use confab_store::{ReadCaller, Reader, ReaderScope};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

/// State of one request. Clones share it.
#[derive(Clone)]
pub(crate) struct RequestContext(Arc<RequestContextInner>);

struct RequestContextInner {
    id: String,
    app: OnceLock<Arc<App>>,
    user: OnceLock<UserKey>,
    standing: OnceLock<RateLimitStatus>,
    reads: ReaderScope,
    /// Deadline of the request, which may be moved while the request runs.
    ends: Mutex<Instant>,
    is_body_read: AtomicBool,
}

impl RequestContext {
    const ID_CHARS_MAX: usize = 64;

    /// Creates the state of a new request. Uses the caller's `x-request-id` if it is well-formed.
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let given = headers.get("x-request-id").and_then(|id| id.to_str().ok());
        let given = given
            .filter(|id| (1..=Self::ID_CHARS_MAX).contains(&id.len()) && id.chars().all(is_plain));
        let id = given.map_or_else(new_id, str::to_owned);
        let (app, user, standing) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (reads, ends) = (ReaderScope::default(), Mutex::new(end()));
        let is_body_read = AtomicBool::new(false);
        Self(Arc::new(RequestContextInner { id, app, user, standing, reads, ends, is_body_read }))
    }

    /// Returns the state of the request to which these parts belong.
    pub(crate) fn of(parts: &Parts) -> Self {
        let known = parts.extensions.get::<Self>().cloned();
        known.unwrap_or_else(|| Self::new(&parts.headers))
    }

    /// Runs the request until its deadline, even if the deadline is moved in the meantime. Returns
    /// `None` if the request does not finish in time.
    pub(crate) async fn in_time<Answer>(
        &self,
        running: impl Future<Output = Answer>,
    ) -> Option<Answer> {
        let mut running = pin!(running);
        loop {
            let ends = *self.0.ends.lock();
            if let Ok(answer) = timeout_at(ends, running.as_mut()).await {
                return Some(answer);
            }
            if *self.0.ends.lock() == ends {
                return None;
            }
        }
    }

    /// Moves the deadline, so that the request has its full time limit from now on.
    pub(crate) fn gain_time(&self) {
        *self.0.ends.lock() = end();
    }

    /// Records that the body was read to the end, or that there is none.
    pub(crate) fn set_body_read(&self) {
        self.0.is_body_read.store(true, Ordering::Relaxed);
    }

    /// Whether the body was read to the end. If a request is answered before that, its connection
    /// must be closed.
    pub(crate) fn is_body_read(&self) -> bool {
        self.0.is_body_read.load(Ordering::Relaxed)
    }

    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn app(&self) -> Option<&App> {
        self.0.app.get().map(Arc::as_ref)
    }

    pub(crate) fn set_app(&self, app: Arc<App>) {
        let _ = self.0.app.set(app);
    }

    /// Returns the scope in which the request runs and which attributes its reads from the store to
    /// its caller.
    pub(crate) fn reads(&self) -> ReaderScope {
        self.0.reads.clone()
    }

    /// Attributes further reads from the store to this caller. Has no effect if a caller is already
    /// set.
    pub(crate) fn set_reader(&self, app: AppId, caller: CountedCaller) {
        let caller = match caller {
            CountedCaller::App => ReadCaller::App,
            CountedCaller::Agent(agent) => ReadCaller::Agent(agent),
            CountedCaller::User(user) => ReadCaller::User(user),
            CountedCaller::Stranger(_) => ReadCaller::Stranger,
        };
        self.0.reads.set(Reader { app, caller });
    }

    /// Returns the authenticated caller, to whom large responses are attributed; `None` before
    /// authentication.
    pub(crate) fn asker(&self) -> Option<Asker> {
        let app = self.app()?.id;
        Some(Asker { app, user: self.0.user.get().copied() })
    }

    /// Records that a user of the app makes the request.
    pub(crate) fn set_user(&self, user: UserKey) {
        let _ = self.0.user.set(user);
    }

    pub(crate) fn standing(&self) -> Option<RateLimitStatus> {
        self.0.standing.get().copied()
    }

    pub(crate) fn set_standing(&self, standing: RateLimitStatus) {
        let _ = self.0.standing.set(standing);
    }
}

/// Returns the deadline of a request that starts now.
fn end() -> Instant {
    Instant::now() + Duration::from_millis(limits::REQUEST_TIMEOUT_MS)
}

/// Returns an id that is unique among all processes: the random tag of this process, and a counter.
fn new_id() -> String {
    static TAG: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let tag = TAG.get_or_init(ids::process_tag);
    format!("{tag}-{:08x}", COUNT.fetch_add(1, Ordering::Relaxed))
}
