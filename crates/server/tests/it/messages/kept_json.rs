//! The caller's JSON is stored as written: digits, key order and unknown keys (D-0013).

use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::test_server::TestServer;

async fn post_payload(server: &TestServer, kind: &str, payload: &str) -> Answer {
    let body = format!(
        r#"{{"user_id":"ana","room_id":"support","message":"m","type":"{kind}","payload":{payload}}}"#
    );
    server.post_text("post_comment", body).await
}

async fn loaded_text(server: &TestServer) -> String {
    server.get("load_comments", &[("room_id", "support"), ("limit", "1")]).await.text
}

#[tokio::test]
async fn custom_content_is_returned_byte_for_byte() {
    let server = TestServer::with_support_room().await;
    let contents = [
        "1.0",
        "12345678901234567890",
        "1.10",
        "1E5",
        "-0",
        "0.1000000000000000055511151231257827",
        "1e400",
        "null",
        "true",
        r#""<order id=\"1\">\n</order>""#,
        r#""\u00e9\/\u0000 \ud83d\ude42""#,
        "[]",
        "{}",
        r#"{"z":1.0,"a":12345678901234567890,"z2":{"deep":[1.50,{"x":[]}]}}"#,
    ];
    for content in contents {
        let payload = format!(r#""payload":{{"type":"promo","content":{content}}}"#);
        let object = payload.trim_start_matches(r#""payload":"#);
        let answer = post_payload(&server, "custom", object).await;
        assert_eq!(answer.status, 200, "{content}: {}", answer.text);
        assert!(answer.text.contains(&payload), "{payload} in {}", answer.text);
        let loaded = loaded_text(&server).await;
        assert!(loaded.contains(&payload), "{payload} in {loaded}");
    }
}

#[tokio::test]
async fn extras_are_returned_byte_for_byte() {
    let server = TestServer::with_support_room().await;
    let extras = r#""extras":{"b":1.0,"a":12345678901234567890}"#;
    let body = format!(r#"{{"user_id":"ana","room_id":"support","message":"m",{extras}}}"#);
    let answer = server.post_text("post_comment", body).await;
    assert!(answer.text.contains(extras), "{}", answer.text);
    let loaded = loaded_text(&server).await;
    assert!(loaded.contains(extras), "{loaded}");
}

#[tokio::test]
async fn a_custom_payload_in_a_json_string_is_returned_byte_for_byte() {
    let server = TestServer::with_support_room().await;
    let inner = r#"{"type":"promo","content":{"price":1.0,"id":12345678901234567890}}"#;
    let answer = post_payload(&server, "custom", &Value::from(inner).to_string()).await;
    assert!(answer.text.contains(&format!(r#""payload":{inner}"#)), "{}", answer.text);
}

#[tokio::test]
async fn unknown_payload_keys_are_returned_for_every_type_with_a_payload() {
    let server = TestServer::with_support_room().await;
    let first = server.post_comment("bob", "support", "first").await;
    let button = json!({"label": "x", "type": "postback", "my_key": {"n": 1}});
    let payloads = [
        ("account_linking", json!({"text": "t", "url": "https://a.example"})),
        ("button_postback_response", json!({"url": "https://a.example"})),
        ("buttons", json!({"text": "t", "buttons": [button]})),
        ("card", json!({"text": "t", "buttons": [button]})),
        ("carousel", json!({"cards": [{"title": "t", "buttons": [button], "my_key": 5}]})),
        ("contact_person", json!({"name": "n", "value": "v"})),
        ("custom", json!({"type": "t", "content": 1})),
        ("file_attachment", json!({"url": "https://a.example/f"})),
        ("location", json!({"latitude": 1, "longitude": 2})),
        ("reply", json!({"text": "t", "replied_comment_id": first["id"]})),
    ];
    for (kind, mut payload) in payloads {
        payload["my_key"] = json!({"of": ["mine", null]});
        let answer = post_payload(&server, kind, &payload.to_string()).await;
        let posted = answer.results()["comment"]["payload"].take();
        let loaded = server.load_comments("support").await[0]["payload"].take();
        for found in [posted, loaded] {
            assert_eq!(found["my_key"], payload["my_key"], "{kind}");
            let inner = payload["buttons"].get(0);
            assert_eq!(found["buttons"].get(0).map(|b| &b["my_key"]), inner.map(|b| &b["my_key"]));
            assert_eq!(found["cards"][0]["my_key"], payload["cards"][0]["my_key"]);
            let in_card = "/cards/0/buttons/0/my_key";
            assert_eq!(found.pointer(in_card), payload.pointer(in_card));
        }
    }
}

#[tokio::test]
async fn json_nested_up_to_the_limit_is_returned_unchanged() {
    let server = TestServer::with_support_room().await;
    // The body and the payload are two levels themselves.
    let content = "[".repeat(62) + &"]".repeat(62);
    let payload = format!(r#"{{"type":"deep","content":{content}}}"#);
    let answer = post_payload(&server, "custom", &payload).await;
    assert!(answer.text.contains(&payload), "{}", answer.text);
}
