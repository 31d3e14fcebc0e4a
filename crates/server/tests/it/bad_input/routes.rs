//! Unknown paths and methods.

use reqwest::Method;

use crate::openapi::documented_calls;
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn an_unknown_path_is_not_found_with_any_method() {
    let server = TestServer::start().await;
    let paths = [
        "/nowhere",
        "/api/v2.1/rest",
        "/api/v2.1/rest/",
        "/api/v2.1/rest/nowhere",
        "/api/v2.1/rest/post_comment/",
        "/api/v2.1/rest//post_comment",
        "/api/v2.1/rest/POST_COMMENT",
        "/api/v2/rest/nowhere",
        "/api/v2.1/post_comment",
        "/api/v2/webhooks",
        "/api/v2/webhooks/deliveries/1/2",
        "/api/v1/nowhere",
        "/health/",
        "/docs/nowhere.js",
        "/%00",
        "/%ff",
        "/openapi.json/x",
        "/api/v2.1/rest/%2e%2e/%2e%2e/etc/passwd",
    ];
    for path in paths {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let answer = sent(server.request(method.clone(), path)).await;
            let is_page = path.starts_with("/docs") && method != Method::GET;
            if !is_page {
                answer.refused_at(path, 404, "route_not_found").says("/docs");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_path_fails_in_the_error_format_of_its_api() {
    let server = TestServer::start().await;
    let with_error = [
        "/nowhere",
        "/shop/nowhere",
        "/bot/7",
        "/bot/7/nowhere",
        "/shop/bot/nowhere",
        "/shop/api",
        "/shop/api/v2.1/nowhere",
        "/api",
        "/api/v3/nowhere",
        "/api/v2.1/rest/nowhere",
        "/api/v2/rest/nowhere",
        "/api/v2/sdk",
        "/api/v2/sdk/nowhere",
        "/api/v2/sdk/config/nowhere",
        "/api/v2/mobile/nowhere",
    ];
    let with_errors = [
        "/api/v1",
        "/api/v1/nowhere",
        "/api/v2",
        "/api/v2/nowhere",
        "/api/v2/sdkx/config",
        "/api/v2/webhooks/nowhere",
        "/api/v2/admin/agent/7/nowhere",
        "/bot/7/activate/nowhere",
        "/shop/api/v1",
        "/shop/api/v1/auth/nowhere",
        "/shop/api/v2/nowhere",
    ];
    for method in [Method::GET, Method::POST, Method::DELETE] {
        for path in with_error {
            sent(server.bare(method.clone(), path)).await.refused(404, "route_not_found");
        }
        for path in with_errors {
            sent(server.bare(method.clone(), path)).await.errors(404, "route_not_found");
        }
    }
}

#[tokio::test]
async fn a_wrong_method_is_refused_with_the_allowed_ones() {
    let server = TestServer::start().await;
    let calls = documented_calls(&server).await;
    for call in &calls {
        let same_path = calls.iter().filter(|it| it.path == call.path);
        let methods: Vec<_> = same_path.map(|it| it.method.clone()).collect();
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if methods.contains(&method) {
                continue;
            }
            let answer = sent(server.request(method.clone(), &call.path)).await;
            answer.refused_at(&call.path, 405, "method_not_allowed").says("Allow");
            let allowed: Vec<_> = answer.header("allow").split(',').map(str::trim).collect();
            assert!(allowed.contains(&call.method.as_str()), "{}: {allowed:?}", call.path);
            assert!(!allowed.contains(&method.as_str()), "{}: {allowed:?}", call.path);
        }
    }
}

#[tokio::test]
async fn long_paths_and_queries_are_refused_with_a_clear_error() {
    let server = TestServer::with_support_room().await;
    let long = "x".repeat(8000);
    let answer = sent(server.request(Method::GET, &format!("/{long}"))).await;
    answer.refused(404, "route_not_found");
    let answer = server.get("load_comments", &[("room_id", &long)]).await;
    answer.refused(400, "invalid_request").says("room_id");
}
