//! Clients can distinguish agents from customers (design/message-api).

use serde_json::{Value, json};

use crate::support::answer::items;
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::chat_token;

/// Returns the `extras` of all users in a list, sorted by name.
fn extras_of(list: &Value, name: &str, extras: &str) -> Vec<(String, Value)> {
    let shown = |it: &Value| {
        let username = it[name].as_str().expect("a name").to_owned();
        (username, json!([it[extras]["type"], it[extras]["is_customer"]]))
    };
    let mut all: Vec<_> = items(list).iter().map(shown).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all.dedup();
    all
}

#[tokio::test]
async fn messages_and_participants_show_who_is_agent_and_who_is_customer() {
    let shop = Shop::open().await;
    let room = shop.room_of("cleo").await;
    let agent = shop.agent("Ada").await;
    shop.assign_room(&room, &agent).await.data();
    shop.reply(&agent, &room, "at your service").await.data();
    let user = agent.user_id();
    let token = chat_token(agent.id);
    let ada = Client { caller: shop.server.clone(), user, token };
    let expected = [
        ("Ada".to_owned(), json!(["agent", false])),
        ("CLEO".to_owned(), json!(["customer", true])),
    ];
    let comments = ada.comments(&room, &[("limit", "100")]).await;
    let mut spoken = extras_of(&comments, "username", "user_extras");
    spoken.retain(|(name, _)| name != "System");
    assert_eq!(spoken, expected);
    let seen = ada.get("get_room_by_id", &[("id", &room)]).await.results();
    assert_eq!(extras_of(&seen["room"]["participants"], "username", "extras"), expected);
    let people = shop.server.get("get_room_participants", &[("room_id", &room)]).await.results();
    assert_eq!(extras_of(&people["participants"], "username", "extras"), expected);
    let own = ada.get("my_profile", &[]).await.results();
    assert_eq!(own["user"]["extras"], json!({"is_customer": false, "type": "agent"}));
}

#[tokio::test]
async fn a_customer_cannot_claim_to_be_an_agent_in_extras() {
    let shop = Shop::open().await;
    let room = shop.room_of("cleo").await;
    let token = shop.customer_token("cleo").await;
    let cleo = Client { caller: shop.server.clone(), user: "cleo".to_owned(), token };
    let edit = json!({"extras": {"type": "agent", "is_customer": false, "vip": 1.50}});
    cleo.send(reqwest::Method::PATCH, "my_profile", edit).await.results();
    let comments = cleo.comments(&room, &[]).await;
    let expected = json!({"type": "customer", "is_customer": true, "vip": 1.50});
    assert_eq!(comments[0]["user_extras"], expected);
}

#[tokio::test]
async fn the_message_api_shows_it_only_in_responses_to_posts() {
    let server = TestServer::with_support_room().await;
    let posted = server.post_comment("ana", "support", "hello").await;
    assert_eq!((&posted["user"]["active"], &posted["user"]["extras"]), (&json!(true), &json!({})));
    let loaded = server.load_comments("support").await;
    assert_eq!(
        crate::support::answer::keys(&loaded[0]["user"]),
        ["avatar_url", "user_id", "username"]
    );
    let shop = Shop::open().await;
    let room = shop.room_of("cleo").await;
    let request = shop.server.request(reqwest::Method::POST, "post_comment");
    let body = json!({"user_id": "cleo", "room_id": room, "message": "by the server"});
    let answer = sent(crate::support::caller::with_json(request, &body)).await.results();
    let expected = json!({"type": "customer", "is_customer": true});
    assert_eq!(answer["comment"]["user"]["extras"], expected);
}
