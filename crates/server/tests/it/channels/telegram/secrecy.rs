//! A bot's token is never in the log, attempts, responses or the database file.

use serde_json::json;

use super::stage::{ANA, Stage};
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::waiting::{until, until_so};

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_token_is_in_no_log_response_or_file() {
    let bot = BotApi::start().await;
    let folder = Folder::with_app().await;
    let environment =
        [("CONFAB_TELEGRAM_API_URL", bot.base.as_str()), ("CONFAB_LOG_LEVEL", "trace")];
    let server = folder.serve_with(&[], &environment);
    let office = Office::of(&server.shop());
    let body = json!({"bot_token": bot.token()});
    let made = office.post("/api/v2/telegram/connect", body).await;
    let id = made.data()["telegram_channel"]["id"].as_i64().expect("an id");
    bot.add_file("photo-1", &[7; 1000]);
    let sizes = json!([{"file_id": "photo-1", "width": 8, "height": 6}]);
    bot.tell(&bot.message(ANA, json!({"photo": sizes})));
    let rooms = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    let room = until("there is a room", rooms).await;
    let says = async |text: &str| {
        let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": text});
        office.post("/shop/bot", body).await.data();
    };
    says("one").await;
    bot.sends(1).await;
    bot.refuse("sendMessage", 403, "Forbidden: bot was blocked by the user");
    says("two").await;
    let old = bot.token();
    bot.set_token("AAE-second-token-of-the-bot-2222");
    says("three").await;
    let path = format!("/api/v2/channels/{id}/health");
    until_so("the channel is unauthorized", async || {
        office.get(&path, &[]).await.data()["health"]["state"] == "unauthorized"
    })
    .await;
    let mut shown = made.text;
    let deliveries = "/api/v2/webhooks/deliveries";
    let listed = office.get(deliveries, &[("limit", "100")]).await;
    for delivery in listed.json()["data"]["deliveries"].as_array().expect("some") {
        shown += &office.get(&format!("{deliveries}/{}", delivery["id"]), &[]).await.text;
    }
    for path in
        [&path, "/api/v2/channels", "/api/v2/webhooks/endpoints", "/api/v2/audit", "/metrics"]
    {
        shown += &office.get(path, &[]).await.text;
    }
    shown += &listed.text;
    let secret = old.split(':').nth(1).expect("a secret").to_owned();
    assert!(!shown.contains(&secret), "no response contains the token");
    let log = server.log.text();
    assert!(log.lines().count() > 10, "the log is not empty");
    assert!(!log.contains(&secret), "the log does not contain the token");
    assert!(!server.printed().contains(&secret));
    server.kill();
    for file in files_below(&folder.data()) {
        let bytes = std::fs::read(&file).expect("read");
        let found = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
        assert!(!found, "{} does not contain the token", file.display());
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|it| it.path()) {
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test]
async fn an_erased_customer_who_writes_again_gets_a_new_room() {
    let stage = Stage::polling().await;
    stage.bot.writes(ANA, "hello");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    let contact = rooms["data"]["customer_rooms"][0]["contact_id"].clone();
    let path = format!("/api/v2/contacts/{contact}/erase");
    stage.office.post(&path, json!({"confirm": "Ana Silva"})).await.data();
    stage.bot.writes(ANA, "hello again");
    until_so("the customer has a new room", async || stage.room_of(ANA).await != room).await;
    let newer = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&newer, 1).await, ["hello again"]);
}
