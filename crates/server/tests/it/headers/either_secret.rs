//! Published integrations have one field for both secrets of an app: the message API and the bot's
//! URL accept either of them, all other calls only the one of spec 5 (design/support).

use reqwest::Method;
use serde_json::json;

use crate::support::caller::{sent, with_json};
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;

const SECRET_KEY: &str = "secret-key-of-shop";
const SDK_SECRET: &str = "sdk-secret-of-shop";

#[tokio::test]
async fn the_message_api_accepts_the_secret_key_in_the_sdk_secret_header() {
    let server = TestServer::with_support_room().await;
    let node = server.with_secret(SECRET_KEY);
    node.post_comment("ana", "support", "with the other secret").await;
    assert_eq!(node.texts("support").await, ["with the other secret"]);
    let other = server.create_app("other").await;
    for wrong in ["secret-key-of-other", "guess", "", other.secret.as_str()] {
        let stranger = server.with_secret(wrong);
        let answer = stranger.get("load_comments", &[("room_id", "support")]).await;
        answer.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn the_message_api_ignores_the_secret_key_header() {
    let server = TestServer::with_support_room().await;
    for secret in [SECRET_KEY, SDK_SECRET] {
        let request = server
            .bare(Method::GET, "load_comments?room_id=support")
            .header("SERVICE-SDK-APP-ID", "shop")
            .header("SERVICE-Secret-Key", secret);
        sent(request).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn the_bot_url_accepts_either_secret_in_either_header() {
    let shop = Shop::open().await;
    let room = shop.room_of("cleo").await;
    let answer_with = |header: &'static str, secret: &'static str| {
        let body = json!({"sender_email": "shop_admin@x.y", "room_id": room, "message": "hello"});
        let request = shop.server.bare(Method::POST, "/shop/bot").header(header, secret);
        sent(with_json(request, &body))
    };
    for header in ["SERVICE-Secret-Key", "SERVICE-SDK-SECRET", "service_sdk_secret"] {
        for secret in [SECRET_KEY, SDK_SECRET] {
            let answer = answer_with(header, secret).await;
            assert_eq!(answer.status, 200, "{header} {secret}: {}", answer.text);
        }
        for wrong in ["secret-key-of-other", "sdk-secret-of-shoq", ""] {
            answer_with(header, wrong).await.errors(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn configuration_calls_accept_only_the_secret_key_in_its_own_header() {
    let server = TestServer::start().await;
    let configs = |header: &str, secret: &str| {
        let request = server.bare(Method::GET, "/api/v2/app/configs?show_all=true");
        sent(request.header("SERVICE-App-Id", "shop").header(header, secret))
    };
    configs("SERVICE-Secret-Key", SECRET_KEY).await.data();
    configs("SERVICE-Secret-Key", SDK_SECRET).await.errors(401, "unauthorized");
    configs("SERVICE-SDK-SECRET", SECRET_KEY).await.errors(401, "unauthorized");
}
