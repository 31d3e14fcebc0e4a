//! Registration, sign-in, profiles, blocking and devices of users.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, keys, text};
use crate::support::caller::sent;
use crate::support::client::{Client, identity_token, log_in};
use crate::support::test_server::TestServer;

const ACCOUNT: [&str; 15] = [
    "app",
    "avatar",
    "avatar_url",
    "email",
    "extras",
    "id",
    "id_str",
    "last_comment_id",
    "last_comment_id_str",
    "last_sync_event_id",
    "pn_android_configured",
    "pn_ios_configured",
    "rtKey",
    "token",
    "username",
];

#[tokio::test]
async fn a_client_registers_with_a_password_and_signs_in_with_it_again() {
    let server = TestServer::start().await;
    let account = log_in(&server, "ana", "secret").await.results()["user"].take();
    assert_eq!(keys(&account), ACCOUNT);
    assert_eq!((&account["email"], &account["username"]), (&json!("ana"), &json!("Ana")));
    assert_eq!(account["app"]["code"], "shop");
    assert_eq!(account["avatar"], json!({"avatar": {"url": ""}}));
    let again = log_in(&server, "ana", "secret").await.results()["user"].take();
    assert_eq!(again["token"], account["token"]);
    let refused = log_in(&server, "ana", "guess").await.refused(401, "unauthorized");
    assert!(!refused.message.contains("ana"));
    log_in(&server, "ana", "").await.refused(400, "invalid_request").says("password");
}

#[tokio::test]
async fn users_without_a_password_agents_and_deactivated_users_cannot_sign_in() {
    let server = TestServer::start().await;
    server.register("ana").await;
    for user in ["ana", "system@shop"] {
        for password in ["secret", "nobody's", "null"] {
            log_in(&server, user, password).await.refused(401, "unauthorized");
        }
    }
    log_in(&server, "shop_1@dashboard", "secret").await.refused(403, "system_user");
    let body = json!({"user_id": "ana", "username": "Ana", "password": "given"});
    server.post("login_or_register", body).await.results();
    log_in(&server, "ana", "given").await.results();
    server.delete("deactivate_users", json!({"user_ids": ["ana"]})).await.results();
    log_in(&server, "ana", "given").await.refused(403, "user_deactivated");
    log_in(&server, "ana", "guess").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn sign_in_is_limited_to_ten_wrong_passwords_per_user() {
    let server = TestServer::start().await;
    server.register("ana").await;
    for _ in 0..10 {
        log_in(&server, "ana", "guess").await.refused(401, "unauthorized");
    }
    let refused = log_in(&server, "ana", "guess").await;
    refused.refused(429, "too_many_tries");
    assert_ne!(refused.header("retry-after"), "");
    log_in(&server, "bob", "secret").await.results();
}

#[tokio::test]
async fn concurrent_registrations_of_one_user_succeed_once() {
    let server = TestServer::start().await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..6 {
        let caller = (*server).clone();
        let password = format!("secret-{number}");
        running.spawn(async move { log_in(&caller, "ana", &password).await.status });
    }
    let statuses = running.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
}

#[tokio::test]
async fn users_can_change_their_profile_by_form_and_by_json() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let body = json!({"name": "Ana B", "avatar_url": "https://x.example/a.png",
        "extras": {"role": "owner"}});
    let changed = ana.send(Method::PATCH, "my_profile", body).await.results()["user"].take();
    assert_eq!(changed["username"], "Ana B");
    assert_eq!(changed["extras"], json!({"role": "owner"}));
    let form = [("name", ""), ("avatar_url", ""), ("extras", r#"{"a":1}"#)];
    let request = ana
        .request(Method::PATCH, "my_profile")
        .header("Content-Type", "application/x-www-form-urlencoded");
    sent(request.body(crate::support::caller::urlencoded(&form))).await.results();
    let account = ana.get("my_profile", &[]).await.results()["user"].take();
    assert_eq!(keys(&account), ACCOUNT);
    assert_eq!(account["username"], "Ana B");
    assert_eq!(account["avatar_url"], "https://x.example/a.png");
    assert_eq!(account["extras"], json!({"a": 1}));
    assert_eq!(account["token"], json!(ana.token));
}

#[tokio::test]
async fn a_refreshed_expired_or_logged_out_token_is_invalid() {
    let server = TestServer::start().await;
    for call in ["refresh_user_token", "expire_user_token", "logout"] {
        let mut ana = Client::new(&server, "ana").await;
        Client::new(&server, "bob").await;
        ana.post(call, json!({"user_id": "bob"})).await.refused(403, "unauthorized");
        let results =
            ana.post(call, json!({"user_id": "ana", "refresh_token": ""})).await.results();
        let refused = ana.get("my_profile", &[]).await.refused(403, "unauthorized");
        assert_eq!(refused.message, "Unauthorized");
        if call == "refresh_user_token" {
            assert_eq!(keys(&results), ["refresh_token", "token", "token_expires_at"]);
            assert_eq!(results["token_expires_at"], "", "Android throws on null");
            ana.token = text(&results["token"]).to_owned();
            ana.get("my_profile", &[]).await.results();
        }
    }
}

#[tokio::test]
async fn an_identity_token_registers_its_user() {
    let server = TestServer::start().await;
    let request = server.bare(Method::POST, "/api/v2/mobile/auth/nonce");
    let nonce = sent(request.header("SERVICE-SDK-APP-ID", "shop")).await.results();
    let token = identity_token(&server.secret, text(&nonce["nonce"]), "eve", "Eve");
    let request = server.bare(Method::POST, "/api/v2/mobile/auth/verify_identity_token");
    let request = request
        .header("SERVICE-SDK-APP-ID", "shop")
        .header("Content-Type", "application/json")
        .body(json!({"identity_token": token}).to_string());
    let account = sent(request).await.results()["user"].take();
    assert_eq!((&account["email"], &account["username"]), (&json!("eve"), &json!("Eve")));
    log_in(&server, "eve", "secret").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn an_identity_token_with_an_unknown_nonce_is_refused() {
    let server = TestServer::start().await;
    for nonce in ["", "\0", "no\0nce", "\u{1f600}"] {
        let token = identity_token(&server.secret, nonce, "eve", "Eve");
        let request = server.bare(Method::POST, "/api/v2/sdk/auth/verify_identity_token");
        let request = request
            .header("SERVICE-SDK-APP-ID", "shop")
            .header("Content-Type", "application/json")
            .body(json!({"identity_token": token}).to_string());
        let status = sent(request).await.status;
        assert!((400..500).contains(&status), "{nonce:?}: {status}");
    }
}

#[tokio::test]
async fn the_client_configuration_has_its_defaults_and_reports_are_accepted() {
    let server = TestServer::start().await;
    let request = server.bare(Method::GET, "/api/v2/sdk/config");
    let config = sent(request.header("SERVICE-SDK-APP-ID", "shop")).await.results();
    for url in ["base_url", "broker_url", "broker_lb_url", "extras"] {
        assert_eq!(config[url], "", "{url}");
    }
    assert_eq!(
        (&config["sync_interval"], &config["enable_realtime"]),
        (&json!(5000), &json!(true))
    );
    let ana = Client::new(&server, "ana").await;
    let mqtt = ana.get("mqtt_config", &[]).await.results();
    assert_eq!(mqtt, json!({"username": "ana", "password": ana.token}));
    ana.post("event_report", json!({"event": "x"})).await.results();
    let received = ana.post("realtime", json!({"topic": "r/1/1/+/t"})).await.results();
    assert_eq!(received, json!({"status": true}));
}

#[tokio::test]
async fn the_user_list_omits_the_system_user_and_deactivated_users() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    for user in ["bob", "carl_1", "carl-2"] {
        server.register(user).await;
    }
    server.register("gone").await;
    server.delete("deactivate_users", json!({"user_ids": ["gone"]})).await.results();
    let found = ana.get("get_user_list", &[]).await.results();
    assert_eq!(each(&found["users"], "email"), ["ana", "bob", "carl-2", "carl_1"]);
    assert_eq!(found["meta"], json!({"total_data": 4, "total_page": 1}));
    let find = async |text: &str| -> Value {
        ana.get("get_user_list", &[("query", text), ("limit", "1")]).await.results()
    };
    assert_eq!(each(&find("L_1").await["users"], "email"), ["carl_1"]);
    assert_eq!(find("carl").await["meta"], json!({"total_data": 2, "total_page": 2}));
    assert_eq!(find("%").await["users"], json!([]));
}

#[tokio::test]
async fn blocked_users_are_listed_until_they_are_unblocked() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    server.register("bob").await;
    let blocked = ana.post_form("block_user", &[("user_email", "bob")]).await.results();
    assert_eq!(blocked["user"]["email"], "bob");
    ana.post("block_user", json!({"user_email": "bob"})).await.results();
    let listed = ana.get("get_blocked_users", &[("page", "1"), ("limit", "20")]).await.results();
    for key in ["blocked_user", "blocked_users", "users"] {
        assert_eq!(each(&listed[key], "email"), ["bob"], "{key}");
    }
    assert_eq!(listed["total"], 1);
    ana.post("block_user", json!({"user_email": "ana"})).await.refused(400, "invalid_request");
    ana.post("block_user", json!({"user_email": "eve"})).await.refused(404, "user_not_found");
    ana.post("unblock_user", json!({"user_email": "bob"})).await.results();
    let listed = ana.get("get_blocked_users", &[]).await.results();
    assert_eq!(listed["blocked_users"], json!([]));
}

#[tokio::test]
async fn a_blocked_user_cannot_post_in_the_single_room_of_the_two() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let (bob, eve) = (Client::new(&server, "bob").await, Client::new(&server, "eve").await);
    let body = json!({"emails": "bob"});
    let alone = ana.post("get_or_create_room_with_target", body).await.results();
    let alone = alone["room"]["id_str"].as_str().expect("an id").to_owned();
    let group = ana.create_room("Team", &["bob"]).await;
    let says = async |who: &Client, room: &str| {
        who.post("post_comment", json!({"topic_id": room, "comment": "hello"})).await
    };
    for user in ["bob", "eve"] {
        ana.post("block_user", json!({"user_email": user})).await.results();
    }
    says(&bob, &alone).await.refused(403, "blocked");
    says(&bob, &group).await.results();
    says(&ana, &alone).await.results();
    // The error does not reveal whether the room exists.
    says(&eve, &alone).await.refused(404, "room_not_found");
    ana.post("unblock_user", json!({"user_email": "bob"})).await.results();
    says(&bob, &alone).await.results();
}

#[tokio::test]
async fn a_device_is_stored_once_and_statuses_list_existing_users_only() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    server.register("bob").await;
    let device = [("device_token", "t"), ("device_platform", "ios"), ("is_development", "false")];
    let changed = async |call: &str| -> Value {
        ana.post_form(call, &device).await.results()["changed"].take()
    };
    assert_eq!(changed("set_user_device_token").await, json!(true));
    assert_eq!(changed("set_user_device_token").await, json!(false));
    assert_eq!(changed("remove_user_device_token").await, json!(true));
    assert_eq!(changed("remove_user_device_token").await, json!(false));
    let body = json!({"user_ids": ["ana", "bob", "eve"]});
    let status = ana.post("users/status", body).await.results()["user_status"].take();
    let mut named = each(&status, "email");
    named.sort();
    assert_eq!(named, ["ana", "bob"]);
    assert_eq!((&status[0]["status"], &status[0]["timestamp"]), (&json!(0), &json!(0)));
}
