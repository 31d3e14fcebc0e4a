//! Malformed requests to the webhook API get a well-formed error response that is not a 5xx.

use reqwest::Method;

use crate::support::answer::keys;
use crate::support::caller::sent;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn malformed_bodies_get_a_well_formed_error() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    let deep = "[".repeat(100);
    let bodies: [&[u8]; 12] = [
        b"",
        b"null",
        b"[]",
        b"{ not json",
        b"{\"kind\":null,\"url\":5,\"standing\":[]}",
        b"{\"kind\":\"bot\\u0000\",\"url\":\"http://\\u0000\"}",
        b"{\"kind\":\"\\ud800\"}",
        b"{\"kind\":1e999,\"after\":1e999,\"timeout_ms\":1e999}",
        b"{\"kind\":\"a\",\"kind\":\"b\",\"url\":\"x\",\"url\":\"y\"}",
        b"\xff\xfe",
        b"{\"url\":{},\"room_id\":-1,\"from\":\"9999-99-99\"}",
        deep.as_bytes(),
    ];
    let routes =
        [(Method::PUT, "/endpoints/bot"), (Method::POST, "/trigger"), (Method::POST, "/replay")];
    for (method, path) in routes {
        for body in bodies {
            let request = hooks.request(method.clone(), path).body(body.to_vec());
            let answer = sent(request.header("Content-Type", "application/json")).await;
            let is_fine = path == "/replay" && matches!(body, b"" | b"null");
            assert!(answer.status == 400 || is_fine, "{path} {body:?}: {}", answer.text);
            if answer.status == 400 {
                assert_eq!(keys(&answer.json()), ["errors", "status"]);
            }
        }
        let request = hooks.request(method, path).header("Content-Type", "text/plain");
        sent(request.body("x")).await.errors(415, "unsupported_media_type");
    }
}

#[tokio::test]
async fn malformed_queries_get_a_well_formed_error() {
    let server = TestServer::start_quiet().await;
    let hooks = Hooks::of(&server);
    for path in ["/deliveries", "/listen"] {
        for query in [
            "kind=%ff&after=%ff",
            "before=9223372036854775808&after=9223372036854775808",
            "limit=-1&wait_seconds=-1",
            "from=0000&wait_seconds=1.5",
            "room_id=%00&after=%00",
        ] {
            let answer = sent(hooks.request(Method::GET, &format!("{path}?{query}"))).await;
            answer.errors(400, "invalid_request");
        }
    }
}
