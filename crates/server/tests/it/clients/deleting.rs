//! Users delete and hide messages (design/message-api).

use serde_json::{Value, json};

use crate::realtime::mqtt::client_of;
use crate::support::answer::{each, items};
use crate::support::client::{Client, two_people};

fn for_everyone(ids: &[&str]) -> Value {
    json!({"unique_ids": ids, "is_delete_for_everyone": true, "is_hard_delete": true})
}

#[tokio::test]
async fn users_can_delete_their_own_messages_for_everyone() {
    let (server, ana, bob, room) = two_people().await;
    for id in ["1", "2", "3", "4"] {
        ana.says(&room, id, id).await;
    }
    let deleted = ana.delete("delete_messages", for_everyone(&["1", "2", "3"])).await.results();
    assert_eq!(each(&deleted["comments"], "unique_temp_id"), ["1", "2", "3"]);
    assert!(items(&deleted["comments"]).iter().all(|it| it["is_deleted"] == true));
    assert_eq!(bob.texts(&room).await, ["4"]);
    assert_eq!(server.texts("support").await, ["4"]);
    assert_eq!(server.unread("bob", "support").await, 1);
    // Other clients send the ids in the query, with `is_hard_delete=false`.
    let query = "delete_messages?unique_ids[]=4&is_delete_for_everyone=true&is_hard_delete=false";
    ana.delete(query, json!({})).await.results();
    assert!(bob.texts(&room).await.is_empty());
    let events = bob.events_after("0").await;
    assert_eq!(events[1]["payload"]["data"]["is_hard_delete"], false);
}

#[tokio::test]
async fn a_deletion_that_includes_messages_of_others_deletes_nothing() {
    let (server, ana, bob, room) = two_people().await;
    ana.says(&room, "hers", "a").await;
    bob.says(&room, "his", "b").await;
    let both = for_everyone(&["a", "b"]);
    ana.delete("delete_messages", both).await.refused(403, "not_your_message");
    let unknown = for_everyone(&["a", "x"]);
    ana.delete("delete_messages", unknown).await.refused(404, "message_not_found");
    assert_eq!(server.texts("support").await, ["his", "hers"]);
    // For removed participants the error does not reveal whether the messages exist.
    let left = json!({"room_id": room, "user_ids": ["ana"]});
    server.post("remove_room_participants", left).await.results();
    let own = ana.delete("delete_messages", for_everyone(&["a"])).await;
    own.refused(404, "message_not_found");
    let other = ana.delete("delete_messages", for_everyone(&["b"])).await;
    other.refused(404, "message_not_found");
}

fn for_oneself(ids: &[&str]) -> Value {
    json!({"unique_ids": ids, "is_delete_for_everyone": false, "is_hard_delete": false})
}

#[tokio::test]
async fn users_can_hide_any_message_from_themselves_only() {
    let (server, ana, bob, room) = two_people().await;
    for (who, id) in [(&ana, "1"), (&bob, "2"), (&ana, "3"), (&ana, "4")] {
        who.says(&room, &format!("word {id}"), id).await;
    }
    let (mut listening, _) = client_of(&server, "ana").await;
    let hidden = bob.delete("delete_messages", for_oneself(&["2", "4"])).await.results();
    assert_eq!(each(&hidden["comments"], "unique_temp_id"), ["2", "4"]);
    assert_eq!(each(&hidden["comments"], "email"), ["bob", "ana"]);
    assert!(items(&hidden["comments"]).iter().all(|it| it["is_deleted"] == true));
    assert_eq!(bob.texts(&room).await, ["word 3", "word 1"]);
    assert_eq!(ana.texts(&room).await, ["word 4", "word 3", "word 2", "word 1"]);
    assert_eq!(server.texts("support").await.len(), 4);

    let found = bob.post("search", json!({"query": "word"})).await.results();
    assert_eq!(each(&found["comments"], "unique_temp_id"), ["3", "1"]);
    let synced = bob.get("sync", &[("last_received_comment_id", "0")]).await.results();
    assert_eq!(each(&synced["comments"], "unique_temp_id"), ["1", "3"]);
    let seen = bob.get("get_room_by_id", &[("id", &room)]).await.results();
    assert_eq!(each(&seen["comments"], "unique_temp_id"), ["3", "1"]);
    let last = &seen["room"]["last_comment"];
    assert_eq!((&last["unique_temp_id"], &seen["room"]["unread_count"]), (&json!("3"), &json!(1)));
    assert_eq!(server.unread("bob", "support").await, 1, "only message 3 is unread: 4 is hidden");
    let listed = bob.get("user_rooms", &[]).await.results();
    assert_eq!(listed["rooms_info"][0]["last_comment_message"], "word 3");
    let total = bob.get("total_unread_count", &[]).await.results();
    assert_eq!(total["total_unread_count"], 1);

    // No event is sent: the next message that ana receives is the next posted one.
    assert!(ana.events_after("0").await.iter().all(|it| it["action_topic"] != "delete_message"));
    assert!(bob.events_after("0").await.iter().all(|it| it["action_topic"] != "delete_message"));
    ana.says(&room, "word 5", "5").await;
    let received = listening.json().await;
    assert_eq!(received.1["unique_temp_id"], "5");
    assert_eq!(bob.texts(&room).await, ["word 5", "word 3", "word 1"]);
    // A hidden message that is then deleted for everyone is subtracted from the unread count only
    // once.
    ana.delete("delete_messages", for_everyone(&["4"])).await.results();
    assert_eq!(server.unread("bob", "support").await, 2);
    assert_eq!(ana.texts(&room).await, ["word 5", "word 3", "word 2", "word 1"]);
}

#[tokio::test]
async fn pages_are_full_despite_hidden_messages() {
    let (_server, ana, bob, room) = two_people().await;
    let ids: Vec<_> = (0..30).map(|id| id.to_string()).collect();
    for id in &ids {
        ana.says(&room, id, id).await;
    }
    let newest: Vec<_> = ids[10..].iter().map(String::as_str).collect();
    bob.delete("delete_messages", for_oneself(&newest)).await.results();
    assert_eq!(bob.texts(&room).await, ["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    let page = bob.comments(&room, &[("limit", "4")]).await;
    assert_eq!(each(&page, "message"), ["9", "8", "7", "6"]);
    let last = page[3]["id"].to_string();
    let page = bob.comments(&room, &[("limit", "4"), ("last_comment_id", &last)]).await;
    assert_eq!(each(&page, "message"), ["5", "4", "3", "2"]);
    let end = ana.says(&room, "end", "end").await;
    let first = page[0]["id"].to_string();
    let query = [("limit", "5"), ("last_comment_id", &*first), ("after", "true")];
    let after = bob.comments(&room, &query).await;
    assert_eq!(each(&after, "message"), ["end", "9", "8", "7", "6"]);
    let synced = bob.get("sync", &[("last_received_comment_id", &first), ("limit", "5")]).await;
    let synced = synced.results();
    assert_eq!(each(&synced["comments"], "message"), ["6", "7", "8", "9", "end"]);
    assert_eq!(synced["meta"]["last_received_comment_id"], end["id"]);
}

#[tokio::test]
async fn messages_that_a_user_cannot_see_cannot_be_hidden() {
    let (server, ana, bob, room) = two_people().await;
    ana.says(&room, "here", "a").await;
    server.create_room("private", &["ana"]).await;
    server.post_as_unique("ana", "private", "secret", "b").await.results();
    let both = bob.delete("delete_messages", for_oneself(&["a", "b"])).await;
    both.refused(404, "message_not_found");
    let unknown = bob.delete("delete_messages", for_oneself(&["x"])).await;
    unknown.refused(404, "message_not_found");
    assert_eq!(bob.texts(&room).await, ["here"]);
    let other = server.create_app("other").await;
    let stranger = Client::new(&other, "bob").await;
    let theirs = stranger.delete("delete_messages", for_oneself(&["a"])).await;
    theirs.refused(404, "message_not_found");
    let wrong = json!({"unique_ids": ["a"], "is_delete_for_everyone": "perhaps"});
    bob.delete("delete_messages", wrong).await.refused(400, "invalid_request");
    let many: Vec<_> = (0..101).map(|id| id.to_string()).collect();
    let refused = bob.delete("delete_messages", json!({"unique_ids": many})).await;
    refused.refused(400, "invalid_request").says("at most 100");
    assert_eq!(ana.texts(&room).await, ["here"]);
}
