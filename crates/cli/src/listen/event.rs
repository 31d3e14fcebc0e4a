//! A webhook as the server sends it to `confab listen`.

use std::collections::BTreeMap;

use confab_verify::{Reason, header_name, why};
use serde::Deserialize;
use serde_json::Value;

use crate::inert_text::inert_line;
use crate::webhooks::short_time;

/// One webhook. No `Debug`: the body contains messages and keys, and is never printed.
#[derive(Deserialize)]
pub(super) struct ShownEvent {
    pub(super) kind: String,
    #[serde(default)]
    room_id: Value,
    created_at: String,
    /// HTTP headers that a webhook receiver would get, including the signatures.
    pub(super) headers: BTreeMap<String, String>,
    /// Raw body, over which the signatures are computed.
    pub(super) body: String,
}

impl ShownEvent {
    /// Returns a line with time, kind, room, and whether the signature is valid.
    pub(super) fn line(&self, secret_key: &str) -> String {
        let room = match &self.room_id {
            Value::Null => "no room".to_owned(),
            Value::String(room) => format!("room {room}"),
            other => format!("room {other}"),
        };
        let signature = match self.signature_problem(secret_key) {
            None => "signature ok".to_owned(),
            Some(problem) => format!("signature NOT ok: {problem}"),
        };
        let time = short_time(&self.created_at);
        inert_line(&format!("{time}  {}  {room}  {signature}", self.kind))
    }

    /// Returns a description of the first invalid signature. There is one signature per brand.
    fn signature_problem(&self, secret_key: &str) -> Option<String> {
        let ending = header_name("");
        let is_signature = |name: &String| name.to_lowercase().ends_with(&ending);
        let mut signatures = self.headers.iter().filter(|(name, _)| is_signature(name)).peekable();
        if signatures.peek().is_none() {
            return Some(Reason::Empty.advice());
        }
        let reason = |value: &String| why(secret_key, self.body.as_bytes(), value);
        let mut reasons = signatures.map(|(_, value)| reason(value));
        reasons.find(|reason| *reason != Reason::Fits).map(|reason| reason.advice())
    }
}

#[cfg(test)]
mod tests {
    use confab_verify::sign;
    use serde_json::json;

    use super::*;

    fn event(room_id: Value, headers: Value) -> ShownEvent {
        let event = json!({
            "id": 1,
            "kind": "bot",
            "room_id": room_id,
            "created_at": "2026-11-15T10:00:00.000000Z",
            "headers": headers,
            "body": "{\"n\":1.0}",
        });
        serde_json::from_value(event).expect("an event")
    }

    #[test]
    fn a_signature_of_the_raw_body_is_valid() {
        let signature = sign("the-key", br#"{"n":1.0}"#);
        let both = json!({"service-signature-key": signature, "other-signature-key": signature});
        let line = event(json!("55"), both).line("the-key");
        assert_eq!(line, "2026-11-15 10:00:00  bot  room 55  signature ok");
        let line = event(Value::Null, json!({"Service-Signature-Key": signature}));
        assert!(line.line("the-key").ends_with("no room  signature ok"));
    }

    #[test]
    fn an_invalid_or_missing_signature_is_reported_without_showing_the_key() {
        let good = sign("the-key", br#"{"n":1.0}"#);
        let changed = sign("the-key", br#"{"n":1}"#);
        for headers in [
            json!({}),
            json!({"service-signature-key": changed}),
            json!({"a-signature-key": good, "b-signature-key": changed}),
            json!({"service-signature-key": sign("another-key", br#"{"n":1.0}"#)}),
        ] {
            let line = event(json!(55), headers).line("the-key");
            assert!(line.contains("room 55  signature NOT ok: "), "{line}");
            assert!(!line.contains("the-key"), "{line}");
        }
    }
}
