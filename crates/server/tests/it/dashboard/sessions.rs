//! Sign-in by cookie (D-0111) and by link (design/sign-in-and-limits).

use confab_domain::limits::COOKIES_TRIED_MAX;
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

/// Returns the cookie of a response as a browser sends it back.
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
async fn signing_in_sets_an_http_only_cookie_and_returns_no_secret() {
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
async fn the_cookie_is_accepted_only_from_pages_of_this_server() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "admin").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let answer = signed_in(&server, body.clone()).await;
    assert!(
        !answer.header("set-cookie").contains("Max-Age"),
        "the cookie lasts for the browser session"
    );
    let cookie = cookie(&answer);
    let cookie = ("cookie", cookie.as_str());
    me(&server, &[cookie]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("origin", "https://evil.example")]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("x-confab", "0")]).await.errors(401, "unauthorized");
    me(&server, &[cookie, ("origin", &server.base)]).await.data();
    // Forms of other sites cannot sign in.
    let form = with_json(server.bare(Method::POST, "/api/v2/sign_in"), &body);
    let refused = sent(form).await;
    refused.errors(400, "bad_request");
    assert_eq!(refused.header("set-cookie"), "");
    // Pages of other origins may call the API, but never with the cookie.
    let preflight = server
        .bare(Method::OPTIONS, "/api/v2/me")
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "x-confab");
    assert_eq!(sent(preflight).await.header("access-control-allow-credentials"), "");
}

#[tokio::test]
async fn with_a_public_url_origins_of_another_scheme_are_refused() {
    let settings = [("public_url", "https://chat.example")];
    let server = TestServer::start_with(&settings).await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let cookie = cookie(&signed_in(&server, body.clone()).await);
    let from = async |origin: &str| {
        let shown = [("cookie", cookie.as_str()), ("host", "chat.example"), ("origin", origin)];
        me(&server, &shown).await
    };
    from("https://chat.example").await.data();
    for origin in ["http", "chrome-extension", "HTTPS", ""] {
        from(&format!("{origin}://chat.example")).await.errors(401, "unauthorized");
    }
    let form = with_json(server.bare(Method::POST, "/api/v2/sign_in"), &body);
    let form = form.header("host", "chat.example").header("origin", "http://chat.example");
    sent(form).await.errors(400, "bad_request");
}

#[tokio::test]
async fn without_a_public_url_only_http_and_https_origins_are_accepted() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let shop = server.shop();
    let office = Office::of(&shop);
    office.create("ana", "agent").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let cookie = cookie(&signed_in(&shop, body).await);
    let host = server.base.trim_start_matches("http://");
    let from = async |scheme: &str| {
        let origin = format!("{scheme}://{host}");
        me(&shop, &[("cookie", &cookie), ("origin", &origin)]).await
    };
    for scheme in ["http", "https"] {
        from(scheme).await.data();
    }
    for scheme in ["chrome-extension", "moz-extension", "file", "capacitor"] {
        from(scheme).await.errors(401, "unauthorized");
    }
}

#[tokio::test]
async fn foreign_cookies_of_the_same_name_do_not_invalidate_a_sign_in() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let body = json!({"email": office.email("ana"), "password": PASSWORD});
    let ours = cookie(&signed_in(&server, body).await);
    let theirs = |count: usize| "confab=another; ".repeat(count);
    // Browsers send cookies with longer paths first, and later ones with the same path last.
    for (before, after) in [(1, 0), (0, 1), (100, COOKIES_TRIED_MAX - 1)] {
        let all = format!("{}{ours}; {}", theirs(before), theirs(after));
        me(&server, &[("cookie", all.trim()), OURS]).await.data();
    }
    let none = theirs(2);
    me(&server, &[("cookie", none.trim()), OURS]).await.errors(401, "unauthorized");
    let too_many = format!("{ours}; {}", theirs(COOKIES_TRIED_MAX));
    me(&server, &[("cookie", too_many.trim()), OURS]).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn signing_out_ends_the_sign_in_and_clears_the_cookie() {
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
async fn signing_in_requires_an_email_and_a_password_or_a_code() {
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
async fn a_sign_in_link_works_once_and_ends_with_a_new_password() {
    let folder = Folder::new();
    let server = folder.serve();
    let caller = server.first_app();
    let first = code_in(&server.greeting());
    let answer = signed_in(&caller, json!({"code": first})).await;
    assert_eq!(answer.data()["user"]["role"], "admin");
    signed_in(&caller, json!({"code": first})).await.errors(401, "unauthorized");
    let printed = folder.run(&["user", "link", "Admin@localhost"]).ok();
    signed_in(&caller, json!({"code": code_in(&printed)})).await.data();
    let printed = folder.run(&["user", "link", "admin@localhost"]).ok();
    folder
        .run_with_input(&["user", "reset-password", "admin@localhost"], "another one of ours")
        .ok();
    signed_in(&caller, json!({"code": code_in(&printed)})).await.errors(401, "unauthorized");
    folder.run(&["user", "link", "nobody@localhost"]).failed(1);
}

fn code_in(text: &str) -> String {
    let (_, rest) = text.split_once("/dashboard/sign-in#").expect("a link");
    rest.split_whitespace().next().expect("a code").to_owned()
}
