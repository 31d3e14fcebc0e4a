//! The log: one line per request with its id, and no secrets.

use std::fs;
use std::path::Path;

use confab_test_servers::postgres::shared;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{Caller, sent};
use crate::support::process::Folder;

/// Marker that all secrets of this test contain.
const PLANT: &str = "planted";

const PRESET: [(&str, &str); 5] = [
    ("CONFAB_APP_ID", "shop"),
    ("CONFAB_SDK_SECRET", "planted-sdk-secret"),
    ("CONFAB_SECRET_KEY", "planted-secret-key"),
    ("CONFAB_ADMIN_EMAIL", "planted-admin@example.org"),
    ("CONFAB_ADMIN_PASSWORD", "planted-admin-password"),
];

/// Makes every kind of call with planted values, valid and invalid ones; returns the user's tokens.
async fn use_everything(app: &Caller) -> Vec<String> {
    let user = "planted-user@example.org";
    let profile = json!({
        "user_id": user, "username": "planted name", "password": "planted password",
        "avatar_url": "https://img.example/planted.png", "extras": {"planted": "planted"},
    });
    app.post("login_or_register", profile).await.results();
    let mut tokens = vec![app.token(user).await];
    app.post("reset_user_token", json!({"user_id": user})).await.results();
    tokens.push(app.token(user).await);
    app.create_room("planted-room", &[user]).await;
    let comment = app.post_comment(user, "planted-room", "planted text").await;
    let card = json!({"text": "planted card"});
    app.post_typed(user, "planted-room", "card", card).await.results();
    let answer = app.post_as_unique(user, "planted-room", "planted", "planted-unique-id").await;
    answer.results();
    app.post_system_event("planted-room", "planted event").await;
    app.load_comments("planted-room").await;
    app.delete_messages(&[comment["unique_id"].as_str().expect("an id")]).await.results();
    // Invalid calls.
    app.delete_messages(&["planted-unknown"]).await.refused(404, "message_not_found");
    app.get("user_profile", &[("user_id", "planted-nobody")]).await.refused(404, "user_not_found");
    app.get("load_comments", &[("room_id", "planted-nowhere")])
        .await
        .refused(404, "room_not_found");
    app.post_text("post_comment", "{\"planted").await.refused(400, "invalid_request");
    app.post_as("post_comment", "text/planted", "planted")
        .await
        .refused(415, "unsupported_media_type");
    app.with_secret("planted-guess").get("user_profile", &[]).await.refused(401, "unauthorized");
    sent(app.request(Method::GET, "/planted/path?planted=1")).await.refused(404, "route_not_found");
    let request = app.request(Method::GET, "/health").header("x-request-id", "planted@example.org");
    sent(request).await;
    tokens
}

async fn check(arguments: &[&str]) -> String {
    let folder = Folder::new();
    let server = folder.serve_with(arguments, &PRESET);
    let tokens = use_everything(&server.caller("shop", "planted-sdk-secret")).await;
    let log = server.log.clone();
    server.signal("INT");
    server.ended();
    let log = log.text();
    assert!(log.contains("/api/v2.1/rest/post_comment"), "there is a log: {log}");
    for line in log.lines() {
        assert!(!line.contains(PLANT), "{line}");
        assert!(tokens.iter().all(|token| !line.contains(token)), "{line}");
        assert!(!line.contains("argon2"), "{line}");
    }
    log
}

#[tokio::test]
async fn the_log_contains_no_secrets() {
    check(&[]).await;
}

#[tokio::test]
async fn the_log_contains_no_secrets_at_trace_level() {
    check(&["--log-level", "trace", "--log-format", "json"]).await;
}

#[tokio::test]
async fn every_request_is_logged_once_with_its_id_route_status_and_app() {
    let folder = Folder::with_app().await;
    let server = folder.serve_with(&["--log-format", "json"], &[]);
    let app = server.shop();
    let get = |call: &str, id: &str| app.request(Method::GET, call).header("x-request-id", id);
    sent(get("user_profile?user_id=x", "first-1")).await.refused(404, "user_not_found");
    sent(get("/health", "second-2")).await;
    sent(get("/nowhere", "third-3")).await;
    server.log.wait_for("third-3");
    let log = server.log.text();
    let line_of = |id: &str| -> Value {
        let lines: Vec<_> = log.lines().filter(|line| line.contains(id)).collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        serde_json::from_str(lines[0]).expect("a line of JSON")
    };
    let first = line_of("first-1");
    let message = "GET /api/v2.1/rest/user_profile 404 request first-1";
    assert_eq!(first["message"], message);
    assert_eq!((&first["request.id"], &first["app.code"]), (&json!("first-1"), &json!("shop")));
    assert_eq!(first["http.status"], 404);
    assert!(first["http.took_us"].is_u64(), "{first}");
    assert_eq!(line_of("second-2")["message"], "GET /health 200 request second-2");
    assert_eq!(line_of("third-3")["message"], "GET unknown 404 request third-3");
}

#[tokio::test]
async fn the_text_format_logs_method_path_status_and_request_id() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    let request = app.request(Method::GET, "/health").header("x-request-id", "text-1");
    sent(request).await;
    let line = server.log.wait_for("text-1");
    assert!(line.contains("GET /health 200 request text-1"), "{line}");
    assert!(line.contains("INFO"), "{line}");
}

/// Creates a PostgreSQL schema as the previous version left it; returns it with its number of
/// migrations.
fn database_of_before() -> (String, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/src/postgres/migrations");
    let entries = fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path());
    let mut steps: Vec<_> = entries.filter(|it| !it.ends_with("citus.sql")).collect();
    steps.sort();
    steps.pop();
    let url = shared().new_schema();
    shared().psql_at(&url, "CREATE TABLE schema_version (version BIGINT NOT NULL)");
    for (done, step) in steps.iter().enumerate() {
        shared().psql_at(&url, &fs::read_to_string(step).expect("a step"));
        shared().psql_at(&url, &format!("INSERT INTO schema_version VALUES ({})", done + 1));
    }
    (url, steps.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_migration_is_logged_once() {
    let (url, steps) = database_of_before();
    let folder = Folder::with_database(Some(url));
    let started = "schema upgrade started";
    let versions = format!("{started} from_version={steps} to_version={}", steps + 1);
    let server = folder.serve();
    assert_eq!(server.log.text().matches(&versions).count(), 1, "{}", server.log.text());
    let again = folder.serve();
    assert!(!again.log.text().contains(started), "{}", again.log.text());
}
