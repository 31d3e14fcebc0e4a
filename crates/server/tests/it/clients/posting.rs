//! Users post, edit and load messages.

use reqwest::Method;
use serde_json::json;

use crate::support::answer::{each, keys};
use crate::support::caller::{sent, with_json};
use crate::support::client::two_people;

/// Keys of a message (wire facts 4.3).
const COMMENT: [&str; 34] = [
    "comment_before_id",
    "comment_before_id_str",
    "disable_link_preview",
    "email",
    "extras",
    "id",
    "id_str",
    "is_deleted",
    "is_public_channel",
    "message",
    "payload",
    "room_avatar",
    "room_id",
    "room_id_str",
    "room_name",
    "room_type",
    "status",
    "timestamp",
    "topic_id",
    "topic_id_str",
    "type",
    "unique_temp_id",
    "unix_nano_timestamp",
    "unix_timestamp",
    "user_avatar",
    "user_avatar_url",
    "user_extras",
    "user_id",
    "user_id_str",
    "username",
    // Additional keys of sync and realtime (wire facts 4.4).
    "chat_type",
    "created_at",
    "raw_room_name",
    "room_options",
];

#[tokio::test]
async fn a_posted_message_is_returned_with_all_keys_that_the_sdks_read() {
    let (_server, ana, _, room) = two_people().await;
    let comment = ana.says(&room, "hello", "javascript-1").await;
    assert_eq!(comment["message"], "hello");
    assert_eq!(comment["email"], "ana");
    assert_eq!(comment["unique_temp_id"], "javascript-1");
    assert_eq!(comment["room_id_str"], room);
    assert_eq!(comment["topic_id"], comment["room_id"]);
    assert_eq!((&comment["type"], &comment["status"]), (&json!("text"), &json!("sent")));
    assert_eq!((&comment["payload"], &comment["extras"]), (&json!({}), &json!({})));
    assert_eq!(comment["comment_before_id"], 0);
    assert_eq!(comment["room_type"], "group");
    assert_eq!(comment["is_deleted"], false);
    for key in COMMENT {
        assert!(keys(&comment).contains(&key), "{key}");
    }
    assert!(comment["user_avatar"]["avatar"]["url"].is_string());
}

#[tokio::test]
async fn repeated_posts_with_one_unique_id_store_one_message() {
    let (server, ana, bob, room) = two_people().await;
    let first = ana.says(&room, "hello", "once").await;
    for _ in 0..3 {
        assert_eq!(ana.says(&room, "hello", "once").await, first);
    }
    let other = json!({"comment": "hello again", "topic_id": room, "unique_temp_id": "once"});
    let refused = ana.post("post_comment", other).await;
    refused.refused(409, "unique_id_taken").says("another text.");
    assert_eq!(server.texts("support").await, ["hello"]);
    // Another user who uses the same id does not see the message.
    let body = json!({"comment": "mine", "topic_id": room, "unique_temp_id": "once"});
    let refused = bob.post("post_comment", body).await;
    refused.refused(409, "unique_id_taken").says("another sender.");
    assert!(!refused.text.contains("hello"));
}

#[tokio::test]
async fn both_base_paths_and_both_encodings_work() {
    let (server, ana, bob, room) = two_people().await;
    let form = [("topic_id", room.as_str()), ("comment", "by form"), ("unique_temp_id", "f")];
    ana.post_form("post_comment", &form).await.results();
    let mobile = server
        .bare(Method::GET, &format!("/api/v2/mobile/load_comments?topic_id={room}"))
        .header("SERVICE-SDK-APP-ID", "shop")
        .header("SERVICE_SDK_USER_EMAIL", "bob")
        .header("SERVICE-SDK-TOKEN", &bob.token);
    let results = sent(mobile).await.results();
    assert_eq!(each(&results["comments"], "message"), ["by form"]);
    let nobody = server.bare(Method::GET, "/api/v2/mobile/sync");
    sent(nobody).await.refused(403, "unauthorized");
}

#[tokio::test]
async fn errors_name_all_invalid_fields_as_the_client_sent_them() {
    let (_server, ana, _, _) = two_people().await;
    let refused = ana.post("post_comment", json!({"type": "text"})).await;
    let refused = refused.refused(400, "invalid_request");
    refused.says("topic_id");
    refused.says("comment is required");
    let wrong = json!({"unique_ids": [], "is_delete_for_everyone": "perhaps"});
    let refused = ana.delete("delete_messages", wrong).await.refused(400, "invalid_request");
    refused.says("unique_ids");
    refused.says("is_delete_for_everyone must be true or false");
    ana.get("load_comments", &[]).await.refused(400, "invalid_request").says("topic_id");
    ana.get("comment_receipt", &[]).await.refused(400, "invalid_request").says("comment_id");
    ana.post("search", json!({})).await.refused(400, "invalid_request").says("query");
    let odd = [("last_received_comment_id", "x")];
    ana.get("sync", &odd).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn an_edited_text_is_shown_in_both_apis_and_only_its_sender_can_edit_it() {
    let (server, ana, bob, room) = two_people().await;
    ana.says(&room, "helo", "typo").await;
    assert_eq!(server.texts("support").await, ["helo"], "the page is cached now");
    let body = json!({
        "token": ana.token, "comment": "hello", "unique_id": "typo", "extras": {"edited": 1},
    });
    let comment = ana.post("update_message", body.clone()).await.results()["comment"].take();
    assert_eq!(
        (&comment["message"], &comment["unique_temp_id"]),
        (&json!("hello"), &json!("typo"))
    );
    assert_eq!(comment["extras"], json!({"edited": 1}));
    assert_eq!(server.texts("support").await, ["hello"]);
    assert_eq!(bob.texts(&room).await, ["hello"]);
    bob.post("update_message", body).await.refused(403, "not_your_message");
    let unknown = json!({"comment": "x", "unique_id": "unknown"});
    ana.post("update_message", unknown).await.refused(404, "message_not_found");
    let wrong = json!({"comment": "x".repeat(4001), "unique_id": "typo"});
    ana.post("update_message", wrong).await.refused(400, "invalid_request").says("comment");
    server.delete_messages(&["typo"]).await.results();
    let gone = json!({"comment": "back", "unique_id": "typo"});
    ana.post("update_message", gone).await.refused(404, "message_not_found");
    assert!(bob.texts(&room).await.is_empty());
}

#[tokio::test]
async fn an_edit_keeps_the_message_type_and_validates_the_payload() {
    let (_server, ana, _, room) = two_people().await;
    let card = json!({
        "topic_id": room, "comment": "", "unique_temp_id": "c", "type": "card",
        "payload": {"text": "one", "image": "https://x.example/a.png", "title": "T",
            "description": "D"},
    });
    ana.post("post_comment", card).await.results();
    let edit = json!({"unique_id": "c", "payload": {"text": "two"}});
    let comment = ana.post("update_message", edit).await.results()["comment"].take();
    assert_eq!((&comment["type"], &comment["message"]), (&json!("card"), &json!("two")));
    let wrong = json!({"unique_id": "c", "payload": {"text": 5}});
    ana.post("update_message", wrong).await.refused(400, "invalid_request").says("payload.text");
    // Without a payload the message keeps its old one.
    let extras = json!({"unique_id": "c", "extras": {"a": 1}});
    let comment = ana.post("update_message", extras).await.results()["comment"].take();
    assert_eq!((&comment["message"], &comment["extras"]), (&json!("two"), &json!({"a": 1})));
}

#[tokio::test]
async fn messages_are_loaded_before_or_after_a_message_newest_first() {
    let (_server, ana, bob, room) = two_people().await;
    let mut ids = Vec::new();
    for text in 1..=30 {
        let comment = ana.says(&room, &text.to_string(), &format!("u{text}")).await;
        ids.push(comment["id"].to_string());
    }
    let texts = async |query: &[(&str, &str)]| {
        let comments = bob.comments(&room, query).await;
        let texts: Vec<_> = each(&comments, "message").into_iter().map(str::to_owned).collect();
        texts.join(" ")
    };
    assert_eq!(texts(&[("limit", "3")]).await, "30 29 28");
    assert_eq!(texts(&[("last_comment_id", &ids[27]), ("limit", "3")]).await, "27 26 25");
    let after = [("last_comment_id", ids[10].as_str()), ("after", "true"), ("limit", "3")];
    assert_eq!(texts(&after).await, "14 13 12");
    assert_eq!(texts(&[("after", "true"), ("limit", "2")]).await, "2 1");
    let last = [("last_comment_id", ids[29].as_str()), ("after", "true")];
    assert_eq!(texts(&last).await, "");
    assert_eq!(bob.comments(&room, &[]).await.as_array().map(Vec::len), Some(20));
    assert_eq!(texts(&[("timestamp", "1"), ("limit", "3")]).await, "");
    let early = [("timestamp", "1"), ("after", "1"), ("limit", "2")];
    assert_eq!(texts(&early).await, "2 1");
}

#[tokio::test]
async fn only_the_client_api_accepts_payload_as_the_content_of_custom_messages() {
    let (server, ana, bob, room) = two_people().await;
    let payload = json!({"type": "promo", "payload": {"price": 1.50}});
    for (id, base) in [("1", "sdk"), ("2", "mobile")] {
        let body = json!({
            "topic_id": room, "comment": "a promo", "unique_temp_id": id, "type": "custom",
            "payload": payload,
        });
        let request = ana.caller.bare(Method::POST, &format!("/api/v2/{base}/post_comment"));
        let request = request.header("SERVICE-SDK-TOKEN", &ana.token);
        let posted = sent(with_json(request, &body)).await.results();
        assert_eq!(posted["comment"]["payload"], payload, "{base}");
    }
    assert_eq!(bob.comments(&room, &[]).await[0]["payload"], payload);
    let edited = json!({"unique_id": "1", "payload": {"type": "promo", "payload": [2]}});
    let edited = ana.post("update_message", edited).await.results();
    assert_eq!(edited["comment"]["payload"], json!({"type": "promo", "payload": [2]}));
    for wrong in [json!({"type": "promo"}), json!({"payload": 1}), json!({"type": 5, "payload": 1})]
    {
        let body = json!({"topic_id": room, "comment": "x", "type": "custom", "payload": wrong});
        ana.post("post_comment", body).await.refused(400, "invalid_request").says("payload.");
    }
    // The message API keeps spec 2.2.
    let refused = server.post_typed("ana", "support", "custom", payload).await;
    refused.refused(400, "invalid_request").says("payload.content is required");
}
