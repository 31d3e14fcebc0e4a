//! Signing in by a cookie (D-0111), and by a link (D-0112).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, keys};
use crate::support::caller::{Caller, sent, with_json};
use crate::support::office::{Office, PASSWORD};
use crate::support::process::Folder;
use crate::support::test_server::TestServer;

const OURS: (&str, &str) = ("x-confab", "1");

async fn signed_in(caller: &Caller, body: Value) -> Answer {
    let request = caller.bare(Method::POST, "/api/v2/sign_in").header(OURS.0, OURS.1);
    sent(with_json(request, &body)).await
}

/// What a browser sends back of the cookie that an answer sets.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().expect("a cookie").to_owned()
}

async fn me(caller: &Caller, headers: &[(&str, &str)]) -> Answer {
    let request = caller.bare(Method::GET, "/api/v2/me");
    let with = |request: reqwest::RequestBuilder, (name, value): &(&str, &str)| {
        request.header(*name, *value)
    };
    sent(headers.iter().fold(request, with)).await
}

#[tokio::test]
async fn a_page_signs_in_by_a_cookie_that_no_script_reads_and_is_told_no_secret() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD, "keep": true});
    let answer = signed_in(&server, body).await;
    let set = answer.header("set-cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    let shown = answer.data();
    assert_eq!(keys(&shown), ["app", "may", "server", "user"]);
    assert_eq!((&shown["user"]["role"], &shown["may"]), (&json!("agent"), &json!([])));
    let (name, token) = set.split_once('=').expect("a cookie");
    let token = token.split(';').next().expect("a token");
    assert_eq!(name, "confab");
    for secret in [token, "secret-key-of-shop", "sdk_key", PASSWORD, "password_hash"] {
        assert!(!answer.text.contains(secret), "{secret}");
    }
    let cookie = cookie(&answer);
    let shown = me(&server, &[("cookie", &cookie), OURS]).await.data();
    assert_eq!(shown["user"]["name"], "ana");
}

#[tokio::test]
async fn the_cookie_counts_only_for_pages_of_this_server() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "admin").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let answer = signed_in(&server, body.clone()).await;
    assert!(!answer.header("set-cookie").contains("Max-Age"), "for the browser's run");
    let cookie = cookie(&answer);
    let cookie = ("cookie", cookie.as_str());
    me(&server, &[cookie]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("origin", "https://evil.example")]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("x-confab", "0")]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("origin", &server.base)]).await.data();
    // A form of another site signs nobody in.
    let form = with_json(server.bare(Method::POST, "/api/v2/sign_in"), &body);
    let refused = sent(form).await;
    refused.errors(400, "bad_request");
    assert_eq!(refused.header("set-cookie"), "");
    // Pages of others may call, and never with the cookie (D-0050).
    let asked = server
        .bare(Method::OPTIONS, "/api/v2/me")
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "x-confab");
    assert_eq!(sent(asked).await.header("access-control-allow-credentials"), "");
}

#[tokio::test]
async fn who_signs_out_is_out_and_the_cookie_goes() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let cookie = cookie(&signed_in(&server, body).await);
    let shown = [("cookie", cookie.as_str()), OURS];
    let request = server.bare(Method::POST, "/api/v2/sign_out");
    let request = shown.iter().fold(request, |it, (name, value)| it.header(*name, *value));
    let answer = sent(request).await;
    answer.data();
    assert!(
        answer.header("set-cookie").starts_with("confab=; "),
        "{:?}",
        answer.header("set-cookie")
    );
    me(&server, &shown).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn what_somebody_signs_in_with_is_an_address_and_a_password_or_a_code() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    signed_in(&server, json!({})).await.errors(400, "invalid_request").says("email");
    let half = json!({"email": office.email("ana")});
    signed_in(&server, half).await.errors(400, "invalid_request").says("password");
    let wrong = json!({"email": office.email("ana"), "password": "wrong password"});
    signed_in(&server, wrong).await.errors(401, "unauthorized");
    signed_in(&server, json!({"code": "guess"})).await.errors(401, "unauthorized");
    signed_in(&server, json!({"code": ""})).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn a_link_signs_in_once_and_a_new_password_ends_it() {
    let place = Folder::new();
    let server = place.serve();
    let caller = server.first_app();
    let first = code_in(&server.greeting());
    let answer = signed_in(&caller, json!({"code": first})).await;
    assert_eq!(answer.data()["user"]["role"], "admin");
    signed_in(&caller, json!({"code": first})).await.errors(401, "unauthorized");
    let printed = place.run(&["user", "link", "Admin@localhost"]).ok();
    signed_in(&caller, json!({"code": code_in(&printed)})).await.data();
    let printed = place.run(&["user", "link", "admin@localhost"]).ok();
    place
        .run_with_input(&["user", "reset-password", "admin@localhost"], "another one of ours")
        .ok();
    signed_in(&caller, json!({"code": code_in(&printed)})).await.errors(401, "unauthorized");
    place.run(&["user", "link", "nobody@localhost"]).failed(1);
}

fn code_in(text: &str) -> String {
    let (_, rest) = text.split_once("/dashboard/sign-in#").expect("a link");
    rest.split_whitespace().next().expect("a code").to_owned()
}
