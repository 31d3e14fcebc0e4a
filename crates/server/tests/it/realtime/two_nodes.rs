//! A client connected to one node receives events of another at once.
//!
//! These tests run on PostgreSQL regardless of the engine of the others.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::mqtt::client_of;
use super::watcher::Watcher;
use crate::support::answer::each;
use crate::support::client::Client;
use crate::support::test_server::TestServer;
use crate::support::world::{World, chat_token};

fn message(text: &str) -> (String, String) {
    ("message".to_owned(), text.to_owned())
}

/// Starts two nodes with ana and bob in a group room called support.
async fn furnished(settings: &[(&str, &str)]) -> (TestServer, TestServer) {
    let (one, two) = TestServer::start_two_with(settings).await;
    one.furnish().await;
    (one, two)
}

async fn check_events_cross_nodes(settings: &[(&str, &str)]) {
    let (one, two) = furnished(settings).await;
    let mut bob = Watcher::start(&two, "bob").await;
    let posted = one.post_comment("ana", "support", "hello").await;
    assert_eq!(bob.next_text().await, message("hello"));
    one.delete_messages(&[posted["unique_temp_id"].as_str().expect("an id")]).await;
    assert_eq!(bob.next().await["type"], "messages_deleted");
    let mut ana = Watcher::start(&one, "ana").await;
    two.post_comment("bob", "support", "hi").await;
    assert_eq!(ana.next_text().await, message("hi"), "events cross in both directions");
    assert_eq!(bob.next_text().await, message("hi"));
    bob.say(&json!({"type": "typing", "room_id": "support", "is_typing": true}).to_string()).await;
    assert_eq!(ana.next().await["data"]["user_id"], "bob");
    let old = json!({"user_id": "bob"});
    one.post("reset_user_token", old).await.results();
    assert_eq!(bob.closed().await, CloseCode::Policy);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_reach_clients_of_another_node_with_postgresql_alone() {
    check_events_cross_nodes(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_reach_clients_of_another_node_with_nats() {
    let nats = confab_test_servers::nats::Server::start();
    check_events_cross_nodes(&[("nats_url", &nats.url())]).await;
}

/// design/realtime.
#[tokio::test(flavor = "multi_thread")]
async fn a_sync_by_last_id_returns_messages_that_another_node_committed_later() {
    let (one, two) = furnished(&[]).await;
    one.create_room("other", &["ana", "bob"]).await;
    let bob = Client::of(&two, "bob").await;
    let synced = async |last: &Value| {
        let last = last.to_string();
        let results = bob.get("sync", &[("last_received_comment_id", &last)]).await.results();
        let id = results["meta"]["last_received_comment_id"].clone();
        (each(&results["comments"], "message").join(", "), id)
    };
    one.post_comment("ana", "other", "same node").await;
    one.post_comment("ana", "support", "same room").await;
    let late = two.post_comment("ana", "other", "late").await;
    let last = one.post_comment("ana", "support", "last").await["id"].clone();
    // The client received the last message, and its connection ended before the late one arrived.
    assert_eq!(synced(&last).await, ("late".to_owned(), last.clone()));
    let next = two.post_comment("ana", "other", "next").await["id"].clone();
    assert_eq!(synced(&last).await, ("late, next".to_owned(), next));
    // Of the first node's older messages, the one in the room of `late` is known to the client.
    assert_eq!(synced(&late["id"]).await.0, "same room, last, next");
}

#[tokio::test(flavor = "multi_thread")]
async fn changing_nodes_during_posts_causes_neither_lost_nor_duplicate_messages() {
    const EACH: usize = 100;
    let (one, two) = furnished(&[]).await;
    one.create_room("other", &["ana", "bob"]).await;
    let mut bob = Watcher::start(&one, "bob").await;
    let posts = [(one.clone(), "support"), (two.clone(), "support"), (two.clone(), "other")];
    let posting: Vec<_> = posts
        .into_iter()
        .enumerate()
        .map(|(thread, (node, room))| {
            tokio::spawn(async move {
                for number in 0..EACH {
                    node.post_comment("ana", room, &format!("{thread}-{number:03}")).await;
                }
            })
        })
        .collect();
    let mut seen = Vec::new();
    while seen.len() < 3 * EACH {
        let (kind, text) = bob.next_text().await;
        assert_eq!(kind, "message");
        seen.push(text);
        if seen.len() % 13 == 0 {
            let last = bob.vanish();
            let next = if seen.len() % 2 == 0 { &one } else { &two };
            bob = Watcher::resume(next, "bob", &last).await;
        }
    }
    for posting in posting {
        posting.await.expect("posts");
    }
    for thread in 0..3 {
        let of_one: Vec<_> =
            seen.iter().filter(|text| text.starts_with(&format!("{thread}-"))).cloned().collect();
        let expected: Vec<_> = (0..EACH).map(|number| format!("{thread}-{number:03}")).collect();
        assert_eq!(of_one, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_posted_while_nats_was_down_arrive_once_it_is_back() {
    let nats = confab_test_servers::nats::Server::start();
    let (one, two) = furnished(&[("nats_url", &nats.url())]).await;
    let mut bob = Watcher::start(&two, "bob").await;
    one.post_comment("ana", "support", "before").await;
    assert_eq!(bob.next_text().await, message("before"));
    nats.stop();
    one.post_comment("ana", "support", "meanwhile").await;
    nats.start_again();
    assert_eq!(bob.next_text().await, message("meanwhile"));
    one.post_comment("ana", "support", "after").await;
    assert_eq!(bob.next_text().await, message("after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_of_a_channel_receive_messages_posted_while_nats_was_down() {
    let nats = confab_test_servers::nats::Server::start();
    let (one, two) = furnished(&[("nats_url", &nats.url())]).await;
    let channel = json!({"unique_id": "news", "name": "News"});
    one.post("get_or_create_channel", channel).await.results();
    one.post("add_room_participants", json!({"room_id": "news", "user_ids": ["ana"]})).await;
    one.register("cid").await;
    let mut cid = Watcher::start(&two, "cid").await;
    cid.follow("news").await;
    let (mut by_mqtt, _) = client_of(&two, "cid").await;
    assert_eq!(by_mqtt.subscribe(&["shop/news/c"]).await, "0");
    one.post_comment("ana", "news", "before").await;
    assert_eq!(cid.next_text().await, message("before"));
    assert_eq!(by_mqtt.json().await.1["message"], "before");
    nats.stop();
    one.post_comment("ana", "support", "not for cid").await;
    one.post_comment("ana", "news", "meanwhile").await;
    nats.start_again();
    assert_eq!(cid.next_text().await, message("meanwhile"));
    one.post_comment("ana", "news", "after").await;
    assert_eq!(
        cid.next_text().await,
        message("after"),
        "no duplicates and no messages of other rooms"
    );
    let (topic, shown) = by_mqtt.json().await;
    assert_eq!((topic.as_str(), &shown["message"]), ("shop/news/c", &json!("meanwhile")));
    assert_eq!(by_mqtt.json().await.1["message"], "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assigned_agent_on_another_node_is_notified_of_the_resolution() {
    let (one, two) = TestServer::start_two().await;
    let office = World::of(&one).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let mut watcher = Watcher::try_start(&two, &chat_token(bo.id), "").await.expect("connects");
    watcher.next().await;
    office.assign(&ann, &cy).await.data();
    assert_eq!(watcher.next_text().await, message("Cy joined this conversation"));
    let body = json!({"room_id": ann.room(), "agent_id": cy.id});
    office.post("/api/v1/admin/service/remove_agent", body).await.data();
    assert_eq!(watcher.next_text().await, message("Cy left this conversation"));
    admin.resolve(&ann.room()).await.data();
    assert_eq!(watcher.next_text().await, message("admin marked this conversation as resolved"));
}
