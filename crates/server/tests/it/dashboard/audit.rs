//! The audit log (design/sign-in-and-limits): every audited action has an entry, and nothing else
//! has one.

use std::collections::{BTreeMap, BTreeSet};

use confab_domain::agents::role::Role;
use confab_domain::audit::deed::AuditAction;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, items, keys};
use crate::support::caller::{sent, with_json};
use crate::support::hooks::Hooks;
use crate::support::office::{PASSWORD, Worker};
use crate::support::test_server::TestServer;
use crate::support::world::World;

const AUDIT: &str = "/api/v2/audit";

/// Parts of keys, passwords and email addresses, which no entry may contain.
const PLANTS: [&str; 3] = ["hidden-key", "hidden password", "@secret.example"];

/// The request for an audited action, by an admin or with the app's secret key.
///
/// `{name}` in path and body stands for an id from an earlier response.
struct Row {
    deed: &'static str,
    method: Method,
    path: &'static str,
    body: Value,
    /// JSON pointer to an id in the response, and the name for later requests.
    saves: Option<(&'static str, &'static str)>,
    by_key: bool,
}

fn row(deed: &'static str, method: Method, path: &'static str, body: Value) -> Row {
    Row { deed, method, path, body, saves: None, by_key: false }
}

impl Row {
    fn saving(self, pointer: &'static str, name: &'static str) -> Self {
        Self { saves: Some((pointer, name)), ..self }
    }

    fn by_key(self) -> Self {
        Self { by_key: true, ..self }
    }
}

fn people() -> Vec<Row> {
    let (post, delete) = (Method::POST, Method::DELETE);
    let new = json!({"name": "Bea", "email": "bea@secret.example", "type": "agent",
        "password": "hidden password 1"});
    let edit = json!({"name": "Bea B", "email": "b@secret.example",
        "password": "hidden password 2", "type": "supervisor", "customers_max": 4});
    vec![
        row("agent.created", post.clone(), "/api/v2/admin/create_agent", new)
            .saving("/agent/id", "agent"),
        row("agent.changed", post.clone(), "/api/v2/admin/agent/{agent}/update", edit),
        row(
            "agent.forced_offline",
            post.clone(),
            "/api/v2/admin/agent/{agent}/set_force_offline",
            json!({"force_offline": true}),
        ),
        row("agent.link_made", post.clone(), "/api/v2/admin/agent/{agent}/sign_in_link", json!({})),
        row("agent.signed_out", delete, "/api/v2/admin/agent/{cy}/sign_ins", json!({})),
        row("agent.deleted", post.clone(), "/api/v1/admin/agent/{agent}/delete", json!({})),
        row("division.created", post.clone(), "/api/v2/divisions", json!({"name": "Sales"}))
            .saving("/id", "division"),
        row(
            "division.changed",
            post.clone(),
            "/api/v2/divisions/{division}/update",
            json!({"name": "Care"}),
        ),
        row("division.deleted", post, "/api/v2/divisions/{division}/delete", json!({})),
    ]
}

fn configuration() -> Vec<Row> {
    let (post, put, delete) = (Method::POST, Method::PUT, Method::DELETE);
    let channel = "/api/v2/custom_channels/{channel}";
    let hook =
        json!({"webhook_url": "https://hooks.example/hidden-key", "is_webhook_enabled": true});
    let bot = json!({"bot_webhook_url": "https://bot.example/?key=hidden-key"});
    let made = json!({"name": "SMS", "webhook_url": "https://gateway.example/hidden-key"});
    let button = json!({"label": "Ticket", "webhook_url": "https://a.example/?key=hidden-key"});
    vec![
        row("settings.changed", Method::PATCH, "/api/v2/settings", json!({"is_sessional": true})),
        row(
            "widget.changed",
            put.clone(),
            "/api/v2/widget_settings",
            json!({"theme": {"colour": "#ff0000"}}),
        ),
        row("bot.changed", post.clone(), "/api/v1/app/bot/integrate", bot),
        row(
            "office_hours.changed",
            post.clone(),
            "/api/v1/admin/office_hours",
            json!({"timezone": "Asia/Jakarta", "online_message": "Write to us@secret.example"}),
        ),
        row("channel.created", post.clone(), "/api/v2/custom_channels", made)
            .saving("/custom_channel/id", "channel"),
        row("channel.changed", put.clone(), channel, json!({"name": "Text"})),
        row(
            "channel.key_rotated",
            put.clone(),
            channel,
            json!({"identifier_key": "hidden-key-of-channel"}),
        ),
        row("channel.deleted", delete.clone(), channel, json!({})),
        row("endpoint.changed", post.clone(), "/api/v1/app/webhook/mark_as_resolved", hook),
        row(
            "endpoint.paused",
            post.clone(),
            "/api/v2/webhooks/endpoints/mark_as_resolved/pause",
            json!({}),
        )
        .by_key(),
        row(
            "endpoint.resumed",
            post.clone(),
            "/api/v2/webhooks/endpoints/mark_as_resolved/resume",
            json!({}),
        )
        .by_key(),
        row(
            "endpoint.deleted",
            delete.clone(),
            "/api/v2/webhooks/endpoints/mark_as_resolved",
            json!({}),
        ),
        row("button.created", post, "/api/v2/custom_buttons", button)
            .saving("/custom_button/id", "button"),
        row("button.changed", put, "/api/v2/custom_buttons/{button}", json!({"label": "T"})),
        row("button.deleted", delete, "/api/v2/custom_buttons/{button}", json!({})),
    ]
}

fn keys_of_app() -> Vec<Row> {
    let rows = [
        ("keys.revealed", "/api/v2/app/keys/reveal"),
        ("keys.staged", "/api/v2/app/keys/stage"),
        ("keys.unstaged", "/api/v2/app/keys/unstage"),
        ("keys.staged", "/api/v2/app/keys/stage"),
        ("keys.promoted", "/api/v2/app/keys/promote"),
        ("keys.retired", "/api/v2/app/keys/retire"),
        ("keys.rotated", "/api/v2/app/keys/rotate"),
    ];
    rows.map(|(deed, path)| row(deed, Method::POST, path, json!({"password": PASSWORD}))).into()
}

fn service() -> Vec<Row> {
    let (post, put, delete) = (Method::POST, Method::PUT, Method::DELETE);
    let reply = json!({"shortcut": "hi", "text": "Hello!", "is_shared": true});
    let replies = "/api/v2/canned_replies/{reply}";
    let block = |is_blocked: bool| json!({"room_id": "{room}", "is_blocked": is_blocked});
    vec![
        row("canned_reply.created", post.clone(), "/api/v2/canned_replies", reply)
            .saving("/canned_reply/id", "reply"),
        row("canned_reply.changed", put.clone(), replies, json!({"text": "Good day!"})),
        row("canned_reply.deleted", delete.clone(), replies, json!({})),
        row("tag.changed", put.clone(), "/api/v2/tags/{vip}", json!({"name": "VIP"})),
        row("tag.merged", put, "/api/v2/tags/{vip}", json!({"merge_into": "{late}"})),
        row("tag.deleted", delete, "/api/v2/tags/{late}", json!({})),
        row("contact.blocked", post.clone(), "/api/v1/customer/block", block(true)),
        row("contact.unblocked", post.clone(), "/api/v1/customer/block", block(false)),
        row("contact.exported", Method::GET, "/api/v2/contacts/{contact}/export", json!({})),
        row("contact.erased", post, "/api/v2/contacts/{contact}/erase", json!({"confirm": "ANN"})),
    ]
}

async fn entries(admin: &Worker) -> (Vec<Value>, String) {
    let answer = admin.get(AUDIT, &[("limit", "100")]).await;
    (items(&answer.json()["data"]["entries"]).to_vec(), answer.text)
}

/// Replaces each `{name}` in a text by its id.
fn filled(text: &str, known: &BTreeMap<&str, String>) -> String {
    known.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
}

async fn call(request: reqwest::RequestBuilder, body: &Value) -> Answer {
    sent(with_json(request, body)).await
}

#[tokio::test]
async fn every_audited_action_is_recorded_with_its_actor_and_refused_requests_are_not() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.hire("Ada", "admin").await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &cy).await.data();
    let mut known = BTreeMap::from([
        ("cy", cy.id.to_string()),
        ("room", ann.room()),
        ("contact", ann.key.to_string()),
    ]);
    for tag in ["vip", "late"] {
        let path = format!("/api/v2/room_tags/{}", ann.room());
        let id = admin.post(&path, json!({"tag": tag})).await.data()["id"].take();
        known.insert(tag, id.to_string());
    }
    let hooks = Hooks::of(&server);
    hooks.register("new_session").await;
    let delivery = hooks.trigger("new_session").await;
    known.insert("delivery", delivery.to_string());
    let replay = "/api/v2/webhooks/deliveries/{delivery}/replay";
    let replayed = row("delivery.replayed", Method::POST, replay, json!({})).by_key();
    let (mut done, mut planted) = (BTreeSet::new(), BTreeSet::new());
    let rows = people().into_iter().chain(configuration()).chain([replayed]).chain(service());
    let rows = rows.chain(keys_of_app());
    for row in rows {
        let path = filled(row.path, &known);
        let body: Value =
            serde_json::from_str(&filled(&row.body.to_string(), &known)).expect("JSON");
        let (before, _) = entries(&admin).await;
        let refused = call(bo.request(row.method.clone(), &path), &body).await;
        assert!([401, 403, 404].contains(&refused.status), "{path}: {}", refused.text);
        assert_eq!(entries(&admin).await.0, before, "a refused {} is not recorded", row.deed);
        let request = match row.by_key {
            true => office.request(row.method.clone(), &path),
            false => admin.request(row.method.clone(), &path),
        };
        let answer = call(request, &body).await;
        let data = answer.data();
        let (after, text) = entries(&admin).await;
        let new = &after[..after.len() - before.len()];
        let entry = new.iter().find(|it| it["what"] == row.deed);
        let entry = entry.unwrap_or_else(|| panic!("{} has no entry: {new:?}", row.deed));
        let kind = if row.by_key { "secret_key" } else { "person" };
        assert_eq!((&entry["actor_kind"], &entry["address"]), (&json!(kind), &json!("127.0.0.1")));
        let actor = if row.by_key { Value::Null } else { json!({"id": admin.id, "name": "Ada"}) };
        assert_eq!(entry["actor"], actor);
        for plant in PLANTS {
            planted.extend(body.to_string().contains(plant).then_some(plant));
            assert!(!text.contains(plant), "{plant} after {}: {text}", row.deed);
        }
        if let Some((pointer, name)) = row.saves {
            let id = data.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {data}"));
            known.insert(name, id.to_string());
        }
        done.insert(row.deed);
    }
    let all: BTreeSet<_> = AuditAction::ALL.iter().map(|deed| deed.as_str()).collect();
    assert_eq!(done, all, "this test performs every audited action");
    assert_eq!(planted, PLANTS.into(), "every secret was sent");
}

#[tokio::test]
async fn an_audit_entry_shows_changed_fields_and_no_secret() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let path = format!("/api/v2/admin/agent/{}/update", bo.id);
    let body = json!({"name": "Bo B", "type": "agent", "password": "hidden password"});
    admin.post(&path, body.clone()).await.data();
    let entry = entries(&admin).await.0.remove(0);
    assert_eq!(
        keys(&entry),
        ["actor", "actor_kind", "address", "after", "at", "before", "id", "target", "what"]
    );
    let target = json!({"kind": "agent", "id": bo.id.to_string(), "name": "Bo"});
    assert_eq!(entry["target"], target, "the target has its former name");
    assert_eq!(entry["before"], json!({"name": "Bo"}));
    assert_eq!(entry["after"], json!({"name": "Bo B", "password": "changed"}));
    // Requests that change nothing and changes to an agent's own profile are not recorded.
    admin.post(&path, json!({"name": "Bo B"})).await.data();
    admin.patch("/api/v2/me", json!({"language": "id"})).await.data();
    admin.patch("/api/v2/settings", json!({"is_sessional": false})).await.data();
    admin.patch("/api/v2/settings", json!({"is_sessional": false})).await.data();
    let button = json!({"label": "Ticket", "webhook_url": "https://a.example/x"});
    let made = admin.post("/api/v2/custom_buttons", button.clone()).await.data();
    let button_path = format!("/api/v2/custom_buttons/{}", made["custom_button"]["id"]);
    let reply = json!({"shortcut": "hi", "text": "Hello!", "is_shared": true});
    let made = admin.post("/api/v2/canned_replies", reply.clone()).await.data();
    let reply_path = format!("/api/v2/canned_replies/{}", made["canned_reply"]["id"]);
    let hours = json!({"timezone": "Asia/Jakarta", "online_message": "Welcome"});
    admin.post("/api/v1/admin/office_hours", hours.clone()).await.data();
    let division = admin.post("/api/v2/divisions", json!({"name": "Sales"})).await.data();
    let moved = json!({"division_ids": [division["id"]]});
    admin.post(&path, moved.clone()).await.data();
    let (before, _) = entries(&admin).await;
    assert_eq!(before[0]["after"], json!({"division_ids": [division["id"].to_string()]}));
    admin.put(&button_path, button).await.data();
    admin.put(&reply_path, reply).await.data();
    admin.post("/api/v1/admin/office_hours", hours).await.data();
    admin.post(&path, moved).await.data();
    let (all, _) = entries(&admin).await;
    assert_eq!(each(&json!(all), "what"), each(&json!(before), "what"), "nothing changed");
    let (label, text) = (json!({"label": "Tickets"}), json!({"text": "Good day!"}));
    admin.put(&button_path, label).await.data();
    admin.put(&reply_path, text).await.data();
    let (mut all, _) = entries(&admin).await;
    assert_eq!(all[0]["before"], json!({"text": "Hello!"}));
    assert_eq!(
        (&all[1]["before"], &all[1]["after"]),
        (&json!({"label": "Ticket"}), &json!({"label": "Tickets"}))
    );
    all.drain(..all.len() - 2);
    assert_eq!(each(&json!(all), "what"), ["settings.changed", "agent.changed"]);
    assert_eq!(all[0]["before"], json!({"is_sessional": null}));
    assert_eq!(all[0]["after"], json!({"is_sessional": "false"}));
}

#[tokio::test]
async fn actions_of_the_server_itself_are_recorded_without_a_visitors_address() {
    let server = TestServer::start_quiet().await;
    let office = World::without_channel(&server, &server).await;
    let admin = office.admin().await;
    let nonce = server.nonce().await;
    let body = json!({"app_id": "shop", "user_id": "ann", "name": "Ann", "nonce": nonce});
    server.initiate_chat(&body).await;
    let made = entries(&admin).await.0;
    let made = made
        .iter()
        .find(|it| it["what"] == "channel.created")
        .expect("an entry for the widget's channel");
    assert_eq!((&made["actor_kind"], &made["address"]), (&json!("server"), &Value::Null));
}

#[tokio::test]
async fn ending_an_agents_sign_in_link_is_recorded_once() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let new = json!({"name": "Bea", "email": "bea@shop.example", "type": 2, "sign_in_link": true});
    let made = admin.post("/api/v2/admin/create_agent", new).await.data();
    let path = format!("/api/v2/admin/agent/{}/sign_ins", made["agent"]["id"]);
    for _ in 0..2 {
        admin.delete(&path).await.data();
    }
    let ended = entries(&admin).await.0;
    let ended: Vec<_> = ended.iter().filter(|it| it["what"] == "agent.signed_out").collect();
    assert_eq!(ended.len(), 1, "the second request ended nothing");
    assert_eq!(ended[0]["after"], json!({"links_ended": 1, "sign_ins_ended": 0}));
}

#[tokio::test]
async fn audit_entries_can_be_filtered_by_actor_action_and_time_and_paged() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (ada, eve) = (office.admin().await, office.admin().await);
    for name in ["a", "b", "c"] {
        ada.post("/api/v2/divisions", json!({"name": name})).await.data();
    }
    eve.patch("/api/v2/settings", json!({"grace_s": 5})).await.data();
    let found = async |query: &[(&str, &str)]| {
        let page = ada.get(AUDIT, query).await.json();
        each(&page["data"]["entries"], "what").join(" ")
    };
    let three = "division.created division.created division.created";
    assert_eq!(found(&[]).await, format!("settings.changed {three}"));
    assert_eq!(found(&[("actor", &eve.id.to_string())]).await, "settings.changed");
    assert_eq!(found(&[("what", "division.created")]).await, three);
    assert_eq!(found(&[("what", "division")]).await, three);
    assert_eq!(found(&[("what", "divis")]).await, "");
    assert_eq!(found(&[("what", "division%")]).await, "");
    assert_eq!(found(&[("until", "2020-01-01")]).await, "");
    assert_eq!(found(&[("from", "2020-01-01"), ("what", "settings")]).await, "settings.changed");
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = ada.get(AUDIT, &[("limit", "1"), ("cursor", &cursor)]).await.json();
        seen.push(page["data"]["entries"][0]["id"].as_str().expect("an id").to_owned());
        match page["meta"]["after"].as_str() {
            Some(after) => cursor = after.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 4);
    for (name, wrong) in [("from", "yesterday"), ("until", "2026-13-01"), ("actor", "x")] {
        ada.get(AUDIT, &[(name, wrong)]).await.errors(400, "invalid_request").says(name);
    }
}

#[tokio::test]
async fn only_admins_of_the_app_can_read_the_audit_log() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (bo, stranger) = (office.agent("Bo").await, other.admin().await);
    office.post("/api/v2/divisions", json!({"name": "Sales"})).await.data();
    bo.get(AUDIT, &[]).await.errors(403, "forbidden");
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    sue.get(AUDIT, &[]).await.errors(403, "forbidden");
    office.get(AUDIT, &[]).await.errors(401, "unauthorized");
    for (worker, may) in [(&bo, false), (&sue, false), (&stranger, true)] {
        let rights = worker.get("/api/v2/me", &[]).await.data()["may"].take();
        let rights = rights.as_array().expect("a list");
        assert_eq!(rights.contains(&json!("audit")), may, "pages check this right");
    }
    assert!(entries(&stranger).await.0.is_empty());
    assert_eq!(entries(&office.admin().await).await.0.len(), 1);
}
