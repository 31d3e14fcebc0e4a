//! The app's keys, for admins who know their password (D-0134).

use confab_domain::limits;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, keys, text};
use crate::support::caller::{Caller, sent};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

const KEYS: &str = "/api/v2/app/keys";

async fn take(by: &Worker, step: &str) -> Answer {
    take_with(by, step, PASSWORD).await
}

async fn take_with(by: &Worker, step: &str, password: &str) -> Answer {
    by.post(&format!("{KEYS}/{step}"), json!({"password": password, "overlap_days": 3})).await
}

async fn standing(by: &Worker) -> Value {
    by.get(KEYS, &[]).await.data()["keys"].take()
}

/// What somebody is answered who calls with this key.
async fn opens(caller: &Caller, key: &Value) -> u16 {
    let request = caller.bare(Method::GET, "/api/v2/settings");
    let request = request.header("SERVICE-App-Id", "shop").header("SERVICE-Secret-Key", text(key));
    sent(request).await.status
}

#[tokio::test]
async fn an_admin_is_shown_the_keys_for_their_password_and_others_are_not() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (ada, sue) = (office.hire("ada", "admin").await, office.hire("sue", "supervisor").await);
    let shown = standing(&ada).await;
    assert_eq!(keys(&shown), ["app_code", "change", "sdk_secret", "secret_key"]);
    assert_eq!((&shown["app_code"], &shown["change"]), (&json!("shop"), &Value::Null));
    let revealed = take(&ada, "reveal").await;
    assert_eq!(revealed.header("cache-control"), "no-store");
    let revealed = revealed.data()["keys"].take();
    assert_eq!(keys(&revealed), ["sdk_secret", "secret_key"]);
    assert_eq!(opens(&server, &revealed["secret_key"]).await, 200);
    assert!(text(&revealed["secret_key"]).ends_with(text(&shown["secret_key"]["last4"])));
    for (by, step) in [(&ada, "burn"), (&ada, "")] {
        assert_eq!(take(by, step).await.status, 404, "{step}");
    }
    ada.post(&format!("{KEYS}/stage"), json!({})).await.errors(400, "invalid_request");
    sue.get(KEYS, &[]).await.errors(403, "forbidden");
    take(&sue, "reveal").await.errors(403, "forbidden");
    office.get(KEYS, &[]).await.errors(401, "unauthorized");
    let by_key = office.post(&format!("{KEYS}/reveal"), json!({"password": PASSWORD})).await;
    by_key.errors(401, "unauthorized");
    assert_eq!(standing(&ada).await["change"], Value::Null, "nothing changed");
    let other = Office::of(&server.create_app("other").await).hire("eve", "admin").await;
    assert_eq!(standing(&other).await["app_code"], "other");
}

#[tokio::test]
async fn a_key_is_changed_step_by_step_and_who_comes_late_is_told_so() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (ada, bea) = (office.hire("ada", "admin").await, office.hire("bea", "admin").await);
    let before = take(&ada, "reveal").await.data()["keys"]["secret_key"].take();
    for step in ["unstage", "promote", "retire"] {
        take(&ada, step).await.errors(409, "keys_changed");
    }
    let staged = take(&ada, "stage").await.data()["keys"]["staged_key"].take();
    take(&bea, "stage").await.errors(409, "keys_changed");
    let change = standing(&bea).await["change"].take();
    assert_eq!((&change["step"], &change["ends_at"]), (&json!("staged"), &Value::Null));
    assert!(change["since"].is_string());
    assert_eq!(take(&bea, "reveal").await.data()["keys"]["staged_key"], staged);
    assert_eq!((opens(&server, &before).await, opens(&server, &staged).await), (200, 200));
    take(&ada, "unstage").await.data();
    assert_eq!(opens(&server, &staged).await, 401);
    let staged = take(&ada, "stage").await.data()["keys"]["staged_key"].take();
    take(&bea, "promote").await.data();
    let change = standing(&ada).await["change"].take();
    assert_eq!(change["step"], "promoted");
    assert!(change["ends_at"].is_string());
    assert_eq!((opens(&server, &before).await, opens(&server, &staged).await), (200, 200));
    take(&ada, "retire").await.data();
    take(&bea, "retire").await.errors(409, "keys_changed");
    assert_eq!((opens(&server, &before).await, opens(&server, &staged).await), (401, 200));
    let new = take(&ada, "rotate").await.data()["keys"].take();
    assert_eq!(opens(&server, &staged).await, 401);
    assert_eq!(opens(&server, &new["secret_key"]).await, 200);
    assert_eq!(standing(&ada).await["change"], Value::Null);
}

#[tokio::test]
async fn a_wrong_password_shows_nothing_and_counts_as_a_failed_sign_in() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let ada = office.hire("ada", "admin").await;
    let mut refused = take_with(&ada, "reveal", "a guess").await;
    let mut tries = 1;
    while refused.status != 429 {
        refused.errors(403, "wrong_password");
        assert!(tries < 3 * limits::SIGN_IN_TRIES_MAX, "they are counted");
        refused = take_with(&ada, "stage", "a guess").await;
        tries += 1;
    }
    refused.errors(429, "too_many_tries");
    assert!(tries > limits::SIGN_IN_TRIES_MAX);
    office.try_to_sign_in("ada", PASSWORD).await.errors(429, "too_many_tries");
    assert_eq!(standing(&ada).await["change"], Value::Null);
    let audit = ada.get("/api/v2/audit", &[("what", "keys")]).await.json();
    assert_eq!(each(&audit["data"]["entries"], "what"), [""; 0]);
}

#[tokio::test]
async fn what_commands_do_with_keys_is_on_record_too() {
    let server = TestServer::start_quiet().await;
    let ada = Office::of(&server).hire("ada", "admin").await;
    server.set_keys("another sdk secret", "another secret key").await;
    let audit = ada.get("/api/v2/audit", &[("what", "keys")]).await;
    let entry = audit.json()["data"]["entries"][0].take();
    let done = (&entry["what"], &entry["actor_kind"], &entry["actor"]);
    assert_eq!(done, (&json!("keys.rotated"), &json!("command_line"), &Value::Null));
    assert!(!audit.text.contains("another"), "no key: {}", audit.text);
    assert_eq!(standing(&ada).await["secret_key"]["last4"], " key");
}
