//! The APIs of the server: the credentials, failures and error format that the calls of each share.
//!
//! [`routes`](super::routes) assigns whole routers to an API. The error format applies to their
//! requests; credentials and failures are documentation only: each handler checks its caller by an
//! extractor of [`callers`](crate::requests::callers).

use axum::Router;
use confab_app::services::Services;

use super::calls::Calls;
use crate::responses::error_shape::ErrorShape;

/// An API: calls with the same credentials, failures and error format.
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "the document reads the rest"))]
pub(super) struct Api {
    pub(super) proofs: Proofs,
    pub(super) errors: ErrorShape,
    pub(super) failures: Failures,
    /// Content types of bodies that are accepted besides JSON.
    pub(super) forms: &'static [&'static str],
}

/// Alternative credentials, each a set of headers that are sent together. Empty if calls need none.
type Proofs = &'static [&'static [&'static str]];

/// Error statuses that a call may answer, with their descriptions.
type Failures = &'static [(&'static str, &'static str)];

/// Calls of an app's own servers to the message API.
pub(super) const MESSAGE_API: Api = with_error(&[&["app_id", "sdk_secret"]], APP_FAILURES);

/// The older message API, which also accepts multipart forms.
pub(super) const OLDER_MESSAGE_API: Api = Api { forms: &[URLENCODED, MULTIPART], ..MESSAGE_API };

/// Calls of clients for users who have not signed in yet.
pub(super) const CLIENTS_OF_APP: Api = with_error(&[&["app_id"]], APP_FAILURES);

/// Calls of clients on behalf of a user.
pub(super) const CLIENTS_OF_USER: Api = with_error(&[&["app_id", "user_token"]], USER_FAILURES);

pub(super) const REALTIME: Api = with_error(&[&["user_token"]], APP_FAILURES);

/// Downloads of uploaded files, for anyone with the URL.
pub(super) const FILES: Api = with_error(&[], APP_FAILURES);

/// Calls of the app itself, or of a signed-in admin.
pub(super) const WEBHOOK_API: Api = Api {
    forms: &[URLENCODED],
    ..with_errors(&[&["app_code", "secret_key"], &["token"]], KEY_FAILURES)
};

/// Calls of customers and of custom channels' gateways, and sign-ins: their credentials are in the
/// request itself.
pub(super) const OMNI_PUBLIC: Api = with_errors(&[], OMNI_FAILURES);

/// Webhooks of providers. Each has its own credentials.
pub(super) const HOOKS: Api = Api { forms: &[], ..OMNI_PUBLIC };

/// Calls of agent apps that sign in with an SDK token.
pub(super) const OMNI_SDK_TOKEN: Api = with_errors(&[&["sdk_token"]], OMNI_FAILURES);

/// Calls of signed-in agents for themselves.
pub(super) const OMNI_SIGNED_IN: Api = with_errors(&[&["token"]], OMNI_FAILURES);

/// Calls of agents, or of the app on behalf of an agent.
pub(super) const OMNI_AGENT: Api =
    with_errors(&[&["token"], &["app_code", "secret_key", "user_id"]], OMNI_FAILURES);

/// Calls of the app itself.
pub(super) const OMNI_APP: Api = with_errors(&[&["app_code", "secret_key"]], OMNI_FAILURES);

/// Calls of signed-in agents, or of the app itself.
pub(super) const OMNI: Api = with_errors(&[&["token"], &["app_code", "secret_key"]], OMNI_FAILURES);

/// Like [`OMNI`]; the document lists the app's credentials first.
pub(super) const OMNI_CHANNELS: Api =
    with_errors(&[&["app_code", "secret_key"], &["token"]], OMNI_FAILURES);

pub(super) const OMNI_BOT: Api =
    with_errors(&[&["app_code", "secret_key"], &["sdk_secret"], &["token"]], OMNI_FAILURES);

/// Calls in the format of a channel's provider, with the app's secret key (D-0155).
pub(super) const SERVICE_CALLS: Api = Api {
    proofs: &[&["app_code", "secret_key"]],
    errors: ErrorShape::Service,
    failures: SERVICE_FAILURES,
    forms: &[],
};

/// All calls of the server, with the APIs to which they belong.
#[derive(Default)]
pub(super) struct Apis(Vec<Part>);

/// Calls of one API, with the error format and documentation that they share.
struct Part {
    calls: Calls,
    /// Format of the calls' errors. `None` if it depends on the path of the request.
    shape: Option<ErrorShape>,
    /// The API whose credentials and failures the document shows for the calls. `None` for calls
    /// that only the document contains, because another router answers them.
    api: Option<&'static Api>,
}

impl Apis {
    /// Adds calls with the errors and documentation of the API.
    pub(super) fn with(self, api: &'static Api, calls: Calls) -> Self {
        self.and(Part { calls, shape: Some(api.errors), api: Some(api) })
    }

    /// Adds calls whose paths can collide with those of others, such as `/{app_code}/bot` of an app
    /// named `api`, or `/files/api/v1/x`. The format of their errors follows from the path.
    pub(super) fn with_shape_by_path(self, api: &'static Api, calls: Calls) -> Self {
        self.and(Part { calls, shape: None, api: Some(api) })
    }

    /// Adds calls that are documented under another path.
    pub(super) fn also(self, api: &'static Api, calls: Calls) -> Self {
        self.with(api, calls.undocumented())
    }

    /// Adds calls to the document only, because another router answers them.
    pub(super) fn with_document_of(self, calls: Calls) -> Self {
        self.and(Part { calls, shape: None, api: None })
    }

    fn and(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }

    /// Returns all calls with the API that documents them, if any.
    #[cfg(feature = "document")]
    pub(super) fn documented(&self) -> impl Iterator<Item = (&Calls, Option<&'static Api>)> {
        self.0.iter().map(|part| (&part.calls, part.api))
    }

    /// Merges all calls into one router. Each part has its own envelope, with its error format,
    /// which also answers failures before a handler runs.
    pub(super) fn into_router(
        self,
        envelope: impl Fn(Router<Services>, Option<ErrorShape>) -> Router<Services>,
    ) -> Router<Services> {
        let answered = self.0.into_iter().filter(|part| part.api.is_some());
        let enveloped = |part: Part| envelope(part.calls.into_router(), part.shape);
        answered.map(enveloped).fold(Router::new(), Router::merge)
    }
}

const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

const fn with_error(proofs: Proofs, failures: Failures) -> Api {
    Api { proofs, errors: ErrorShape::Error, failures, forms: &[URLENCODED] }
}

const fn with_errors(proofs: Proofs, failures: Failures) -> Api {
    Api { proofs, errors: ErrorShape::Errors, failures, forms: &[URLENCODED, MULTIPART] }
}

const APP_FAILURES: Failures = &[
    ("400", "A field is missing or invalid; one detail per field"),
    ("401", "The app id or SDK secret is missing or wrong"),
    ("403", "The user may not do this"),
    ("404", "Unknown room, user or message"),
    ("408", "The request took too long to arrive"),
    ("409", "The object already exists, or was deleted"),
    ("413", "The body is too large"),
    ("415", "The body is neither JSON nor urlencoded"),
    ("429", "Too many requests; see Retry-After"),
    ("503", "The store is unavailable; see Retry-After"),
];

const USER_FAILURES: Failures = &[
    ("400", "A field is missing or invalid; one detail per field"),
    ("403", "The token is missing or wrong, or the user may not do this"),
    ("404", "Unknown room, user or message"),
    ("408", "The request took too long to arrive"),
    ("409", "The object already exists, or was deleted"),
    ("413", "The body is too large"),
    ("415", "The body is neither JSON nor urlencoded"),
    ("429", "Too many requests; see Retry-After"),
    ("503", "The store is unavailable; see Retry-After"),
];

const KEY_FAILURES: Failures = &[
    ("400", "A field is missing or invalid; one detail per field"),
    ("401", "The app id or secret key, or the token, is missing or wrong"),
    ("403", "Your role may not do this"),
    ("404", "Unknown kind, endpoint, delivery or room"),
    ("408", "The request took too long to arrive"),
    ("409", "The endpoint belongs to a custom button or channel"),
    ("413", "The body is too large"),
    ("415", "The body is neither JSON nor urlencoded"),
    ("429", "Too many requests; see Retry-After"),
    ("503", "The store is unavailable; see Retry-After"),
];

const OMNI_FAILURES: Failures = &[
    ("400", "A field is missing or invalid; one detail per field"),
    ("401", "The token, or the app id or secret key, is missing or wrong"),
    ("403", "Your role may not do this"),
    ("404", "The object does not exist in this app"),
    ("408", "The request took too long to arrive"),
    ("409", "The object already exists, or the app has too many of them"),
    ("413", "The body is too large"),
    ("415", "The body is neither a multipart form, nor urlencoded, nor JSON"),
    ("429", "Too many requests or attempts; see Retry-After"),
    ("503", "The store is unavailable; see Retry-After"),
];

const SERVICE_FAILURES: Failures = &[
    ("400", "The body is not a JSON object, or the provider refused it"),
    ("401", "The app id or secret key is missing or wrong, or the provider refused our token"),
    ("403", "The channel is inactive, or the provider refused the request"),
    ("404", "The channel does not exist in this app, or the object at the provider"),
    ("408", "The request took too long to arrive"),
    ("413", "The body is too large"),
    ("429", "Too many requests, here or at the provider; see Retry-After"),
    ("503", "The provider or the store is unavailable, and nothing was sent; see Retry-After"),
    ("504", "The provider did not respond; the message may have been sent"),
];
