//! Response headers that limit caching, content sniffing and other origins; names without
//! control characters.

use reqwest::Method;
use serde_json::json;

use super::with_key;
use crate::support::answer::text;
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn responses_forbid_caching_and_content_sniffing() {
    let server = TestServer::with_support_room().await;
    let ana = Client::new(&server, "anna").await;
    let answers = [
        server.get("get_user_token", &[("user_id", "ana")]).await,
        server.get("load_comments", &[("room_id", "nowhere")]).await,
        ana.get("my_profile", &[]).await,
        sent(server.bare(Method::GET, "/nowhere")).await,
        with_key(&server, "/api/v2/app/config/security", json!({"user_list": "off"})).await,
    ];
    for answer in answers {
        assert_eq!(answer.header("cache-control"), "no-store", "{}", answer.text);
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", answer.text);
    }
}

#[tokio::test]
async fn an_unsatisfiable_range_is_refused_with_the_size_of_the_file() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"ten.txt\"";
    let form = format!("--limit\r\n{head}\r\n\r\n0123456789\r\n--limit--\r\n");
    let request = ana.request(Method::POST, "upload");
    let request = request.header("Content-Type", "multipart/form-data; boundary=limit");
    let uploaded = sent(request.body(form)).await.results();
    let url = text(&uploaded["file"]["url"]).replace(&server.base, "");
    let answer = sent(server.bare(Method::GET, &url).header("Range", "bytes=10-")).await;
    answer.refused(416, "no_such_part");
    assert_eq!(answer.header("content-range"), "bytes */10");
    let whole = sent(server.bare(Method::GET, &url)).await;
    assert_eq!(whole.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn other_origins_cannot_read_health_readiness_or_metrics() {
    let server = TestServer::start().await;
    let origin = ("Origin", "https://evil.example");
    for path in ["/health", "/ready", "/metrics"] {
        let answer = sent(server.bare(Method::GET, path).header(origin.0, origin.1)).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        let preflight = server.bare(Method::OPTIONS, path).header(origin.0, origin.1);
        let answer = sent(preflight.header("Access-Control-Request-Method", "GET")).await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
    // Clients in browsers still work.
    let request = server.bare(Method::GET, "/api/v2/sdk/config").header(origin.0, origin.1);
    let answer = sent(request.header("SERVICE-SDK-APP-ID", "shop")).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let nowhere = sent(server.bare(Method::GET, "/nowhere").header(origin.0, origin.1)).await;
    nowhere.refused(404, "route_not_found");
}

#[tokio::test]
async fn names_with_control_characters_are_refused() {
    let server = TestServer::with_support_room().await;
    let ana = Client::new(&server, "anna").await;
    let agent = |name: &str| {
        let (email, password) = ("x@shop.example", "a long password");
        json!({"name": name, "email": email, "password": password, "type": "agent"})
    };
    for bad in ["\u{1b}[2J", "two\nlines", "\u{9b}31m", "\u{7f}"] {
        for (call, field, body) in [
            ("login_or_register", "username", json!({"user_id": "eve", "username": bad})),
            ("create_room", "room_name", json!({"room_name": bad, "participants": ["ana"]})),
            ("update_room", "room_name", json!({"room_id": "support", "room_name": bad})),
            ("get_or_create_channel", "room_name", json!({"unique_id": "news", "room_name": bad})),
        ] {
            let answer = server.post(call, body).await;
            let refused = answer.refused(400, "invalid_request");
            refused.says(&format!("{field} must not contain control characters"));
        }
        for (call, body) in [
            ("create_room", json!({"name": bad, "participants": []})),
            ("get_or_create_room_with_unique_id", json!({"unique_id": "news", "name": bad})),
        ] {
            let refused = ana.post(call, body).await.refused(400, "invalid_request");
            refused.says("must not contain control characters");
        }
        let answer = ana.send(Method::PATCH, "my_profile", json!({"name": bad})).await;
        answer.refused(400, "invalid_request").says("must not contain control characters");
        for (path, body) in [
            ("/api/v2/admin/create_agent", agent(bad)),
            ("/api/v2/custom_channels", json!({"name": bad})),
            ("/api/v1/room_tag/create", json!({"room_id": "support", "tag": bad})),
            ("/api/v2/custom_buttons", json!({"label": bad, "webhook_url": "https://a.example/"})),
        ] {
            let refused = with_key(&server, path, body).await.errors(400, "invalid_request");
            refused.says("must not contain control characters");
        }
    }
    let name = json!({"user_id": "eve", "username": "Ève 👋 O'Neill"});
    server.post("login_or_register", name).await.results();
}
