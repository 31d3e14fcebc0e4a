//! The format of errors in answers (design/message-api). The API of a call determines it (`api`),
//! the envelope writes it, and the document refers to its schema.

/// The format of an API's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ErrorShape {
    /// `{error, status}`
    Error,
    /// `{errors, status}`
    Errors,
    /// An object in the format of the channel's messaging provider (D-0155).
    Service,
}

impl ErrorShape {
    /// Returns the name of the format's schema in the OpenAPI document.
    #[cfg(feature = "document")]
    pub(crate) fn schema(self) -> &'static str {
        match self {
            Self::Error => "ErrorBody",
            Self::Errors => "ErrorsBody",
            Self::Service => "ServiceErrorBody",
        }
    }

    /// Returns the format for a request that matches no call, by the API to which its path would
    /// belong. `Errors` is the format of the omnichannel API: of paths below `/api/v1` and
    /// `/api/v2`, except those of the client API and the older message API, and of some paths that
    /// begin with an app's code or `bot`. The message API is below `/api/v2.1` and has the format
    /// `Error`.
    pub(crate) fn of_path(path: &str) -> Self {
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
