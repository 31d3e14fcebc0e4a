//! What the calls of an API have in common: how callers prove who they are, how calls fail, and in
//! which shape. It is said here once and put on whole routers by [`routes`](super::routes), so no
//! call can forget it, and what is documented is what is answered.

use axum::Router;

use super::calls::Calls;
use super::error_shape::ErrorShape;
use crate::services::Services;

/// Calls that are proven in the same way and fail alike.
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "the document reads the rest"))]
pub(super) struct Api {
    pub(super) proofs: Proofs,
    pub(super) errors: ErrorShape,
    pub(super) failures: Failures,
    /// What bodies may come as, beside JSON (D-0007).
    pub(super) forms: &'static [&'static str],
}

/// The ways to prove who calls. Each is some headers that are sent together; where there is none,
/// anybody may call.
type Proofs = &'static [&'static [&'static str]];

/// Statuses, and what they mean.
type Failures = &'static [(&'static str, &'static str)];

/// The servers of an app.
pub(super) const MESSAGE_API: Api = with_error(&[&["app_id", "sdk_secret"]], APP_FAILURES);

/// The same by the older API, which also takes multipart forms.
pub(super) const OLDER_MESSAGE_API: Api = Api { forms: &[URLENCODED, MULTIPART], ..MESSAGE_API };

/// Clients before they are somebody.
pub(super) const CLIENTS_OF_APP: Api = with_error(&[&["app_id"]], APP_FAILURES);

/// Clients of a user.
pub(super) const CLIENTS_OF_USER: Api = with_error(&[&["app_id", "user_token"]], USER_FAILURES);

pub(super) const REALTIME: Api = with_error(&[&["user_token"]], APP_FAILURES);

/// Whoever knows the address of an uploaded file.
pub(super) const FILES: Api = with_error(&[], APP_FAILURES);

/// The app itself, or an admin of it who signed in (D-0138).
pub(super) const WEBHOOK_API: Api = Api {
    forms: &[URLENCODED],
    ..with_errors(&[&["app_code", "secret_key"], &["token"]], KEY_FAILURES)
};

/// Customers, their channels, and those who sign in: what they show stands in the request.
pub(super) const OMNI_PUBLIC: Api = with_errors(&[], OMNI_FAILURES);

/// Services that tell what happened; each has a proof of its own.
pub(super) const HOOKS: Api = Api { forms: &[], ..OMNI_PUBLIC };

/// Agent apps that hold an SDK token and want to sign in with it (D-0100).
pub(super) const OMNI_SDK_TOKEN: Api = with_errors(&[&["sdk_token"]], OMNI_FAILURES);

/// Those who signed in, as themselves.
pub(super) const OMNI_SIGNED_IN: Api = with_errors(&[&["token"]], OMNI_FAILURES);

/// Those who serve customers, or the app that acts as one of them (D-0099).
pub(super) const OMNI_AGENT: Api =
    with_errors(&[&["token"], &["app_code", "secret_key", "user_id"]], OMNI_FAILURES);

/// The app itself.
pub(super) const OMNI_APP: Api = with_errors(&[&["app_code", "secret_key"]], OMNI_FAILURES);

/// Those who signed in, or the app itself.
pub(super) const OMNI: Api = with_errors(&[&["token"], &["app_code", "secret_key"]], OMNI_FAILURES);

/// The same; the document names the app first where channels are concerned.
pub(super) const OMNI_CHANNELS: Api =
    with_errors(&[&["app_code", "secret_key"], &["token"]], OMNI_FAILURES);

pub(super) const OMNI_BOT: Api =
    with_errors(&[&["app_code", "secret_key"], &["sdk_secret"], &["token"]], OMNI_FAILURES);

/// Calls of a channel's own service, by the key of the app (D-0155).
pub(super) const SERVICE_CALLS: Api = Api {
    proofs: &[&["app_code", "secret_key"]],
    errors: ErrorShape::Service,
    failures: SERVICE_FAILURES,
    forms: &[],
};

/// The APIs of the server: their calls, and what documents them.
#[derive(Default)]
pub(super) struct Apis(Vec<Part>);

/// Calls of one API.
struct Part {
    calls: Calls,
    /// Of their errors, unless the path says it.
    shape: Option<ErrorShape>,
    /// By whom they are documented; calls of nobody are answered elsewhere.
    api: Option<&'static Api>,
}

impl Apis {
    /// Adds calls, documented as the API's and with errors of its shape.
    pub(super) fn with(self, api: &'static Api, calls: Calls) -> Self {
        self.and(Part { calls, shape: Some(api.errors), api: Some(api) })
    }

    /// The same for calls that others may be taken for by their path: `/{app_code}/bot` of an app
    /// called `api`, `/files/api/v1/x`. Their errors have the shape that the path suggests.
    pub(super) fn with_shape_by_path(self, api: &'static Api, calls: Calls) -> Self {
        self.and(Part { calls, shape: None, api: Some(api) })
    }

    /// Adds calls that the document has under another path.
    pub(super) fn also(self, api: &'static Api, calls: Calls) -> Self {
        self.with(api, calls.undocumented())
    }

    /// Documents calls that are answered elsewhere.
    pub(super) fn with_document_of(self, calls: Calls) -> Self {
        self.and(Part { calls, shape: None, api: None })
    }

    fn and(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }

    /// Calls with the API that documents them, if one does.
    #[cfg(feature = "document")]
    pub(super) fn documented(&self) -> impl Iterator<Item = (&Calls, Option<&'static Api>)> {
        self.0.iter().map(|part| (&part.calls, part.api))
    }

    /// One router of all. Each has its envelope, which knows the shape of its errors: it also
    /// answers what fails before a call is reached.
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
