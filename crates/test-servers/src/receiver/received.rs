//! A webhook as it arrived.

use std::sync::Arc;
use std::time::Instant;

use confab_verify::standard::{self, Headers};
use serde_json::Value;

use crate::raw::Request;

/// One request, and how it was answered. What a webhook has and this one has not is zero or empty.
#[derive(Clone)]
pub struct Received {
    /// The delivery's.
    pub id: i64,
    /// The room's integer; empty where the notice has no room.
    pub room: String,
    /// Its place among those of its room and its receiver.
    pub sequence: u64,
    /// The first is 1.
    pub attempt: u32,
    /// `webhook-timestamp`, in seconds.
    pub timestamp: i64,
    /// How many webhooks led to it, itself included.
    pub depth: u32,
    /// When it was here.
    pub at: Instant,
    /// What it was answered with; zero before that and if it never was.
    pub status: u16,
    pub(super) request: Arc<Request>,
}

impl Received {
    pub(super) fn of(request: Request) -> Self {
        let number = |name: &str| -> i64 {
            let value = request.header(name).unwrap_or_default();
            value.trim_start_matches("msg_").parse().unwrap_or_default()
        };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        Self {
            id: number("webhook-id"),
            room: body["payload"]["room"]["id_str"].as_str().unwrap_or_default().to_owned(),
            sequence: number("webhook-sequence") as u64,
            attempt: number("webhook-attempt") as u32,
            timestamp: number("webhook-timestamp"),
            depth: number("webhook-depth") as u32,
            at: Instant::now(),
            status: 0,
            request: Arc::new(request),
        }
    }

    /// The receiver said that it has it.
    pub fn is_taken(&self) -> bool {
        self.status == 200
    }

    /// With its query.
    pub fn path(&self) -> &str {
        self.request.path()
    }

    /// A header that must be there.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.request.header(name).unwrap_or_else(|| panic!("{name} is there"))
    }

    /// Whether it has this header.
    pub fn has_header(&self, name: &str) -> bool {
        self.request.header(name).is_some()
    }

    /// The names of the headers that are the webhook's own, sorted.
    pub fn own_headers(&self) -> Vec<String> {
        let names = self.request.headers().map(|(name, _)| name.to_lowercase());
        let is_own = |name: &String| name.starts_with("webhook-") || name.starts_with("service-");
        let mut names: Vec<_> = names.filter(is_own).collect();
        names.sort_unstable();
        names
    }

    /// `webhook-id` and `webhook-attempt` as they were written.
    #[track_caller]
    pub fn id_and_attempt(&self) -> (&str, &str) {
        (self.header("webhook-id"), self.header("webhook-attempt"))
    }

    /// Byte for byte.
    pub fn body(&self) -> &[u8] {
        &self.request.body
    }

    /// The body, which must be text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.body()).expect("a body of text")
    }

    /// The body, which must be JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(self.body()).expect("a body of JSON")
    }

    /// This key signed it, by the header of the spec.
    #[track_caller]
    pub fn check_signature(&self, key: &str) {
        let signature = self.header("service-signature-key");
        assert_eq!(confab_verify::verify(key, self.body(), signature), Ok(()));
    }

    /// Whether a receiver that knows this key and looks at `service-signature-key` would take this
    /// body.
    pub fn fits_spec_header(&self, key: &str, body: &[u8]) -> bool {
        confab_verify::verify(key, body, self.header("service-signature-key")).is_ok()
    }

    /// Whether a receiver that knows this key and looks at `webhook-signature` would take this body
    /// at this second.
    pub fn fits_standard_header(&self, key: &str, body: &[u8], now_s: i64) -> bool {
        let headers = Headers {
            id: self.header("webhook-id"),
            timestamp: self.header("webhook-timestamp"),
            signature: self.header("webhook-signature"),
        };
        standard::verify(key, headers, body, now_s).is_ok()
    }
}
