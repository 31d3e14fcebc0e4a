//! Hundreds of generated requests: no response is a 5xx, and every one is well formed.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::sent;
use crate::support::test_server::TestServer;

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        // Knuth's multiplier; only the high bits are random enough.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn text(&mut self) -> String {
        let words = [
            "",
            "ana",
            "bob",
            "support",
            "news",
            "text",
            "card",
            "reply",
            "custom",
            "a b",
            "\0",
            "é🙂",
            "{\"a\":1}",
            "[",
            "{",
            "null",
            "-1",
            "1e999",
            "javascript:x",
            "system@shop",
            "' OR 1=1",
            "\u{202e}",
            "single-",
            "../..",
            "%00",
            "9007199254740993",
        ];
        let word = self.pick(&words);
        if self.below(20) == 0 { word.repeat(3000) } else { word.to_owned() }
    }

    fn json(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => self.pick(&[json!(0), json!(-1), json!(u64::MAX), json!(1.5), json!(1e300)]),
            3..=6 => json!(self.text()),
            7 => (0..self.below(5)).map(|_| self.json(levels - 1)).collect(),
            _ => (0..self.below(5)).map(|_| (self.text(), self.json(levels - 1))).collect(),
        }
    }
}

/// Returns a valid body for each call.
fn valid_bodies() -> Vec<(Method, &'static str, Value)> {
    let button =
        json!({"label": "x", "type": "postback", "payload": {"url": "/", "method": "get"}});
    let post = |kind: &str, payload: Value| {
        json!({
            "user_id": "ana", "room_id": "support", "message": "m", "type": kind,
            "payload": payload, "extras": {"a": 1}, "unique_temp_id": null,
        })
    };
    let cards = json!({"cards": [{"title": "t", "default_action": {"type": "postback",
        "payload": {"url": "/"}}, "buttons": [button]}]});
    vec![
        (Method::POST, "post_comment", post("text", json!({}))),
        (Method::POST, "post_comment", post("buttons", json!({"text": "t", "buttons": [button]}))),
        (Method::POST, "post_comment", post("card", json!({"text": "t", "buttons": [button]}))),
        (Method::POST, "post_comment", post("carousel", cards)),
        (Method::POST, "post_comment", post("custom", json!({"type": "x", "content": [1.0]}))),
        (Method::POST, "post_comment", post("file_attachment", json!({"url": "/f", "size": 1}))),
        (Method::POST, "post_comment", post("location", json!({"latitude": 1, "longitude": 2}))),
        (Method::POST, "post_comment", post("contact_person", json!({"name": "n", "value": "v"}))),
        (Method::POST, "post_comment", post("account_linking", json!({"text": "t", "url": "/"}))),
        (
            Method::POST,
            "post_comment",
            post("reply", json!({"text": "t", "replied_comment_id": 1})),
        ),
        (Method::POST, "post_comment", post("button_postback_response", json!({"url": "/"}))),
        (
            Method::POST,
            "post_system_event_message",
            json!({"system_event_type": "custom", "room_id": "support", "message": "m",
                "payload": {}, "extras": {}}),
        ),
        (
            Method::POST,
            "broadcast",
            json!({"sender_user_id": "ana", "target_user_ids": ["bob"], "message": "m"}),
        ),
        (Method::DELETE, "delete_messages", json!({"unique_ids": ["a", "b"]})),
        (
            Method::POST,
            "login_or_register",
            json!({"user_id": "cid", "username": "C", "avatar_url": "/c", "extras": {}}),
        ),
        (Method::POST, "reset_user_token", json!({"user_id": "bob"})),
        (Method::DELETE, "deactivate_users", json!({"user_ids": ["cid"]})),
        (Method::POST, "reactivate_users", json!({"user_ids": ["cid"]})),
        (
            Method::POST,
            "create_room",
            json!({"room_name": "R", "participants": ["ana"], "creator": "bob", "unique_id": "r",
                "room_avatar_url": "/r", "room_options": "{}"}),
        ),
        (Method::POST, "update_room", json!({"room_id": "support", "room_name": "S"})),
        (Method::POST, "get_or_create_room_with_target", json!({"user_ids": ["ana", "bob"]})),
        (
            Method::POST,
            "get_or_create_channel",
            json!({"unique_id": "news", "participants": ["ana"], "room_name": "N"}),
        ),
        (Method::POST, "add_room_participants", json!({"room_id": "support", "user_ids": ["bob"]})),
        (Method::POST, "remove_room_participants", json!({"room_id": "news", "user_ids": ["bob"]})),
    ]
}

/// Changes a random part of a value.
fn change(dice: &mut Dice, value: &mut Value) {
    let goes_deeper = dice.below(3) > 0;
    match value {
        Value::Object(object) if goes_deeper && !object.is_empty() => {
            let keys: Vec<_> = object.keys().cloned().collect();
            let key = dice.pick(&keys);
            match dice.below(6) {
                0 => drop(object.remove(&key)),
                1 => drop(object.insert(dice.text(), dice.json(2))),
                _ => change(dice, &mut object[&key]),
            }
        }
        Value::Array(items) if goes_deeper && !items.is_empty() => {
            let at = dice.below(items.len());
            match dice.below(4) {
                0 => items.push(dice.json(2)),
                _ => change(dice, &mut items[at]),
            }
        }
        other => *other = dice.json(3),
    }
}

/// Returns the body as bytes, sometimes damaged.
fn written(dice: &mut Dice, body: &Value) -> Vec<u8> {
    let mut bytes = body.to_string().into_bytes();
    let at = dice.below(bytes.len());
    match dice.below(8) {
        0 => bytes.truncate(at),
        1 => bytes[at] = dice.below(256) as u8,
        2 => drop(bytes.splice(
            at..at,
            dice.pick(&[
                b"\\ud800".to_vec(),
                b"\0".to_vec(),
                b"1e999".to_vec(),
                b"[[[[".to_vec(),
                b"\"".to_vec(),
            ]),
        )),
        _ => {}
    }
    bytes
}

#[tokio::test]
async fn no_generated_body_causes_a_5xx() {
    let server = TestServer::with_support_room().await;
    let mut dice = Dice(20_260_131);
    let bodies = valid_bodies();
    let mut taken = 0;
    for round in 0..600 {
        let (method, call, mut body) = bodies[round % bodies.len()].clone();
        for _ in 0..dice.below(3) {
            change(&mut dice, &mut body);
        }
        let bytes = written(&mut dice, &body);
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let kinds = [
            "application/json",
            "application/json",
            "application/json",
            "application/x-www-form-urlencoded",
        ];
        let request = server.request(method, call).header("Content-Type", dice.pick(&kinds));
        let answer = sent(request.body(bytes)).await;
        assert!(answer.status < 500, "round {round}: {call} {shown}: {}", answer.text);
        if answer.status == 200 {
            taken += 1;
            answer.results();
        } else {
            let code = answer.json()["error"]["code"].as_str().expect("a code").to_owned();
            answer.refused(answer.status, &code);
        }
    }
    assert!((50..550).contains(&taken), "some bodies are accepted and some refused: {taken}");
    server.get("load_comments", &[("room_id", "support")]).await.results();
    server.ready().await;
}

#[tokio::test]
async fn no_generated_query_causes_a_5xx() {
    let server = TestServer::with_support_room().await;
    let mut dice = Dice(7);
    let calls = [
        "load_comments",
        "load_comments_with_range",
        "user_profile",
        "get_user_token",
        "get_user_list",
        "get_user_unread_count",
        "get_rooms_info",
        "get_room_participants",
        "get_user_rooms",
        "get_unread_count",
    ];
    let names = [
        "room_id",
        "user_id",
        "page",
        "limit",
        "first_comment_id",
        "last_comment_id",
        "user_ids[]",
        "room_ids[]",
        "room_channel_ids[]",
        "order_query",
        "show_all",
        "room_type",
        "[",
        "",
    ];
    for round in 0..400 {
        let call = calls[round % calls.len()];
        let fields: Vec<_> = (0..dice.below(6))
            .map(|_| (dice.pick(&names), dice.text().chars().take(500).collect::<String>()))
            .collect();
        let query: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = server.get(call, &query).await;
        assert!(answer.status < 500, "{call} {query:?}: {}", answer.text);
    }
}
