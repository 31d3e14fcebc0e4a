//! The search index survives restarts, and can be rebuilt by a command (D-0145).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until_so;

async fn finds(server: &Confab, words: &str) -> usize {
    let office = Office::of(&server.shop());
    let page = office.get("/api/v2/search", &[("q", words)]).await.json();
    page["data"]["messages"].as_array().map_or(0, Vec::len)
}

async fn writes(server: &Confab, key: &Value, message: &str) {
    let body = json!({
        "identifier_key": key, "user_id": "ann", "name": "Ann", "message": message,
    });
    let path = "/shop/api/v2/custom_channel/send";
    sent(with_json(server.shop().bare(Method::POST, path), &body)).await.data();
}

#[tokio::test]
async fn messages_are_found_after_a_kill_and_after_rebuilding_the_index() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let office = Office::of(&server.shop());
    let body = json!({"name": "SMS", "webhook_url": "https://sms.example/"});
    let made = office.post("/api/v2/custom_channels", body).await.data();
    let key = made["custom_channel"]["identifier_key"].clone();
    assert!(!text(&key).is_empty());
    for number in 0..250 {
        writes(&server, &key, &format!("needle{number}")).await;
    }
    server.kill();
    let server = folder.serve();
    for words in ["needle0", "needle249"] {
        until_so("the message is found after the kill", async || finds(&server, words).await == 1)
            .await;
    }
    assert!(folder.run(&["search", "rebuild"]).ok().contains("Emptied the search index"));
    until_so("the message is found after rebuilding the index", async || {
        finds(&server, "needle249").await == 1
    })
    .await;
    server.kill();
    folder.run(&["search", "rebuild"]).ok();
    let server = folder.serve();
    until_so("the next start rebuilds the index", async || finds(&server, "needle0").await == 1)
        .await;
}
