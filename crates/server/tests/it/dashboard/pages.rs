//! The dashboard's page and its assets.

use reqwest::Method;

use crate::support::caller::sent;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn the_root_and_all_dashboard_paths_serve_the_page() {
    let server = TestServer::start().await;
    for path in ["/", "/dashboard"] {
        let answer = sent(server.bare(Method::GET, path)).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "text/html; charset=utf-8")
        );
    }
    for screen in ["", "sign-in", "inbox/mine/55", "bot", "no/such/screen"] {
        let answer = sent(server.bare(Method::GET, &format!("/dashboard/{screen}"))).await;
        assert_eq!(answer.status, 200, "{screen}");
        assert!(answer.text.contains("<div id=\"root\">"), "{screen}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn the_content_security_policy_is_strict_and_its_nonce_changes() {
    let server = TestServer::start().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let answer = sent(server.bare(Method::GET, "/dashboard/")).await;
        let policy = answer.header("content-security-policy").to_owned();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{part}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let (_, rest) = policy.split_once("'nonce-").expect("a nonce");
        let nonce = rest.split('\'').next().expect("a nonce").to_owned();
        assert!(nonce.len() >= 22 && answer.text.contains(&nonce), "{nonce}");
        assert!(!answer.text.contains("__NONCE__"));
        nonces.push(nonce);
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn only_an_enabled_widget_demo_may_frame_the_dashboard() {
    let policies = async |server: &TestServer| {
        let mut found = Vec::new();
        for path in ["/dashboard/", "/widget/demo", "/widget/demo/shop?lang=id"] {
            let answer = sent(server.bare(Method::GET, path)).await;
            let policy = answer.header("content-security-policy").to_owned();
            let (_, ancestors) = policy.split_once("frame-ancestors ").unwrap_or_default();
            let ancestors = ancestors.split(';').next().unwrap_or_default().to_owned();
            found.push((answer.status, ancestors, answer.text));
        }
        found
    };
    let server = TestServer::start_with(&[("widget_demo", "on")]).await;
    let found = policies(&server).await;
    let seen: Vec<_> = found.iter().map(|(status, by, _)| (*status, by.as_str())).collect();
    assert_eq!(seen, [(200, "'self'"), (200, "'none'"), (200, "'self'")]);
    assert!(found[2].2.contains("data-app=\"shop\"") && found[2].2.contains("lang=\"id\""));
    let server = TestServer::start_with(&[("widget_demo", "off")]).await;
    let found = policies(&server).await;
    let seen: Vec<_> = found.iter().map(|(status, by, _)| (*status, by.as_str())).collect();
    assert_eq!(seen, [(200, "'none'"), (404, ""), (404, "")]);
}

#[tokio::test]
async fn assets_are_cached_permanently_and_compressed() {
    let server = TestServer::start().await;
    let page = sent(server.bare(Method::GET, "/dashboard/")).await.text;
    let (_, rest) = page.split_once("src=\"").expect("a script");
    let script = rest.split('"').next().expect("a script");
    assert!(script.starts_with("/dashboard/assets/"), "{script}");
    let plain = sent(server.bare(Method::GET, script)).await;
    assert_eq!(plain.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(plain.header("content-encoding"), "");
    for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0", "")] {
        let request = server.bare(Method::HEAD, script).header("accept-encoding", accepted);
        let answer = sent(request).await;
        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
    let etag = plain.header("etag").to_owned();
    let again = server.bare(Method::GET, script).header("if-none-match", &etag);
    let again = sent(again).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
}

#[tokio::test]
async fn a_missing_asset_is_not_answered_with_the_page() {
    let server = TestServer::start().await;
    for name in ["index-old.js", "x", "%2fetc%2fpasswd", "..%2findex.html", "%00"] {
        let answer = sent(server.bare(Method::GET, &format!("/dashboard/assets/{name}"))).await;
        assert_eq!(answer.status, 404, "{name}");
    }
}

#[test]
fn the_api_document_of_the_web_client_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/openapi.json");
    let document = confab_http::document(&["SERVICE".to_owned()]);
    let document = serde_json::to_value(document).expect("JSON");
    let document = serde_json::to_string_pretty(&document).expect("JSON") + "\n";
    if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
        std::fs::write(path, &document).expect("written");
    }
    let built_for = std::fs::read_to_string(path).expect("read");
    let advice = "CONFAB_WRITE_GENERATED=1 cargo test --test it -- \
        the_api_document_of_the_web_client";
    assert!(built_for == document, "web/openapi.json is out of date: {advice}");
}
