//! The token is the credential. Topics without permission are refused like topics that do not
//! exist.

use serde_json::json;

use super::client::called;
use super::{client_of, support_room};
use crate::support::client::Client;
use crate::support::test_server::TestServer;
use crate::support::world::{World, chat_token};

#[tokio::test]
async fn topics_without_permission_are_refused_like_unknown_ones() {
    let server = TestServer::with_support_room().await;
    server.create_room("secret", &["bob"]).await;
    let results = server.get("get_rooms_info", &[("room_ids[]", "secret")]).await.results();
    let secret = results["rooms"][0]["room_id"].as_str().expect("an id").to_owned();
    let bob_token = server.token("bob").await;
    let (mut ana, _) = client_of(&server, "ana").await;
    let filters = [
        format!("{bob_token}/c"),
        "no-token/c".to_owned(),
        format!("r/{secret}/{secret}/+/t"),
        format!("r/{secret}/{secret}/e"),
        format!("r/{secret}/typing"),
        "r/7/7/+/t".to_owned(),
        "u/nobody/s".to_owned(),
        "#".to_owned(),
        "+/c".to_owned(),
        "$SYS/#".to_owned(),
        "u/bob/s".to_owned(),
    ];
    let filters: Vec<_> = filters.iter().map(String::as_str).collect();
    assert_eq!(ana.subscribe(&filters).await, "xxxxxxxxxx0");
}

#[tokio::test]
async fn a_client_of_another_app_receives_and_publishes_nothing() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    let room = support_room(&server).await;
    let token = other.token("ana").await;
    let mut stranger = called("other_ana_1").by_tcp(&server).await;
    other.post("get_or_create_channel", json!({"unique_id": "news", "name": "N"})).await.results();
    let filters = [
        &format!("{token}/c"),
        &format!("r/{room}/{room}/+/t"),
        "u/carl/s",
        "shop/support/c",
        "shop/news/c",
        "other/news/c",
    ];
    server.register("carl").await;
    assert_eq!(stranger.subscribe(&filters).await, "0xxxx0");

    let (mut ana, _) = client_of(&server, "ana").await;
    assert_eq!(ana.subscribe(&[&format!("r/{room}/{room}/+/t"), "u/ana/s"]).await, "00");
    stranger.publish(&format!("r/{room}/{room}/ana/t"), "1").await;
    stranger.publish("u/ana/s", "1").await;
    server.post_comment("bob", "support", "hello").await;
    assert_eq!(ana.json().await.1["message"], "hello", "no event of the stranger arrived");
}

#[tokio::test]
async fn a_client_without_a_token_can_neither_subscribe_nor_publish() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let (mut ana, ana_token) = client_of(&server, "ana").await;
    let typing = format!("r/{room}/{room}/+/t");
    assert_eq!(ana.subscribe(&[&typing]).await, "0");
    let mut anonymous = called("shop_undefined_1").by_web(&server).await;
    assert_eq!(anonymous.subscribe(&[&typing, "u/ana/s", "shop/support/c"]).await, "xxx");
    anonymous.publish(&format!("r/{room}/{room}/ana/t"), "1").await;
    // With a token in the same packet, its other filters are granted in any order.
    assert_eq!(anonymous.subscribe(&[&typing, &format!("{ana_token}/c")]).await, "00");
    anonymous.publish(&format!("r/{room}/{room}/ana/t"), "0").await;
    assert_eq!(ana.shown().await.1, "0");
}

#[tokio::test]
async fn a_connection_belongs_to_one_user() {
    let server = TestServer::with_support_room().await;
    let bob_token = server.token("bob").await;
    let (mut ana, ana_token) = client_of(&server, "ana").await;
    let filters = [format!("{bob_token}/c"), format!("{ana_token}/c")];
    assert_eq!(ana.subscribe(&filters.each_ref().map(String::as_str)).await, "x0");
}

#[tokio::test]
async fn resetting_a_token_closes_its_mqtt_connections() {
    let server = TestServer::with_support_room().await;
    let (mut ana, old) = client_of(&server, "ana").await;
    let (mut bob, _) = client_of(&server, "bob").await;
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    assert_eq!(ana.closed().await, []);
    bob.ping().await;
    let mut again = called("shop_ana_2").by_tcp(&server).await;
    assert_eq!(again.subscribe(&[&format!("{old}/c")]).await, "x");
}

#[tokio::test]
async fn a_deactivated_user_is_disconnected_and_cannot_subscribe_again() {
    let server = TestServer::with_support_room().await;
    let (mut ana, token) = client_of(&server, "ana").await;
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    assert_eq!(ana.closed().await, []);
    let mut again = called("shop_ana_2").by_tcp(&server).await;
    assert_eq!(again.subscribe(&[&format!("{token}/c")]).await, "x");
}

/// Admins, supervisors, and agents who served the room may read it; an assignment hides waiting
/// rooms from other agents (D-0090).
#[tokio::test]
async fn readers_of_a_customers_room_receive_typing_but_cannot_send_it() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    admin.resolve(&ann.room()).await.data();
    office.says(&ann, "it waits again").await;
    let (room, mut clients) = (ann.room(), Vec::new());
    let filter = format!("r/{room}/{room}/+/t");
    for (worker, granted) in [(&admin, "00"), (&bo, "00"), (&cy, "0x")] {
        let mut client = called(&format!("worker_{}", worker.id)).by_tcp(&server).await;
        let own = format!("{}/c", chat_token(worker.id));
        assert_eq!(client.subscribe(&[&own, &filter]).await, granted, "{}", worker.id);
        clients.push(client);
    }
    let topic = format!("r/{room}/{room}/{}/t", bo.user_id());
    clients[1].publish(&topic, "1").await;
    let mut customer = called("ann_1").by_tcp(&server).await;
    let token = format!("{}/c", chat_token(ann.key.0));
    assert_eq!(customer.subscribe(&[&token]).await, "0");
    customer.publish(&format!("r/{room}/{room}/ann/t"), "1").await;
    let (topic, _) = clients[0].shown().await;
    assert_eq!(topic, format!("r/{room}/{room}/ann/t"), "a reader's typing is not sent");
}

#[tokio::test]
async fn credentials_from_mqtt_config_open_room_topics_without_a_token_topic() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let bob = Client::of(&server, "bob").await;
    let given = bob.get("mqtt_config", &[]).await.results();
    assert_eq!(given["username"], "bob");
    let password = given["password"].as_str().expect("a password");
    let topic = format!("r/{room}/{room}/+/t");
    let mut client = called("android-1").with_token(password).by_tcp(&server).await;
    assert_eq!(client.subscribe(&[&topic]).await, "0");
    let mut anonymous = called("android-2").by_tcp(&server).await;
    assert_eq!(anonymous.subscribe(&[&topic]).await, "x");
    let mut stranger = called("android-3").with_token("guess").by_tcp(&server).await;
    assert_eq!(stranger.subscribe(&[&topic]).await, "x");
}
