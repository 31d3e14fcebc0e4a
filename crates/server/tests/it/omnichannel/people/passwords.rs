//! A new password ends all sign-ins.

use reqwest::Method;
use serde_json::json;

use crate::support::answer::text;
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

const PATH: &str = "/api/v1/auth/change_password";

#[tokio::test]
async fn changing_a_password_ends_all_sign_ins_of_the_agent() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (first, second) = (office.hire("ana", "agent").await, office.sign_in("ana").await);
    let other = office.hire("bob", "agent").await;
    let wrong = json!({"current_password": "a wrong one", "new_password": "another password"});
    first.post(PATH, wrong).await.errors(401, "unauthorized");
    let short = json!({"current_password": PASSWORD, "new_password": "short"});
    let answer = first.post(PATH, short).await;
    answer.errors(400, "invalid_request").says("new_password must have 8 to 255 characters");
    assert!(first.is_signed_in().await, "nothing changed");
    let right = json!({"current_password": PASSWORD, "new_password": "another password"});
    first.post(PATH, right).await.data();
    assert!(!first.is_signed_in().await && !second.is_signed_in().await);
    assert!(other.is_signed_in().await, "other agents stay signed in");
    assert_eq!(office.shown(first.id).await["is_available"], false);
    office.try_to_sign_in("ana", PASSWORD).await.errors(401, "unauthorized");
    office.try_to_sign_in("ana", "another password").await.data();
}

#[tokio::test]
async fn an_agent_created_with_a_sign_in_link_sets_a_password_without_an_old_one() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let new = json!({"name": "Bea", "email": "bea@shop.example", "type": 2, "sign_in_link": true});
    let made = admin.post("/api/v2/admin/create_agent", new).await.data();
    let code = text(&made["sign_in_link"]["link"]).split('#').nth(1).expect("a code").to_owned();
    office.try_to_sign_in("bea", "").await.errors(400, "invalid_request");
    office.try_to_sign_in("bea", PASSWORD).await.errors(401, "unauthorized");
    let request = server.bare(Method::POST, "/api/v2/sign_in").header("x-confab", "1");
    let answer = sent(with_json(request, &json!({"code": code}))).await;
    let token = answer.header("set-cookie").split(['=', ';']).nth(1).expect("one").to_owned();
    let user = answer.data()["user"].take();
    assert_eq!(user["has_password"], false);
    let id = user["id"].as_i64().expect("an id");
    let bea = Worker { caller: office.caller.clone(), token, id };
    bea.post(PATH, json!({"new_password": "my first password"})).await.data();
    assert!(!bea.is_signed_in().await);
    let bea = office.try_to_sign_in("bea", "my first password").await.data();
    assert_eq!(bea["user"]["email"], "bea@shop.example");
    // Once a password is set, changes require it, as for every agent.
    let me = admin.get("/api/v2/me", &[]).await.data();
    assert_eq!(me["user"]["has_password"], true);
    let without = admin.post(PATH, json!({"new_password": "another password"})).await;
    without.errors(400, "invalid_request").says("current_password is required");
}

#[tokio::test]
async fn short_and_common_passwords_are_refused_by_every_call() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let admin = office.hire("boss", "admin").await;
    let update = format!("/api/v2/admin/agent/{}/update", admin.id);
    for (password, problem) in [
        ("1234567", "must have 8 to 255 characters"),
        ("12345678", "is one of the most common passwords"),
        ("Sunshine1", "is one of the most common passwords"),
    ] {
        let new =
            json!({"name": "Eve", "email": "eve@shop.example", "password": password, "type": 2});
        for answer in [
            office.post("/api/v2/admin/create_agent", new.clone()).await,
            admin.post("/api/v2/admin/create_agent", new.clone()).await,
            admin.post(&update, json!({"password": password})).await,
        ] {
            answer.errors(400, "invalid_request").says(&format!("password {problem}"));
        }
        let own = json!({"current_password": PASSWORD, "new_password": password});
        let answer = admin.post(PATH, own).await;
        answer.errors(400, "invalid_request").says(&format!("new_password {problem}"));
    }
    assert!(admin.is_signed_in().await, "nothing changed");
}

#[tokio::test]
async fn a_password_set_by_an_admin_ends_the_sign_ins_of_the_agent() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let (admin, ana) = (office.hire("boss", "admin").await, office.hire("ana", "agent").await);
    let path = format!("/api/v2/admin/agent/{}/update", ana.id);
    admin.post(&path, json!({"name": "Ana"})).await.data();
    assert!(ana.is_signed_in().await, "a new name ends no sign-in");
    admin.post(&path, json!({"password": "another password"})).await.data();
    assert!(!ana.is_signed_in().await);
    assert!(admin.is_signed_in().await);
    office.try_to_sign_in("ana", "another password").await.data();
}

#[tokio::test]
async fn ten_wrong_current_passwords_block_further_password_changes() {
    let server = TestServer::start().await;
    let ana = Office::of(&server).hire("ana", "agent").await;
    let guess = json!({"current_password": "a guess", "new_password": "another password"});
    for _ in 0..10 {
        ana.post(PATH, guess.clone()).await.errors(401, "unauthorized");
    }
    ana.post(PATH, guess).await.errors(429, "too_many_tries");
}
