//! Each logout sends one webhook (spec 6).

use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

const GOLDEN: &str = include_str!("../../../../../wire/src/webhooks/golden/logout.json");

/// The webhook of a later logout is sent after earlier ones, so a duplicate of the first would
/// arrive before it.
#[tokio::test]
async fn a_logout_webhook_arrives_once_signed_and_as_documented() {
    let (server, receiver) = (TestServer::start().await, Receiver::start().await);
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let url = format!("{}/logout", receiver.base);
    let answer =
        admin.post("/api/v2/app/config/auth_webhook", json!({"url": url, "enabled": true}));
    let configs = json!({"auth_webhook_url": url, "is_auth_webhook_enabled": "true"});
    assert_eq!(answer.await.data(), json!({"configs": configs}));
    ana.log_out().await.data();
    let received = receiver.next().await;
    assert_eq!(received.path(), "/logout");
    received.check_signature("secret-key-of-shop");
    let webhook = received.json();
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    assert_eq!(keys(&webhook), keys(&golden));
    assert_eq!(keys(&webhook["payload"]), keys(&golden["payload"]));
    let (user, golden_user) = (&webhook["payload"]["user"], &golden["payload"]["user"]);
    assert_eq!(keys(user), keys(golden_user));
    for (name, value) in golden_user.as_object().expect("an object") {
        let is_same = std::mem::discriminant(&user[name]) == std::mem::discriminant(value);
        assert!(is_same || user[name].is_null(), "{name}: {} like {value}", user[name]);
    }
    assert_eq!(
        (&webhook["type"], &webhook["payload"]["action"]),
        (&json!("auth"), &json!("logout"))
    );
    assert_eq!((&user["id"], &user["type"]), (&json!(ana.id), &json!(2)));
    assert_eq!(user["is_available"], false, "it was their last token");
    // The logout is refused, so no webhook is sent.
    assert_eq!(ana.log_out().await.status, 401);
    admin.log_out().await.data();
    assert_eq!(receiver.next().await.json()["payload"]["user"]["id"], admin.id);
}

#[tokio::test]
async fn concurrent_logouts_of_one_token_send_one_webhook() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let body = json!({"url": "https://hooks.example/", "enabled": "true"});
    admin.post("/api/v2/app/config/auth_webhook", body).await.data();
    let answers = tokio::join!(ana.log_out(), ana.log_out(), ana.log_out());
    let mut statuses = [answers.0.status, answers.1.status, answers.2.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401]);
    let listed = office.get("/api/v2/webhooks/deliveries", &[]).await.data();
    assert_eq!(listed["deliveries"].as_array().map(Vec::len), Some(1), "{listed}");
}

#[tokio::test]
async fn a_logout_sends_no_webhook_to_a_disabled_endpoint_or_another_app() {
    let server = TestServer::start_quiet().await;
    let (office, other) = (Office::of(&server), Office::of(&server.create_app("other").await));
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let stranger = other.hire("boss", "admin").await;
    let body = json!({"url": "https://hooks.example/", "enabled": true});
    stranger.post("/api/v2/app/config/auth_webhook", body.clone()).await.data();
    admin.post("/api/v2/app/config/auth_webhook", body).await.data();
    let off = json!({"enabled": false});
    let configs = admin.post("/api/v2/app/config/auth_webhook", off).await.data();
    assert_eq!(configs["configs"]["auth_webhook_url"], "https://hooks.example/");
    assert_eq!(configs["configs"]["is_auth_webhook_enabled"], "false");
    ana.log_out().await.data();
    for office in [&office, &other] {
        let listed = office.get("/api/v2/webhooks/deliveries", &[]).await.data();
        assert_eq!(listed["deliveries"], json!([]));
    }
}

/// Spec 6: an admin, supervisor or agent logs out of the dashboard.
#[tokio::test]
async fn a_logout_of_a_supervisor_sends_a_webhook() {
    let (server, receiver) = (TestServer::start().await, Receiver::start().await);
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let supervisor = office.hire("sue", "supervisor").await;
    let body = json!({"url": receiver.url, "enabled": true});
    admin.post("/api/v2/app/config/auth_webhook", body).await.data();
    supervisor.log_out().await.data();
    let received = receiver.next().await;
    received.check_signature("secret-key-of-shop");
    let webhook = received.json();
    let (payload, user) = (&webhook["payload"], &webhook["payload"]["user"]);
    assert_eq!((&webhook["type"], &payload["action"]), (&json!("auth"), &json!("logout")));
    assert!(payload["timestamp"].is_i64());
    assert_eq!((&user["id"], &user["email"]), (&json!(supervisor.id), &json!(office.email("sue"))));
    assert_eq!((&user["type"], &user["type_as_string"]), (&json!(3), &json!("supervisor")));
    assert!(user["last_login"].is_string());
}
