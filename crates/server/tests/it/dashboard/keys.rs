//! The keys of an app, which admins reveal and rotate with their password
//! (design/sign-in-and-limits).

use confab_domain::limits;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, keys, text};
use crate::support::caller::{Caller, sent};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

const KEYS: &str = "/api/v2/app/keys";

async fn perform(by: &Worker, step: &str) -> Answer {
    perform_with(by, step, PASSWORD).await
}

async fn perform_with(by: &Worker, step: &str, password: &str) -> Answer {
    by.post(&format!("{KEYS}/{step}"), json!({"password": password, "overlap_days": 3})).await
}

async fn key_state(by: &Worker) -> Value {
    by.get(KEYS, &[]).await.data()["keys"].take()
}

/// Returns the status of a request with this secret key.
async fn status_with(caller: &Caller, key: &Value) -> u16 {
    let request = caller.bare(Method::GET, "/api/v2/settings");
    let request = request.header("SERVICE-App-Id", "shop").header("SERVICE-Secret-Key", text(key));
    sent(request).await.status
}

#[tokio::test]
async fn keys_are_revealed_only_to_admins_with_their_password() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (ada, sue) = (office.hire("ada", "admin").await, office.hire("sue", "supervisor").await);
    let shown = key_state(&ada).await;
    assert_eq!(keys(&shown), ["app_code", "change", "sdk_secret", "secret_key"]);
    assert_eq!((&shown["app_code"], &shown["change"]), (&json!("shop"), &Value::Null));
    let revealed = perform(&ada, "reveal").await;
    assert_eq!(revealed.header("cache-control"), "no-store");
    let revealed = revealed.data()["keys"].take();
    assert_eq!(keys(&revealed), ["sdk_secret", "secret_key"]);
    assert_eq!(status_with(&server, &revealed["secret_key"]).await, 200);
    assert!(text(&revealed["secret_key"]).ends_with(text(&shown["secret_key"]["last4"])));
    for (by, step) in [(&ada, "burn"), (&ada, "")] {
        assert_eq!(perform(by, step).await.status, 404, "{step}");
    }
    ada.post(&format!("{KEYS}/stage"), json!({})).await.errors(400, "invalid_request");
    sue.get(KEYS, &[]).await.errors(403, "forbidden");
    perform(&sue, "reveal").await.errors(403, "forbidden");
    office.get(KEYS, &[]).await.errors(401, "unauthorized");
    let by_key = office.post(&format!("{KEYS}/reveal"), json!({"password": PASSWORD})).await;
    by_key.errors(401, "unauthorized");
    assert_eq!(key_state(&ada).await["change"], Value::Null, "nothing changed");
    let other = Office::of(&server.create_app("other").await).hire("eve", "admin").await;
    assert_eq!(key_state(&other).await["app_code"], "other");
}

#[tokio::test]
async fn a_key_is_rotated_by_steps_and_outdated_steps_are_refused() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (ada, bea) = (office.hire("ada", "admin").await, office.hire("bea", "admin").await);
    let before = perform(&ada, "reveal").await.data()["keys"]["secret_key"].take();
    for step in ["unstage", "promote", "retire"] {
        perform(&ada, step).await.errors(409, "keys_changed");
    }
    let staged = perform(&ada, "stage").await.data()["keys"]["staged_key"].take();
    perform(&bea, "stage").await.errors(409, "keys_changed");
    let change = key_state(&bea).await["change"].take();
    assert_eq!((&change["step"], &change["ends_at"]), (&json!("staged"), &Value::Null));
    assert!(change["since"].is_string());
    assert_eq!(perform(&bea, "reveal").await.data()["keys"]["staged_key"], staged);
    assert_eq!(
        (status_with(&server, &before).await, status_with(&server, &staged).await),
        (200, 200)
    );
    perform(&ada, "unstage").await.data();
    assert_eq!(status_with(&server, &staged).await, 401);
    let staged = perform(&ada, "stage").await.data()["keys"]["staged_key"].take();
    perform(&bea, "promote").await.data();
    let change = key_state(&ada).await["change"].take();
    assert_eq!(change["step"], "promoted");
    assert!(change["ends_at"].is_string());
    assert_eq!(
        (status_with(&server, &before).await, status_with(&server, &staged).await),
        (200, 200)
    );
    perform(&ada, "retire").await.data();
    perform(&bea, "retire").await.errors(409, "keys_changed");
    assert_eq!(
        (status_with(&server, &before).await, status_with(&server, &staged).await),
        (401, 200)
    );
    let new = perform(&ada, "rotate").await.data()["keys"].take();
    assert_eq!(status_with(&server, &staged).await, 401);
    assert_eq!(status_with(&server, &new["secret_key"]).await, 200);
    assert_eq!(key_state(&ada).await["change"], Value::Null);
}

#[tokio::test]
async fn a_wrong_password_reveals_no_key_and_counts_as_a_failed_sign_in() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let ada = office.hire("ada", "admin").await;
    let mut refused = perform_with(&ada, "reveal", "a guess").await;
    let mut attempts = 1;
    while refused.status != 429 {
        refused.errors(403, "wrong_password");
        assert!(attempts < 3 * limits::SIGN_IN_TRIES_MAX, "wrong passwords are limited");
        refused = perform_with(&ada, "stage", "a guess").await;
        attempts += 1;
    }
    refused.errors(429, "too_many_tries");
    assert!(attempts > limits::SIGN_IN_TRIES_MAX);
    office.try_to_sign_in("ada", PASSWORD).await.errors(429, "too_many_tries");
    assert_eq!(key_state(&ada).await["change"], Value::Null);
    let audit = ada.get("/api/v2/audit", &[("what", "keys")]).await.json();
    assert_eq!(each(&audit["data"]["entries"], "what"), [""; 0]);
}

#[tokio::test]
async fn key_changes_by_commands_are_audited() {
    let server = TestServer::start_quiet().await;
    let ada = Office::of(&server).hire("ada", "admin").await;
    server.set_keys("another sdk secret", "another secret key").await;
    let audit = ada.get("/api/v2/audit", &[("what", "keys")]).await;
    let entry = audit.json()["data"]["entries"][0].take();
    let done = (&entry["what"], &entry["actor_kind"], &entry["actor"]);
    assert_eq!(done, (&json!("keys.rotated"), &json!("command_line"), &Value::Null));
    assert!(!audit.text.contains("another"), "the entry contains no key: {}", audit.text);
    assert_eq!(key_state(&ada).await["secret_key"]["last4"], " key");
}
