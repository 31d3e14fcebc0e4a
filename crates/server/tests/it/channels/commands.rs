//! `confab channels`, including simulated customer messages.

use serde_json::json;

use super::telegram::stage::ANA;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::waiting::until;

#[tokio::test(flavor = "multi_thread")]
async fn a_telegram_bot_is_added_tested_and_removed_on_the_command_line() {
    let bot = BotApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let server = folder.serve_with(&[], &environment);
    folder.write("token", &format!("{}\n", bot.token()));
    let said = folder.run(&["channels", "add", "telegram", "--token-file", "token"]).ok();
    assert!(said.contains("@shop_bot") && said.contains("https://t.me/shop_bot"), "{said}");
    bot.writes(ANA, "hello");
    let office = Office::of(&server.shop());
    let first = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    let room = until("the message is in the inbox", first).await;
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains(&id) && listed.contains("ok"), "{listed}");
    assert!(!listed.contains("AAE"), "{listed}");
    let checked = folder.run(&["channels", "check", &id]).ok();
    assert!(checked.starts_with("ok (received by polling)"), "{checked}");
    let trigger = ["trigger", "message", "--channel", &id, "--from", "77", "--text", "by hand"];
    folder.run(&trigger).ok();
    let update = bot.message(ANA, json!({"text": "recorded"}));
    folder.write("update.json", &update.to_string());
    folder.run(&["channels", "play", &id, "update.json"]).ok();
    let texts = async || {
        let texts = office.caller.texts(&room).await;
        Some(texts).filter(|texts| texts.len() >= 3)
    };
    let texts = until("both messages are posted", texts).await;
    assert!(texts.contains(&"by hand".to_owned()) && texts.contains(&"recorded".to_owned()));
    folder.run(&["channels", "set", &id, "--off"]).ok();
    assert!(folder.run(&["channels", "list"]).ok().contains("off"));
    folder.run(&["channels", "set", &id, "--on", "--name", "Our bot"]).ok();
    let said = folder.run(&["channels", "add", "telegram", "--token-file", "token"]).failed(1);
    assert!(said.contains("connected already"), "{said}");
    bot.set_token("AAE-second-token-of-the-bot-2222");
    for arguments in [&["channels", "check", &id][..], &["channels", "check", &id, "--json"]] {
        let said = folder.run(arguments).failed(1);
        assert!(said.contains("does not work: its state is unauthorized"), "{said}");
    }
    folder.run(&["channels", "remove", &id]).ok();
    assert!(folder.run(&["channels", "list"]).ok().contains("No provider is connected"));
    let said = folder.run(&["channels", "check", "1"]).failed(1);
    assert!(said.contains("Channel 1 does not exist"), "{said}");
    let said = folder.run(&["trigger", "message", "--from", "7"]).failed(1);
    assert!(said.contains("--channel"), "{said}");
}
