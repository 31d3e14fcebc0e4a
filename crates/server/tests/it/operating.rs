//! Endpoints for operators: `/health`, `/ready`, `/metrics`, and the page at `/docs`.

use reqwest::Method;
use serde_json::json;

use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::test_server::TestServer;

async fn get(server: &TestServer, path: &str) -> Answer {
    sent(server.bare(Method::GET, path)).await
}

#[tokio::test]
async fn health_and_readiness_need_no_credentials() {
    let server = TestServer::start().await;
    for path in ["/health", "/ready"] {
        let answer = get(&server, path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
        assert_eq!(answer.json(), json!({"status": "ok"}));
    }
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_status_without_personal_data() {
    let server = TestServer::with_support_room().await;
    // Metrics are recorded from the first request for them.
    get(&server, "/metrics").await;
    server.post_comment("ana", "support", "a-text-not-to-be-seen").await;
    get(&server, "/health").await;
    get(&server, "/nowhere/a-path-not-to-be-seen").await;
    let answer = get(&server, "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/plain"), "{answer:?}");
    for part in [
        "confab_http_requests_total",
        r#"route="/api/v2.1/rest/post_comment""#,
        r#"route="unknown""#,
        r#"status="200""#,
        "confab_http_request_seconds_bucket",
        "confab_store_commit_seconds_bucket",
    ] {
        assert!(answer.text.contains(part), "{part} in {}", answer.text);
    }
    for secret in ["not-to-be-seen", "sdk-secret"] {
        assert!(!answer.text.contains(secret), "{secret} in {}", answer.text);
    }
    let mut words = answer.text.split(|letter: char| !letter.is_alphanumeric());
    assert!(words.all(|word| word != "ana"), "{}", answer.text);
}

#[tokio::test]
async fn every_metric_has_a_help_text() {
    let server = TestServer::with_support_room().await;
    get(&server, "/metrics").await;
    server.post_comment("ana", "support", "hello").await;
    let answer = get(&server, "/metrics").await;
    let kinds: Vec<_> = answer.text.lines().filter_map(|it| it.strip_prefix("# TYPE ")).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    for kind in kinds {
        let (name, _) = kind.split_once(' ').expect("a name and a kind");
        let help = format!("# HELP {name} ");
        assert!(answer.text.lines().any(|line| line.starts_with(&help)), "{name}");
    }
}

#[tokio::test]
async fn unknown_http_methods_create_no_metrics() {
    let server = TestServer::start().await;
    get(&server, "/metrics").await;
    for number in 0..3 {
        let method = Method::from_bytes(format!("STRANGE{number}").as_bytes()).expect("a method");
        sent(server.bare(method, "/health")).await.refused(405, "method_not_allowed");
    }
    let answer = get(&server, "/metrics").await;
    assert!(!answer.text.contains("STRANGE"), "method names of clients must not create metrics");
}

#[tokio::test]
async fn all_files_of_the_docs_page_come_from_this_server() {
    let server = TestServer::start().await;
    let page = get(&server, "/docs").await;
    assert_eq!(page.status, 200, "the page is served after a redirect");
    assert!(page.header("content-type").starts_with("text/html"), "{page:?}");
    let mut parts = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        parts.extend(page.text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()));
    }
    assert!(parts.len() >= 3, "scripts and styles: {parts:?}");
    for part in parts {
        assert!(!part.contains("//"), "{part} is on another host");
        let path = part.trim_start_matches("./");
        let answer = server.bare(Method::GET, &format!("/docs/{path}")).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 200, "{part}");
        if part.ends_with("initializer.js") {
            let text = answer.text().await.expect("a script");
            assert!(text.contains("/openapi.json"), "{text}");
            assert!(!text.contains("http://") && !text.contains("https://"), "{text}");
            assert!(!text.contains("persistAuthorization"), "keys are not stored in the browser");
        }
    }
}

#[tokio::test]
async fn the_policy_of_the_docs_page_forbids_other_hosts() {
    let server = TestServer::start().await;
    for path in ["/docs/", "/docs/swagger-ui.css"] {
        let answer = get(&server, path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{policy:?}");
        assert!(!policy.contains("http") && !policy.contains('*'), "{policy:?}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
    }
}
