//! A webhook as it arrived.

use std::sync::Arc;
use std::time::Instant;

use confab_verify::standard::{self, Headers};
use serde_json::Value;

use crate::raw::Request;

/// One request and its response. Values that this webhook does not have are zero or empty.
#[derive(Clone)]
pub struct ReceivedRequest {
    /// Id of the delivery.
    pub id: i64,
    /// Integer id of the room; empty if the event has no room.
    pub room: String,
    /// Position among the deliveries of its room and receiver.
    pub sequence: u64,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// `webhook-timestamp`, in seconds.
    pub timestamp: i64,
    /// Number of webhooks in the chain that caused it, including this one.
    pub depth: u32,
    /// Time of arrival.
    pub at: Instant,
    /// Status of the response; 0 before it was sent.
    pub status: u16,
    pub(super) request: Arc<Request>,
}

impl ReceivedRequest {
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

    /// Whether the receiver accepted it.
    pub fn is_taken(&self) -> bool {
        self.status == 200
    }

    /// Returns the path with its query.
    pub fn path(&self) -> &str {
        self.request.path()
    }

    /// Returns a header. Panics if it is missing.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.request.header(name).unwrap_or_else(|| panic!("the webhook has no header {name}"))
    }

    /// Whether it has this header.
    pub fn has_header(&self, name: &str) -> bool {
        self.request.header(name).is_some()
    }

    /// Returns the names of the webhook's own headers, sorted.
    pub fn own_headers(&self) -> Vec<String> {
        let names = self.request.headers().map(|(name, _)| name.to_lowercase());
        let is_own = |name: &String| name.starts_with("webhook-") || name.starts_with("service-");
        let mut names: Vec<_> = names.filter(is_own).collect();
        names.sort_unstable();
        names
    }

    /// Returns `webhook-id` and `webhook-attempt` as they arrived.
    #[track_caller]
    pub fn id_and_attempt(&self) -> (&str, &str) {
        (self.header("webhook-id"), self.header("webhook-attempt"))
    }

    /// Returns the body, byte for byte.
    pub fn body(&self) -> &[u8] {
        &self.request.body
    }

    /// Returns the body, which must be text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.body()).expect("a body of text")
    }

    /// Returns the body, which must be JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(self.body()).expect("a body of JSON")
    }

    /// Asserts that this key signed it, by the header of the spec.
    #[track_caller]
    pub fn check_signature(&self, key: &str) {
        let signature = self.header("service-signature-key");
        assert_eq!(confab_verify::verify(key, self.body(), signature), Ok(()));
    }

    /// Whether a receiver with this key that checks `service-signature-key` would accept this body.
    pub fn fits_spec_header(&self, key: &str, body: &[u8]) -> bool {
        confab_verify::verify(key, body, self.header("service-signature-key")).is_ok()
    }

    /// Whether a receiver with this key that checks `webhook-signature` would accept this body at
    /// this Unix time.
    pub fn fits_standard_header(&self, key: &str, body: &[u8], now_s: i64) -> bool {
        let headers = Headers {
            id: self.header("webhook-id"),
            timestamp: self.header("webhook-timestamp"),
            signature: self.header("webhook-signature"),
        };
        standard::verify(key, headers, body, now_s).is_ok()
    }
}
