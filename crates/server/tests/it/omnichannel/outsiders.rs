//! External services that receive webhooks: a bot, an allocator, a gateway and some that only
//! record. Each has its own path at one receiver, and the first two call back before they answer.

use std::sync::Arc;

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::office::Office;

/// A kind of webhook and its documented body.
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

/// Returns the kind of a received webhook.
pub fn kind(received: &ReceivedRequest) -> &str {
    received.path().trim_start_matches('/')
}

/// Returns the body, after checking its signature and that its shape is as documented.
#[track_caller]
pub fn checked_body(received: &ReceivedRequest, secret_key: &str) -> Value {
    received.check_signature(secret_key);
    let (kind, body) = (kind(received), received.json());
    let golden = GOLDENS.iter().find(|it| it.0 == kind).expect("a kind").1;
    check_shape(kind, &body, &serde_json::from_str(golden).expect("JSON"));
    body
}

/// Starts the receiver of all services. It records a webhook after its service has handled it.
pub async fn outsiders_of(office: &Arc<Office>) -> Receiver {
    let office = office.clone();
    let receiver = Receiver::doing(move |received: ReceivedRequest| {
        let office = office.clone();
        async move {
            match kind(&received) {
                "bot" => answer_and_hand_over(&office, &received.json()).await,
                "agent_allocation" => assign(&office, &received.json()).await,
                _ => {}
            }
            200
        }
    });
    receiver.await
}

/// Returns the URL of the service for this kind of webhook.
pub fn url(outsiders: &Receiver, kind: &str) -> String {
    format!("{}/{kind}", outsiders.base)
}

/// Posts the bot's answer and hands the conversation over.
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

/// Assigns the candidate agent, except for the first message, which the bot answers.
async fn assign(office: &Office, body: &Value) {
    if body["is_new_session"] == false {
        let agent = &body["candidate_agent"];
        let wanted = json!({"room_id": body["room_id"], "agent_id": agent["id"]});
        let done = office.post("/api/v1/admin/service/assign_agent", wanted).await.data();
        assert_eq!(done["added_agent"]["id"], agent["id"]);
    }
}

/// The customer's number in the documented bodies.
const CUSTOMER: &str = "6281234567890";

/// Keys whose values may be null, by the spec or the wire facts.
const NULLABLE: [&str; 4] = ["avatar_url", "extras", "latest_service", "notes"];

/// Asserts that both values have the same keys and types at every level, including JSON within
/// strings.
#[track_caller]
fn check_shape(place: &str, found: &Value, golden: &Value) {
    let key = place.rsplit('.').next().unwrap_or_default();
    match (found, golden) {
        (_, Value::Null) => {}
        (Value::Null, _) => assert!(NULLABLE.contains(&key), "{place} is null"),
        (Value::Object(found), Value::Object(golden)) => {
            // Objects that callers provide may have any keys.
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

/// Asserts that both strings are JSON, ids or times alike.
#[track_caller]
fn check_text(place: &str, found: &str, golden: &str) {
    // User ids of customers depend on the provider.
    let is_id = (place.ends_with("id") || place.ends_with("_str")) && golden != CUSTOMER;
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
