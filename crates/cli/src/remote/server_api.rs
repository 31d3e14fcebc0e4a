//! The HTTP API of a running server, as commands call it: credentials, paths, responses, errors.
//!
//! `running_server` creates it; `trigger`, `webhooks`, `channels` and `listen` call it.

use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use url::Url;

use crate::command_error::CommandError;
use crate::inert_text::inert;
use crate::remote::api_client::{ApiResponse, Call, NoResponse, exchange};

/// Path prefix of the webhook API, which most commands call.
const ROOT: &str = "/api/v2/webhooks";
/// Default time limit of a call.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(30);
/// Maximum number of characters of an unexpected response that are shown.
const SHOWN_CHARS_MAX: usize = 300;

/// A client for the API of a running server, with the credentials of one app. No `Debug`: it has
/// the app's secret key.
pub(crate) struct ServerApi {
    server: Url,
    credentials: HeaderMap,
    secret_key: String,
}

/// An app's id and secret key, and the brand part of the headers that carry them. No `Debug`: it
/// has the secret key.
pub(crate) struct AppCredentials {
    /// Brand part of header names.
    pub(crate) brand: String,
    pub(crate) app_code: String,
    pub(crate) secret_key: String,
}

/// The raw `data` field of a successful response.
#[derive(Debug)]
pub(crate) struct AnswerData(Box<RawValue>);

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// Nothing listens at the address.
    #[error("no server listens at {0}; start it with `confab serve`")]
    NoServer(Url),
    /// The connection was made, but there was no complete response.
    #[error("{server} did not respond: {why}")]
    Unanswered { server: Url, why: NoResponse },
    /// The server rejected the app id or its secret key.
    #[error(
        "the server rejected the app id or its secret key ({0}); check --app, --data and \
         CONFAB_SECRET_KEY"
    )]
    Denied(String),
    /// The server refused the request.
    #[error("the server refused the request: {message} ({status})")]
    Refused { status: StatusCode, message: String },
    /// The response does not have the format of Confab's API.
    #[error("the response ({status}) is not from Confab's API: {beginning}")]
    NotUnderstood { status: StatusCode, beginning: String },
}

impl CallError {
    /// Whether the failure may be temporary, such as a restarting server or a network outage.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::NoServer(_) | Self::Unanswered { .. } => true,
            Self::Refused { status, .. } | Self::NotUnderstood { status, .. } => {
                let passing = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
                status.is_server_error() || passing.contains(status)
            }
            Self::Denied(_) => false,
        }
    }
}

impl AnswerData {
    /// Returns the raw JSON.
    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    /// Parses the data. Unknown fields are ignored.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CommandError> {
        serde_json::from_str(self.text())
            .map_err(|error| format!("the response has an unexpected format: {error}").into())
    }
}

impl ServerApi {
    pub(crate) fn new(server: Url, credentials: AppCredentials) -> Result<Self, CommandError> {
        let AppCredentials { brand, app_code, secret_key } = credentials;
        let mut headers = HeaderMap::new();
        for (name, value) in [("App-Id", &app_code), ("Secret-Key", &secret_key)] {
            let name = HeaderName::try_from(format!("{brand}-{name}")).map_err(
                |_| "the setting brands contains a character that is not allowed in a header name",
            )?;
            // Omit the value from the message: it may be the key.
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                "the app id or the secret key contains a character that is not \
                 allowed in a header"
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        Ok(Self { server, credentials: headers, secret_key })
    }

    /// Returns the URL of the server.
    pub(crate) fn server(&self) -> &Url {
        &self.server
    }

    /// Returns the key with which the app's webhooks are signed.
    pub(crate) fn secret_key(&self) -> &str {
        &self.secret_key
    }

    pub(crate) async fn get(
        &self,
        path: &str,
        query: &[(&str, String)],
        limit: Duration,
    ) -> Result<AnswerData, CallError> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.call(Method::GET, url, None, limit).await
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        body: &serde_json::Value,
        limit: Duration,
    ) -> Result<AnswerData, CallError> {
        self.call(Method::POST, self.url(path), Some(body), limit).await
    }

    pub(crate) async fn put(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<AnswerData, CallError> {
        self.call(Method::PUT, self.url(path), Some(body), CALL_LIMIT).await
    }

    /// Sends a GET request to a path outside of the webhook API.
    pub(crate) async fn get_at(&self, path: &str) -> Result<AnswerData, CallError> {
        self.call(Method::GET, self.url_at(path), None, CALL_LIMIT).await
    }

    pub(crate) async fn post_at(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<AnswerData, CallError> {
        self.call(Method::POST, self.url_at(path), Some(body), CALL_LIMIT).await
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        self.url_at(&format!("{ROOT}{path}"))
    }

    fn url_at(&self, path: &str) -> Url {
        let mut url = self.server.clone();
        // A server may be published under a path prefix.
        url.set_path(&format!("{}{path}", self.server.path().trim_end_matches('/')));
        url
    }

    async fn call(
        &self,
        method: Method,
        url: Url,
        body: Option<&serde_json::Value>,
        limit: Duration,
    ) -> Result<AnswerData, CallError> {
        let mut headers = self.credentials.clone();
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let answered = exchange(Call { method, url, headers, body, limit }).await;
        let answer = answered.map_err(|why| match why {
            NoResponse::Refused => CallError::NoServer(self.server.clone()),
            why => CallError::Unanswered { server: self.server.clone(), why },
        })?;
        data_of(&answer)
    }
}

#[derive(Deserialize)]
struct Success {
    data: Box<RawValue>,
}

#[derive(Deserialize)]
struct RefusalAnswer {
    // Other APIs use this name, for example for a path that an older server does not have.
    #[serde(alias = "error")]
    errors: Errors,
}

#[derive(Deserialize)]
struct Errors {
    message: String,
    #[serde(default)]
    detailed_messages: Vec<serde_json::Value>,
}

pub(crate) fn data_of(answer: &ApiResponse) -> Result<AnswerData, CallError> {
    let status = answer.status;
    if status.is_success()
        && let Ok(Success { data }) = serde_json::from_slice(&answer.body)
    {
        return Ok(AnswerData(data));
    }
    let refusal = serde_json::from_slice(&answer.body).ok().filter(|_| !status.is_success());
    let message = refusal.map(|RefusalAnswer { errors }| message_with_details(errors));
    match (status, message) {
        (StatusCode::UNAUTHORIZED, message) => {
            Err(CallError::Denied(message.unwrap_or_else(|| status.to_string())))
        }
        (_, Some(message)) => Err(CallError::Refused { status, message }),
        (_, None) => Err(CallError::NotUnderstood { status, beginning: beginning(&answer.body) }),
    }
}

/// Returns the message, followed by its details.
fn message_with_details(errors: Errors) -> String {
    let plain = |detail: &serde_json::Value| match detail {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut details: Vec<_> = errors.detailed_messages.iter().map(plain).collect();
    details.retain(|detail| *detail != errors.message);
    match details.is_empty() {
        true => inert(&errors.message),
        false => inert(&format!("{}: {}", errors.message, details.join("; "))),
    }
}

fn beginning(body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(body).chars().take(SHOWN_CHARS_MAX).collect();
    inert(&text)
}
