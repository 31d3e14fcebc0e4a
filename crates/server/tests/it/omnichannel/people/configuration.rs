//! App settings (spec 4.2, wire facts 5.2).

use reqwest::Method;
use serde_json::{Value, json};

use super::signing_in::APP;
use crate::support::answer::{Answer, each, items, keys};
use crate::support::caller::{sent, urlencoded, with_json, with_multipart};
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;

const RESOLVED: &str = "/api/v1/app/webhook/mark_as_resolved";
const NEW_SESSION: &str = "/api/v2/app/config/new_session_webhook";

#[tokio::test]
async fn the_mark_as_resolved_call_accepts_either_credential_and_every_encoding() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let fields = [("webhook_url", "https://a.example/"), ("is_webhook_enabled", "true")];
    let request = admin.request(Method::POST, RESOLVED).header("SERVICE-App-Id", "shop");
    let app = sent(with_multipart(request, &fields)).await.data();
    assert_eq!(keys(&app), APP.split_whitespace().collect::<Vec<_>>());
    assert_eq!((&app["app_code"], &app["name"]), (&json!("shop"), &json!("The shop app")));
    assert_eq!(app["secret_key"], "secret-key-of-shop");
    assert_eq!(app["mark_as_resolved_webhook_url"], "https://a.example/");
    assert_eq!(app["is_mark_as_resolved_webhook_enabled"], true);
    assert_eq!((&app["bot_webhook_url"], &app["is_bot_enabled"]), (&json!(""), &json!(false)));
    for time in ["created_at", "updated_at"] {
        let time = app[time].as_str().expect("a time");
        assert_eq!((time.len(), &time[10..11]), (19, " "), "{time}");
    }
    for flag in ["is_mobile_pn_enabled", "is_active", "is_sessional", "is_agent_allocation_enabled"]
    {
        assert!(app[flag].is_boolean(), "{flag}");
    }
    let form = [("webhook_url", "https://b.example/"), ("is_webhook_enabled", "0")];
    let request = office.request(Method::POST, RESOLVED);
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    let app = sent(request.body(urlencoded(&form))).await.data();
    assert_eq!(app["mark_as_resolved_webhook_url"], "https://b.example/");
    assert_eq!(app["is_mark_as_resolved_webhook_enabled"], false);
    let app = office.post(RESOLVED, json!({"is_webhook_enabled": true})).await.data();
    assert_eq!(app["mark_as_resolved_webhook_url"], "https://b.example/", "the URL stays");
    assert_eq!(app["is_mark_as_resolved_webhook_enabled"], true);
}

#[tokio::test]
async fn the_new_session_call_returns_its_settings_as_strings() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let fields = [("enabled", "true"), ("url", "https://a.example/session")];
    let answer = sent(with_multipart(office.request(Method::POST, NEW_SESSION), &fields)).await;
    let configs = json!({
        "is_new_session_webhook_enabled": "true",
        "new_session_webhook_url": "https://a.example/session",
    });
    assert_eq!(answer.data(), json!({"configs": configs}));
    let answer = office.post(NEW_SESSION, json!({"enabled": false})).await;
    let configs = json!({
        "is_new_session_webhook_enabled": "false",
        "new_session_webhook_url": "https://a.example/session",
    });
    assert_eq!(answer.data(), json!({"configs": configs}));
    let answer = office.post(NEW_SESSION, json!({"enabled": false, "url": ""})).await;
    let configs = json!({
        "is_new_session_webhook_enabled": "false", "new_session_webhook_url": "",
    });
    assert_eq!(answer.data(), json!({"configs": configs}));
}

#[tokio::test]
async fn configs_are_a_flat_map_that_contains_the_keys_of_the_spec() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let path = "/api/v2/app/configs";
    let data = office.get(path, &[("show_all", "true")]).await.data();
    assert_eq!(keys(&data), ["configs"]);
    let configs = &data["configs"];
    let expected = [
        "agent_and_customer_presence",
        "agent_and_customer_rooms",
        "agent_customers_max",
        "agent_offline_grace_seconds",
        "agent_send_broadcast_message_access",
        "agent_send_outbound_message_inbox",
        "auth_webhook_url",
        "default_properties_created",
        "is_agent_allocation_enabled",
        "is_agent_takeover_enabled",
        "is_auth_webhook_enabled",
        "is_force_send_bot",
        "is_new_session_webhook_enabled",
        "is_sessional",
        "is_waca_channel_enabled",
        "new_session_webhook_url",
        "registration",
        "room_agents_max",
        "user_list",
        "visitor_proof",
        "widget",
    ];
    for key in expected {
        assert!(configs.get(key).is_some(), "{key}");
    }
    for (key, value) in configs.as_object().expect("a map") {
        assert!(value.is_boolean() || value.is_string() || value.is_null(), "{key}: {value}");
    }
    assert_eq!(office.get(path, &[]).await.data()["configs"], json!({}), "nothing was set");
    office.post(NEW_SESSION, json!({"url": "https://a.example/"})).await.data();
    let configs = office.get(path, &[("show_all", "false")]).await.data()["configs"].take();
    let expected = json!({
        "is_new_session_webhook_enabled": "true", "new_session_webhook_url": "https://a.example/",
    });
    assert_eq!(configs, expected);
    let answer = office.get(path, &[("show_all", "maybe")]).await;
    answer.errors(400, "invalid_request").says("show_all must be true or false");
}

#[tokio::test]
async fn a_webhook_url_that_cannot_be_called_is_refused_and_nothing_changes() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    office.post(RESOLVED, json!({"webhook_url": "https://a.example/"})).await.data();
    let bad = ["nonsense", "ftp://a.example/", "http://10.0.0.1/", "http://169.254.169.254/x"];
    for url in bad {
        let registration = json!({"webhook_url": url, "is_webhook_enabled": true});
        for path in [RESOLVED, "/api/v1/app/webhook/agent_allocation"] {
            let answer = office.post(path, registration.clone()).await;
            answer.errors(400, "invalid_request").says("webhook_url cannot be called");
        }
        let answer = office.post(NEW_SESSION, json!({"url": url, "enabled": true})).await;
        answer.errors(400, "invalid_request").says("url cannot be called");
        let registration = json!({"url": url, "enabled": true});
        let answer = admin.post("/api/v2/app/config/auth_webhook", registration).await;
        answer.errors(400, "invalid_request").says("url cannot be called");
        let answer =
            office.post("/api/v1/app/bot/integrate", json!({"bot_webhook_url": url})).await;
        answer.errors(400, "invalid_request").says("bot_webhook_url cannot be called");
    }
    let listed = admin.get("/api/v2/admin/webhook_config", &[]).await.data();
    assert_eq!(each(&listed["webhook_configs"], "url"), ["https://a.example/"]);
    let answer = office.post(NEW_SESSION, json!({"enabled": true})).await;
    answer.errors(400, "invalid_request").says("url is required");
    let nothing = office.post(NEW_SESSION, json!({"enabled": false})).await.data();
    assert_eq!(nothing["configs"]["new_session_webhook_url"], "");
    let answer = office.post(NEW_SESSION, json!({"enabled": "maybe", "url": 5})).await;
    let refused = answer.errors(400, "invalid_request");
    refused.says("url must be a string");
    refused.says("enabled must be true or false");
}

#[tokio::test]
async fn registered_webhooks_are_listed_and_are_endpoints_of_the_webhook_api() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let registration = |url: &str| json!({"webhook_url": url, "is_webhook_enabled": true});
    office.post(RESOLVED, registration("https://a.example/r")).await.data();
    let path = "/api/v1/app/webhook/agent_allocation";
    let app = office.post(path, registration("https://a.example/a")).await.data();
    assert_eq!(app["allocate_agent_webhook_url"], "https://a.example/a");
    assert_eq!(app["is_allocate_agent_webhook_enabled"], true);
    let listed = admin.get("/api/v2/admin/webhook_config", &[]).await.data();
    let first = &listed["webhook_configs"][0];
    assert_eq!(keys(first), ["created_at", "id", "is_active", "type", "updated_at", "url"]);
    let mut kinds = each(&listed["webhook_configs"], "type");
    kinds.sort_unstable();
    assert_eq!(kinds, ["agent_allocation", "mark_as_resolved"]);
    // The delivery policy stays when only the URL changes.
    let put = office.request(Method::PUT, "/api/v2/webhooks/endpoints/mark_as_resolved");
    let body = json!({"url": "https://a.example/r", "timeout_ms": 1234});
    sent(with_json(put, &body)).await.data();
    office.post(RESOLVED, registration("https://b.example/r")).await.data();
    let endpoints = office.get("/api/v2/webhooks/endpoints", &[]).await.data();
    let found = endpoints["endpoints"].as_array().expect("a list").iter();
    let found: Vec<_> = found.filter(|it| it["kind"] == "mark_as_resolved").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["timeout_ms"], 1234);
    assert_eq!(found[0]["url"], "https://b.example/r");
}

#[tokio::test]
async fn session_takeover_and_allocation_settings_are_set_and_returned() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let ana = office.hire("ana", "agent").await;
    let sessional = "/api/v1/admin/service/get_sessional";
    assert_eq!(ana.get(sessional, &[]).await.data(), json!({"is_sessional": false}));
    let set = "/api/v1/admin/service/set_sessional";
    let answer = office.post(set, json!({"is_sessional": "true"})).await.data();
    assert_eq!(answer, json!({"is_sessional": true}));
    assert_eq!(ana.get(sessional, &[]).await.data(), json!({"is_sessional": true}));
    let takeover = "/api/v1/app/config/agent_takeover";
    office.post(takeover, json!({"is_agent_takeover_enabled": true})).await.data();
    let expected = json!({"is_agent_takeover_enabled": true});
    assert_eq!(ana.get(takeover, &[]).await.data(), expected);
    let allocation = "/api/v2/app/config/agent_allocation";
    let wanted = json!({
        "is_agent_allocation_enabled": true, "agent_customers_max": 3, "room_agents_max": "2",
    });
    let configs = office.post(allocation, wanted).await.data();
    let expected = json!({
        "is_agent_allocation_enabled": true, "agent_customers_max": "3", "room_agents_max": "2",
        "agent_offline_grace_seconds": "60",
    });
    assert_eq!(configs, json!({"configs": expected}));
    let app = office.post(RESOLVED, json!({"is_webhook_enabled": false})).await.data();
    for flag in ["is_sessional", "is_agent_takeover_enabled", "is_agent_allocation_enabled"] {
        assert_eq!(app[flag], true, "{flag}");
    }
    let wrong = [
        (json!({}), "is_agent_allocation_enabled is required"),
        (json!({"agent_customers_max": 0}), "agent_customers_max must be an integer from 1"),
        (json!({"room_agents_max": 101}), "room_agents_max must be an integer from 1 to 100"),
        (json!({"agent_offline_grace_seconds": -1}), "agent_offline_grace_seconds must be"),
    ];
    for (body, problem) in wrong {
        let answer = office.post(allocation, body).await;
        answer.errors(400, "invalid_request").says(problem);
    }
    for path in [set, takeover] {
        let answer: Value = office.post(path, json!({})).await.json();
        assert_eq!(answer["status"], 400, "{path}");
    }
}

/// Every call that registers a webhook, with the names of its URL field and its flag.
const REGISTRATIONS: [(&str, &str, &str); 5] = [
    (RESOLVED, "webhook_url", "is_webhook_enabled"),
    ("/api/v1/app/webhook/agent_allocation", "webhook_url", "is_webhook_enabled"),
    (NEW_SESSION, "url", "enabled"),
    ("/api/v2/app/config/auth_webhook", "url", "enabled"),
    ("/api/v1/app/bot/integrate", "bot_webhook_url", "is_bot_enabled"),
];

/// Returns the registered webhooks as URL and enabled flag.
async fn registered(admin: &Worker) -> Vec<(Value, Value)> {
    let data = admin.get("/api/v2/admin/webhook_config", &[]).await.data();
    let of = |it: &Value| (it["url"].clone(), it["is_active"].clone());
    items(&data["webhook_configs"]).iter().map(of).collect()
}

/// Registers a webhook by one of the calls: one takes the secret key, the others an admin's token.
async fn register(office: &Office, admin: &Worker, path: &str, body: Value) -> Answer {
    match path == NEW_SESSION {
        true => office.post(path, body).await,
        false => admin.post(path, body).await,
    }
}

#[tokio::test]
async fn a_misspelled_flag_is_reported_and_registers_nothing() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    for (path, url, flag) in REGISTRATIONS {
        let wrong = format!("{flag}d");
        let body = json!({url: "https://a.example/", &wrong: false});
        let refused = register(&office, &admin, path, body).await.errors(400, "invalid_request");
        assert_eq!(refused.details.len(), 1, "{path}");
        refused.says(&format!("{wrong} is not a field of this call"));
        refused.says(flag);
    }
    assert_eq!(registered(&admin).await, []);
}

#[tokio::test]
async fn an_empty_url_removes_a_webhook() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    for (path, url, flag) in REGISTRATIONS {
        register(&office, &admin, path, json!({url: "https://a.example/"})).await.data();
        assert_eq!(registered(&admin).await, [(json!("https://a.example/"), json!(true))]);
        let body = json!({url: "", flag: true});
        register(&office, &admin, path, body).await.errors(400, "invalid_request").says(url);
        assert_eq!(registered(&admin).await.len(), 1, "{path}");
        register(&office, &admin, path, json!({url: ""})).await.data();
        assert_eq!(registered(&admin).await, [], "{path}");
        register(&office, &admin, path, json!({url: "", flag: false})).await.data();
    }
}

#[tokio::test]
async fn flags_of_registrations_are_accepted_in_any_case() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    for (path, url, flag) in REGISTRATIONS {
        for (word, expected) in [("TRUE", true), ("False", false), ("True", true), ("0", false)] {
            let body = json!({url: "https://a.example/", flag: word});
            register(&office, &admin, path, body).await.data();
            let is_active = registered(&admin).await[0].1.clone();
            assert_eq!(is_active, expected, "{path} {word}");
        }
        register(&office, &admin, path, json!({url: ""})).await.data();
    }
}
