//! Changes through one node take effect at the other with the next request.

use std::time::{Duration, Instant};

use confab_domain::limits;
use serde_json::json;

use super::TwoNodes;
use crate::support::caller::unique_id;
use crate::support::process::after;

#[tokio::test]
async fn a_message_posted_or_deleted_through_one_node_is_seen_through_the_other() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    for number in 0..10 {
        let text = format!("hello {number}");
        let comment = one.post_comment("ana", "support", &text).await;
        assert_eq!(two.texts("support").await, [text]);
        assert_eq!(two.unread("bob", "support").await, 1);
        one.delete_messages(&[unique_id(&comment)]).await.results();
        assert!(two.texts("support").await.is_empty());
        assert_eq!(two.delete_messages(&[unique_id(&comment)]).await.status, 404);
    }
}

#[tokio::test]
async fn a_user_deactivated_through_one_node_cannot_post_through_the_other() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    let ana = json!({"user_ids": ["ana"]});
    for _ in 0..10 {
        two.post_comment("ana", "support", "hello").await;
        one.delete("deactivate_users", ana.clone()).await.results();
        let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
        let answer = two.post("post_comment", body).await;
        assert_eq!(answer.status, 403, "{answer:?}");
        one.post("reactivate_users", ana.clone()).await.results();
    }
}

#[tokio::test]
async fn a_participant_removed_through_one_node_cannot_post_through_the_other() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    let ana = json!({"room_id": "support", "user_ids": ["ana"]});
    for _ in 0..10 {
        two.post_comment("ana", "support", "hello").await;
        one.post("remove_room_participants", ana.clone()).await.results();
        let body = json!({"user_id": "ana", "room_id": "support", "message": "hello"});
        let answer = two.post("post_comment", body).await;
        assert_eq!(answer.status, 403, "{answer:?}");
        assert_eq!(two.participants("support").await, ["bob"]);
        one.post("add_room_participants", ana.clone()).await.results();
    }
}

#[tokio::test]
async fn names_changed_through_one_node_are_shown_by_the_other() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    for number in 0..10 {
        let name = format!("name {number}");
        one.post("update_room", json!({"room_id": "support", "room_name": name})).await.results();
        let info = two.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
        assert_eq!(info["rooms"][0]["room_name"], name);
        one.post("login_or_register", json!({"user_id": "ana", "username": name})).await.results();
        let profile = two.get("user_profile", &[("user_id", "ana")]).await.results();
        assert_eq!(profile["user"]["username"], name);
        let comment = two.post_comment("ana", "support", "hello").await;
        assert_eq!(comment["user"]["username"], name);
    }
}

#[tokio::test]
async fn a_token_reset_through_one_node_is_returned_by_the_other() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    let old = two.token("ana").await;
    one.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    assert_ne!(two.token("ana").await, old);
    assert_eq!(two.token("ana").await, one.token("ana").await);
}

#[tokio::test]
async fn a_room_created_through_one_node_is_found_by_another_that_missed_it_before() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    let body = json!({"user_id": "ana", "room_id": "sales", "message": "hello"});
    two.post("post_comment", body).await.refused(404, "room_not_found");
    one.create_room("sales", &["ana"]).await;
    two.post_comment("ana", "sales", "hello").await;
    assert_eq!(one.texts("sales").await, ["hello"]);
}

#[tokio::test]
async fn rotated_keys_take_effect_on_every_node_within_a_second() {
    let nodes = TwoNodes::with_support_room().await;
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    let query = [("user_id", "ana")];
    one.get("user_profile", &query).await.results();
    two.get("user_profile", &query).await.results();
    let printed = nodes.folder.run(&["app", "rotate-keys", &one.code]).ok();
    let rotated = Instant::now();
    for old in [one, two] {
        let new = old.with_secret(&after(&printed, "SDK secret"));
        loop {
            let since = rotated.elapsed();
            let with_old = old.get("user_profile", &query).await.status;
            let with_new = new.get("user_profile", &query).await.status;
            if (with_old, with_new) == (401, 200) {
                break;
            }
            assert!(since < Duration::from_millis(limits::KNOWN_APP_AGE_MS), "{since:?}");
        }
    }
}
