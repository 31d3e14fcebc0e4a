//! Required credentials of channel calls.

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::json;

use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::shop::Shop;

#[tokio::test]
async fn a_wrong_channel_key_or_app_is_refused_and_creates_no_customer() {
    let shop = Shop::open().await;
    let other = shop.server.create_app("other").await;
    let body = json!({"name": "Theirs"});
    let theirs =
        Office::of(&other).call(Method::POST, "/api/v2/custom_channels", body).await.data();
    let theirs = &theirs["custom_channel"]["identifier_key"];
    for key in [&json!("guess"), &json!(""), &json!(null), &json!(5), theirs] {
        let body = json!({"identifier_key": key, "user_id": "ana", "message": "x"});
        shop.send(body).await.errors(401, "unauthorized");
    }
    for path in ["/other/custom_channel", "/nobody/custom_channel", "/no%20app/custom_channel"] {
        let body = json!({"identifier_key": shop.key, "user_id": "ana", "message": "x"});
        let request = shop.server.bare(Method::POST, path);
        sent(with_json(request, &body)).await.errors(401, "unauthorized");
    }
    assert!(!shop.knows("ana").await);
}

#[tokio::test]
async fn a_gateway_cannot_use_the_key_of_the_widget_channel() {
    let shop = Shop::open().await;
    let map = shop.call(Method::GET, "/api/v2/channels", json!({})).await.data();
    let key = &map["service_channels"][0]["identifier_key"];
    let body = json!({"identifier_key": key, "user_id": "ana", "message": "x"});
    shop.send(body).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn of_all_roles_only_admins_manage_channels() {
    let shop = Shop::without_webhooks().await;
    let (admin, agent) = (shop.admin().await.token, shop.agent("Bo").await.token);
    let supervisor = shop.worker("Sue", Role::Supervisor, &[]).await.token;
    let one = format!("/api/v2/custom_channels/{}", shop.channel);
    let calls = [
        (Method::GET, "/api/v2/custom_channels"),
        (Method::GET, "/api/v2/channels"),
        (Method::POST, "/api/v2/custom_channels"),
        (Method::PUT, &one),
    ];
    for (method, path) in calls {
        let tried = async |token: &str| {
            let request = shop.server.bare(method.clone(), path).header("Authorization", token);
            sent(with_json(request, &json!({"name": "x"}))).await
        };
        tried(&admin).await.data();
        for token in [&supervisor, &agent] {
            tried(token).await.errors(403, "forbidden");
        }
        tried("guess").await.errors(401, "unauthorized");
        let request = shop.server.bare(method.clone(), path);
        sent(request).await.errors(401, "unauthorized");
    }
    let activate = shop.server.bare(Method::POST, "/bot/1/activate");
    let activate = activate.header("Authorization", &agent);
    sent(with_json(activate, &json!({"is_active": true}))).await.errors(403, "forbidden");
}

#[tokio::test]
async fn ids_of_another_app_are_not_found() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let other = shop.server.create_app("other").await;
    let one = format!("/api/v2/custom_channels/{}", shop.channel);
    for method in [Method::PUT, Method::DELETE] {
        let answer = Office::of(&other).call(method, &one, json!({"name": "mine"})).await;
        answer.errors(404, "channel_not_found");
    }
    let body = json!({"sender_email": "other_admin@x", "room_id": room, "message": "x"});
    Office::of(&other).call(Method::POST, "/other/bot", body).await.errors(404, "room_not_found");
    let path = format!("/bot/{room}/activate");
    let off = Office::of(&other).call(Method::POST, &path, json!({"is_active": false})).await;
    off.errors(404, "room_not_found");
    shop.bot_says(&room, "still on").await.data();
    assert_eq!(shop.server.texts(&room).await, ["still on", "hello"]);
}
