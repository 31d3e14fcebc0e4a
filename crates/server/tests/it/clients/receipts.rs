//! Delivered and read receipts, and unread counts.

use serde_json::{Value, json};

use crate::support::answer::items;
use crate::support::client::{Client, two_people};

async fn status(client: &Client, room: &str) -> Value {
    client.comments(room, &[]).await[0]["status"].clone()
}

fn names(list: &Value) -> Vec<&str> {
    items(list).iter().map(|it| it["user"]["email"].as_str().expect("a user id")).collect()
}

#[tokio::test]
async fn a_message_is_sent_then_delivered_then_read() {
    let (server, ana, bob, room) = two_people().await;
    server.register("cid").await;
    let cid = json!({"room_id": room, "user_ids": ["cid"]});
    server.post("add_room_participants", cid).await.results();
    let cid = Client::of(&server, "cid").await;
    let first = ana.says(&room, "one", "1").await;
    let comment = ana.says(&room, "two", "2").await;
    assert_eq!(status(&ana, &room).await, "sent");
    let updated = bob.receives(&room, &comment).await;
    assert_eq!(updated["changed"], true);
    assert_eq!(updated["last_comment_received_id"], comment["id"]);
    assert_eq!(updated["last_comment_read_id"], 0);
    assert_eq!(status(&ana, &room).await, "sent", "one participant has not received it yet");
    cid.receives(&room, &comment).await;
    assert_eq!(status(&ana, &room).await, "delivered");
    let id = comment["id"].to_string();
    let receipts = async || ana.get("comment_receipt", &[("comment_id", &id)]).await.results();
    assert_eq!(names(&receipts().await["delivered_to"]), ["bob", "cid"]);
    bob.reads(&room, &comment).await;
    let found = receipts().await;
    assert_eq!(
        (names(&found["read_by"]), names(&found["delivered_to"])),
        (vec!["bob"], vec!["cid"])
    );
    assert!(names(&found["pending"]).is_empty());
    // Posting marks earlier messages as read.
    cid.says(&room, "three", "3").await;
    let comments = ana.comments(&room, &[]).await;
    assert_eq!(comments[1]["status"], "read");
    assert_eq!(comments[2]["status"], "read");
    assert_eq!(comments[0]["status"], "sent");
    assert_eq!(
        bob.reads(&room, &first).await["changed"],
        false,
        "a read position never moves back"
    );
    assert_eq!(
        bob.receives(&room, &comment).await["changed"],
        false,
        "a read message is also received"
    );
}

#[tokio::test]
async fn reading_lowers_the_unread_count_in_both_apis() {
    let (server, ana, bob, room) = two_people().await;
    let mut last = Value::Null;
    for text in ["one", "two", "three"] {
        last = ana.says(&room, text, text).await;
    }
    assert_eq!(server.unread("bob", "support").await, 3);
    bob.receives(&room, &last).await;
    assert_eq!(server.unread("bob", "support").await, 3);
    let comments = bob.comments(&room, &[]).await;
    bob.reads(&room, &comments[1]).await;
    assert_eq!(server.unread("bob", "support").await, 1);
    let json = json!({
        "room_id": room, "last_comment_read_id": last["id_str"],
        "last_comment_received_id": last["id_str"],
    });
    let updated = bob.post("update_comment_status", json).await.results();
    assert_eq!(updated["changed"], true);
    assert_eq!(server.unread("bob", "support").await, 0);
    let query = [("user_ids[]", "bob")];
    let total = server.get("get_user_unread_count", &query).await.results();
    assert_eq!(total["user_unread_count"][0]["unread_count"], 0);
}

#[tokio::test]
async fn a_message_of_another_room_cannot_be_marked_as_read() {
    let (server, ana, bob, room) = two_people().await;
    let other = server.create_room("other", &["ana"]).await;
    let elsewhere = ana.says(other["room_id"].as_str().expect("an id"), "hidden", "h").await;
    let id = elsewhere["id"].to_string();
    let fields = [("room_id", room.as_str()), ("last_comment_read_id", &id)];
    bob.post_form("update_comment_status", &fields).await.refused(404, "message_not_found");
    bob.get("comment_receipt", &[("comment_id", &id)]).await.refused(404, "message_not_found");
    let huge =
        [("room_id", room.as_str()), ("last_comment_read_id", "1769853600000001769853600000")];
    bob.post_form("update_comment_status", &huge).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn receipts_of_users_outside_of_a_public_channel_change_nothing() {
    let (server, ana, bob, room) = two_people().await;
    let channel = json!({"unique_id": "news", "participants": ["ana"]});
    let opened = server.post("get_or_create_channel", channel).await.results();
    let news = opened["room"]["room_id"].as_str().expect("an id").to_owned();
    let comment = ana.says(&news, "read all about it", "1").await;
    for updated in [bob.reads(&news, &comment).await, bob.receives(&news, &comment).await] {
        assert_eq!(updated["changed"], false);
    }
    assert_eq!(server.participants("news").await, ["ana"]);
    let elsewhere = ana.says(&room, "elsewhere", "2").await;
    let body = json!({"room_id": news, "last_comment_read_id": elsewhere["id"]});
    bob.post("update_comment_status", body).await.refused(404, "message_not_found");
    // Private rooms stay hidden.
    server.create_room("private", &["ana"]).await;
    let private = server.post_comment("ana", "private", "secret").await;
    let body = json!({"room_id": "private", "last_comment_read_id": private["id"]});
    bob.post("update_comment_status", body).await.refused(404, "room_not_found");
}
