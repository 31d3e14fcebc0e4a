//! Admins connect, change and delete bots; only the last letters of tokens are shown.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::{ANA, Stage, connect};
use crate::channels::service_stage::ServiceStage;
use crate::support::answer::{items, keys};
use crate::support::office::Office;
use crate::support::stand_ins::bot_api::{BOT, BotApi};
use crate::support::test_server::TestServer;

const CONNECT: &str = "/api/v2/telegram/connect";

#[tokio::test]
async fn a_bot_is_connected_shown_changed_and_deleted() {
    let stage = Stage::polling().await;
    let id = stage.channel;
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let kinds = ["custom", "email", "fb", "ig", "line", "service", "telegram", "tiktok", "wa"];
    assert_eq!(keys(&map), kinds.map(|kind| format!("{kind}_channels")));
    let record = items(&map["telegram_channels"])[0].clone();
    assert_eq!(
        (&record["id"], &record["username"], &record["name"], &record["bot_token"]),
        (&json!(id), &json!("shop_bot"), &json!("Shop"), &json!("****1111")),
    );
    let one = stage.office.get(&format!("/api/v2/telegram/{id}"), &[]).await.data();
    assert_eq!(one["telegram_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/telegram", &[("limit", "5")]).await.json();
    assert_eq!(page["data"]["telegram_channels"], json!([record]));
    assert_eq!(page["meta"]["total_count"], 1);
    let update = format!("{CONNECT}/{id}/update");
    let body = json!({"name": "Our bot", "is_active": false,
        "configs": {"online_message": "Hi!", "send_online_if_resolved": true}});
    let changed = stage.office.post(&update, body).await.data();
    assert_eq!(changed["telegram_channel"]["name"], "Our bot");
    assert_eq!(changed["telegram_channel"]["is_active"], false);
    let configs = stage.office.get(&format!("/api/v2/channels/{id}/configs"), &[]).await.data();
    assert_eq!(configs["configs"]["online_message"], "Hi!");
    assert_eq!(stage.health().await["state"], "off");
    stage.office.post(&format!("{CONNECT}/{id}/delete"), json!({})).await.data();
    let gone = stage.office.get(&format!("/api/v2/telegram/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
    let again = connect(&stage.office, &stage.bot.token()).await;
    assert_ne!(again, id, "a bot connected again is a new channel");
}

#[tokio::test]
async fn a_bot_can_be_connected_once_and_an_invalid_token_is_refused() {
    let stage = Stage::polling().await;
    let body = json!({"bot_token": stage.bot.token()});
    stage.office.post(CONNECT, body).await.errors(409, "account_connected");
    for token in ["1:wrong-token", "", "a/../b", "é"] {
        let refused = stage.office.post(CONNECT, json!({"bot_token": token})).await;
        refused.errors(400, "invalid_request").says("bot_token");
    }
    stage.office.post(CONNECT, json!({})).await.errors(400, "invalid_request");
    let update = format!("{CONNECT}/{}/update", stage.channel);
    let other = BotApi::start().await;
    let body = json!({"bot_token": format!("{}:of another bot", BOT + 1)});
    stage.office.post(&update, body).await.errors(400, "invalid_request").says("bot_token");
    drop(other);
    let listed = stage.office.get("/api/v2/channels", &[]).await.data();
    assert_eq!(items(&listed["telegram_channels"]).len(), 1);
}

#[tokio::test]
async fn only_admins_of_the_app_see_and_change_bots() {
    let stage = Stage::polling().await;
    let (agent, supervisor) =
        (stage.office.hire("nina", "agent").await, stage.office.hire("sue", "supervisor").await);
    let id = stage.channel;
    let other = Office::of(&stage.server.create_app("rival").await);
    let paths = [
        (Method::POST, CONNECT.to_owned()),
        (Method::POST, format!("{CONNECT}/{id}/update")),
        (Method::POST, format!("{CONNECT}/{id}/delete")),
        (Method::GET, format!("/api/v2/telegram/{id}")),
        (Method::GET, "/api/v3/admin/channel/telegram".to_owned()),
        (Method::GET, format!("/api/v2/channels/{id}/health")),
        (Method::POST, format!("/api/v2/channels/{id}/check")),
        (Method::POST, format!("/api/v2/channels/{id}/events")),
    ];
    for (method, path) in &paths {
        for worker in [&agent, &supervisor] {
            let request = worker.request(method.clone(), path);
            let answer = crate::support::caller::sent(request).await;
            assert_eq!(answer.status, 403, "{method} {path}");
        }
        if path.contains(&id.to_string()) {
            let body = json!({"from": "77", "text": "x"});
            let answer = other.call(method.clone(), path, body).await;
            answer.errors(404, "channel_not_found");
        }
        let bare = stage.server.bare(method.clone(), path);
        assert_eq!(crate::support::caller::sent(bare).await.status, 401, "{method} {path}");
    }
    let path = format!("/api/v2/custom_channels/{id}");
    let refused = stage.office.call(Method::PUT, &path, json!({"name": "x"})).await;
    refused.errors(404, "channel_not_found");
    let refused = stage.office.call(Method::DELETE, &path, json!({})).await;
    refused.errors(404, "channel_not_found");
}

#[tokio::test]
async fn changes_of_a_bot_are_audited_without_its_token() {
    let stage = Stage::polling().await;
    let admin = stage.admin().await;
    let token = stage.bot.set_token("AAE-second-token-of-the-bot-2222");
    let update = format!("{CONNECT}/{}/update", stage.channel);
    admin.post(&update, json!({"bot_token": token, "name": "Other"})).await.data();
    let audit = admin.get("/api/v2/audit", &[]).await;
    let deeds: Vec<_> = items(&audit.json()["data"]["entries"])
        .iter()
        .map(|it: &Value| it["what"].as_str().unwrap_or_default().to_owned())
        .collect();
    for deed in ["channel.created", "channel.changed", "channel.key_rotated"] {
        assert!(deeds.iter().any(|it| it == deed), "{deed} in {}", audit.text);
    }
    assert!(!audit.text.contains("AAE"), "{}", audit.text);
}

#[tokio::test]
async fn a_channel_whose_base_url_is_log_works_without_an_account() {
    let body = json!({"bot_token": "1:x", "base_url": "log:"});
    let stage = ServiceStage::connect(TestServer::start().await, "telegram", body).await;
    let id = stage.channel;
    let body = json!({"from": ANA.to_string(), "text": "hello"});
    stage.office.post(&format!("/api/v2/channels/{id}/events"), body).await.data();
    let room = stage.room_of(&format!("telegram-{ANA}")).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["hello"]);
    let admin = stage.admin().await;
    stage.post_reply(&admin, &room, "hi").await;
    stage.wait_for_state(&room, "hi", "sent").await;
    assert_eq!(stage.health().await["way"], "printed");
    let refused = json!({"bot_token": "2:x", "base_url": "http://127.0.0.1:1/"});
    stage.office.post(CONNECT, refused).await.errors(400, "invalid_request").says("base_url");
}
