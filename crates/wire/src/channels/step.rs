//! Requests to a provider, as plain values: whoever has a way out sends them.
//!
//! A token is kept apart from the path it stands in, so that what is logged or shown has none.

use std::fmt;

use serde_json::Value;

use super::credentials::Secret;

/// One request. Steps are sent in order; each may need something from the answer before it.
#[derive(Clone, PartialEq, Eq)]
pub struct Step {
    pub method: Method,
    pub host: Host,
    /// Begins with a slash; `{token}` stands where the token does.
    path: String,
    token: Option<Secret>,
    /// Sent as `Authorization: Bearer`.
    pub bearer: Option<Secret>,
    /// Others, without secrets.
    pub headers: Vec<(&'static str, String)>,
    pub body: StepBody,
    /// Where the answer has what the next step needs, as a JSON pointer.
    pub gives: Option<&'static str>,
    /// Where that is put in this step.
    pub takes: Option<Slot>,
    /// What it is for.
    pub purpose: Purpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
}

/// Which of the provider's addresses. All but `Given` are the operator's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// Where its API is.
    Api,
    /// Where its files are, if that is elsewhere.
    Data,
    /// The address that the step before gave, or that stands here, whole.
    Given(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepBody {
    Empty,
    /// `application/json`
    Json(Value),
    /// `multipart/form-data`: these fields, then the file.
    Multipart {
        fields: Vec<(&'static str, String)>,
        file: UploadedFile,
    },
}

/// A file of ours that is sent, streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile {
    pub field: &'static str,
    pub url: String,
    pub name: String,
    pub mime_type: String,
}

/// Where something of the answer before is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// In the JSON body, by a JSON pointer to a key that is there.
    Body(&'static str),
    /// After the path.
    PathEnd,
    /// It is the whole address.
    Url,
}

/// What a step is for: only the answer to `Say` is a verdict on the delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A file is given to the provider.
    Upload,
    /// The customer is told.
    Say,
    /// The provider is asked where a file is.
    Locate,
    /// The answer is the file.
    Fetch,
    /// The provider is told that something arrived; nobody minds if it fails.
    Courtesy,
    /// Is everything well?
    Check,
    /// The channel is set up.
    SetUp,
}

impl Step {
    pub(super) fn new(purpose: Purpose, method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            host: Host::Api,
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

    pub(super) fn with_host(self, host: Host) -> Self {
        Self { host, ..self }
    }

    /// Fetches a file from a public address, without credentials.
    pub(super) fn fetching(url: &str) -> Self {
        let step = Self::new(Purpose::Fetch, Method::Get, "/");
        Self { host: Host::Given(url.to_owned()), ..step }
    }

    pub(super) fn giving(self, pointer: &'static str) -> Self {
        Self { gives: Some(pointer), ..self }
    }

    pub(super) fn taking(self, slot: Slot) -> Self {
        Self { takes: Some(slot), ..self }
    }

    /// The path as it is sent. It may hold a token: never log, store or show it.
    pub fn path(&self) -> Secret {
        let token = self.token.as_ref().map_or("", Secret::expose);
        Secret::new(self.path.replace(TOKEN, token))
    }

    /// The path as it may be logged and shown.
    pub fn shown_path(&self) -> &str {
        &self.path
    }

    /// What the next step takes, out of the answer to this one.
    pub fn given(&self, answer: &[u8]) -> Option<String> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        match answer.pointer(self.gives?)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// This step with what the one before gave.
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
            // Whatever it holds, it stays below this path.
            Some(Slot::PathEnd) => {
                let parts = given.split('/').filter(|it| !it.is_empty() && !is_relative(it));
                let parts: Vec<_> = parts.map(escaped).collect();
                self.path.push_str(&parts.join("/"));
            }
            Some(Slot::Url) => self.host = Host::Given(given.to_owned()),
            None => {}
        }
        self
    }
}

pub(super) const TOKEN: &str = "{token}";

fn is_relative(part: &str) -> bool {
    part == "." || part == ".."
}

/// A text as one part of a path.
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

/// Without secrets and without what is said.
impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {:?} {}", self.purpose, self.method, self.host, self.path)
    }
}
