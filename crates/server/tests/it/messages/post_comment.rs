//! `POST /post_comment`: its fields and its response (spec 2.1, 2.3, 4.1).

use confab_domain::decision::stamp::Stamps;
use confab_runtime::SystemStamps;
use serde_json::{Value, json};

use crate::support::answer::{keys, text};
use crate::support::test_server::TestServer;

#[tokio::test]
async fn the_response_to_a_text_message_is_a_complete_comment() {
    let server = TestServer::with_support_room().await;
    let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
    let results = server.post("post_comment", body).await.results();
    assert_eq!(keys(&results), ["comment"]);
    let comment = &results["comment"];
    let fields = [
        "extras",
        "id",
        "message",
        "payload",
        "timestamp",
        "type",
        "unique_id",
        "unique_temp_id",
        "user",
    ];
    assert_eq!(keys(comment), fields);
    assert_eq!(comment["message"], "hello");
    assert_eq!(comment["type"], "text");
    assert_eq!(comment["payload"], json!({}), "a text has an empty payload when posted");
    assert_eq!(comment["extras"], json!({}));
    let user = json!({
        "active": true, "user_id": "ana", "username": "Ana", "avatar_url": "", "extras": {},
    });
    assert_eq!(comment["user"], user);
}

#[tokio::test]
async fn a_comment_has_a_javascript_safe_integer_id_and_two_equal_unique_ids() {
    let server = TestServer::with_support_room().await;
    let comment = server.post_comment("ana", "support", "hello").await;
    let id = comment["id"].as_i64().expect("an integer");
    assert!((1..1 << 53).contains(&id), "{id}");
    assert_eq!(comment["unique_id"], comment["unique_temp_id"]);
    assert!(!text(&comment["unique_id"]).is_empty());
    let next = server.post_comment("bob", "support", "hello too").await;
    assert!(next["id"].as_i64() > Some(id), "ids rise within a room");
    assert_ne!(next["unique_id"], comment["unique_id"]);
}

#[tokio::test]
async fn a_timestamp_is_utc_in_seconds_with_a_z_suffix() {
    let server = TestServer::with_support_room().await;
    let clock = SystemStamps::new(1);
    let before = clock.now().unix_seconds();
    let comment = server.post_comment("ana", "support", "hello").await;
    let after = clock.now().unix_seconds();
    let written = text(&comment["timestamp"]);
    let pattern = "0000-00-00T00:00:00Z";
    let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
    assert_eq!(written.chars().map(digits).collect::<String>(), pattern);
    let time: jiff::Timestamp = written.parse().expect("a time");
    assert!((before..=after).contains(&time.as_second()), "{written}");
}

#[tokio::test]
async fn the_response_contains_the_senders_profile_with_extras() {
    let server = TestServer::with_support_room().await;
    let profile = json!({
        "user_id": "ana", "username": "Ana María", "avatar_url": "https://img.example/ana.png",
        "extras": {"level": 3},
    });
    server.post("login_or_register", profile).await.results();
    let comment = server.post_comment("ana", "support", "hello").await;
    let user = json!({
        "user_id": "ana", "username": "Ana María", "avatar_url": "https://img.example/ana.png",
        "active": true,
        "extras": {"level": 3},
    });
    assert_eq!(comment["user"], user);
}

#[tokio::test]
async fn type_defaults_to_text_when_it_is_empty_or_null() {
    let server = TestServer::with_support_room().await;
    for kind in [json!("text"), json!(""), Value::Null] {
        let body = json!({
            "user_id": "ana", "room_id": "support", "message": "hi", "type": kind,
            "payload": null, "extras": null,
        });
        let comment = server.post("post_comment", body).await.results()["comment"].take();
        assert_eq!(comment["type"], "text");
        assert_eq!((&comment["payload"], &comment["extras"]), (&json!({}), &json!({})));
    }
}

#[tokio::test]
async fn extras_are_returned_unchanged_when_posted_and_when_loaded() {
    let server = TestServer::with_support_room().await;
    for extras in [json!({"a": [1, null, "x"]}), json!([1, 2]), json!(7), json!(true)] {
        let body = json!({
            "user_id": "ana", "room_id": "support", "message": "hi", "extras": extras,
        });
        let results = server.post("post_comment", body).await.results();
        assert_eq!(results["comment"]["extras"], extras);
        assert_eq!(server.load_comments("support").await[0]["extras"], extras);
    }
}

#[tokio::test]
async fn every_missing_field_is_reported() {
    let server = TestServer::with_support_room().await;
    let refused = server.post("post_comment", json!({})).await.refused(400, "invalid_request");
    let expected = ["user_id is required", "room_id is required", "message is required"];
    assert_eq!(refused.details, expected);
    assert_eq!(refused.message, "user_id is required");
    for missing in ["user_id", "room_id", "message"] {
        let mut body = json!({"user_id": "ana", "room_id": "support", "message": "hi"});
        for absent in [json!(null), json!("")] {
            body[missing] = absent;
            let refused = server.post("post_comment", body.clone()).await;
            refused.refused(400, "invalid_request").says(missing);
        }
    }
    assert!(server.texts("support").await.is_empty());
}

#[tokio::test]
async fn a_message_of_4000_characters_is_accepted_and_one_of_4001_is_refused() {
    let server = TestServer::with_support_room().await;
    // Two bytes in UTF-8, and four: characters are counted, not bytes.
    for letter in ["é", "🙂"] {
        let longest = letter.repeat(4000);
        let comment = server.post_comment("ana", "support", &longest).await;
        assert_eq!(comment["message"], longest);
    }
    let body = json!({"user_id": "ana", "room_id": "support", "message": "é".repeat(4001)});
    let refused = server.post("post_comment", body).await.refused(400, "invalid_request");
    refused.says("message has 4001 characters, at most 4000 are allowed");
    assert_eq!(server.texts("support").await.len(), 2);
}

#[tokio::test]
async fn the_length_limit_applies_also_where_message_is_optional() {
    let server = TestServer::with_support_room().await;
    let body = |count: usize| {
        json!({
            "user_id": "ana", "room_id": "support", "type": "card", "message": "x".repeat(count),
            "payload": {"text": "a card"},
        })
    };
    server.post("post_comment", body(4000)).await.results();
    let refused = server.post("post_comment", body(4001)).await.refused(400, "invalid_request");
    refused.says("4001");
}

#[tokio::test]
async fn a_text_is_returned_unchanged_with_any_characters() {
    let server = TestServer::with_support_room().await;
    let texts = [
        "  spaces  ",
        "line\nbreak\ttab",
        "\"quotes\" \\ </script>",
        "مرحبا 👩‍👩‍👧 e\u{301}",
        "\u{feff}x",
    ];
    for text in texts {
        assert_eq!(server.post_comment("ana", "support", text).await["message"], text);
        assert_eq!(server.texts("support").await[0], text);
    }
}

#[tokio::test]
async fn a_message_is_listed_as_soon_as_its_post_returns() {
    let server = TestServer::with_support_room().await;
    for number in 0..50 {
        let text = format!("message {number}");
        server.post_comment("ana", "support", &text).await;
        assert_eq!(server.page("support", &[("limit", "1")]).await, [text]);
    }
}
