//! Unusual values in any field never cause a 5xx response.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{sent, urlencoded};
use crate::support::client::{Client, two_people};

/// Calls with a body, and their fields.
const WRITES: [(&str, &[&str]); 20] = [
    ("post_comment", &["topic_id", "comment", "unique_temp_id", "type", "payload", "extras"]),
    ("update_message", &["unique_id", "comment", "payload", "extras"]),
    ("update_comment_status", &["room_id", "last_comment_read_id", "last_comment_received_id"]),
    ("create_room", &["name", "participants", "avatar_url", "options"]),
    ("update_room", &["id", "room_name", "avatar_url", "options"]),
    ("get_or_create_room_with_target", &["emails", "options", "distinct_id"]),
    ("get_or_create_room_with_unique_id", &["unique_id", "name", "avatar_url", "options"]),
    ("add_room_participants", &["room_id", "emails"]),
    ("remove_room_participants", &["room_id", "emails"]),
    ("rooms_info", &["room_id", "room_unique_id", "show_participants", "show_removed"]),
    ("block_user", &["user_email"]),
    ("unblock_user", &["user_email"]),
    ("users/status", &["user_ids"]),
    ("set_user_device_token", &["device_token", "device_platform", "is_development", "bundle_id"]),
    ("remove_user_device_token", &["device_token", "device_platform"]),
    ("search", &["query", "room_ids", "sender", "type", "last_comment_id", "page", "limit"]),
    ("search_messages", &["query", "room_id", "page", "limit"]),
    ("file_list", &["query", "room_id", "file_type", "include_extensions", "page"]),
    ("event_report", &["event", "message"]),
    ("realtime", &["topic"]),
];

const READS: [(&str, &[&str]); 10] = [
    ("load_comments", &["topic_id", "last_comment_id", "after", "limit", "timestamp"]),
    ("sync", &["last_received_comment_id", "limit"]),
    ("sync_event", &["start_event_id"]),
    ("comment_receipt", &["comment_id"]),
    ("user_rooms", &["page", "limit", "room_type", "show_participants", "show_empty"]),
    ("get_room_by_id", &["id"]),
    ("room_participants", &["room_unique_id", "offset", "page", "limit", "sorting"]),
    ("get_user_list", &["query", "page", "limit"]),
    ("get_blocked_users", &["page", "limit"]),
    ("get_room_unread_count", &["page"]),
];

/// Returns unusual values. The room exists, so that the code behind its lookup is reached.
fn unusual_values(room: &str) -> Vec<Value> {
    vec![
        json!(room),
        json!("\0"),
        json!("a\0b"),
        json!(format!("{room}\0")),
        json!(["\0"]),
        json!([room, "support\0"]),
        json!({"a": "\0", "\0": 1, "url": "\0", "text": "\0"}),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(0),
        json!(-1),
        json!(1.5),
        json!("9223372036854775807"),
        json!("99999999999999999999999999"),
        json!("%_!\\'\"; DROP TABLE rooms"),
        json!("\u{feff}\u{202e}\u{1f469}\u{200d}\u{fffd}"),
        json!("x".repeat(70_000)),
        json!([]),
        json!([[[]]]),
        json!(null),
        json!(true),
    ]
}

/// Returns a valid value of a field, or null.
fn usual(field: &str, room: &str) -> Value {
    match field {
        "topic_id" | "room_id" | "id" => json!(room),
        "emails" | "participants" | "user_ids" => json!(["bob"]),
        "user_email" => json!("bob"),
        "type" => json!("text"),
        "comment" | "name" | "query" | "device_token" => json!("some"),
        "unique_id" | "room_unique_id" => json!("support"),
        _ => Value::Null,
    }
}

async fn check(client: &Client, method: Method, call: &str, body: Value) {
    let request = client.request(method, call).header("Content-Type", "application/json");
    let answer = sent(request.body(body.to_string())).await;
    let shown: String = body.to_string().chars().take(200).collect();
    assert!(answer.status < 500, "{call} {shown}: {} {}", answer.status, answer.text);
}

#[tokio::test]
async fn unusual_values_in_bodies_cause_no_5xx() {
    let (server, ana, _, room) = two_people().await;
    ana.says(&room, "hello", "first").await;
    for (call, fields) in WRITES {
        for field in fields {
            for value in unusual_values(&room) {
                let with = |name: &&str| {
                    let value = if name == field { value.clone() } else { usual(name, &room) };
                    ((*name).to_owned(), value)
                };
                let body: Value = fields.iter().map(with).collect::<serde_json::Map<_, _>>().into();
                check(&ana, Method::POST, call, body).await;
            }
        }
    }
    for value in unusual_values(&room) {
        check(&ana, Method::PATCH, "my_profile", json!({"name": value})).await;
        check(&ana, Method::PATCH, "my_profile", json!({"extras": value})).await;
        check(&ana, Method::PATCH, "my_profile", json!({"avatar_url": value})).await;
        check(&ana, Method::DELETE, "delete_messages", json!({"unique_ids": value})).await;
        let rooms = json!({"room_channel_ids": value});
        check(&ana, Method::DELETE, "clear_room_messages", rooms).await;
        let login = json!({"email": "eve", "password": value, "username": value});
        check(&ana, Method::POST, "login_or_register", login).await;
        let token = json!({"identity_token": value});
        check(&ana, Method::POST, "auth/verify_identity_token", token).await;
    }
    server.texts("support").await;
}

#[tokio::test]
async fn unusual_values_in_queries_cause_no_5xx() {
    let (server, ana, _, room) = two_people().await;
    ana.says(&room, "hello", "first").await;
    for (call, fields) in READS {
        for field in fields {
            for value in unusual_values(&room) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if value.len() > 10_000 {
                    continue;
                }
                let with = |name: &&str| {
                    let usual = usual(name, &room).as_str().unwrap_or_default().to_owned();
                    ((*name).to_owned(), if name == field { value.clone() } else { usual })
                };
                let query: Vec<_> = fields.iter().map(with).filter(|it| !it.1.is_empty()).collect();
                let query: Vec<_> = query.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
                let answer = ana.get(call, &query).await;
                assert!(answer.status < 500, "{call} {query:?}: {} {}", answer.status, answer.text);
            }
        }
    }
    for bytes in ["token=%00", "token=%ff", "token=a%00b", "%00=%00"] {
        for path in ["/realtime", "/api/v2/sdk/sync", "/api/v2/mobile/user_rooms"] {
            let answer = sent(server.bare(Method::GET, &format!("{path}?{bytes}"))).await;
            assert!((400..500).contains(&answer.status), "{path}?{bytes}: {}", answer.status);
        }
    }
    let form = urlencoded(&[("topic_id", "\0"), ("comment", "\0")]) + "&%ff=%fe&a=%00";
    let request = ana.request(Method::POST, "post_comment");
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    assert!(sent(request.body(form)).await.status < 500);
}
