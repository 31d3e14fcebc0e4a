//! Every call of the message API needs the credentials of an app (spec 5).

use reqwest::{Method, RequestBuilder};

use crate::openapi::documented_calls;
use crate::support::caller::{Caller, sent};
use crate::support::test_server::TestServer;

const APP_ID: &str = "SERVICE-SDK-APP-ID";
const SECRET: &str = "SERVICE-SDK-SECRET";

/// Returns all kinds of invalid credentials, as headers of a request.
fn invalid_credentials(
    shop: &Caller,
    other: &Caller,
) -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let code = || shop.code.clone();
    let one_letter_off = format!("{}X", &shop.secret[..shop.secret.len() - 1]);
    vec![
        ("no credentials", vec![]),
        ("only the app id", vec![(APP_ID, code())]),
        ("only the secret", vec![(SECRET, shop.secret.clone())]),
        ("a wrong secret", vec![(APP_ID, code()), (SECRET, "guess".to_owned())]),
        ("a secret one letter off", vec![(APP_ID, code()), (SECRET, one_letter_off)]),
        ("the start of the secret", vec![(APP_ID, code()), (SECRET, shop.secret[..5].to_owned())]),
        ("an empty secret", vec![(APP_ID, code()), (SECRET, String::new())]),
        ("another app's secret", vec![(APP_ID, code()), (SECRET, other.secret.clone())]),
        ("another app's id", vec![(APP_ID, other.code.clone()), (SECRET, shop.secret.clone())]),
        ("an unknown app", vec![(APP_ID, "nobody".to_owned()), (SECRET, shop.secret.clone())]),
        (
            "the id in capitals",
            vec![(APP_ID, code().to_uppercase()), (SECRET, shop.secret.clone())],
        ),
        ("a strange id", vec![(APP_ID, "' OR 1=1 --".to_owned()), (SECRET, shop.secret.clone())]),
        ("an empty id", vec![(APP_ID, String::new()), (SECRET, shop.secret.clone())]),
        (
            "another's secret key",
            vec![(APP_ID, code()), (SECRET, "secret-key-of-other".to_owned())],
        ),
        (
            "the System user's token",
            vec![(APP_ID, code()), (SECRET, "system-token-of-shop".to_owned())],
        ),
    ]
}

#[tokio::test]
async fn every_documented_call_refuses_every_kind_of_invalid_credentials() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    let calls = documented_calls(&server).await;
    // Calls before sign-in need the app id only (wire facts 4.1, 5.5).
    let is_open = |path: &str| {
        path.ends_with("/api/v1/auth")
            || path == "/api/v2/sign_in"
            // Users authenticate with tokens; see the tests of the client API.
            || path.contains("/api/v2/sdk/")
            || path.ends_with("/initiate_chat")
            // Settings of widgets are public.
            || path.starts_with("/api/v2/widget/")
            // Providers sign their webhooks; see the tests of channels' webhooks.
            || path.starts_with("/api/v2/hooks/")
    };
    let is_api = |path: &str| path.starts_with("/api/") && !is_open(path);
    let api: Vec<_> = calls.iter().filter(|call| is_api(&call.path)).collect();
    assert!(api.len() >= 36, "too few documented calls: {}", api.len());
    for call in api {
        assert!(call.needs_credentials, "{} needs credentials in the document", call.path);
        for (what, headers) in invalid_credentials(&server, &other) {
            let mut request: RequestBuilder = server.bare(call.method.clone(), &call.path);
            for (name, value) in &headers {
                request = request.header(*name, value);
            }
            let answer = sent(request.body("{}")).await;
            // The client API responds with 403 (wire facts 7).
            let status = if call.path.starts_with("/api/v2/sdk/") { 403 } else { 401 };
            let shown = answer.refused_at(&call.path, status, "unauthorized");
            assert!(!shown.message.contains("shop"), "{what}: {shown:?}");
            assert_eq!(answer.header("ratelimit-limit"), "", "{what}: no rate limit is counted");
        }
    }
}

#[tokio::test]
async fn credentials_are_checked_before_the_body_and_the_query() {
    let server = TestServer::with_support_room().await;
    let stranger = server.with_secret("guess");
    stranger.post_text("post_comment", "{ not json").await.refused(401, "unauthorized");
    stranger.post_as("post_comment", "text/plain", "x").await.refused(401, "unauthorized");
    stranger.get("load_comments", &[]).await.refused(401, "unauthorized");
    // A body is read before its caller is authenticated, but only up to the limit.
    let large = stranger.post_text("post_comment", vec![b'x'; 300_000]).await;
    large.refused(413, "body_too_large");
}

#[tokio::test]
async fn valid_credentials_work_for_every_app_and_need_both_headers() {
    let server = TestServer::start().await;
    let other = server.create_app("other").await;
    server.register("ana").await;
    other.register("ana").await;
    let request = server.bare(Method::GET, "user_profile?user_id=ana").header(APP_ID, "shop");
    sent(request).await.refused(401, "unauthorized");
}
