//! Every route for staff and configuration refuses callers without permission.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::openapi::documented_calls;
use crate::support::answer::Answer;
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;

/// Callers with access to a route.
#[derive(Clone, Copy, PartialEq)]
enum Opens {
    /// The app's key only.
    Key,
    /// The app's key, and agents with these roles.
    KeyAnd(&'static [&'static str]),
    /// Agents with these roles only.
    Only(&'static [&'static str]),
}

const ALL: &[&str] = &["admin", "supervisor", "agent"];
const CHIEFS: &[&str] = &["admin", "supervisor"];
const ADMIN: &[&str] = &["admin"];

/// All routes with their permitted callers and an effective body. `{id}` is an agent of the other
/// app, `{division}` a division of it.
fn table() -> Vec<(Method, &'static str, Opens, Value)> {
    use Opens::{Key, KeyAnd, Only};
    let (get, post) = (|| Method::GET, || Method::POST);
    let hook = json!({"webhook_url": "https://evil.example/", "is_webhook_enabled": true});
    let config = json!({"url": "https://evil.example/", "enabled": true});
    vec![
        (post(), "/api/v1/auth/change_password", Only(ALL), json!({})),
        (post(), "/api/v2/admin/create_agent", KeyAnd(ADMIN), json!({})),
        (post(), "/api/v2/admin/agent/{id}/update", KeyAnd(ADMIN), json!({"name": "Evil"})),
        (post(), "/api/v1/admin/agent/{id}/delete", KeyAnd(ADMIN), json!({})),
        (get(), "/api/v2/admin/agent/{id}", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v1/admin/agents", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v2/admin/agents", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v1/admin/agents/get_by_ids?ids[]={id}", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v2/admin/agents/by_division?division_ids[]=2", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v2/divisions", KeyAnd(CHIEFS), Value::Null),
        (post(), "/api/v2/divisions", KeyAnd(ADMIN), json!({})),
        (get(), "/api/v2/divisions/{division}", KeyAnd(CHIEFS), Value::Null),
        (post(), "/api/v2/divisions/{division}/update", KeyAnd(ADMIN), json!({"name": "Evil"})),
        (post(), "/api/v2/divisions/{division}/set_default", KeyAnd(ADMIN), json!({})),
        (post(), "/api/v2/divisions/{division}/delete", KeyAnd(ADMIN), json!({})),
        (get(), "/api/v1/agent/get_profile", Only(ALL), Value::Null),
        (post(), "/api/v1/agent/update_profile", Only(ALL), json!({})),
        (post(), "/api/v1/set_availability", Only(ALL), json!({"is_available": true})),
        (get(), "/api/v1/admin/office_hours", KeyAnd(CHIEFS), Value::Null),
        (post(), "/api/v1/admin/office_hours", KeyAnd(ADMIN), json!({"online_message": "Evil"})),
        (get(), "/api/v2/settings", KeyAnd(ALL), Value::Null),
        (Method::PATCH, "/api/v2/settings", KeyAnd(ADMIN), json!({"is_sessional": true})),
        (get(), "/api/v2/widget_settings", KeyAnd(ADMIN), Value::Null),
        (Method::PUT, "/api/v2/widget_settings", KeyAnd(ADMIN), json!({})),
        (get(), "/api/v2/app/details", KeyAnd(ALL), Value::Null),
        (get(), "/api/v2/features", KeyAnd(ALL), Value::Null),
        (get(), "/api/v2/admin/agent/{id}/channels", KeyAnd(CHIEFS), Value::Null),
        (get(), "/api/v2/admin/agent/{id}/sign_ins", KeyAnd(ADMIN), Value::Null),
        (Method::DELETE, "/api/v2/admin/agent/{id}/sign_ins", KeyAnd(ADMIN), Value::Null),
        (Method::DELETE, "/api/v2/admin/agent/{id}/sign_ins/{sign_in}", KeyAnd(ADMIN), Value::Null),
        (post(), "/api/v2/admin/agent/{id}/sign_in_link", KeyAnd(ADMIN), json!({})),
        (get(), "/api/v1/admin/get_profile", KeyAnd(ALL), Value::Null),
        (post(), "/api/v1/agent/set_availability", Only(ALL), json!({"is_available": true})),
        (
            post(),
            "/api/v2/admin/agent/{id}/set_force_offline",
            KeyAnd(ADMIN),
            json!({"force_offline": true}),
        ),
        (post(), "/api/v1/app/webhook/mark_as_resolved", KeyAnd(ADMIN), hook.clone()),
        (post(), "/api/v1/app/webhook/agent_allocation", KeyAnd(ADMIN), hook),
        (post(), "/api/v2/app/config/new_session_webhook", Key, config.clone()),
        (post(), "/api/v2/app/config/auth_webhook", Only(ADMIN), config),
        (get(), "/api/v2/app/configs", Key, Value::Null),
        (
            post(),
            "/api/v1/app/bot/integrate",
            KeyAnd(ADMIN),
            json!({"bot_webhook_url": "https://evil.example/"}),
        ),
        (get(), "/api/v1/app/bot", KeyAnd(ADMIN), Value::Null),
        (post(), "/api/v1/app/bot/activation", KeyAnd(ADMIN), json!({"is_active": true})),
        (post(), "/api/v2/app/bot/force_send", KeyAnd(ADMIN), json!({"is_force_send_bot": true})),
        (get(), "/api/v2/admin/webhook_config", KeyAnd(ADMIN), Value::Null),
        (
            post(),
            "/api/v1/admin/service/set_sessional",
            KeyAnd(ADMIN),
            json!({"is_sessional": true}),
        ),
        (get(), "/api/v1/admin/service/get_sessional", KeyAnd(ALL), Value::Null),
        (get(), "/api/v1/app/config/agent_takeover", KeyAnd(ALL), Value::Null),
        (
            post(),
            "/api/v1/app/config/agent_takeover",
            KeyAnd(ADMIN),
            json!({"is_agent_takeover_enabled": true}),
        ),
        (
            post(),
            "/api/v2/app/config/agent_allocation",
            KeyAnd(ADMIN),
            json!({"agent_customers_max": 1}),
        ),
        (post(), "/api/v2/app/config/security", KeyAnd(ADMIN), json!({"visitor_proof": "none"})),
        // Last, because it ends the tokens of the permitted callers.
        (post(), "/api/v1/auth/logout", Only(ALL), json!({})),
    ]
}

async fn call(request: RequestBuilder, body: &Value) -> Answer {
    match body {
        Value::Null => sent(request).await,
        body => sent(with_json(request, body)).await,
    }
}

/// Words that exist only in the other app.
const PLANTS: [&str; 4] = ["victim", "secret-key-of-other", "sdk-secret-of-other", "plant.example"];

/// The called app, and another one that must not be affected.
struct TwoApps {
    server: TestServer,
    shop: Office,
    other: Office,
    workers: Vec<(&'static str, Worker)>,
    victim: i64,
    /// Id of a division of the other app.
    division: i64,
}

async fn two_apps() -> TwoApps {
    let server = TestServer::start_quiet().await;
    let shop = Office::of(&server);
    let other = Office::of(&server.create_app("other").await);
    let victim = other.hire("victim", "agent").await.id;
    let hook = json!({"webhook_url": "https://plant.example/", "is_webhook_enabled": true});
    other.post("/api/v1/app/webhook/mark_as_resolved", hook).await.data();
    let division = other.post("/api/v2/divisions", json!({"name": "victim division"})).await;
    let division = division.data()["id"].as_i64().expect("an id");
    let mut workers = Vec::new();
    for role in ALL {
        workers.push((*role, shop.hire(role, role).await));
    }
    TwoApps { server, shop, other, workers, victim, division }
}

/// Returns the state of the other app as its owner sees it.
async fn snapshot(apps: &TwoApps) -> String {
    let (other, mut seen) = (&apps.other, String::new());
    for path in [
        "/api/v2/admin/agents",
        "/api/v2/divisions",
        "/api/v1/admin/office_hours",
        "/api/v2/admin/webhook_config",
        "/api/v2/app/configs?show_all=true",
        "/api/v2/settings",
        "/api/v1/app/bot",
    ] {
        seen.push_str(&other.get(path, &[]).await.text);
    }
    seen
}

#[tokio::test]
async fn the_table_lists_every_documented_route() {
    let server = TestServer::start_quiet().await;
    let calls = documented_calls(&server).await;
    let is_ours = |tag: &Value| tag == "People" || tag == "Configuration";
    let ours = calls.iter().filter(|it| is_ours(&it.operation["tags"][0]));
    let ours = ours.filter(|it| !it.path.ends_with("/api/v1/auth"));
    let mut documented: Vec<_> = ours.map(|it| format!("{} {}", it.method, it.path)).collect();
    let path =
        |path: &str| path.split('?').next().unwrap_or_default().replace("{division}", "{id}");
    let table = table();
    let mut listed: Vec<_> = table.iter().map(|it| format!("{} {}", it.0, path(it.1))).collect();
    documented.sort();
    listed.sort();
    assert_eq!(listed, documented);
}

#[tokio::test]
async fn wrong_credentials_are_refused_and_nothing_leaks_or_changes() {
    let apps = two_apps().await;
    let before = snapshot(&apps).await;
    let admin = &apps.workers[0].1;
    for (method, path, opens, body) in table() {
        let path = path.replace("{id}", &apps.victim.to_string());
        let path = path.replace("{division}", &apps.division.to_string());
        let bare = || apps.server.bare(method.clone(), &path);
        let mut wrong = vec![
            ("nothing", bare()),
            ("a guess", bare().header("Authorization", "guess")),
            ("no token", bare().header("Authorization", "")),
            ("the SDK secret", apps.server.request(method.clone(), &path)),
            ("a wrong key", keyed(bare(), "shop", "guess")),
            ("another app's key", keyed(bare(), "shop", "secret-key-of-other")),
            ("an app's key for another", keyed(bare(), "other", "secret-key-of-shop")),
            ("the secret key as a token", bare().header("Authorization", "secret-key-of-shop")),
            (
                "a token of another app",
                bare().header("Authorization", &admin.token).header("SERVICE-App-Id", "other"),
            ),
        ];
        match opens {
            Opens::Key => wrong.push(("a token", admin.request(method.clone(), &path))),
            Opens::Only(_) => wrong.push(("the key", apps.shop.request(method.clone(), &path))),
            Opens::KeyAnd(_) => {}
        }
        for (what, request) in wrong {
            let answer = call(request, &body).await;
            assert_eq!(answer.status, 401, "{method} {path} with {what}: {}", answer.text);
            answer.errors(401, "unauthorized");
            for plant in PLANTS {
                assert!(!answer.text.contains(plant), "{method} {path}: {}", answer.text);
            }
        }
    }
    assert_eq!(snapshot(&apps).await, before);
}

fn keyed(request: RequestBuilder, app: &str, key: &str) -> RequestBuilder {
    request.header("SERVICE-App-Id", app).header("SERVICE-Secret-Key", key)
}

#[tokio::test]
async fn roles_are_enforced_and_ids_of_another_app_are_not_found() {
    let apps = two_apps().await;
    let before = snapshot(&apps).await;
    for (method, path, opens, body) in table() {
        let missing = match path {
            path if path.contains("/{id}") => Some("agent_not_found"),
            path if path.contains("/{division}") => Some("division_not_found"),
            _ => None,
        };
        let path = path.replace("{id}", &apps.victim.to_string());
        let path = path.replace("{division}", &apps.division.to_string());
        let mut answers = Vec::new();
        let roles = match opens {
            Opens::Key => &[],
            Opens::KeyAnd(roles) | Opens::Only(roles) => roles,
        };
        for (role, worker) in &apps.workers {
            if opens == Opens::Key {
                continue;
            }
            let answer = call(worker.request(method.clone(), &path), &body).await;
            if !roles.contains(role) {
                answer.errors(403, "forbidden");
            }
            answers.push((*role, roles.contains(role), answer));
        }
        if !matches!(opens, Opens::Only(_)) {
            let answer = call(apps.shop.request(method.clone(), &path), &body).await;
            answers.push(("the app", true, answer));
        }
        for (caller, may, answer) in answers {
            for plant in PLANTS {
                assert!(!answer.text.contains(plant), "{method} {path}: {}", answer.text);
            }
            if let Some(missing) = missing.filter(|_| may) {
                answer.errors(404, missing);
            } else if may {
                let is_fine = [200, 400, 404].contains(&answer.status);
                assert!(is_fine, "{caller} at {method} {path}: {}", answer.text);
            }
        }
    }
    assert_eq!(snapshot(&apps).await, before, "nothing of the other app changed");
}

#[tokio::test]
async fn malformed_ids_in_paths_are_not_found() {
    let apps = two_apps().await;
    for id in
        ["0", "-1", "x", "9007199254740993", "99999999999999999999", "1%00", "%20", "+5", "05"]
    {
        let answer = apps.shop.get(&format!("/api/v2/admin/agent/{id}"), &[]).await;
        answer.errors(404, "agent_not_found");
    }
}
