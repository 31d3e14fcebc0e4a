//! Admins connect, change and delete LINE accounts; webhooks require LINE's signature.

use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::json;

use super::stage::{LineStage, SARI, connecting};
use crate::support::answer::items;
use crate::support::caller::sent;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::line_api::{LineApi, SECRET_KEY, signature, webhook};
use crate::support::waiting::{until, until_so};

const CONNECT: &str = "/api/v2/line/connect";

#[tokio::test]
async fn an_account_is_connected_shown_changed_and_deleted() {
    let stage = LineStage::start().await;
    let id = stage.channel;
    let hook = format!("https://confab.example/api/v2/hooks/line/{id}");
    assert_eq!(stage.line.hook().await, hook);
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let record = map["line_channels"][0].clone();
    for (key, value) in [
        ("id", json!(id)),
        ("name", json!("Shop")),
        ("username", json!("@shop")),
        ("is_active", json!(true)),
        ("use_channel_responder", json!(false)),
        ("access_token", json!("****1111")),
        ("secret_key", json!("****9999")),
        ("webhook_url", json!(hook)),
        ("badge_url", json!(null)),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    let one = stage.office.get(&format!("/api/v2/line/{id}"), &[]).await.data();
    assert_eq!(one["line_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/line", &[]).await.json();
    assert_eq!(page["data"]["line_channels"], json!([record]));
    assert_eq!(page["meta"]["total_count"], 1);
    let configs = json!({"online_message": "welcome", "offline_message": "",
        "send_online_if_resolved": false, "send_offline_each_message": false});
    let body = json!({"name": "Our account", "configs": configs});
    let changed = stage.office.post(&format!("{CONNECT}/{id}/update"), body).await.data();
    assert_eq!(changed["line_channel"]["name"], "Our account");
    let query = [("source", "line")];
    let path = format!("/api/v2/channels/{id}/configs");
    let shown = stage.office.get(&path, &query).await;
    assert!(shown.text.contains("welcome"), "{}", shown.text);
    let again = stage.office.post(CONNECT, connecting(&stage.line.token())).await;
    again.errors(409, "account_connected");
    stage.line.take_hook("https://other.example/hook");
    let check = format!("/api/v2/channels/{id}/check");
    let health = stage.office.post(&check, json!({})).await.data();
    assert_eq!(health["health"]["state"], "misconfigured");
    stage.office.post(&format!("{CONNECT}/{id}/update"), json!({"name": "Again"})).await.data();
    until_so("our webhook is registered again", async || stage.line.hook().await == hook).await;
    let gone = stage.office.post(&format!("{CONNECT}/{id}/delete"), json!({})).await.data();
    assert_eq!(gone["line_channel"]["webhook_url"], "");
    let gone = stage.office.get(&format!("/api/v2/line/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
}

#[tokio::test]
async fn invalid_credentials_are_refused_and_not_repeated_in_errors() {
    let stage = LineStage::start().await;
    for (key, value) in [
        ("access_token", json!("line-wrong")),
        ("access_token", json!("")),
        ("access_token", json!("a b")),
        ("secret_key", json!(null)),
        ("secret_key", json!("")),
        ("base_url", json!("https://elsewhere.example")),
    ] {
        let mut body = connecting(&stage.line.token());
        body[key] = value;
        let refused = stage.office.post(CONNECT, body).await;
        refused.errors(400, "invalid_request");
        assert!(!refused.text.contains("line-"), "{}", refused.text);
    }
    let listed = stage.office.get("/api/v2/channels", &[]).await.data();
    assert_eq!(items(&listed["line_channels"]).len(), 1);
}

#[tokio::test]
async fn only_admins_of_the_app_see_and_change_accounts() {
    let stage = LineStage::start().await;
    let (agent, supervisor) =
        (stage.office.hire("nina", "agent").await, stage.office.hire("sue", "supervisor").await);
    let id = stage.channel;
    let other = Office::of(&stage.server.create_app("rival").await);
    for (method, path) in [
        (Method::POST, CONNECT.to_owned()),
        (Method::POST, format!("{CONNECT}/{id}/update")),
        (Method::POST, format!("{CONNECT}/{id}/delete")),
        (Method::GET, format!("/api/v2/line/{id}")),
        (Method::GET, "/api/v3/admin/channel/line".to_owned()),
    ] {
        for worker in [&agent, &supervisor] {
            let answer = sent(worker.request(method.clone(), &path)).await;
            assert_eq!(answer.status, 403, "{method} {path}");
        }
        if path.contains(&id.to_string()) {
            let answer = other.call(method.clone(), &path, json!({})).await;
            answer.errors(404, "channel_not_found");
        }
        let bare = sent(stage.server.bare(method.clone(), &path)).await;
        assert_eq!(bare.status, 401, "{method} {path}");
        // Clients that have only the app's id are refused.
        let named = stage.server.bare(method.clone(), &path);
        let named = sent(named.header("service-app-id", &stage.server.code)).await;
        assert_eq!(named.status, 401, "{method} {path}");
    }
    for word in ["telegram", "wa"] {
        let path = format!("/api/v2/{word}/{id}");
        stage.office.get(&path, &[]).await.errors(404, "channel_not_found");
    }
}

#[tokio::test]
async fn forged_broken_and_oversized_webhook_bodies_post_nothing() {
    let stage = LineStage::start().await;
    let body = webhook(&[stage.line.text(SARI, "forged")]).to_string();
    let good = signature(SECRET_KEY, &body);
    let other = signature("another secret", &body);
    for wrong in ["", "x", "====", &good[1..], &other] {
        stage.post_webhook_with(wrong, body.clone()).await.errors(403, "forged");
    }
    stage.post_webhook_with(&good, body.replace("forged", "forgery")).await.errors(403, "forged");
    let path = format!("/api/v2/hooks/line/{}", stage.channel);
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::POST, "/api/v2/hooks/line/1".to_owned()),
        (Method::POST, path.replace("line", "telegram")),
    ] {
        let request = stage.server.bare(method.clone(), &path).header("x-line-signature", &good);
        let answer = sent(request.body(body.clone())).await;
        assert!([403, 404].contains(&answer.status), "{method} {path}: {}", answer.status);
    }
    assert!(stage.deliveries(EventKind::ChannelEvent).await.is_empty(), "no event is stored");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let large =
        json!({"destination": "x", "events": [], "more": "x".repeat(3_000_000)}).to_string();
    let odd = webhook(&[json!(7), json!({}), json!({"type": "message"}), json!({"source": 1})]);
    let bodies =
        ["", "{", "null", "[]", "{\"events\":7}", &deep, &large, &odd.to_string(), &body[..90]];
    for body in bodies {
        let answer = stage.post_webhook_with(&signature(SECRET_KEY, body), body.to_owned()).await;
        assert_eq!(answer.status, 200, "the provider would repeat the webhook: {}", answer.text);
    }
    let too_large = "x".repeat(5_000_000);
    let answer = stage.post_webhook_with(&signature(SECRET_KEY, &too_large), too_large).await;
    answer.errors(413, "body_too_large");
    // The console's check has no events.
    assert_eq!(stage.post_webhook(&[]).await.status, 200);
    stage.wait_until_delivered().await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"], json!([]));
    stage.writes("and it works").await;
    let room = stage.room_of(SARI).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["and it works"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channels_command_manages_a_line_account_and_logs_no_secret() {
    let line = LineApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_LINE_API_URL", line.base.as_str()), ("CONFAB_LOG_LEVEL", "trace")];
    let first_token = line.token();
    let server = folder.serve_with(&[], &environment);
    folder.write("token", &format!("{}\n", line.token()));
    folder.write("secret", SECRET_KEY);
    let mut add = vec!["channels", "add", "line", "--token-file", "token"];
    let said = folder.run(&add).failed(2);
    assert!(said.contains("--secret-file"), "{said}");
    add.extend(["--secret-file", "secret"]);
    let said = folder.run(&add).ok();
    assert!(said.contains("@shop") && said.contains("public_url"), "{said}");
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains("line") && listed.contains(&id), "{listed}");
    let trigger = ["trigger", "message", "--channel", &id, "--from", SARI, "--text", "by hand"];
    folder.run(&trigger).ok();
    let office = Office::of(&server.shop());
    let first = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    until("the message is in the inbox", first).await;
    folder.write("next", &line.set_token("line-second-token-2222"));
    folder.run(&["channels", "set", &id, "--token-file", "next", "--name", "Ours"]).ok();
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains("Ours") && !listed.contains("token"), "{listed}");
    let checked = folder.run(&["channels", "check", &id]).ok();
    assert!(checked.contains("public_url"), "{checked}");
    folder.run(&["channels", "remove", &id]).ok();
    assert!(folder.run(&["channels", "list"]).ok().contains("No provider is connected"));
    let log = server.log.text();
    assert!(log.lines().count() > 10, "the log is not empty");
    for secret in [first_token.as_str(), SECRET_KEY, "line-second-token-2222"] {
        assert!(
            !log.contains(secret) && !said.contains(secret),
            "the secret is in neither the log nor the output"
        );
    }
}
