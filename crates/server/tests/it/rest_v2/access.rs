//! Credentials of the older message API, and its isolation of apps.

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, path, post_json};
use crate::support::answer::text;
use crate::support::caller::sent;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn the_app_can_be_named_by_the_host_and_the_secret_header_with_underscores() {
    let server = TestServer::with_people(&["ana"]).await;
    let profile = |host: &str, secret: &str| {
        let request = server.bare(Method::GET, &path("user_profile?user_email=ana"));
        sent(request.header("Host", host).header("SERVICE_SDK_SECRET", secret))
    };
    profile("shop.chat.example", &server.secret).await.results();
    profile("shop.chat.example:8787", &server.secret).await.results();
    for (host, secret) in [
        ("shop.chat.example", "guess"),
        ("other.chat.example", &*server.secret),
        ("shop", &*server.secret),
        ("chat.shop.example", &*server.secret),
    ] {
        profile(host, secret).await.refused(401, "unauthorized");
    }
    // A header takes precedence over the host, and v2.1 accepts the header only (spec 5).
    let request = server.request(Method::GET, &path("user_profile?user_email=ana"));
    sent(request.header("Host", "other.chat.example")).await.results();
    let request = server.bare(Method::GET, "user_profile?user_id=ana");
    let request = request.header("Host", "shop.chat.example");
    let answer = sent(request.header("SERVICE-SDK-SECRET", &server.secret)).await;
    answer.refused(401, "unauthorized");
}

/// Returns every call of the older API that names a room or user, with the expected status.
fn attempts(room: &str) -> Vec<(Method, &'static str, Value, u16)> {
    let (get, post) = (Method::GET, Method::POST);
    vec![
        (get.clone(), "user_profile", json!({"user_email": "victim"}), 404),
        (get.clone(), "get_user_rooms", json!({"user_email": "victim"}), 404),
        (get.clone(), "load_comments", json!({"room_id": room}), 404),
        (get.clone(), "get_room_participants", json!({"room_id": room}), 404),
        (post.clone(), "reset_user_token", json!({"user_email": "victim"}), 404),
        (post.clone(), "create_room", json!({"name": "r", "participants": ["victim"]}), 404),
        (post.clone(), "update_room", json!({"room_id": room, "room_name": "mine"}), 404),
        (post.clone(), "get_or_create_room_with_target", json!({"emails": ["spy", "victim"]}), 404),
        (post.clone(), "get_rooms_info", json!({"room_id": [room], "user_email": "spy"}), 200),
        (post.clone(), "add_room_participants", json!({"room_id": room, "emails": ["spy"]}), 404),
        (
            post.clone(),
            "remove_room_participants",
            json!({"room_id": room, "emails": ["victim"]}),
            404,
        ),
        (
            post.clone(),
            "post_comment",
            json!({"sender_email": "spy", "room_id": room, "message": "m"}),
            404,
        ),
        (
            post.clone(),
            "post_system_event_message",
            json!({"system_event_type": "custom", "room_id": room, "message": "m"}),
            404,
        ),
        (post.clone(), "search_messages", json!({"user_email": "victim", "query": "a"}), 404),
        (post, "search_messages", json!({"user_email": "spy", "query": "a", "room_id": room}), 404),
    ]
}

#[tokio::test]
async fn ids_of_another_app_are_not_found_and_nothing_changes() {
    let server = TestServer::with_people(&["victim", "friend"]).await;
    let room = server.create_room("den", &["victim", "friend"]).await;
    server.post_comment("victim", "den", "classified").await;
    let before = server.get("load_comments", &[("room_id", "den")]).await.text;
    let stranger = server.create_app("stranger").await;
    stranger.register("spy").await;
    for room in ["den", text(&room["room_id"])] {
        for (method, call, body, status) in attempts(room) {
            let answer = match method {
                Method::GET => {
                    let fields = body.as_object().expect("fields");
                    let query: Vec<_> =
                        fields.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
                    get(&stranger, call, &query).await
                }
                _ => post_json(&stranger, call, body.clone()).await,
            };
            assert_eq!(answer.status, status, "{call} {body}: {}", answer.text);
            assert!(!answer.text.contains("classified"), "{call}: {}", answer.text);
        }
    }
    assert_eq!(server.get("load_comments", &[("room_id", "den")]).await.text, before);
    assert_eq!(server.participants("den").await, ["victim", "friend"]);
}

#[tokio::test]
async fn tokens_of_agents_and_customers_are_refused() {
    let shop = Shop::open().await;
    shop.room_of("cleo").await;
    let customer = shop.customer_token("cleo").await;
    let admin = shop.admin().await;
    for (header, token) in [
        ("Authorization", admin.token.as_str()),
        ("SERVICE-SDK-TOKEN", customer.as_str()),
        ("SERVICE-SDK-SECRET", customer.as_str()),
        ("SERVICE-SDK-SECRET", admin.token.as_str()),
    ] {
        let request = shop.server.bare(Method::GET, &path("get_user_list"));
        let request = request.header("SERVICE-SDK-APP-ID", "shop").header(header, token);
        sent(request).await.refused(401, "unauthorized");
    }
}
