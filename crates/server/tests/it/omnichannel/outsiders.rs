//! Those outside who are told: a bot, an allocator, a gateway and some who only listen. Each has a
//! real HTTP address of its own, and the first two call back before they answer.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::people::office::Office;
use crate::answer::text;

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A kind of webhook and a body of it as it is written down.
type Golden = (&'static str, &'static str);

macro_rules! golden {
    ($kind:literal) => {
        ($kind, include_str!(concat!("../../../../wire/src/webhooks/golden/", $kind, ".json")))
    };
}

const GOLDENS: [Golden; 7] = [
    golden!("new_session"),
    golden!("agent_allocation"),
    golden!("bot"),
    golden!("channel_message"),
    golden!("custom_button"),
    golden!("mark_as_resolved"),
    golden!("logout"),
];

/// A webhook as it arrived.
pub struct Letter {
    pub kind: &'static str,
    headers: HeaderMap,
    bytes: Bytes,
}

impl Letter {
    /// The delivery's id.
    pub fn id(&self) -> i64 {
        let id = self.header("webhook-id").strip_prefix("msg_");
        id.and_then(|id| id.parse().ok()).expect("the id of a delivery")
    }

    /// Its place among those of its room and its receiver.
    pub fn sequence(&self) -> usize {
        self.header("webhook-sequence").parse().expect("a number")
    }

    /// The body, which is signed and as it is written down.
    #[track_caller]
    pub fn body(&self, secret_key: &str) -> Value {
        let signature = self.header("service-signature-key");
        assert_eq!(confab_verify::verify(secret_key, &self.bytes, signature), Ok(()));
        let golden = GOLDENS.iter().find(|it| it.0 == self.kind).expect("a kind").1;
        let body = self.json();
        check_shape(self.kind, &body, &serde_json::from_str(golden).expect("JSON"));
        body
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("text")
    }
}

/// All of them, and what they got.
pub struct Outsiders {
    urls: Vec<(&'static str, String)>,
    letters: mpsc::UnboundedReceiver<Letter>,
}

impl Outsiders {
    pub async fn of(office: &Arc<Office>) -> Self {
        let (got, letters) = mpsc::unbounded_channel();
        let mut urls = Vec::new();
        for (kind, _) in GOLDENS {
            let (office, got) = (office.clone(), got.clone());
            let handler = move |headers: HeaderMap, bytes: Bytes| async move {
                let letter = Letter { kind, headers, bytes };
                match kind {
                    "bot" => answer_and_hand_over(&office, &letter.json()).await,
                    "agent_allocation" => assign(&office, &letter.json()).await,
                    _ => {}
                }
                let _ = got.send(letter);
            };
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            urls.push((kind, format!("http://{address}/hook")));
            let router = Router::new().fallback(handler);
            tokio::spawn(async move { axum::serve(listener, router).await });
        }
        Self { urls, letters }
    }

    /// Where this kind of webhook is waited for.
    pub fn url(&self, kind: &str) -> &str {
        &self.urls.iter().find(|it| it.0 == kind).expect("a kind").1
    }

    /// The next webhook, of which its receiver has done what it does.
    pub async fn next(&mut self) -> Letter {
        let next = tokio::time::timeout(PATIENCE, self.letters.recv());
        next.await.expect("a webhook arrives").expect("the receivers run")
    }

    /// Nothing came that was not taken.
    pub fn is_empty(&mut self) -> bool {
        self.letters.try_recv().is_err()
    }
}

/// The bot.
async fn answer_and_hand_over(office: &Office, body: &Value) {
    let (app, room) = (text(&body["app_code"]), text(&body["payload"]["room"]["id"]));
    let answer = json!({
        "sender_email": format!("{app}_admin@bot.example"), "room_id": room, "type": "text",
        "message": "I am a bot. A person will come.",
    });
    office.post(&format!("/{app}/bot"), answer).await.data();
    let hand_over = json!({"is_active": false});
    let handled = office.post(&format!("/bot/{room}/activate"), hand_over).await.data();
    assert_eq!(handled["is_handled_by_bot"], false);
}

/// The allocator: a first message is the bot's.
async fn assign(office: &Office, body: &Value) {
    if body["is_new_session"] == false {
        let agent = &body["candidate_agent"];
        let wanted = json!({"room_id": body["room_id"], "agent_id": agent["id"]});
        let done = office.post("/api/v1/admin/service/assign_agent", wanted).await.data();
        assert_eq!(done["added_agent"]["id"], agent["id"]);
    }
}

/// What may be null, by the spec or the wire facts.
const NULLABLE: [&str; 4] = ["avatar_url", "extras", "latest_service", "notes"];

/// The same keys with the same types, all the way down, also in JSON that stands in a text.
#[track_caller]
fn check_shape(place: &str, found: &Value, golden: &Value) {
    let key = place.rsplit('.').next().unwrap_or_default();
    match (found, golden) {
        (_, Value::Null) => {}
        (Value::Null, _) => assert!(NULLABLE.contains(&key), "{place} is null"),
        (Value::Object(found), Value::Object(golden)) => {
            // What is the caller's own may have any keys.
            if key == "extras" || golden.is_empty() {
                return;
            }
            assert!(found.keys().eq(golden.keys()), "{place}: {found:?} like {golden:?}");
            for (key, value) in found {
                check_shape(&format!("{place}.{key}"), value, &golden[key]);
            }
        }
        (Value::Array(found), Value::Array(golden)) => {
            found.iter().for_each(|item| check_shape(place, item, &golden[0]));
        }
        (Value::String(found), Value::String(golden)) => check_text(place, found, golden),
        (found, golden) => {
            let kind = std::mem::discriminant::<Value>;
            assert_eq!(kind(found), kind(golden), "{place}: {found} like {golden}");
        }
    }
}

/// JSON like JSON, ids like ids, times like times.
#[track_caller]
fn check_text(place: &str, found: &str, golden: &str) {
    let is_id = place.ends_with("id") || place.ends_with("_str");
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if golden.starts_with('{') {
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON in a text");
        check_shape(place, &read(found), &read(golden));
    } else if is_id && is_number(golden) {
        assert!(is_number(found), "{place}: {found} like {golden}");
    } else if golden.starts_with("2026-") {
        assert_eq!(found.len(), golden.len(), "{place}: {found} like {golden}");
    }
}
