//! The APIs of the server: the credentials, failures and error format that the calls of each share.
//!
//! The caller of a call determines its API ([`callers`](crate::requests::callers)). The error
//! format applies to the requests; credentials and failures are documentation.

use crate::responses::error_shape::ErrorShape;

/// An API: calls with the same credentials, failures and error format.
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "the document reads the rest"))]
pub(crate) struct Api {
    pub(crate) proofs: Proofs,
    pub(crate) errors: ErrorShape,
    pub(crate) failures: Failures,
    /// Content types of bodies that are accepted besides JSON.
    pub(crate) forms: &'static [&'static str],
}

/// Alternative credentials, each a set of headers that are sent together. Empty if calls need none.
type Proofs = &'static [&'static [&'static str]];

/// Error statuses that a call may answer, with their descriptions.
type Failures = &'static [(&'static str, &'static str)];

/// Calls of an app's own servers to the message API.
pub(crate) const MESSAGE_API: Api = with_error(&[&["app_id", "sdk_secret"]], APP_FAILURES);

/// The older message API, which also accepts multipart forms.
pub(crate) const OLDER_MESSAGE_API: Api = Api { forms: &[URLENCODED, MULTIPART], ..MESSAGE_API };

/// Calls of clients for users who have not signed in yet.
pub(crate) const CLIENTS_OF_APP: Api = with_error(&[&["app_id"]], APP_FAILURES);

/// Calls of clients on behalf of a user.
pub(crate) const CLIENTS_OF_USER: Api = with_error(&[&["app_id", "user_token"]], USER_FAILURES);

/// Health and metrics, for anyone who reaches the server.
pub(crate) const OPERATING: Api = Api { forms: &[], ..with_error(&[], &[]) };

pub(crate) const REALTIME: Api = with_error(&[&["user_token"]], APP_FAILURES);

/// Downloads of uploaded files, for anyone with the URL.
pub(crate) const FILES: Api = with_error(&[], APP_FAILURES);

/// Calls of the app itself, or of a signed-in admin.
pub(crate) const WEBHOOK_API: Api = Api {
    forms: &[URLENCODED],
    ..with_errors(&[&["app_code", "secret_key"], &["token"]], KEY_FAILURES)
};

/// Calls of customers and of custom channels' gateways, and sign-ins: their credentials are in the
/// request itself.
pub(crate) const OMNI_PUBLIC: Api = with_errors(&[], OMNI_FAILURES);

/// Webhooks of providers. Each has its own credentials.
pub(crate) const HOOKS: Api = Api { forms: &[], ..OMNI_PUBLIC };

/// Calls of agent apps that sign in with an SDK token.
pub(crate) const OMNI_SDK_TOKEN: Api = with_errors(&[&["sdk_token"]], OMNI_FAILURES);

/// Calls of signed-in agents for themselves.
pub(crate) const OMNI_SIGNED_IN: Api = with_errors(&[&["token"]], OMNI_FAILURES);

/// Calls of agents, or of the app on behalf of an agent.
pub(crate) const OMNI_AGENT: Api =
    with_errors(&[&["token"], &["app_code", "secret_key", "user_id"]], OMNI_FAILURES);

/// Calls of the app itself.
pub(crate) const OMNI_APP: Api = with_errors(&[&["app_code", "secret_key"]], OMNI_FAILURES);

/// Calls of signed-in agents, or of the app itself.
pub(crate) const OMNI: Api = with_errors(&[&["token"], &["app_code", "secret_key"]], OMNI_FAILURES);

pub(crate) const OMNI_BOT: Api =
    with_errors(&[&["app_code", "secret_key"], &["sdk_secret"], &["token"]], OMNI_FAILURES);

/// Calls in the format of a channel's provider, with the app's secret key (D-0155).
pub(crate) const SERVICE_CALLS: Api = Api {
    proofs: &[&["app_code", "secret_key"]],
    errors: ErrorShape::Service,
    failures: SERVICE_FAILURES,
    forms: &[],
};

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
