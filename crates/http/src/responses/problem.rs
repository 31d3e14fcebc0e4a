//! Failed requests. A handler returns a [`Problem`]; the outermost middleware writes its body,
//! because only it knows the request's id (design/message-api).

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use confab_app::actions::SignInError;
use confab_app::actions::accounts::register_user::RegisterError;
use confab_app::credentials::passwords::PasswordError;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_queries::QueryError;
use confab_runtime::admission::quotas::{self, QuotaExceeded};
use confab_runtime::admission::rate_limits::TooMuch;
use confab_runtime::failures::chain;
use confab_store::{StoreError, StoreProblem, WriteError};
use confab_wire::refusal::{ErrorBody, ErrorDetail, ErrorsBody, ServiceErrorBody, message};

use crate::responses::error_shape::ErrorShape;
use crate::responses::json::{json, json_bytes};

/// Reason why a request failed, with the status and the texts of the error response.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    code: &'static str,
    message: String,
    details: Vec<String>,
    pub(crate) retry_after_s: Option<u64>,
    /// Whether the response is held back, so that a loop of refused requests costs little.
    pub(crate) is_held_back: bool,
    /// Body of a provider's error response, which replaces the server's own body.
    relayed: Option<Bytes>,
}

impl Problem {
    /// Creates a problem. The message should be a sentence about how the caller can avoid the
    /// problem.
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            details: Vec::new(),
            retry_after_s: None,
            is_held_back: false,
            relayed: None,
        }
    }

    /// Creates a problem whose response has a provider's JSON as its body.
    pub(crate) fn relayed(status: StatusCode, body: Bytes) -> Self {
        let message = "The provider refused the request.";
        Self { relayed: Some(body), ..Self::new(status, "service_refused", message) }
    }

    /// Sets the number of seconds after which the caller may try again.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// Creates the problem of a wrong app id or secret.
    pub(crate) fn unauthorized(message: String) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// Creates the problem of a user's missing or invalid token (wire facts 7).
    pub(crate) fn wrong_token() -> Self {
        Self::new(StatusCode::FORBIDDEN, "unauthorized", "Unauthorized")
    }

    /// Creates the problem of a full disk.
    pub(crate) fn disk_full() -> Self {
        let message = "The server's disk is full, so nothing was written. Try again when the \
            operator has freed some space.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "disk_full", message)
            .retry_after(limits::OPERATOR_RETRY_AFTER_S)
    }

    /// Creates the problem for an error status that the HTTP framework selected.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let (code, message) = match status {
            StatusCode::NOT_FOUND => {
                ("route_not_found", "There is no call at this path. See /docs.")
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                ("method_not_allowed", "This path does not allow the method. See the header Allow.")
            }
            StatusCode::PAYLOAD_TOO_LARGE => {
                ("body_too_large", "The body is too large. At most 262144 bytes are accepted.")
            }
            StatusCode::REQUEST_TIMEOUT => {
                ("request_timeout", "The request took too long to arrive. Send it faster.")
            }
            StatusCode::INTERNAL_SERVER_ERROR => (
                "internal_error",
                "The server failed because of a defect. Send the operator the request id.",
            ),
            _ => ("bad_request", "The request is not valid."),
        };
        Self::new(status, code, message)
    }

    /// Renders the problem as a response in this error format.
    pub(crate) fn answer(&self, shape: ErrorShape, request_id: &str) -> Response {
        if let Some(relayed) = &self.relayed {
            return json_bytes(self.status, relayed.clone());
        }
        let body = self.body(request_id);
        match shape {
            ErrorShape::Error => json(self.status, &body),
            ErrorShape::Errors => json(self.status, &ErrorsBody::from(body)),
            ErrorShape::Service => json(self.status, &ServiceErrorBody::from(body)),
        }
    }

    fn body(&self, request_id: &str) -> ErrorBody {
        let message = self.message.clone();
        let details = self.details.clone();
        let error = ErrorDetail {
            detailed_messages: if details.is_empty() { vec![message.clone()] } else { details },
            message,
            code: self.code.to_owned(),
            request_id: request_id.to_owned(),
        };
        ErrorBody { error, status: self.status.as_u16() }
    }
}

/// Renders only the status. The outermost middleware writes the body, because only it knows the
/// request's id.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Refused(refusal) => refusal.into(),
            QueryError::Failed(error) => error.into(),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = confab_wire::refusal::status_and_code(&refusal);
        if refusal == Refusal::WebhookLoop {
            tracing::warn!(error.code = code, "webhook loop detected; request refused");
            metrics::counter!("confab_webhook_loops_total").increment(1);
        }
        let retry_after_s = match &refusal {
            Refusal::UserUploadedMuch { wait_s, .. } => {
                quotas::refused("user_upload_bytes_per_day");
                Some(*wait_s)
            }
            Refusal::AppUploadsFull { .. } => {
                quotas::refused("app_upload_bytes_max");
                None
            }
            _ => None,
        };
        let details = match &refusal {
            Refusal::Invalid(problems) => problems.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        Self { details, retry_after_s, ..Self::new(status, code, message(&refusal)) }
    }
}

impl Problem {
    fn too_many_reads() -> Self {
        let message = "Too many of your or this app's lists and searches are waiting. Wait for \
            some to finish.";
        Self {
            is_held_back: true,
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", message).retry_after(1)
        }
    }

    fn search_too_slow() -> Self {
        let message =
            "The search took too long and was canceled. Search for a longer or rarer text.";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "search_too_slow", message).retry_after(1)
    }
}

impl From<TooMuch> for Problem {
    fn from(TooMuch { what, retry_after_s, .. }: TooMuch) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", what).retry_after(retry_after_s)
    }
}

impl From<QuotaExceeded> for Problem {
    fn from(QuotaExceeded { quota, limit, retry_after_s }: QuotaExceeded) -> Self {
        let message = format!("The quota {quota} of {limit} is used up. Try again later.");
        Self::new(StatusCode::TOO_MANY_REQUESTS, "quota_exceeded", message)
            .retry_after(retry_after_s)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error.trouble {
            StoreProblem::Busy => return Self::too_many_reads(),
            StoreProblem::TooSlow => return Self::search_too_slow(),
            _ => tracing::error!(error = %chain(&error), "store operation of a request failed"),
        }
        let retry_after_s = match error.trouble {
            StoreProblem::Full => return Self::disk_full(),
            StoreProblem::Damaged => limits::OPERATOR_RETRY_AFTER_S,
            _ => 1,
        };
        let (code, message) = match error.trouble {
            StoreProblem::Damaged => (
                "store_damaged",
                "A part of the stored data is damaged and cannot be read. Tell the operator.",
            ),
            _ => ("store_unavailable", "The store cannot be reached. Try again."),
        };
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message).retry_after(retry_after_s)
    }
}

impl From<WriteError> for Problem {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(refusal) => refusal.into(),
            WriteError::Failed(error) => error.into(),
        }
    }
}

impl From<PasswordError> for Problem {
    fn from(error: PasswordError) -> Self {
        if matches!(error, PasswordError::Busy) {
            let message = "Too many passwords are waiting to be checked. Try again in a moment.";
            return Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", message)
                .retry_after(limits::HASHING_RETRY_S);
        }
        tracing::error!(%error, "failed to hash a password");
        let message = "Passwords cannot be hashed at the moment. Try again.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "hashing_unavailable", message).retry_after(1)
    }
}

impl From<RegisterError> for Problem {
    fn from(error: RegisterError) -> Self {
        match error {
            RegisterError::Write(error) => error.into(),
            RegisterError::Password(error) => error.into(),
        }
    }
}

impl From<SignInError> for Problem {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Write(error) => error.into(),
            SignInError::Password(error) => error.into(),
            SignInError::TooOften { retry_after_s } => {
                let message = "Too many sign-in attempts failed. Wait before you try again.";
                Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_tries", message)
                    .retry_after(retry_after_s)
            }
        }
    }
}
