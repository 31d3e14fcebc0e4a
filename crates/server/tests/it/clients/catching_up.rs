//! Clients load exactly the messages and events that they missed.

use serde_json::{Value, json};

use crate::support::answer::each;
use crate::support::client::{Client, two_people};

async fn synced(client: &Client, after: &str, limit: &str) -> (Vec<String>, String) {
    let query = [("last_received_comment_id", after), ("limit", limit)];
    let results = client.get("sync", &query).await.results();
    assert_eq!(results["meta"]["need_clear"], false);
    let texts = each(&results["comments"], "message").into_iter().map(str::to_owned).collect();
    (texts, results["meta"]["last_received_comment_id"].to_string())
}

fn topics(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["action_topic"].as_str().expect("a topic")).collect()
}

#[tokio::test]
async fn sync_returns_exactly_the_missed_messages_of_all_rooms() {
    let (server, ana, bob, room) = two_people().await;
    let second = server.create_room("second", &["ana", "bob"]).await;
    server.create_room("private", &["ana"]).await;
    let second = second["room_id"].as_str().expect("an id").to_owned();
    ana.says(&room, "known", "k").await;
    let (texts, known) = synced(&bob, "0", "20").await;
    assert_eq!(texts, ["known"]);
    ana.says(&room, "one", "1").await;
    ana.says(&second, "two", "2").await;
    server.post_comment("ana", "private", "secret").await;
    ana.says(&room, "three", "3").await;
    ana.says(&second, "gone", "4").await;
    server.delete_messages(&["4"]).await.results();
    let (first, after) = synced(&bob, &known, "2").await;
    assert_eq!(first, ["one", "two"]);
    let (rest, last) = synced(&bob, &after, "2").await;
    assert_eq!(rest, ["three"]);
    assert_eq!(synced(&bob, &last, "2").await, (vec![], last.clone()));
    let results = bob.get("sync", &[]).await.results();
    assert_eq!(each(&results["comments"], "message"), ["known", "one", "two", "three"]);
    assert_eq!(results["comments"][0]["chat_type"], "group");
}

#[tokio::test]
async fn sync_event_returns_deletions_receipts_and_edits_in_order() {
    let (server, ana, bob, room) = two_people().await;
    let one = ana.says(&room, "one", "1").await;
    let two = ana.says(&room, "two", "2").await;
    bob.receives(&room, &one).await;
    let edit = json!({"unique_id": "2", "comment": "two!"});
    ana.post("update_message", edit).await.results();
    bob.reads(&room, &two).await;
    let gone = json!({"unique_ids": ["1"], "is_delete_for_everyone": true, "is_hard_delete": true});
    ana.delete("delete_messages", gone).await.results();
    let events = ana.events_after("0").await;
    assert_eq!(topics(&events), ["update_message", "read", "delete_message"]);
    let read = &events[1]["payload"]["data"];
    assert_eq!((&read["email"], &read["comment_id"]), (&json!("bob"), &two["id"]));
    assert_eq!(read["comment_unique_id"], "2");
    let deleted = &events[2]["payload"];
    assert_eq!(deleted["actor"]["email"], "ana");
    assert_eq!(deleted["data"]["is_hard_delete"], true);
    let expected = json!([{"room_id": room, "message_unique_ids": ["1"]}]);
    assert_eq!(deleted["data"]["deleted_messages"], expected);
    assert_eq!(deleted["deleted_messages"], expected, "published SDKs read it here");
    let after = events[1]["id"].to_string();
    assert_eq!(topics(&bob.events_after(&after).await), ["delete_message"]);
    let last = events[2]["id"].to_string();
    assert!(bob.events_after(&last).await.is_empty());
    server.register("cid").await;
    assert!(Client::of(&server, "cid").await.events_after("0").await.is_empty());
    // An expired event id.
    let old = ana.get("sync_event", &[("start_event_id", "5")]).await.json();
    assert_eq!(old["is_start_event_id_found"], false);
}

#[tokio::test]
async fn clearing_a_room_affects_only_the_user_who_cleared_it() {
    let (server, ana, bob, room) = two_people().await;
    ana.says(&room, "one", "1").await;
    ana.says(&room, "two", "2").await;
    let body = json!({"room_channel_ids": ["support"]});
    let rooms = bob.delete("clear_room_messages", body.clone()).await.results();
    assert_eq!(rooms["rooms"][0]["id_str"], room);
    assert!(bob.texts(&room).await.is_empty());
    assert_eq!(ana.texts(&room).await, ["two", "one"]);
    assert_eq!(server.texts("support").await, ["two", "one"]);
    assert_eq!(server.unread("bob", "support").await, 0);
    assert!(synced(&bob, "0", "20").await.0.is_empty());
    let events = bob.events_after("0").await;
    assert_eq!(topics(&events), ["clear_room"]);
    let payload = &events[0]["payload"];
    let cleared = &payload["data"]["deleted_rooms"][0];
    assert_eq!(cleared["unique_id"], "support");
    let last = &cleared["last_comment"];
    assert_eq!((&last["id"], &last["type"]), (&json!(0), &json!("unknown")));
    assert_eq!(rooms["rooms"][0]["last_comment"], *last);
    assert_eq!(payload["deleted_rooms"], payload["data"]["deleted_rooms"]);
    assert!(ana.events_after("0").await.is_empty(), "other users get no event");
    ana.says(&room, "three", "3").await;
    assert_eq!(bob.texts(&room).await, ["three"]);
    let query = [("after", "true"), ("limit", "5")];
    let comments = bob.comments(&room, &query).await;
    assert_eq!(each(&comments, "message"), ["three"]);
    let found = bob.post("search", json!({"query": "o", "room_ids": [room]})).await.results();
    assert!(each(&found["comments"], "message").is_empty());
    // Other clients send the room's id in the query.
    let query = format!("clear_room_messages?room_channel_ids[]={room}");
    bob.delete(&query, json!({})).await.results();
    assert!(bob.texts(&room).await.is_empty());
    let unknown = json!({"room_channel_ids": ["support", "unknown"]});
    ana.delete("clear_room_messages", unknown).await.refused(404, "room_not_found");
    assert_eq!(ana.texts(&room).await.len(), 3, "no room is cleared if one is unknown");
}
