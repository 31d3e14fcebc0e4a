//! Under which name a failure stands in the body of its answer (D-0006). An API's router says it
//! (`api`), the envelope writes it, and the document names the same.

/// The shape of an API's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorShape {
    /// `{error, status}`
    Error,
    /// `{errors, status}`
    Errors,
    /// As the service of a channel writes its own (D-0155).
    Service,
}

impl ErrorShape {
    /// The schema of such a body in the OpenAPI document.
    #[cfg(feature = "document")]
    pub(super) fn schema(self) -> &'static str {
        match self {
            Self::Error => "ErrorBody",
            Self::Errors => "ErrorsBody",
            Self::Service => "ServiceErrorBody",
        }
    }

    /// Of a request whose router does not say it: the shape of the API that its path begins like.
    /// `errors` below `/api/v1` and `/api/v2` without the client API and the older message API, and
    /// behind what may be the app's code or `bot`; the message API is `/api/v2.1`.
    pub(super) fn of_path(path: &str) -> Self {
        if path.starts_with("/whatsapp/") {
            return Self::Service;
        }
        let mut parts = path.split('/').skip(1);
        let is_omnichannel = match (parts.next(), parts.next(), parts.next()) {
            (Some("api"), Some("v2"), Some("rest" | "sdk" | "mobile")) => false,
            (Some("api"), version, _) => matches!(version, Some("v1" | "v2")),
            (Some("bot"), Some(_), Some("activate")) => true,
            (Some(_), Some("api"), Some("v1" | "v2")) => true,
            (Some(_), Some("bot" | "custom_channel" | "get_session"), None) => true,
            _ => false,
        };
        if is_omnichannel { Self::Errors } else { Self::Error }
    }
}
