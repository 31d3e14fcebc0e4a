//! `login_or_register` and `user_profile`.

use serde_json::json;

use crate::support::answer::keys;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn registering_a_user_returns_the_whole_profile() {
    let server = TestServer::start().await;
    let body = json!({
        "user_id": "ana@example.org", "username": "Ana", "password": "correct horse",
        "avatar_url": "https://img.example/ana.png", "extras": {"level": 3},
    });
    let results = server.post("login_or_register", body).await.results();
    let user = json!({
        "active": true, "avatar_url": "https://img.example/ana.png", "extras": {"level": 3},
        "user_id": "ana@example.org", "username": "Ana",
    });
    assert_eq!(results, json!({"user": user}));
    let profile = server.get("user_profile", &[("user_id", "ana@example.org")]).await.results();
    assert_eq!(profile, results);
}

#[tokio::test]
async fn only_user_id_and_username_are_required() {
    let server = TestServer::start().await;
    let user = server.register("ana").await;
    let expected = json!({
        "active": true, "avatar_url": "", "extras": {}, "user_id": "ana", "username": "Ana",
    });
    assert_eq!(user, expected);
    let refused = server.post("login_or_register", json!({})).await;
    let refused = refused.refused(400, "invalid_request");
    assert_eq!(refused.details, ["user_id is required", "username is required"]);
}

#[tokio::test]
async fn signing_in_again_changes_given_fields_and_keeps_the_others() {
    let server = TestServer::start().await;
    let body = json!({
        "user_id": "ana", "username": "Ana", "avatar_url": "https://img.example/ana.png",
        "extras": {"level": 3},
    });
    server.post("login_or_register", body).await.results();
    let token = server.token("ana").await;
    let body = json!({"user_id": "ana", "username": "Ana M", "password": "new", "extras": null});
    let user = server.post("login_or_register", body).await.results()["user"].take();
    assert_eq!(user["username"], "Ana M");
    assert_eq!(user["avatar_url"], "https://img.example/ana.png");
    assert_eq!(user["extras"], json!({"level": 3}));
    assert_eq!(server.token("ana").await, token, "the token is unchanged");
    let body = json!({"user_id": "ana", "username": "Ana M", "avatar_url": "", "extras": {}});
    let user = server.post("login_or_register", body).await.results()["user"].take();
    assert_eq!((&user["avatar_url"], &user["extras"]), (&json!(""), &json!({})));
}

#[tokio::test]
async fn extras_keep_their_digits_and_can_be_a_string_of_json() {
    let server = TestServer::start().await;
    let extras = r#"{"b":1.0,"a":12345678901234567890}"#;
    let body = json!({"user_id": "ana", "username": "Ana", "extras": extras});
    let answer = server.post("login_or_register", body).await;
    assert!(answer.text.contains(&format!(r#""extras":{extras}"#)), "{}", answer.text);
}

#[tokio::test]
async fn user_ids_with_invalid_characters_or_over_255_are_refused() {
    let server = TestServer::start().await;
    let longest = "x".repeat(255);
    for fine in ["a", "Ana.B-c_d@example.org", "42", &longest] {
        server.post("login_or_register", json!({"user_id": fine, "username": "A"})).await.results();
    }
    let too_long = "x".repeat(256);
    for wrong in ["", " ", "a b", "ana+1@example.org", "é", "a/b", "a\nb", &too_long] {
        let body = json!({"user_id": wrong, "username": "A"});
        let answer = server.post("login_or_register", body).await;
        answer.refused(400, "invalid_request").says("user_id");
        let answer = server.get("user_profile", &[("user_id", wrong)]).await;
        answer.refused(400, "invalid_request").says("user_id");
    }
}

#[tokio::test]
async fn invalid_profile_fields_are_refused_by_name() {
    let server = TestServer::start().await;
    let table = [
        ("username", json!("x".repeat(256))),
        ("username", json!(5)),
        ("username", json!("")),
        ("password", json!("x".repeat(256))),
        ("password", json!(["x"])),
        ("avatar_url", json!("javascript:alert(1)")),
        ("avatar_url", json!("https://x.example/".to_owned() + &"x".repeat(2048))),
        ("extras", json!([1])),
        ("extras", json!("word")),
        ("extras", json!({"x": "y".repeat(65_536)})),
    ];
    for (field, wrong) in table {
        let mut body = json!({"user_id": "ana", "username": "Ana"});
        body[field] = wrong;
        let answer = server.post("login_or_register", body).await;
        answer.refused(400, "invalid_request").says(field);
    }
    let answer = server.get("user_profile", &[("user_id", "ana")]).await;
    answer.refused(404, "user_not_found");
}

#[tokio::test]
async fn reading_the_profile_of_an_unknown_user_fails() {
    let server = TestServer::start().await;
    let answer = server.get("user_profile", &[("user_id", "nobody")]).await;
    answer.refused(404, "user_not_found").says("nobody");
    server.get("user_profile", &[]).await.refused(400, "invalid_request").says("user_id is req");
}

#[tokio::test]
async fn the_profile_of_the_system_user_cannot_be_changed() {
    let server = TestServer::start().await;
    let query = [("user_id", "system@shop")];
    let before = server.get("user_profile", &query).await.results();
    assert_eq!(before["user"]["username"], "System");
    assert_eq!(keys(&before["user"]), ["active", "avatar_url", "extras", "user_id", "username"]);
    let body = json!({"user_id": "system@shop", "username": "Me"});
    server.post("login_or_register", body).await.refused(403, "system_user");
    let body = json!({"user_id": "system@shop"});
    server.post("reset_user_token", body).await.refused(403, "system_user");
    let body = json!({"user_ids": ["system@shop"]});
    server.delete("deactivate_users", body).await.refused(403, "system_user");
    assert_eq!(server.get("user_profile", &query).await.results(), before);
}

#[tokio::test]
async fn passwords_are_never_returned() {
    let server = TestServer::start().await;
    let secret = "correct-horse-battery";
    let body = json!({"user_id": "ana", "username": "Ana", "password": secret});
    let registered = server.post("login_or_register", body).await;
    let profile = server.get("user_profile", &[("user_id", "ana")]).await;
    let listed = server.get("get_user_list", &[]).await;
    for answer in [registered, profile, listed] {
        answer.results();
        assert!(!answer.text.contains(secret) && !answer.text.contains("argon2"), "{answer:?}");
    }
}
