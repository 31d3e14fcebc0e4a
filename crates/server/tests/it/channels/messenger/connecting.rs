//! Admins connect, change and delete Messenger pages; webhooks require Meta's signature.

use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::json;

use super::stage::{ANA, FB, IG, PageStage};
use crate::support::answer::items;
use crate::support::caller::sent;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::graph_api::{APP_SECRET, GraphApi, PAGE, signature};
use crate::support::test_server::TestServer;
use crate::support::waiting::{until, until_so};

const CONNECT: &str = "/api/v2/fb/connect";

#[tokio::test]
async fn a_page_is_connected_shown_changed_and_deleted() {
    let stage = PageStage::start(FB).await;
    let id = stage.channel;
    let fields = stage.graph.subscribed(PAGE).await;
    for field in ["messages", "message_echoes", "message_reads", "message_deliveries"] {
        assert!(fields.split(',').any(|it| it == field), "{fields}");
    }
    let hook = format!("https://confab.example/api/v2/hooks/fb/{id}");
    let map = stage.office.get("/api/v2/channels", &[]).await.data();
    let record = items(&map["fb_channels"])[0].clone();
    for (key, value) in [
        ("id", json!(id)),
        ("name", json!("Shop page")),
        ("profile_name", json!("Shop page")),
        ("page_id", json!(PAGE)),
        ("is_active", json!(true)),
        ("use_channel_responder", json!(false)),
        ("long_lived_token", json!("****1111")),
        ("access_token", json!("****1111")),
        ("app_secret", json!("****9999")),
        ("read_enabled", json!(false)),
        ("human_agent_enabled", json!(false)),
        ("webhook_url", json!(hook)),
        ("badge_url", json!(null)),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    let one = stage.office.get(&format!("/api/v2/fb/{id}"), &[]).await.data();
    assert_eq!(one["fb_channel"], record);
    let page = stage.office.get("/api/v3/admin/channel/fb", &[]).await.json();
    assert_eq!(page["data"]["fb_channels"], json!([record]));
    let body = json!({"name": "Our page", "human_agent_enabled": true, "api_version": "v25.0"});
    let changed = stage.update(body).await.data();
    assert_eq!(changed["fb_channel"]["name"], "Our page");
    assert_eq!(changed["fb_channel"]["human_agent_enabled"], true);
    let again = stage.office.post(CONNECT, FB.connecting(&stage.graph.token())).await;
    again.errors(409, "account_connected");
    stage.office.post(&format!("{CONNECT}/{id}/delete"), json!({})).await.data();
    let gone = stage.office.get(&format!("/api/v2/fb/{id}"), &[]).await;
    gone.errors(404, "channel_not_found");
}

#[tokio::test]
async fn an_invalid_token_and_a_token_of_another_page_are_refused() {
    let stage = PageStage::start(FB).await;
    for (key, value) in [
        ("access_token", json!("EAAG-wrong")),
        ("access_token", json!("")),
        ("page_id", json!("../1")),
        ("page_id", json!(null)),
        ("app_secret", json!(null)),
        ("api_version", json!("latest")),
        ("base_url", json!("https://elsewhere.example")),
    ] {
        let mut body = FB.connecting(&stage.graph.token());
        body[key] = value;
        let refused = stage.office.post(CONNECT, body).await;
        refused.errors(400, "invalid_request");
        assert!(!refused.text.contains("EAAG"), "{}", refused.text);
    }
    stage.graph.set_me("777");
    let refused = stage.office.post(CONNECT, FB.connecting(&stage.graph.token())).await;
    refused.errors(400, "invalid_request").says("page_id");
    let refused = stage.update(json!({"access_token": stage.graph.token()})).await;
    refused.errors(400, "invalid_request");
    let refused = stage.update(json!({"access_token": "EAAG-wrong"})).await;
    refused.errors(400, "invalid_request").says("access_token");
    let listed = stage.office.get("/api/v2/channels", &[]).await.data();
    assert_eq!(items(&listed["fb_channels"]).len(), 1);
}

#[tokio::test]
async fn only_admins_of_the_app_see_and_change_pages_and_accounts() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let agent = stage.office.hire("nina", "agent").await;
        let supervisor = stage.office.hire("sue", "supervisor").await;
        let (id, word) = (stage.channel, kind.word);
        let other = Office::of(&stage.server.create_app("rival").await);
        for (method, path) in [
            (Method::POST, format!("/api/v2/{word}/connect")),
            (Method::POST, format!("/api/v2/{word}/connect/{id}/update")),
            (Method::POST, format!("/api/v2/{word}/connect/{id}/delete")),
            (Method::GET, format!("/api/v2/{word}/{id}")),
            (Method::GET, format!("/api/v3/admin/channel/{word}")),
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
        for other in ["telegram", "wa", "line"] {
            let path = format!("/api/v2/{other}/{id}");
            stage.office.get(&path, &[]).await.errors(404, "channel_not_found");
        }
    }
}

#[tokio::test]
async fn only_webhooks_signed_by_meta_are_accepted() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        stage.update(json!({"verify_token": "verify-me-1234"})).await.data();
        let text = stage.text(ANA, "m_1", "forged");
        let body = kind.webhook(&[text]).to_string();
        let good = signature(APP_SECRET, &body);
        let other = signature("another secret", &body);
        for path in [stage.path(), format!("meta/{}", stage.server.code)] {
            let answer = stage.verify_webhook(&path, "verify-me-1234", "subscribe").await;
            assert_eq!((answer.status, answer.text.as_str()), (200, "11+58"));
            for (token, mode) in
                [("wrong", "subscribe"), ("", "subscribe"), ("verify-me-1234", "other")]
            {
                stage.verify_webhook(&path, token, mode).await.errors(403, "forged");
            }
            for wrong in ["", "sha256=", "x", &good[7..], &other, &good.replace("sha256", "sha1")] {
                stage.post_webhook_with(&path, wrong, body.clone()).await.errors(403, "forged");
            }
            let changed = body.replace("forged", "forgery");
            stage.post_webhook_with(&path, &good, changed).await.errors(403, "forged");
        }
        for path in [format!("wa/{}", stage.channel), format!("{}/1", kind.word)] {
            let answer = stage.post_webhook_with(&path, &good, body.clone()).await;
            assert_eq!(answer.status, 404, "{path}");
        }
        let unknown = stage.post_webhook_with("meta/nobody", &good, body.clone()).await;
        unknown.errors(403, "forged");
        assert!(stage.deliveries(EventKind::ChannelEvent).await.is_empty(), "no event is stored");
    }
}

#[tokio::test]
async fn broken_and_large_signed_bodies_are_accepted_and_post_nothing() {
    for kind in [FB, IG] {
        let stage = PageStage::start(kind).await;
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let large = json!({"object": "page", "entry": "x".repeat(3_000_000)}).to_string();
        let odd = kind.webhook(&[
            json!(7),
            json!({}),
            json!({"message": {}}),
            json!({"sender": 1, "message": {"mid": "m", "text": 7}}),
            json!({"read": {"watermark": "x"}, "sender": {"id": ANA}}),
            json!({"delivery": {"mids": 5}, "sender": {"id": ANA}}),
        ]);
        let test = json!({"object": "instagram", "entry": [{"id": "0", "time": 1, "changes": [
            {"field": "messages", "value": {"sender": {"id": "12334"}}}]}]});
        let user = json!({"object": "user", "entry": [{"id": "1", "messaging": []}]});
        let (odd, test, user) = (odd.to_string(), test.to_string(), user.to_string());
        let bodies = ["", "{", "null", "[]", "{}", "{\"object\":\"page\"}", &deep, &large, &odd];
        for body in bodies.into_iter().chain([test.as_str(), user.as_str()]) {
            for path in [stage.path(), format!("meta/{}", stage.server.code)] {
                let signature = signature(APP_SECRET, body);
                let answer = stage.post_webhook_with(&path, &signature, body.to_owned()).await;
                assert_eq!(
                    answer.status, 200,
                    "the provider would repeat the webhook: {}",
                    answer.text
                );
            }
        }
        let huge = "x".repeat(5_000_000);
        let answer =
            stage.post_webhook_with(&stage.path(), &signature(APP_SECRET, &huge), huge).await;
        answer.errors(413, "body_too_large");
        stage.wait_until_delivered().await;
        let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
        assert_eq!(rooms["data"]["customer_rooms"], json!([]));
        stage.writes("m_good", "and it works").await;
        let room = stage.room_of(ANA).await;
        assert_eq!(stage.wait_for_texts(&room, 1).await, ["and it works"]);
    }
}

#[tokio::test]
async fn one_webhook_url_serves_all_channels_of_a_meta_app_and_notes_unknown_pages() {
    let graph = GraphApi::start().await;
    let settings = [
        ("public_url", "https://confab.example"),
        ("messenger_api_url", graph.base.as_str()),
        ("instagram_api_url", graph.base.as_str()),
    ];
    let server = TestServer::start_with(&settings).await;
    let office = Office::of(&server);
    let mut channels = Vec::new();
    for kind in [FB, IG] {
        let path = format!("/api/v2/{}/connect", kind.word);
        let made = office.post(&path, kind.connecting(&graph.token())).await.data();
        let record = &made[format!("{}_channel", kind.word)];
        assert_eq!(
            record["verify_token"].as_str().map(str::len),
            Some(64),
            "the verify token is returned once"
        );
        channels.push(record["id"].clone());
    }
    let bring = async |path: &str, body: serde_json::Value| {
        let body = body.to_string();
        let request = server.bare(Method::POST, &format!("/api/v2/hooks/{path}"));
        let request = request.header("x-hub-signature-256", signature(APP_SECRET, &body));
        assert_eq!(sent(request.body(body)).await.status, 200);
    };
    let said = |from: &str, text: &str| {
        json!({"sender": {"id": from}, "recipient": {"id": "1"}, "timestamp": 1_769_853_600_123_i64,
            "message": {"mid": format!("m_{from}"), "text": text}})
    };
    // One channel's webhook URL also accepts events for other channels.
    let meta = format!("meta/{}", server.code);
    bring(&meta, FB.webhook(&[said("51", "to the page")])).await;
    bring(&format!("fb/{}", channels[0]), IG.webhook(&[said("52", "to the account")])).await;
    bring(&meta, FB.webhook_of("777", &[said("53", "to nobody")])).await;
    bring(&format!("ig/{}", channels[1]), IG.webhook_of(PAGE, &[said("54", "mixed up")])).await;
    let rooms = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        let rooms = items(&listed["data"]["customer_rooms"]).to_vec();
        let mut users: Vec<_> = rooms.iter().map(|it| it["user_id"].clone()).collect();
        users.sort_by_key(ToString::to_string);
        users
    };
    until_so("both customers have a room", async || {
        rooms().await == [json!("fb-51"), json!("ig-52")]
    })
    .await;
    for (channel, account) in channels.iter().zip(["777", PAGE]) {
        let path = format!("/api/v2/channels/{channel}/health");
        let notes = office.get(&path, &[]).await.data()["health"]["notes"].to_string();
        assert!(notes.contains(account), "{notes}");
    }
    let settled = async || {
        let query = [("standing", "waiting")];
        let listed = office.get("/api/v2/webhooks/deliveries", &query).await.data();
        items(&listed["deliveries"]).is_empty()
    };
    until_so("no delivery is waiting", settled).await;
    assert_eq!(rooms().await.len(), 2);
}

#[tokio::test]
async fn health_shows_a_missing_subscription_and_an_update_restores_it() {
    let stage = PageStage::start(FB).await;
    stage.graph.subscribed(PAGE).await;
    until_so("the channel is healthy", async || stage.check().await["state"] == "ok").await;
    stage.graph.unsubscribe(PAGE);
    let health = stage.check().await;
    assert_eq!(health["state"], "misconfigured");
    assert!(health["reason"].to_string().contains("none arrive"), "{health}");
    stage.update(json!({"name": "Again"})).await.data();
    until_so("the page is subscribed again", async || stage.check().await["state"] == "ok").await;
    stage.graph.set_token("EAAG-third-token-3333");
    let health = stage.check().await;
    assert_eq!(health["state"], "unauthorized");
    assert!(!health.to_string().contains("EAAG"), "a token repeated by Meta is masked");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_channels_command_manages_messenger_and_instagram_and_logs_no_secret() {
    let graph = GraphApi::start().await;
    let folder = Folder::with_app().await;
    let environment = [
        ("CONFAB_MESSENGER_API_URL", graph.base.as_str()),
        ("CONFAB_INSTAGRAM_API_URL", graph.base.as_str()),
        ("CONFAB_LOG_LEVEL", "trace"),
    ];
    let first_token = graph.token();
    let server = folder.serve_with(&[], &environment);
    folder.write("token", &format!("{}\n", graph.token()));
    folder.write("secret", APP_SECRET);
    let mut add = vec!["channels", "add", "messenger", "--token-file", "token"];
    let said = folder.run(&add).failed(2);
    assert!(said.contains("--page-id") && said.contains("--secret-file"), "{said}");
    add.extend(["--secret-file", "secret", "--page-id", PAGE, "--human-agent", "on"]);
    let said = folder.run(&add).ok();
    assert!(said.contains("Shop page") && said.contains("public_url"), "{said}");
    let id = said.split_whitespace().nth(1).expect("an id").to_owned();
    let mut add = vec!["channels", "add", "instagram", "--token-file", "token"];
    add.extend(["--secret-file", "secret"]);
    let said = folder.run(&add).ok();
    assert!(said.contains("shop.ig"), "{said}");
    let listed = folder.run(&["channels", "list"]).ok();
    assert!(listed.contains("messenger") && listed.contains("instagram"), "{listed}");
    let office = Office::of(&server.shop());
    let record = office.get(&format!("/api/v2/fb/{id}"), &[]).await.data();
    assert_eq!(record["fb_channel"]["human_agent_enabled"], true);
    let trigger = ["trigger", "message", "--channel", &id, "--from", ANA, "--text", "by hand"];
    folder.run(&trigger).ok();
    let first = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    until("the message is in the inbox", first).await;
    folder.write("next", &graph.set_token("EAAG-second-token-2222"));
    let set = ["channels", "set", &id, "--token-file", "next", "--human-agent", "off"];
    folder.run(&set).ok();
    let record = office.get(&format!("/api/v2/fb/{id}"), &[]).await.data();
    assert_eq!(record["fb_channel"]["human_agent_enabled"], false);
    let checked = folder.run(&["channels", "check", &id]);
    assert_eq!((checked.code, checked.out.contains("public_url")), (Some(1), true));
    assert!(checked.err.contains("its state is misconfigured"), "{}", checked.err);
    folder.run(&["channels", "remove", &id]).ok();
    let log = server.log.text();
    assert!(log.lines().count() > 10, "the log is not empty");
    for secret in [first_token.as_str(), APP_SECRET, "EAAG-second-token-2222"] {
        assert!(
            !log.contains(secret) && !said.contains(secret),
            "the secret is in neither the log nor the output"
        );
    }
}
