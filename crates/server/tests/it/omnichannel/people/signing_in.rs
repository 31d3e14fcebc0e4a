//! Signing in and out (wire facts 5.1).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::caller::{sent, with_json, with_multipart};
use crate::support::office::{Office, PASSWORD, sign_in};
use crate::support::test_server::TestServer;

const USER: &str = "app app_id assigned_rules authentication_token avatar_url bubble_color \
    created_at deleted_at direct_login_token email email_address force_offline id is_available \
    is_req_otp_reset is_toc_agree is_verified last_login last_password_update name \
    notifications_room_id qismo_key sdk_email sdk_key totp_token type type_as_string updated_at";
pub const APP: &str = "allocate_agent_webhook_url app_code app_joined_status archieve_status \
    bot_webhook_url created_at free_sessions id is_active is_agent_allocation_enabled \
    is_agent_takeover_enabled is_allocate_agent_webhook_enabled is_archieved is_bot_enabled \
    is_force_send_bot is_mark_as_resolved_webhook_enabled is_mobile_pn_enabled is_sessional \
    is_token_expiring mark_as_resolved_webhook_url name paid_channel_approved \
    search_using_engine secret_key updated_at use_2fa use_latest";

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[tokio::test]
async fn the_sign_in_response_has_every_field_that_clients_read() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("boss", "admin").await;
    let data = office.try_to_sign_in("boss", PASSWORD).await.data();
    let expected =
        ["details", "long_lived_token", "need_setup_otp", "use_2fa", "user", "user_configs"];
    assert_eq!(keys(&data), expected);
    let user = &data["user"];
    assert_eq!(keys(user), words(USER));
    assert_eq!((&user["type"], &user["type_as_string"]), (&json!(1), &json!("admin")));
    assert_eq!(user["sdk_email"], format!("shop_{}@dashboard", user["id"]));
    assert_eq!(user["is_available"], true);
    let created = user["created_at"].as_str().expect("a time");
    assert_eq!((created.len(), &created[10..11]), (19, " "), "{created}");
    assert!(user["last_login"].as_str().expect("a time").ends_with('Z'));
    let mut app = words(APP);
    assert_eq!(user["app"]["secret_key"], "secret-key-of-shop");
    app.extend(["agent_roles", "app_config"]);
    app.sort_unstable();
    assert_eq!(keys(&user["app"]), app);
    assert_eq!(keys(&data["details"]), ["app", "is_integrated", "sdk_user"]);
    let sdk_user = &data["details"]["sdk_user"];
    assert_eq!(sdk_user["id"], user["id"], "the same integer");
    let token = server.token(user["sdk_email"].as_str().expect("a user")).await;
    assert_eq!((&sdk_user["token"], &user["sdk_key"]), (&json!(token), &json!(token)));
}

#[tokio::test]
async fn the_secret_key_is_hidden_from_agents_and_supervisors() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    for role in ["agent", "supervisor"] {
        office.create(role, role).await;
        let answer = office.try_to_sign_in(role, PASSWORD).await;
        assert!(!answer.text.contains("secret-key-of-shop"), "{role}");
        assert_eq!(answer.data()["user"]["app"]["secret_key"], "");
        let answer = office.sign_in(role).await.get("/api/v1/admin/get_profile", &[]).await;
        assert!(!answer.text.contains("secret-key-of-shop"), "{role}");
    }
}

#[tokio::test]
async fn a_sign_in_accepts_every_encoding_and_any_case_of_the_email() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let fields = [("email", "ANA@Shop.example"), ("password", PASSWORD)];
    for path in ["/api/v1/auth", "/shop/api/v1/auth"] {
        let request = || server.bare(Method::POST, path);
        let body = json!({"email": "ana@shop.example", "password": PASSWORD});
        let by_json = sent(with_json(request(), &body)).await;
        let by_multipart = sent(with_multipart(request(), &fields)).await;
        let owned = fields.map(|(name, value)| (name, value.to_owned()));
        let by_form = sign_in(&server, path, &owned).await;
        let mut tokens: Vec<String> = Vec::new();
        for answer in [by_json, by_multipart, by_form] {
            let data = answer.data();
            tokens.push(data["user"]["authentication_token"].as_str().expect("a token").into());
        }
        tokens.dedup();
        assert_eq!(tokens.len(), 3, "a new token each time");
    }
}

#[tokio::test]
async fn every_refused_sign_in_gets_the_same_response() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    server.create_app("other").await;
    office.create("ana", "agent").await;
    let gone = office.create("gone", "agent").await["id"].clone();
    office.post(&format!("/api/v1/admin/agent/{gone}/delete"), json!({})).await.data();
    let wrong = office.try_to_sign_in("ana", "a wrong password").await;
    wrong.errors(401, "unauthorized");
    let unknown = office.try_to_sign_in("nobody", PASSWORD).await;
    let deleted = office.try_to_sign_in("gone", PASSWORD).await;
    let fields = [("email", office.email("ana")), ("password", PASSWORD.to_owned())];
    let other_app = sign_in(&server, "/other/api/v1/auth", &fields).await;
    let no_app = sign_in(&server, "/%20/api/v1/auth", &fields).await;
    for other in [unknown, deleted, other_app, no_app] {
        assert_eq!((other.status, &other.text), (401, &wrong.text));
    }
    let answer = sign_in(&server, "/api/v1/auth", &[]).await;
    let refused = answer.errors(400, "invalid_request");
    refused.says("email is required");
    refused.says("password is required");
}

#[tokio::test]
async fn after_ten_failures_even_the_right_password_is_refused_for_a_while() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    office.create("bob", "agent").await;
    for name in ["ana", "nobody"] {
        for _ in 0..10 {
            office.try_to_sign_in(name, "a wrong password").await.errors(401, "unauthorized");
        }
        let answer = office.try_to_sign_in(name, PASSWORD).await;
        answer.errors(429, "too_many_tries");
        let seconds: u64 = answer.header("retry-after").parse().expect("seconds");
        assert!((1..=900).contains(&seconds), "{seconds}");
    }
    office.sign_in("bob").await;
}

#[tokio::test]
async fn concurrent_failed_sign_ins_are_counted() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let tries = (0..25).map(|_| office.try_to_sign_in("ana", "a wrong password"));
    let mut tries: Vec<_> = tries.map(Box::pin).collect();
    let mut statuses = Vec::new();
    let (a, b) = tries.split_at_mut(12);
    let (first, second) = tokio::join!(all(a), all(b));
    statuses.extend(first.into_iter().chain(second));
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 15);
}

async fn all<F: Future<Output = crate::support::answer::Answer> + Unpin>(
    tries: &mut [F],
) -> Vec<u16> {
    let mut statuses = Vec::new();
    for one in tries {
        statuses.push(one.await.status);
    }
    statuses
}

#[tokio::test]
async fn a_successful_sign_in_resets_the_failure_count() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    for _ in 0..2 {
        for _ in 0..9 {
            office.try_to_sign_in("ana", "a wrong password").await.errors(401, "unauthorized");
        }
        office.sign_in("ana").await;
    }
}

#[tokio::test]
async fn a_logout_ends_one_token_and_the_last_one_makes_the_agent_unavailable() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (first, second) = (office.hire("ana", "agent").await, office.sign_in("ana").await);
    assert!(first.is_signed_in().await && second.is_signed_in().await);
    first.log_out().await.data();
    assert!(!first.is_signed_in().await);
    assert!(second.is_signed_in().await);
    assert_eq!(office.shown(first.id).await["is_available"], true);
    second.log_out().await.data();
    let agent = office.shown(first.id).await;
    assert_eq!((&agent["is_available"], &agent["force_offline"]), (&json!(false), &json!(false)));
    assert!(agent["last_login"].is_string());
    second.log_out().await.errors(401, "unauthorized");
}

#[tokio::test]
async fn a_token_is_valid_with_or_without_a_scheme_and_only_in_its_own_app() {
    let server = TestServer::start().await;
    server.create_app("other").await;
    let ana = Office::of(&server).hire("ana", "agent").await;
    let get = |token: String, app: Option<&'static str>| {
        let request = server.bare(Method::GET, "/api/v1/admin/get_profile");
        let request = request.header("Authorization", token);
        sent(app.map_or_else(
            || request.try_clone().expect("plain"),
            |app| request.try_clone().expect("plain").header("SERVICE-App-Id", app),
        ))
    };
    let user: Value = get(ana.token.clone(), None).await.data();
    assert_eq!((&user["id"], &user["authentication_token"]), (&json!(ana.id), &Value::Null));
    get(format!("Bearer {}", ana.token), Some("shop")).await.data();
    get(ana.token.clone(), Some("other")).await.errors(401, "unauthorized");
    get(format!("{}0", ana.token), None).await.errors(401, "unauthorized");
    get(String::new(), None).await.errors(401, "unauthorized");
}
