//! Every call of the webhook API needs the app's id and secret key (spec 5).

use reqwest::Method;

use crate::openapi::documented_calls;
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

const ID: &str = "SERVICE-App-Id";
const KEY: &str = "SERVICE-Secret-Key";

#[tokio::test]
async fn every_webhook_call_refuses_missing_or_wrong_credentials() {
    let server = TestServer::start_quiet().await;
    server.create_app("other").await;
    let wrong: [&[(&str, &str)]; 10] = [
        &[],
        &[(ID, "shop")],
        &[(KEY, "secret-key-of-shop")],
        &[(ID, "shop"), (KEY, "guess")],
        &[(ID, "shop"), (KEY, "")],
        &[(ID, "shop"), (KEY, "secret-key-of-other")],
        &[(ID, "other"), (KEY, "secret-key-of-shop")],
        &[(ID, "nobody"), (KEY, "secret-key-of-shop")],
        &[(ID, "shop"), (KEY, "sdk-secret-of-shop")],
        &[("SERVICE-SDK-APP-ID", "shop"), ("SERVICE-SDK-SECRET", "sdk-secret-of-shop")],
    ];
    let calls = documented_calls(&server).await;
    let calls: Vec<_> =
        calls.iter().filter(|it| it.path.starts_with("/api/v2/webhooks/")).collect();
    assert_eq!(calls.len(), 13);
    for call in calls {
        assert_eq!(call.operation["tags"][0], "Webhooks");
        assert!(call.operation["security"][0]["secret_key"].is_array(), "{}", call.path);
        for headers in wrong {
            let mut request = server.bare(call.method.clone(), &call.path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let answer = sent(request.body("{ not json")).await;
            answer.errors(401, "unauthorized").says("secret key");
            assert_eq!(answer.header("ratelimit-limit"), "", "the request counts for no app");
        }
    }
}

#[tokio::test]
async fn credential_headers_accept_any_case_underscores_and_brands() {
    let server = TestServer::start_with(&[("brands", "SERVICE,acme")]).await;
    for (id, key) in [
        ("SERVICE-App-Id", "SERVICE-Secret-Key"),
        ("service_app_id", "service-secret_key"),
        ("Acme-App-Id", "ACME-SECRET-KEY"),
    ] {
        let request = server.bare(Method::GET, "/api/v2/webhooks/endpoints");
        let request = request.header(id, "shop").header(key, "secret-key-of-shop");
        let answer = sent(request).await;
        answer.data();
        assert_eq!(answer.header("ratelimit-limit"), "20000", "the request is counted");
    }
}

#[tokio::test]
async fn webhook_and_message_api_requests_share_one_rate_limit() {
    let server = TestServer::start_with(&[("app_requests_per_second", "2")]).await;
    let get = || {
        let request = server.bare(Method::GET, "/api/v2/webhooks/endpoints");
        sent(request.header(ID, "shop").header(KEY, "secret-key-of-shop"))
    };
    server.get("user_profile", &[("user_id", "nobody")]).await;
    let (first, second, third) = tokio::join!(get(), get(), get());
    let limited = [first, second, third].into_iter().find(|it| it.status == 429);
    limited.expect("one request is above the limit").errors(429, "rate_limited");
}
