//! Users search in their rooms (design/message-api).

use reqwest::Method;
use serde_json::json;

use crate::support::answer::each;
use crate::support::caller::{sent, with_query};
use crate::support::client::two_people;

#[tokio::test]
async fn texts_are_found_in_the_users_rooms_ignoring_case_newest_first() {
    let (server, ana, bob, room) = two_people().await;
    let second = server.create_room("second", &["ana", "bob"]).await;
    server.create_room("private", &["ana"]).await;
    let second = second["room_id"].as_str().expect("an id").to_owned();
    ana.says(&room, "The INVOICE", "1").await;
    bob.says(&second, "an invoice", "2").await;
    ana.says(&room, "nothing", "3").await;
    server.post_comment("ana", "private", "secret invoice").await;
    let found = async |body| {
        let results = bob.post("search", body).await.results();
        each(&results["comments"], "message").join(", ")
    };
    assert_eq!(found(json!({"query": "Invoice", "room_ids": []})).await, "an invoice, The INVOICE");
    let by_ana = json!({"query": "invoice", "sender": "ana", "type": "text"});
    assert_eq!(found(by_ana).await, "The INVOICE");
    let here = json!({"query": "invoice", "room_ids": [room], "room_type": "group"});
    assert_eq!(found(here).await, "The INVOICE");
    assert_eq!(found(json!({"query": "invoice", "limit": 1, "page": 2})).await, "The INVOICE");
    assert_eq!(found(json!({"query": "invoice", "is_public": true})).await, "");
    // The older call of qiscus-sdk-core is a form in which unset fields are empty.
    let form = [("query", "invoice"), ("room_id", ""), ("last_comment_id", "")];
    let results = bob.post_form("search_messages", &form).await.results();
    assert_eq!(each(&results["comments"], "message"), ["an invoice", "The INVOICE"]);
    // The Android SDK posts without a body.
    let by_query = with_query("search_messages", &[("query", "nothing"), ("room_id", &room)]);
    let results = sent(bob.request(Method::POST, &by_query)).await.results();
    assert_eq!(each(&results["comments"], "message"), ["nothing"]);
    for wrong in [json!("unknown"), json!(["text", "unknown"]), json!({"a": 1})] {
        let wrong = json!({"query": "x", "type": wrong});
        bob.post("search", wrong).await.refused(400, "invalid_request").says("type");
    }
}

#[tokio::test]
async fn types_can_be_a_text_or_a_list_and_results_have_page_limit_and_total() {
    let (_server, ana, bob, room) = two_people().await;
    ana.says(&room, "an invoice", "1").await;
    let card = json!({
        "topic_id": room, "comment": "x", "unique_temp_id": "2", "type": "card",
        "payload": {"text": "invoice card"},
    });
    ana.post("post_comment", card).await.results();
    ana.says(&room, "invoice again", "3").await;
    for (kinds, expected) in [
        (json!("text"), "3 1"),
        (json!(["text"]), "3 1"),
        (json!(["text", "card"]), "3 2 1"),
        (json!("[\"card\"]"), "2"),
        (json!([]), "3 2 1"),
        (json!([""]), "3 2 1"),
        (json!(""), "3 2 1"),
        (json!(null), "3 2 1"),
    ] {
        let body = json!({"query": "invoice", "type": kinds, "sender": "", "room_ids": []});
        let found = bob.post("search", body).await.results();
        assert_eq!(each(&found["comments"], "unique_temp_id").join(" "), expected, "{kinds}");
    }
    let body = json!({"query": "invoice", "page": 2, "limit": 1});
    let found = bob.post("search", body).await.results();
    assert_eq!(each(&found["comments"], "unique_temp_id"), ["2"]);
    assert_eq!(
        (&found["page"], &found["limit"], &found["total"]),
        (&2.into(), &1.into(), &3.into())
    );
    let files = bob.post("file_list", json!({"room_ids": [room]})).await.results();
    let said = (&files["page"], &files["limit"], &files["total"]);
    assert_eq!(said, (&1.into(), &20.into(), &0.into()));
}

#[tokio::test]
async fn files_can_be_filtered_by_sender_and_extension() {
    let (_server, ana, bob, room) = two_people().await;
    for (id, name) in [("1", "a.png"), ("2", "b.pdf"), ("3", "c.MP4")] {
        let url = format!("https://x.example/{name}");
        let body = json!({
            "topic_id": room, "comment": "file", "unique_temp_id": id,
            "type": "file_attachment", "payload": {"url": url, "caption": "x"},
        });
        ana.post("post_comment", body).await.results();
    }
    bob.says(&room, "no file", "4").await;
    let found = async |body| {
        let results = bob.post("file_list", body).await.results();
        each(&results["comments"], "unique_temp_id").join(" ")
    };
    assert_eq!(found(json!({"room_ids": [room], "sender": "ana"})).await, "3 2 1");
    assert_eq!(found(json!({"sender": "bob"})).await, "");
    assert_eq!(found(json!({"include_extensions": ["pdf", ".mp4"]})).await, "3 2");
    assert_eq!(found(json!({"exclude_extensions": ["pdf"]})).await, "3 1");
    assert_eq!(found(json!({"file_type": "image"})).await, "1");
    assert_eq!(found(json!({"file_type": "media", "limit": 1})).await, "3");
    assert_eq!(found(json!({"file_type": "doc"})).await, "2");
}
