//! Integrating a bot (wire facts 5.2), and the bot of the documentation.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use confab_test_servers::programs::program;
use reqwest::Method;
use serde_json::json;

use crate::support::caller::{sent, with_json};
use crate::support::office::Office;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

const BOTS_PAGE: &str = include_str!("../../../../../../docs/start/bots.md");

#[tokio::test]
async fn a_bot_is_integrated_read_disabled_and_forced() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let read = || admin.get("/api/v1/app/bot", &[]);
    let none = json!({"bot_webhook_url": "", "is_bot_enabled": false, "is_force_send_bot": false});
    assert_eq!(read().await.data(), none);
    let activation = "/api/v1/app/bot/activation";
    let answer = admin.post(activation, json!({"is_active": true})).await;
    answer.errors(404, "endpoint_not_found");
    let body = json!({"bot_webhook_url": "https://bot.example/", "is_bot_enabled": "true"});
    let data = admin.post("/api/v1/app/bot/integrate", body).await.data();
    assert_eq!(data["app"]["bot_webhook_url"], "https://bot.example/");
    assert_eq!(data["app"]["is_bot_enabled"], true);
    let app = admin.post(activation, json!({"is_active": "0"})).await.data();
    assert_eq!(app["is_bot_enabled"], false);
    assert_eq!(app["bot_webhook_url"], "https://bot.example/");
    let forced = office.post("/api/v2/app/bot/force_send", json!({"is_force_send_bot": true}));
    assert_eq!(forced.await.data()["is_force_send_bot"], true);
    let expected = json!({
        "bot_webhook_url": "https://bot.example/", "is_bot_enabled": false,
        "is_force_send_bot": true,
    });
    assert_eq!(read().await.data(), expected);
    let answer = admin.post(activation, json!({})).await;
    answer.errors(400, "invalid_request").says("is_active is required");
}

/// A program that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_bot_of_the_documentation_replies_once_although_a_webhook_arrives_twice() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    // The page's own port may be taken, so the bot chooses one and prints it.
    let listening = r#"ThreadingHTTPServer(("127.0.0.1", 3000), Bot).serve_forever()"#;
    let chosen = r#"server = ThreadingHTTPServer(("127.0.0.1", 0), Bot)
print(server.server_port, flush=True)
server.serve_forever()"#;
    let page = program(BOTS_PAGE, "python");
    assert!(page.contains(listening), "the bot's last line");
    let bot = page.replace(listening, chosen).replace("http://127.0.0.1:8787", &server.base);
    let mut running = Command::new("python3")
        .args(["-c", &bot])
        .env("APP_ID", &server.code)
        .env("SECRET_KEY", "secret-key-of-shop")
        .stdout(Stdio::piped())
        .spawn()
        .map(Running)
        .expect("python3 runs");
    let printed = BufReader::new(running.0.stdout.take().expect("its output"));
    let port = printed.lines().next().expect("a port").expect("text");
    let url = format!("http://127.0.0.1:{port}/hook");
    let body = json!({"bot_webhook_url": url, "is_bot_enabled": true});
    admin.post("/api/v1/app/bot/integrate", body).await.data();

    let body = json!({"name": "SMS", "webhook_url": "https://sms.example/"});
    let made = admin.post("/api/v2/custom_channels", body).await.data();
    let body = json!({
        "identifier_key": made["custom_channel"]["identifier_key"], "user_id": "ana",
        "name": "Ana", "message": "hello",
    });
    let request = server.bare(Method::POST, "/shop/api/v2/custom_channel/send");
    let written = sent(with_json(request, &body)).await.data();
    let room = written["room_log"]["room_id"].as_str().expect("a room").to_owned();
    let replies = async || {
        let texts = office.caller.texts(&room).await;
        texts.into_iter().filter(|text| text == "You wrote: hello").count()
    };
    until("the bot has replied", async || (replies().await > 0).then_some(())).await;

    let deliveries = async || {
        let listed = office.get("/api/v2/webhooks/deliveries", &[("kind", "bot")]).await.data();
        listed["deliveries"][0].clone()
    };
    let first = until("the delivery succeeded", async || {
        Some(deliveries().await).filter(|it| it["standing"] == "delivered")
    });
    let path = format!("/api/v2/webhooks/deliveries/{}/replay", first.await["id"]);
    office.post(&path, json!({})).await.data();
    until("the webhook arrived twice", async || {
        Some(deliveries().await).filter(|it| it["attempts"] == 2 && it["standing"] == "delivered")
    })
    .await;
    assert_eq!(replies().await, 1);
}
