//! Deleting one's own messages (D-0047).

use serde_json::{Value, json};

use crate::support::answer::{each, items};
use crate::support::client::two_people;

fn everywhere(ids: &[&str]) -> Value {
    json!({"unique_ids": ids, "is_delete_for_everyone": true, "is_hard_delete": true})
}

#[tokio::test]
async fn ones_own_messages_are_deleted_for_everyone() {
    let (server, ana, bob, room) = two_people().await;
    for id in ["1", "2", "3", "4"] {
        ana.says(&room, id, id).await;
    }
    let deleted = ana.delete("delete_messages", everywhere(&["1", "2", "3"])).await.results();
    assert_eq!(each(&deleted["comments"], "unique_temp_id"), ["1", "2", "3"]);
    assert!(items(&deleted["comments"]).iter().all(|it| it["is_deleted"] == true));
    assert_eq!(bob.texts(&room).await, ["4"]);
    assert_eq!(server.texts("support").await, ["4"]);
    assert_eq!(server.unread("bob", "support").await, 1);
    // As other clients send it: in the query, softly.
    let query = "delete_messages?unique_ids[]=4&is_delete_for_everyone=true&is_hard_delete=false";
    ana.delete(query, json!({})).await.results();
    assert!(bob.texts(&room).await.is_empty());
    let events = bob.events_after("0").await;
    assert_eq!(events[1]["payload"]["data"]["is_hard_delete"], false);
}

#[tokio::test]
async fn messages_of_others_stay_and_nothing_is_deleted_then() {
    let (server, ana, bob, room) = two_people().await;
    ana.says(&room, "hers", "a").await;
    bob.says(&room, "his", "b").await;
    let both = everywhere(&["a", "b"]);
    ana.delete("delete_messages", both).await.refused(403, "not_your_message");
    let unknown = everywhere(&["a", "x"]);
    ana.delete("delete_messages", unknown).await.refused(404, "message_not_found");
    assert_eq!(server.texts("support").await, ["his", "hers"]);
    // Who is not in the room any more is not told that there are such messages.
    let left = json!({"room_id": room, "user_ids": ["ana"]});
    server.post("remove_room_participants", left).await.results();
    let own = ana.delete("delete_messages", everywhere(&["a"])).await;
    own.refused(404, "message_not_found");
    let other = ana.delete("delete_messages", everywhere(&["b"])).await;
    other.refused(404, "message_not_found");
}

#[tokio::test]
async fn deleting_only_for_oneself_is_refused_with_a_reason() {
    let (_server, ana, _, room) = two_people().await;
    ana.says(&room, "here", "a").await;
    let body = json!({"unique_ids": ["a"], "is_delete_for_everyone": false});
    let refused = ana.delete("delete_messages", body).await.refused(400, "invalid_request");
    refused.says("is_delete_for_everyone must be true");
    let many: Vec<_> = (0..101).map(|id| id.to_string()).collect();
    let refused = ana.delete("delete_messages", json!({"unique_ids": many})).await;
    refused.refused(400, "invalid_request").says("at most 100");
    assert_eq!(ana.texts(&room).await, ["here"]);
}
