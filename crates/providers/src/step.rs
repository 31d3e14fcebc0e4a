//! Requests to a provider as plain values, which the caller sends.
//!
//! If a path contains a token, the token is stored separately, so that it does not appear in logged
//! and displayed requests.

use std::fmt;

use serde_json::Value;

use super::credentials::Secret;

/// A request to a provider. Steps are sent in order; a step may need a value from the response to
/// the previous step.
#[derive(Clone, PartialEq, Eq)]
pub struct Step {
    pub method: Method,
    pub host: ProviderHost,
    /// Path with a leading slash; `{token}` marks the position of the token.
    path: String,
    token: Option<Secret>,
    /// Token sent as `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Other headers, without secrets.
    pub headers: Vec<(&'static str, String)>,
    pub body: StepBody,
    /// JSON pointer to the value in the response that the next step needs.
    pub gives: Option<&'static str>,
    /// Position in this step at which the value from the previous response is inserted.
    pub takes: Option<Slot>,
    pub purpose: Purpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
}

/// Base URL of a request. Operators can configure all except `Given`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderHost {
    /// Base URL of the provider's API.
    Api,
    /// Base URL of files, if it differs from that of the API.
    Data,
    /// A complete URL, from the previous response or set directly.
    Given(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepBody {
    Empty,
    /// JSON, as `application/json`.
    Json(Value),
    /// `multipart/form-data`: these fields, then the file.
    Multipart {
        fields: Vec<(&'static str, String)>,
        file: UploadedFile,
    },
}

/// A stored file that is streamed to the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile {
    pub field: &'static str,
    pub url: String,
    pub name: String,
    pub mime_type: String,
}

/// Position in a step for a value of the previous response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Existing key in the JSON body, given by a JSON pointer.
    Body(&'static str),
    /// End of the path.
    PathEnd,
    /// The complete URL.
    Url,
}

/// Purpose of a step. Only an accepted step with the purpose `Say` completes a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Upload of a file to the provider.
    Upload,
    /// Message to the customer.
    Say,
    /// Lookup of a file's URL or of a customer's profile.
    Locate,
    /// Download of a file.
    Fetch,
    /// Receipt or typing indicator; failures are ignored.
    Courtesy,
    /// Health check, poll or listing.
    Check,
    /// Setup of the channel at the provider.
    SetUp,
}

impl Step {
    pub(super) fn new(purpose: Purpose, method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            host: ProviderHost::Api,
            path: path.into(),
            token: None,
            bearer: None,
            headers: Vec::new(),
            body: StepBody::Empty,
            gives: None,
            takes: None,
            purpose,
        }
    }

    pub(super) fn post(purpose: Purpose, path: impl Into<String>, body: Value) -> Self {
        let step = Self::new(purpose, Method::Post, path);
        Self { body: StepBody::Json(body), ..step }
    }

    pub(super) fn with_token(self, token: Secret) -> Self {
        Self { token: Some(token), ..self }
    }

    pub(super) fn with_bearer(self, token: Secret) -> Self {
        Self { bearer: Some(token), ..self }
    }

    pub(super) fn with_file(self, fields: Vec<(&'static str, String)>, file: UploadedFile) -> Self {
        Self { body: StepBody::Multipart { fields, file }, ..self }
    }

    pub(super) fn with_header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    pub(super) fn with_host(self, host: ProviderHost) -> Self {
        Self { host, ..self }
    }

    /// Fetches a file from a public address, without credentials.
    pub(super) fn fetching(url: &str) -> Self {
        let step = Self::new(Purpose::Fetch, Method::Get, "/");
        Self { host: ProviderHost::Given(url.to_owned()), ..step }
    }

    pub(super) fn giving(self, pointer: &'static str) -> Self {
        Self { gives: Some(pointer), ..self }
    }

    pub(super) fn taking(self, slot: Slot) -> Self {
        Self { takes: Some(slot), ..self }
    }

    /// Returns the path with the token. It must never be logged, stored or displayed.
    pub fn path(&self) -> Secret {
        let token = self.token.as_ref().map_or("", Secret::expose);
        Secret::new(self.path.replace(TOKEN, token))
    }

    /// Returns the path without the token, for logs and displays.
    pub fn shown_path(&self) -> &str {
        &self.path
    }

    /// Returns the value for the next step from the response to this step.
    pub fn given(&self, answer: &[u8]) -> Option<String> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        match answer.pointer(self.gives?)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Inserts the value from the previous response into this step.
    #[must_use]
    pub fn taken(mut self, given: &str) -> Self {
        match self.takes.take() {
            Some(Slot::Body(pointer)) => {
                if let StepBody::Json(body) = &mut self.body
                    && let Some(place) = body.pointer_mut(pointer)
                {
                    *place = given.into();
                }
            }
            // No value can make the URL leave this path.
            Some(Slot::PathEnd) => {
                let parts = given.split('/').filter(|it| !it.is_empty() && !is_relative(it));
                let parts: Vec<_> = parts.map(escaped).collect();
                self.path.push_str(&parts.join("/"));
            }
            Some(Slot::Url) => self.host = ProviderHost::Given(given.to_owned()),
            None => {}
        }
        self
    }
}

pub(super) const TOKEN: &str = "{token}";

fn is_relative(part: &str) -> bool {
    part == "." || part == ".."
}

/// Percent-encodes a text as one path segment.
pub(super) fn escaped(text: &str) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                path.push(char::from(byte));
            }
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// Omits secrets and message content.
impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {:?} {}", self.purpose, self.method, self.host, self.path)
    }
}
