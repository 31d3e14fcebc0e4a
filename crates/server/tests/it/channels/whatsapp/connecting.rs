//! Admins connect, change and delete WhatsApp numbers; webhooks require Meta's signature.

use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::{Value, json};

use super::stage::{BUDI, WhatsappStage, connecting, message_webhook, now_s, webhook};
use crate::support::answer::{items, text};
use crate::support::caller::sent;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::graph_api::{
    APP_SECRET, BUSINESS, GraphApi, NUMBER, OTHER_NUMBER, signature,
};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

const CONNECT: &str = "/api/v2/wa/connect";

#[tokio::test]
async fn a_number_is_connected_shown_changed_and_deleted() {
    let stage = WhatsappStage::start().await;
    let id = stage.channel;
    let (url, token) = stage.graph.hook().await;
    assert_eq!(url, format!("https://confab.example/api/v2/hooks/wa/{id}"));
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let record = items(&map["wa_channels"])[0].clone();
    for (key, value) in [
        ("id", json!(id)),
        ("name", json!("Shop")),
        ("phone_number", json!("+62 811-1111-111")),
        ("phone_number_id", json!(NUMBER)),
        ("business_id", json!(BUSINESS)),
        ("base_url", json!(stage.graph.base)),
        ("read_enabled", json!(false)),
        ("forward_enabled", json!(false)),
        ("is_on_cloud", json!(true)),
        ("access_token", json!("****1111")),
        ("app_secret", json!("****9999")),
        ("verify_token", json!(format!("****{}", &token[token.len() - 4..]))),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    for key in ["platform", "is_coex", "pricing_model", "created_at", "updated_at", "forward_url"] {
        assert!(record.get(key).is_some(), "{key}");
    }
    let one = stage.office.get(&format!("/api/v2/wa/{id}"), &[]).await.data();
    assert_eq!(one["wa_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/wa", &[]).await.json();
    assert_eq!(page["data"]["wa_channels"], json!([record]));
    let update = format!("{CONNECT}/{id}/update");
    let body = json!({"name": "Our number", "read_enabled": true, "api_version": "v25.0"});
    let changed = stage.office.post(&update, body).await.data();
    assert_eq!(changed["wa_channel"]["name"], "Our number");
    assert_eq!(changed["wa_channel"]["read_enabled"], true);
    stage
        .office
        .post(CONNECT, connecting(&stage.graph.token()))
        .await
        .errors(409, "account_connected");
    stage.office.post(&format!("{CONNECT}/{id}/delete"), json!({})).await.data();
    let gone = stage.office.get(&format!("/api/v2/wa/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
}

#[tokio::test]
async fn an_invalid_token_or_phone_number_is_refused() {
    let stage = WhatsappStage::start().await;
    for (key, value) in [
        ("access_token", json!("EAAG-wrong")),
        ("access_token", json!("")),
        ("phone_number_id", json!("1")),
        ("phone_number_id", json!("../1")),
        ("business_id", json!("x")),
        ("api_version", json!("latest")),
        ("base_url", json!("https://elsewhere.example")),
    ] {
        let mut body = connecting(&stage.graph.token());
        body[key] = value;
        let refused = stage.office.post(CONNECT, body).await;
        refused.errors(400, "invalid_request");
        assert!(!refused.text.contains("EAAG"), "{}", refused.text);
    }
    let update = format!("{CONNECT}/{}/update", stage.channel);
    let refused = stage.office.post(&update, json!({"access_token": "EAAG-wrong"})).await;
    refused.errors(400, "invalid_request").says("access_token");
    let listed = stage.office.get("/api/v2/channels", &[]).await.data();
    assert_eq!(items(&listed["wa_channels"]).len(), 1);
}

#[tokio::test]
async fn only_admins_of_the_app_see_and_change_numbers() {
    let stage = WhatsappStage::start().await;
    let (agent, supervisor) =
        (stage.office.hire("nina", "agent").await, stage.office.hire("sue", "supervisor").await);
    let id = stage.channel;
    let other = Office::of(&stage.server.create_app("rival").await);
    for (method, path) in [
        (Method::POST, CONNECT.to_owned()),
        (Method::POST, format!("{CONNECT}/{id}/update")),
        (Method::POST, format!("{CONNECT}/{id}/delete")),
        (Method::GET, format!("/api/v2/wa/{id}")),
        (Method::GET, "/api/v3/admin/channel/wa".to_owned()),
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
    }
    // A Telegram path does not find a WhatsApp channel.
    let path = format!("/api/v2/telegram/{id}");
    stage.office.get(&path, &[]).await.errors(404, "channel_not_found");
}

#[tokio::test]
async fn meta_can_verify_the_webhook_and_only_its_signed_requests_are_accepted() {
    let stage = WhatsappStage::start().await;
    let (_, token) = stage.graph.hook().await;
    let code = stage.server.code.clone();
    for path in [format!("wa/{}", stage.channel), format!("meta/{code}")] {
        let tried = async |token: &str, mode: &str| {
            let query = format!("hub.mode={mode}&hub.verify_token={token}&hub.challenge=11%2B58");
            sent(stage.server.bare(Method::GET, &format!("/api/v2/hooks/{path}?{query}"))).await
        };
        let answer = tried(&token, "subscribe").await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "11+58"));
        for (token, mode) in [("wrong", "subscribe"), ("", "subscribe"), (&token, "other")] {
            tried(token, mode).await.errors(403, "forged");
        }
        let body =
            message_webhook(json!({"id": "wamid.1", "type": "text", "text": {"body": "forged"}}));
        let body = body.to_string();
        let good = signature(APP_SECRET, &body);
        let other = signature("another secret", &body);
        for wrong in ["", "sha256=", "x", &good[7..], &other, &good.replace("sha256", "sha1")] {
            stage.post_webhook_with(&path, wrong, body.clone()).await.errors(403, "forged");
        }
        let changed = body.replace("forged", "forgery");
        stage.post_webhook_with(&path, &good, changed).await.errors(403, "forged");
    }
    let unknown = stage.post_webhook_with("meta/nobody", "x", "{}".to_owned()).await;
    unknown.errors(403, "forged");
    let query = [("kind", EventKind::ChannelEvent.as_str())];
    let listed = stage.office.get("/api/v2/webhooks/deliveries", &query).await.data();
    assert_eq!(listed["deliveries"], json!([]), "no event is stored");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = format!("{{\"entry\":\"{}\"}}", "x".repeat(3_000_000));
    for body in [String::new(), "{".to_owned(), "[]".to_owned(), deep, large, "null".to_owned()] {
        for path in [format!("wa/{}", stage.channel), format!("meta/{code}")] {
            let answer =
                stage.post_webhook_with(&path, &signature(APP_SECRET, &body), body.clone()).await;
            assert_eq!(
                answer.status, 200,
                "the provider would repeat the webhook for days: {}",
                answer.text
            );
        }
    }
    stage.wait_until_delivered().await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"], json!([]));
}

#[tokio::test]
async fn one_webhook_url_serves_all_numbers_and_an_unknown_number_is_noted() {
    let stage = WhatsappStage::start().await;
    let path = format!("meta/{}", stage.server.code);
    let hello =
        message_webhook(json!({"id": "wamid.1", "type": "text", "text": {"body": "hello"}}));
    let body = hello.to_string();
    let answer = stage.post_webhook_with(&path, &signature(APP_SECRET, &body), body).await;
    assert_eq!(answer.status, 200);
    let room = stage.room_of(BUDI).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["hello"]);
    let message = json!({"from": "62899", "id": "wamid.2", "type": "text", "timestamp": "1",
        "text": {"body": "lost"}});
    let metadata = json!({"phone_number_id": "777", "display_phone_number": "1"});
    let body = webhook(json!({"metadata": metadata, "messages": [message]})).to_string();
    let answer = stage.post_webhook_with(&path, &signature(APP_SECRET, &body), body).await;
    assert_eq!(answer.status, 200);
    let notes = stage.health().await["notes"].to_string();
    assert!(notes.contains("777"), "{notes}");
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

/// Regression: a message to one number of the Meta app reached the customers of another one.
#[tokio::test]
async fn an_event_goes_to_the_channel_of_its_own_number_at_any_webhook_url() {
    let stage = WhatsappStage::start().await;
    let mut other = connecting(&stage.graph.token());
    other["phone_number_id"] = json!(OTHER_NUMBER);
    let made = stage.office.post(CONNECT, other).await.data();
    let other = &made["wa_channel"]["id"];
    let to = |number: &str, from: &str, text: &str| {
        let message = json!({"from": from, "id": format!("wamid.{text}"), "type": "text",
            "timestamp": now_s().to_string(), "text": {"body": text}});
        let metadata = json!({"phone_number_id": number, "display_phone_number": "1"});
        webhook(json!({"metadata": metadata, "messages": [message]}))
    };
    // All webhooks arrive at the URL of the first number.
    let webhooks =
        [to(OTHER_NUMBER, "62899", "other"), to("777", "62877", "nobody"), to(NUMBER, BUDI, "own")];
    for webhook in &webhooks {
        assert_eq!(stage.post_webhook(webhook).await.status, 200);
    }
    stage.wait_until_delivered().await;
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    let mut found: Vec<_> = items(&rooms["data"]["customer_rooms"])
        .iter()
        .map(|it| (it["user_id"].as_str().expect("an id").to_owned(), it["channel_id"].clone()))
        .collect();
    found.sort_by(|one, another| one.0.cmp(&another.0));
    let expected = [(BUDI.to_owned(), json!(stage.channel)), ("62899".to_owned(), other.clone())];
    assert_eq!(found, expected);
    let notes = stage.health().await["notes"].to_string();
    assert!(notes.contains("777"), "{notes}");
}

#[tokio::test]
async fn health_names_the_settings_missing_before_messages_can_arrive() {
    let graph = GraphApi::start().await;
    let settings = [("whatsapp_api_url", graph.base.as_str())];
    let server = TestServer::start_with(&settings).await;
    let office = Office::of(&server);
    let mut body = connecting(&graph.token());
    body["app_secret"].take();
    let made = office.post(CONNECT, body).await.data();
    let record = &made["wa_channel"];
    assert_eq!((&record["webhook_url"], &record["app_secret"]), (&json!(""), &json!("")));
    assert_eq!(
        record["verify_token"].as_str().map(str::len),
        Some(64),
        "the verify token is returned once"
    );
    let path = format!("/api/v2/channels/{}/health", record["id"]);
    let notes = office.get(&path, &[]).await.data()["health"]["notes"].to_string();
    assert!(notes.contains("app_secret") && notes.contains("public_url"), "{notes}");
    // Without an app secret no webhook can be authenticated.
    let path = format!("/api/v2/hooks/wa/{}", record["id"]);
    let request = server.bare(Method::POST, &path).body("{}");
    let request = request.header("x-hub-signature-256", signature("", "{}"));
    sent(request).await.errors(403, "forged");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channels_command_manages_a_whatsapp_number() {
    let graph = GraphApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_WHATSAPP_API_URL", graph.base.as_str())];
    let server = folder.serve_with(&[], &environment);
    folder.write("token", &format!("{}\n", graph.token()));
    folder.write("secret", APP_SECRET);
    let mut add = vec!["channels", "add", "whatsapp", "--token-file", "token"];
    let said = folder.run(&add).failed(2);
    assert!(said.contains("--phone-number-id"), "{said}");
    add.extend(["--phone-number-id", NUMBER, "--business-id", BUSINESS]);
    add.extend(["--app-secret-file", "secret"]);
    let said = folder.run(&add).ok();
    assert!(said.contains("+62 811-1111-111") && said.contains("public_url"), "{said}");
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains("whatsapp") && listed.contains(&id), "{listed}");
    let trigger = ["trigger", "message", "--channel", &id, "--from", BUDI, "--text", "by hand"];
    folder.run(&trigger).ok();
    let office = Office::of(&server.shop());
    let first = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    until("the message is in the inbox", first).await;
    folder.write("next", &graph.set_token("EAAG-second-token-2222"));
    folder.run(&["channels", "set", &id, "--token-file", "next", "--name", "Ours"]).ok();
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains("Ours") && !listed.contains("EAAG"), "{listed}");
    folder.run(&["channels", "remove", &id]).ok();
    assert!(folder.run(&["channels", "list"]).ok().contains("No provider is connected"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channels_command_sets_and_clears_the_forwarding_url() {
    let graph = GraphApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [("CONFAB_WHATSAPP_API_URL", graph.base.as_str())];
    let server = folder.serve_with(&[], &environment);
    folder.write("token", &graph.token());
    folder.write("secret", APP_SECRET);
    let add = ["channels", "add", "whatsapp", "--token-file", "token", "--secret-file", "secret"];
    let number = ["--phone-number-id", NUMBER, "--forward-url"];
    let refused = folder.run(&[&add[..], &number, &["http://169.254.169.254/"]].concat());
    let said = refused.failed(1);
    assert!(said.contains("forward_url"), "{said}");
    let url = "https://crm.example/meta";
    let said = folder.run(&[&add[..], &number, &[url]].concat()).ok();
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let office = Office::of(&server.shop());
    let kept = async || {
        let record = office.get(&format!("/api/v2/wa/{id}"), &[]).await.data();
        let record = &record["wa_channel"];
        json!([record["forward_url"], record["forward_enabled"]])
    };
    assert_eq!(kept().await, json!([url, true]));
    folder.run(&["channels", "set", &id, "--forward", "off"]).ok();
    assert_eq!(kept().await, json!([url, false]));
    folder.run(&["channels", "set", &id, "--forward", "on", "--name", "Ours"]).ok();
    assert_eq!(kept().await, json!([url, true]));
    folder.run(&["channels", "set", &id, "--forward-url", ""]).ok();
    assert_eq!(kept().await, json!([null, false]));
    let said = folder.run(&["channels", "set", &id, "--forward", "maybe"]).failed(2);
    assert!(said.contains("--forward"), "{said}");
    let telegram = ["channels", "add", "telegram", "--token-file", "token", "--forward-url", url];
    let said = folder.run(&telegram).failed(1);
    assert!(said.contains("are for WhatsApp channels only"), "{said}");
}

/// Spec 4.2 names the keys; the app's channels and settings determine their values.
#[tokio::test]
async fn configs_show_the_widget_and_whether_there_is_an_active_whatsapp_channel() {
    let stage = WhatsappStage::start().await;
    let admin = stage.office.hire("boss", "admin").await;
    let configs = async |query: &[(&str, &str)]| {
        stage.office.get("/api/v2/app/configs", query).await.data()["configs"].take()
    };
    let all = [("show_all", "True")];
    let before = configs(&all).await;
    assert_eq!(before["is_waca_channel_enabled"], true);
    assert_eq!(before["agent_send_outbound_message_inbox"], true, "agents can start conversations");
    assert_eq!(before["widget"], Value::Null, "the widget has no settings yet");
    let wanted = json!({"texts": {"en": {"title": "Ask us"}}});
    admin.put("/api/v2/widget_settings", wanted).await.data();
    assert!(text(&configs(&all).await["widget"]).contains("Ask us"));
    assert!(configs(&[]).await["widget"].is_string());
    let update = format!("{CONNECT}/{}/update", stage.channel);
    stage.office.post(&update, json!({"is_active": false})).await.data();
    let after = configs(&all).await;
    assert_eq!(after["is_waca_channel_enabled"], false);
    assert_eq!(after["agent_send_outbound_message_inbox"], false);
}
