//! Tests against third-party software in Node: a Bot API server that Confab calls, and LINE's own
//! client, which verifies our stand-in and our signatures (crates/server/tests/services).

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::line::stage::{LineStage, SARI};
use super::service_stage::ServiceStage;
use crate::support::installing::node_modules;
use crate::support::stand_ins::line_api::{SECRET_KEY, signature, webhook};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/services");
const TOKEN: &str = "666:AAE-any-token-is-good-there";
const ANA: i64 = 77;

/// Returns Node with one of the scripts.
async fn node(script: &str) -> Command {
    let modules = || node_modules("services", Path::new(SCRIPTS));
    let modules = tokio::task::spawn_blocking(modules).await.expect("installed");
    let mut node = Command::new("node");
    node.arg(Path::new(SCRIPTS).join(script)).env("NODE_PATH", modules);
    node.stdin(Stdio::piped()).stdout(Stdio::piped());
    node
}

/// A third-party Bot API server with its customers.
struct ForeignBotApi {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    base: String,
}

impl ForeignBotApi {
    async fn start() -> Self {
        let mut process = node("telegram.js").await.spawn().expect("node runs");
        let input = process.stdin.take().expect("piped");
        let output = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut api = Self { process, input, output, base: String::new() };
        api.base = format!("http://127.0.0.1:{}", api.line()["port"]);
        api
    }

    fn line(&mut self) -> Value {
        let line = self.output.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Performs an action of the customer.
    fn act(&mut self, what: &str, mut fields: Value) -> Value {
        fields["does"] = json!(what);
        fields["token"] = json!(TOKEN);
        fields["chat"] = json!(ANA);
        writeln!(self.input, "{fields}").expect("written");
        self.line()
    }

    /// Waits for a message of the bot, not deleted since, that meets a condition.
    async fn wait_for_bot_message(
        &mut self,
        what: &str,
        mut is_so: impl FnMut(&Value) -> bool,
    ) -> Value {
        until(what, async || {
            let all = self.act("read", json!({}));
            all.as_array().expect("a list").iter().find(|it| is_so(it)).cloned()
        })
        .await
    }
}

impl Drop for ForeignBotApi {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_party_bot_api_accepts_messages_edits_buttons_and_deletions() {
    let mut api = ForeignBotApi::start().await;
    let server = TestServer::start_with(&[("telegram_api_url", &api.base)]).await;
    let stage = ServiceStage::connect(server, "telegram", json!({"bot_token": TOKEN})).await;
    for text in ["first", "second", "third"] {
        api.act("say", json!({"text": text}));
    }
    let room = stage.room_of(&format!("telegram-{ANA}")).await;
    assert_eq!(stage.wait_for_texts(&room, 3).await, ["first", "second", "third"]);
    let admin = stage.admin().await;
    let said = stage.post_reply(&admin, &room, "helo").await;
    stage.wait_for_state(&room, "helo", "sent").await;
    let sent =
        api.wait_for_bot_message("the message is sent", |it| it["message"]["text"] == "helo").await;
    let id = said["unique_temp_id"].as_str().expect("an id");
    let path = format!("/api/v2/customer_rooms/{room}/messages/{id}");
    admin.patch(&path, json!({"message": "hello"})).await.data();
    let is_corrected =
        |it: &Value| it["messageId"] == sent["messageId"] && it["message"]["text"] == "hello";
    api.wait_for_bot_message("the message is edited", is_corrected).await;
    let button = json!({"label": "Yes", "type": "postback", "postback_text": "I do",
        "payload": {"url": "#", "method": "get", "payload": {"answer": 7}}});
    let payload = json!({"text": "Sure?", "buttons": [button]});
    stage.post_reply_with(&admin, &room, json!({"type": "buttons", "payload": payload})).await;
    let asked = api
        .wait_for_bot_message("the question is sent", |it| it["message"]["text"] == "Sure?")
        .await;
    let key = &asked["message"]["reply_markup"]["inline_keyboard"][0][0];
    assert_eq!(key["text"], "Yes");
    api.act("press", json!({"data": key["callback_data"], "message": asked["messageId"]}));
    until("the button press is posted", async || {
        let all = stage.conversation(&room).await;
        all.into_iter().find(|it| it["type"] == "button_postback_response")
    })
    .await;
    admin.delete(&path).await.data();
    until("the message is deleted", async || {
        let all = api.act("read", json!({}));
        let all = all.as_array().expect("a list");
        all.iter().all(|it| it["messageId"] != sent["messageId"]).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_published_client_accepts_our_stand_in_and_agrees_on_signatures() {
    let stage = LineStage::start().await;
    let text = stage.line.text(SARI, "h\u{e9}llo \u{1f600} \\ \" \u{2028}");
    let token = text["replyToken"].clone();
    let bodies = [webhook(&[]), webhook(&[text])].map(|it| it.to_string());
    let mut signed = Vec::new();
    for body in &bodies {
        let good = signature(SECRET_KEY, body);
        for (body, good) in [
            (body.clone(), good.clone()),
            (format!("{body} "), good.clone()),
            (body.clone(), signature("another-secret", body)),
            (body.clone(), good.to_lowercase()),
            (body.clone(), String::new()),
        ] {
            signed.push(json!({"body": body, "secret": SECRET_KEY, "signature": good}));
        }
    }
    let hook = stage.line.hook().await;
    let asked = json!({"signed": signed, "server": stage.line.base, "token": stage.line.token(),
        "to": SARI, "replyToken": token});
    let mut client = node("line.js").await.spawn().expect("node runs");
    let mut input = client.stdin.take().expect("piped");
    input.write_all(asked.to_string().as_bytes()).expect("written");
    drop(input);
    let ended = tokio::task::spawn_blocking(move || client.wait_with_output()).await;
    let ended = ended.expect("joined").expect("the process ends");
    let mut said: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let is_valid = said["isValid"].take();
    // Our webhook route agrees on each signature.
    for (signed, is_valid) in signed.iter().zip(is_valid.as_array().expect("a list")) {
        let [body, signature] = ["body", "signature"].map(|key| signed[key].as_str());
        let (body, signature) = (body.expect("a body"), signature.expect("a signature"));
        let answer = stage.post_webhook_with(signature, body.to_owned()).await;
        let expected = if *is_valid == true { 200 } else { 403 };
        assert_eq!(answer.status, expected, "{signature} of {body}");
    }
    assert_eq!(is_valid.as_array().map(|it| it.iter().filter(|it| **it == true).count()), Some(2));
    let expected = json!({
        "isValid": null, "bot": "Shop", "name": "Sari", "reply": 1, "replyAgain": 400, "push": 1,
        "pushAgain": 409, "quota": 1000, "endpoint": hook, "stranger": 401,
    });
    assert_eq!(said, expected);
    let room = stage.room_of(SARI).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["h\u{e9}llo \u{1f600} \\ \" \u{2028}"]);
}
