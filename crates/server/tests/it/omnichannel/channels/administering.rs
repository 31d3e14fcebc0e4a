//! Admins create, change, disable and delete channels.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{items, keys, text};
use crate::support::office::Office;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;

const CHANNELS: &str = "/api/v2/custom_channels";

#[tokio::test]
async fn a_channel_is_created_listed_changed_and_deleted() {
    let server = TestServer::start().await;
    let body = json!({"name": "SMS", "webhook_url": "https://gateway.example/x"});
    let made =
        Office::of(&server).call(Method::POST, CHANNELS, body).await.data()["custom_channel"]
            .take();
    let expected = [
        "id",
        "identifier_key",
        "is_active",
        "logo_url",
        "name",
        "use_channel_responder",
        "webhook_url",
    ];
    assert_eq!(keys(&made), expected);
    assert_eq!(text(&made["identifier_key"]).len(), 64);
    assert_eq!(made["is_active"], true);
    let list = Office::of(&server).call(Method::GET, CHANNELS, json!({})).await.data();
    assert_eq!(list["custom_channels"], json!([made]));
    let path = format!("{CHANNELS}/{}", made["id"]);
    let body = json!({"name": "Text", "webhook_url": "", "logo_url": "https://img.example/l.png"});
    let changed =
        Office::of(&server).call(Method::PUT, &path, body).await.data()["custom_channel"].take();
    assert_eq!((&changed["name"], &changed["webhook_url"]), (&json!("Text"), &Value::Null));
    assert_eq!(changed["identifier_key"], made["identifier_key"]);
    Office::of(&server).call(Method::DELETE, &path, json!({})).await.data();
    let list = Office::of(&server).call(Method::GET, CHANNELS, json!({})).await.data();
    assert_eq!(list["custom_channels"], json!([]));
    for method in [Method::PUT, Method::DELETE] {
        Office::of(&server)
            .call(method, &path, json!({"name": "x"}))
            .await
            .errors(404, "channel_not_found");
    }
}

#[tokio::test]
async fn a_rotated_or_replaced_key_is_valid_at_once_and_the_old_one_is_refused() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let path = format!("{CHANNELS}/{}", shop.channel);
    let mut keys = vec![shop.key.clone()];
    for body in [json!({"rotate_identifier_key": true}), json!({"identifier_key": "chosen-key-1"})]
    {
        let changed = shop.call(Method::PUT, &path, body).await.data();
        keys.push(text(&changed["custom_channel"]["identifier_key"]).to_owned());
    }
    assert_eq!(keys[2], "chosen-key-1");
    let write =
        |key: &str| shop.send(json!({"identifier_key": key, "user_id": "ana", "message": "x"}));
    for old in &keys[..2] {
        write(old).await.errors(401, "unauthorized");
    }
    assert_eq!(write(&keys[2]).await.data()["room_log"]["room_id"], json!(room));
    let body = json!({"name": "Same", "identifier_key": "chosen-key-1"});
    let taken = shop.post(CHANNELS, body).await;
    taken.errors(409, "channel_key_taken");
}

#[tokio::test]
async fn channels_are_listed_by_kind_and_the_widget_channel_is_created_once() {
    let shop = Shop::without_webhooks().await;
    let map = shop.call(Method::GET, "/api/v2/channels", json!({})).await.data();
    let kinds = ["custom", "email", "fb", "ig", "line", "service", "telegram", "tiktok", "wa"];
    assert_eq!(keys(&map), kinds.map(|kind| format!("{kind}_channels")));
    for kind in kinds.iter().filter(|kind| !["custom", "service"].contains(kind)) {
        assert_eq!(map[format!("{kind}_channels")], json!([]), "{kind}");
    }
    assert_eq!(items(&map["custom_channels"])[0]["id"], shop.channel.0);
    let again = shop.call(Method::GET, "/api/v2/channels", json!({})).await.data();
    assert_eq!(map, again);
    let widget = format!("{CHANNELS}/{}", items(&map["service_channels"])[0]["id"]);
    let body = json!({"webhook_url": "https://x.example/"});
    shop.call(Method::PUT, &widget, body).await.errors(400, "invalid_request");
    shop.call(Method::DELETE, &widget, json!({})).await.errors(404, "channel_not_found");
    shop.call(Method::PUT, &widget, json!({"name": "Our page"})).await.data();
}

#[tokio::test]
async fn an_invalid_channel_is_refused_with_the_field() {
    let server = TestServer::start_with(&[("listen", "0.0.0.0:0")]).await;
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "x", "identifier_key": "short"}), "identifier_key"),
        (json!({"name": "x", "webhook_url": "ftp://x.example"}), "webhook_url"),
        (json!({"name": "x", "webhook_url": "http://127.0.0.1/"}), "webhook_url"),
        (json!({"name": "x", "logo_url": "javascript:alert(1)"}), "logo_url"),
        (json!({"name": "x", "is_active": "perhaps"}), "is_active"),
    ] {
        let answer = Office::of(&server).call(Method::POST, CHANNELS, body).await;
        answer.errors(400, "invalid_request").says(field);
    }
    let list = Office::of(&server).call(Method::GET, CHANNELS, json!({})).await.data();
    assert_eq!(list["custom_channels"], json!([]));
    for id in ["x", "0", "-1", "9007199254740993"] {
        let path = format!("{CHANNELS}/{id}");
        Office::of(&server)
            .call(Method::PUT, &path, json!({}))
            .await
            .errors(404, "channel_not_found");
    }
}

#[tokio::test]
async fn an_app_has_at_most_a_hundred_channels() {
    let server = TestServer::start_quiet().await;
    for number in 0..100 {
        let body = json!({"name": format!("channel {number}")});
        Office::of(&server).call(Method::POST, CHANNELS, body).await.data();
    }
    let body = json!({"name": "one more"});
    Office::of(&server).call(Method::POST, CHANNELS, body).await.errors(409, "too_many_channels");
}

#[tokio::test]
async fn the_rooms_of_a_deleted_channel_remain_but_accept_no_messages() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let path = format!("{CHANNELS}/{}", shop.channel);
    shop.call(Method::DELETE, &path, json!({})).await.data();
    shop.write("ana", "x").await.errors(401, "unauthorized");
    shop.bot_says(&room, "x").await.errors(403, "channel_off");
    assert_eq!(shop.server.texts(&room).await, ["hello"]);
}
