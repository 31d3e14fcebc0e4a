//! Endpoints by id, their deletion, the headers of attempts, and the verification of signatures
//! (design/webhooks).

use confab_test_servers::receiver::{Receiver, Reply};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, items, text};
use crate::support::caller::{sent, with_json};
use crate::support::hooks::Hooks;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

async fn endpoints(hooks: &Hooks) -> Vec<Value> {
    items(&hooks.get("/endpoints", &[]).await.data()["endpoints"]).to_vec()
}

async fn delete(hooks: &Hooks, which: &str) -> Answer {
    sent(hooks.request(Method::DELETE, &format!("/endpoints/{which}"))).await
}

#[tokio::test]
async fn endpoints_of_buttons_and_channels_have_names_and_are_managed_by_id() {
    let server = TestServer::start_quiet().await;
    let (hooks, office) = (Hooks::of(&server), Office::of(&server));
    let receiver = Receiver::replying(|_| 200).await;
    for label in ["Refund", "Call back"] {
        let body = json!({"label": label, "webhook_url": receiver.url});
        office.post("/api/v2/custom_buttons", body).await.data();
    }
    let body = json!({"name": "SMS", "webhook_url": receiver.url});
    office.post("/api/v2/custom_channels", body).await.data();
    hooks.register("bot").await;
    let all = endpoints(&hooks).await;
    let shown: Vec<_> = all.iter().map(|it| (it["name"].as_str(), &it["is_deletable"])).collect();
    let no = &json!(false);
    for named in [(Some("Refund"), no), (Some("Call back"), no), (Some("SMS"), no)] {
        assert!(shown.contains(&named), "{shown:?}");
    }
    assert!(shown.contains(&(None, &json!(true))), "{shown:?}");
    let refund = all.iter().find(|it| it["name"] == "Refund").expect("it is there");
    let id = text(&refund["id"]);
    let paused = hooks.post(&format!("/endpoints/{id}/pause"), json!({})).await.data();
    assert_eq!(
        (&paused["endpoint"]["id"], &paused["endpoint"]["state"]),
        (&json!(id), &json!("paused"))
    );
    let states = endpoints(&hooks).await;
    assert_eq!(
        states.iter().filter(|it| it["state"] == "paused").count(),
        1,
        "no other endpoint is paused"
    );
    hooks.post(&format!("/endpoints/{id}/resume"), json!({})).await.data();
    let tried = hooks.post(&format!("/endpoints/{id}/test"), json!({})).await.data();
    assert_eq!(tried["attempt"]["status"], 200);
    receiver.next().await;
    assert!(!receiver.has_more(), "the test is sent once");
    delete(&hooks, id).await.errors(409, "endpoint_in_use");
    let button =
        sent(office.request(Method::DELETE, &format!("/api/v2/custom_buttons/{id}"))).await;
    assert_eq!(button.status, 200, "{}", button.text);
    delete(&hooks, id).await.data();
    assert_eq!(endpoints(&hooks).await.len(), 3);
    for wrong in [id, "0", "x", "99999999999999999999"] {
        hooks
            .post(&format!("/endpoints/{wrong}/pause"), json!({}))
            .await
            .errors(404, "kind_not_found");
        delete(&hooks, wrong).await.errors(404, "kind_not_found");
    }
    let stranger = Hooks::of(&server.create_app("stranger").await);
    let theirs = text(&all.iter().find(|it| it["kind"] == "bot").expect("one")["id"]);
    delete(&stranger, theirs).await.errors(404, "kind_not_found");
    delete(&stranger, "bot").await.errors(404, "endpoint_not_found");
    assert_eq!(endpoints(&hooks).await.len(), 3);
}

#[tokio::test]
async fn deliveries_waiting_for_a_deleted_endpoint_fail_and_stay_listed() {
    let server = TestServer::start().await;
    let hooks = Hooks::of(&server);
    let bot = hooks.register("bot").await;
    let other = hooks.register("new_session").await;
    hooks.post("/endpoints/bot/pause", json!({})).await.data();
    let id = hooks.trigger("bot").await;
    hooks.post("/endpoints/new_session/pause", json!({})).await.data();
    let other_id = hooks.trigger("new_session").await;
    let of = async |endpoint: &Value| hooks.list(&[("endpoint", text(&endpoint["id"]))]).await.0;
    assert_eq!((of(&bot).await, of(&other).await), (vec![id], vec![other_id]));
    hooks.get("/deliveries", &[("endpoint", "x")]).await.errors(400, "invalid_request");
    delete(&hooks, "bot").await.data();
    let ended = server.attempted(id, 1).await;
    assert_eq!((&ended["standing"], &ended["last_error"]), (&json!("failed"), &json!("disabled")));
    assert_eq!(ended["endpoint_id"], bot["id"]);
    assert_eq!(of(&bot).await, [id]);
    let made = hooks.post("/trigger", json!({"kind": "bot"})).await.data();
    assert_eq!(made["delivery_ids"], json!([]), "a deleted endpoint gets no deliveries");
    let recreated = hooks.register("bot").await;
    assert_ne!(recreated["id"], bot["id"]);
}

#[tokio::test]
async fn a_delivery_that_waits_for_a_retry_fails_when_its_endpoint_is_deleted() {
    let server = TestServer::start().await;
    let hooks = Hooks::of(&server);
    let receiver = Receiver::replying(|_| Reply::status(503).header("retry-after", "3600")).await;
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    let id = hooks.trigger("bot").await;
    server.attempted(id, 1).await;
    delete(&hooks, "bot").await.data();
    let ended = server.attempted(id, 2).await;
    assert_eq!((&ended["standing"], &ended["last_error"]), (&json!("failed"), &json!("disabled")));
}

#[tokio::test]
async fn attempts_show_sent_headers_without_the_signature_of_a_masked_body() {
    let server = TestServer::start().await;
    let hooks = Hooks::of(&server);
    let receiver = Receiver::replying(|_| Reply::status(200)).await;
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    let id = hooks.trigger("bot").await;
    let received = receiver.next().await;
    let shown = server.attempted(id, 1).await["attempt_list"][0]["headers"].take();
    for name in ["webhook-id", "webhook-signature", "service-signature-key", "webhook-timestamp"] {
        assert_eq!(shown[name], received.header(name), "{name}");
    }
    let tried = hooks.post("/endpoints/bot/test", json!({})).await.data();
    assert_eq!(tried["attempt"]["headers"]["webhook-attempt"], "1");
    receiver.next().await;
    let secret = json!({"kind": "bot", "body": {"sdk_key": "planted"}});
    let id = hooks.post("/trigger", secret).await.data()["delivery_ids"][0].as_i64();
    let id = id.expect("a delivery");
    let shown = server.attempted(id, 1).await;
    assert_eq!(shown["attempt_list"][0]["headers"]["webhook-signature"], "***");
    assert_eq!(shown["attempt_list"][0]["headers"]["webhook-sequence"], "2");
    assert!(!shown.to_string().contains("planted"));
}

#[tokio::test]
async fn the_verify_call_identifies_the_key_that_signed_a_body() {
    let server = TestServer::start().await;
    let (hooks, office) = (Hooks::of(&server), Office::of(&server));
    let admin = office.hire("ada", "admin").await;
    let receiver = Receiver::replying(|_| Reply::status(200)).await;
    hooks.put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    let secret = json!({"kind": "bot", "body": {"sdk_key": "planted"}});
    let id = hooks.post("/trigger", secret).await.data()["delivery_ids"][0].take();
    let received = receiver.next().await;
    server.attempted(id.as_i64().expect("an id"), 1).await;
    let verdict = async |body: Value| {
        let request = admin.request(Method::POST, "/api/v2/webhooks/verify");
        let answer = sent(with_json(request, &body)).await;
        assert!(!answer.text.contains("secret-key-of-shop"), "{}", answer.text);
        answer
    };
    let verdict_of = async |body: Value| verdict(body).await.data()["verdict"].take();
    for name in ["service-signature-key", "webhook-signature"] {
        let header = received.header(name);
        assert_eq!(
            verdict_of(json!({"delivery_id": id, "header": header})).await,
            "current",
            "{name}"
        );
    }
    let header = received.header("service-signature-key");
    let body = received.text();
    assert_eq!(verdict_of(json!({"body": body, "header": header})).await, "current");
    let own = json!({"body": body, "header": header, "secret": "secret-key-of-shop"});
    assert_eq!(verdict_of(own).await, "current");
    let other = confab_verify::sign("their-key", body.as_bytes());
    let given = json!({"body": body, "header": other, "secret": "their-key"});
    assert_eq!(verdict_of(given).await, "other");
    let changed = format!("{body}\n");
    let why = verdict(json!({"body": changed, "header": header})).await.data();
    assert_eq!(why["verdict"], "none");
    assert!(text(&why["why"]).contains("line break"), "{why}");
    for (wrong, field) in [
        (json!({"header": "x"}), "delivery_id"),
        (json!({"body": "{}", "delivery_id": "1", "header": "x"}), "delivery_id"),
        (json!({"body": "{}"}), "header"),
    ] {
        verdict(wrong).await.errors(400, "invalid_request").says(field);
    }
    let nothing = json!({"delivery_id": "1", "header": "x"});
    verdict(nothing.clone()).await.errors(404, "delivery_not_found");
    let stranger = Hooks::of(&server.create_app("stranger").await);
    let theirs = json!({"delivery_id": id, "header": header});
    stranger.post("/verify", theirs).await.errors(404, "delivery_not_found");
}
