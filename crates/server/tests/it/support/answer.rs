//! A response of the server, with checks of the body shapes of each API.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// A response: status, headers, and the body as text.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub async fn of(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, text: response.text().await.expect("a body of text") }
    }

    /// Returns a header's value, or an empty string if the header is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("plain text"))
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// Returns the results of a success: exactly `{results, status}`, status 200 (spec 4.1).
    #[track_caller]
    pub fn results(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json");
        let mut json = self.json();
        assert_eq!(keys(&json), ["results", "status"]);
        assert_eq!(json["status"], 200);
        json["results"].take()
    }

    /// Returns the data of a webhook API success: exactly `{data, status}`, status 200.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json");
        let mut json = self.json();
        assert_eq!(keys(&json), ["data", "status"]);
        assert_eq!(json["status"], 200);
        json["data"].take()
    }

    /// Returns the error of a failure, in exactly the format of design/message-api, with this
    /// status and code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Refused {
        let error = self.failure("error", status, code);
        assert_eq!(keys(&error), ["code", "detailed_messages", "message", "request_id"]);
        assert_eq!(error["request_id"], self.header("x-request-id"));
        Refused::read(&error)
    }

    /// Returns the error of a failure of the omnichannel and webhook APIs.
    #[track_caller]
    pub fn errors(&self, status: u16, code: &str) -> Refused {
        let errors = self.failure("errors", status, code);
        assert_eq!(keys(&errors), ["code", "detailed_messages", "message"]);
        assert_ne!(self.header("x-request-id"), "");
        Refused::read(&errors)
    }

    /// Returns the error of a failure, in the shape of the API that `path` belongs to.
    #[track_caller]
    pub fn refused_at(&self, path: &str, status: u16, code: &str) -> Refused {
        if path.starts_with("/whatsapp/") {
            return self.service_error(status, code);
        }
        let chat = ["rest", "sdk", "mobile"];
        let is_chat = chat.iter().any(|it| path.starts_with(&format!("/api/v2/{it}/")));
        let is_api = path.starts_with("/api/v1/") || path.starts_with("/api/v2/") && !is_chat;
        let starts = ["/{app_code}/", "/bot/", "/api/v3/admin/"];
        match is_api || starts.iter().any(|start| path.starts_with(start)) {
            true => self.errors(status, code),
            false => self.refused(status, code),
        }
    }

    /// Returns the error of a failure of the WhatsApp-compatible calls (D-0155).
    #[track_caller]
    pub fn service_error(&self, status: u16, kind: &str) -> Refused {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json");
        let json = self.json();
        let error = &json["error"];
        assert_eq!(keys(error), ["code", "error_data", "fbtrace_id", "message", "type"]);
        assert_eq!(error["type"], kind, "{}", self.text);
        assert_eq!(error["fbtrace_id"], self.header("x-request-id"));
        let details = vec![text(&error["error_data"]["details"]).to_owned()];
        Refused { message: text(&error["message"]).to_owned(), details }
    }

    #[track_caller]
    fn failure(&self, name: &str, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json");
        let mut json = self.json();
        assert_eq!(keys(&json), [name, "status"]);
        assert_eq!(json["status"], status);
        assert_eq!(json[name]["code"], code, "{}", self.text);
        json[name].take()
    }
}

/// Message and details of an error response.
#[derive(Debug)]
pub struct Refused {
    pub message: String,
    pub details: Vec<String>,
}

impl Refused {
    #[track_caller]
    fn read(error: &Value) -> Self {
        let text = |value: &Value| value.as_str().expect("a string").to_owned();
        let details = error["detailed_messages"].as_array().expect("a list");
        assert!(!details.is_empty(), "{error}");
        let refused =
            Self { message: text(&error["message"]), details: details.iter().map(text).collect() };
        assert!(!refused.message.is_empty(), "{error}");
        refused
    }

    /// Asserts that some detail contains `part`.
    #[track_caller]
    pub fn says(&self, part: &str) {
        assert!(self.details.iter().any(|detail| detail.contains(part)), "{part:?} in {self:?}");
    }
}

/// Returns the keys of a JSON object, sorted.
#[track_caller]
pub fn keys(object: &Value) -> Vec<&str> {
    let object = object.as_object().unwrap_or_else(|| panic!("no object: {object}"));
    let mut keys: Vec<_> = object.keys().map(String::as_str).collect();
    keys.sort();
    keys
}

/// Returns the items of a JSON array.
#[track_caller]
pub fn items(list: &Value) -> &[Value] {
    list.as_array().unwrap_or_else(|| panic!("no list: {list}"))
}

/// Returns the string at `key` of each item of a JSON array.
#[track_caller]
pub fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    items(list).iter().map(|item| text(&item[key])).collect()
}

/// Returns the text of a JSON string.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no string: {value}"))
}
