//! Two nodes and one bot: one of them asks for updates, and the other takes over.

use std::time::{Duration, Instant};

use serde_json::json;

use super::stage::connect;
use crate::support::bot_api::BotApi;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::waiting::until;

#[tokio::test(flavor = "multi_thread")]
async fn one_node_asks_and_when_it_is_killed_the_other_goes_on() {
    let bot = BotApi::start().await;
    let database = confab_test_servers::postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database)).and_app().await;
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let (one, two) = (folder.serve_with(&[], &environment), folder.serve_with(&[], &environment));
    connect(&Office::of(&one.shop()), &bot.token()).await;
    let office = Office::of(&two.shop());
    for number in 0..5 {
        bot.writes(77, &format!("message {number}"));
    }
    said(&office, 5).await;
    assert_eq!(bot.conflicts(), 0, "one of them asks");
    one.kill();
    let killed = Instant::now();
    for number in 5..10 {
        bot.writes(77, &format!("message {number}"));
    }
    let texts = said(&office, 10).await;
    let took = killed.elapsed();
    let expected: Vec<_> = (0..10).map(|number| format!("message {number}")).collect();
    println!("taken over after {took:?}, {} conflicts", bot.conflicts());
    assert_eq!(texts, expected);
    assert!(took < Duration::from_secs(60));
}

async fn said(office: &Office, count: usize) -> Vec<String> {
    let found = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        let room = listed["data"]["customer_rooms"][0]["room_id"].as_str()?.to_owned();
        assert_ne!(listed["data"], json!(null));
        let mut texts = office.caller.texts(&room).await;
        texts.reverse();
        Some(texts).filter(|texts| texts.len() >= count)
    };
    until("it is received", found).await
}
