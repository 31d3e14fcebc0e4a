//! S9: hostile responses of receivers. They are stored as inert text and shown as valid JSON, and
//! the server keeps running.

use std::net::SocketAddr;

use confab_test_servers::raw::answering;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use super::ROOM_KINDS;
use crate::support::answer::items;
use crate::support::caller::sent;
use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;
use crate::support::webhook_api::classes;

/// Returns responses with their names and error classes; the class of a success is empty.
fn attacks() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let with = |headers: &str, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\n{headers}content-length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    let many: String = (0..1000).map(|at| format!("x-{at}: a\r\n")).collect();
    let html = b"<script>alert(1)</script><img src=x onerror=alert(1)>";
    let controls: Vec<u8> = (0..=255).collect();
    let deep = "[".repeat(30_000);
    let wide = format!("[{}null]", "null,".repeat(10_000));
    let json = "content-type: application/json\r\n";
    let bomb = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0; 40_000]].concat();
    vec![
        ("NUL", with("", &[0; 5000]), ""),
        ("every byte", with("", &controls), ""),
        ("broken UTF-8", with("", b"\xff\xfe\xc3\x28\xe2\x82\xed\xa0\x80\xf0\x9f\x98"), ""),
        ("UTF-8 cut at the limit", with("", "é".repeat(8193).as_bytes()), ""),
        ("terminal commands", with("", b"\x1b]0;owned\x07\x1b[2J\r\n2026 ERROR forged"), ""),
        ("HTML", with("content-type: text/html\r\n", html), ""),
        ("SQL", with("", b"'); DROP TABLE deliveries; --"), ""),
        ("null", with(json, b"null"), ""),
        ("deep JSON", with(json, deep.as_bytes()), ""),
        ("wide JSON", with(json, wide.as_bytes()), ""),
        ("a gzip bomb", with("content-encoding: gzip\r\n", &bomb), ""),
        ("1,000 headers", with(&many, b""), "body_too_large"),
        ("a reason of bytes", b"HTTP/1.1 500 \xff\xfe\x01\r\n\r\n\0".to_vec(), "write"),
        (
            "an odd header",
            b"HTTP/1.1 503 No\r\nretry-after: \xff\xff\r\ncontent-length: 0\r\n\r\n".to_vec(),
            "status_5xx",
        ),
        (
            "an endless wait",
            b"HTTP/1.1 503 No\r\nretry-after: 99999999999999999999\r\ncontent-length: 0\r\n\r\n"
                .to_vec(),
            "status_5xx",
        ),
    ]
}

#[tokio::test]
async fn s9_hostile_responses_are_stored_as_inert_text_and_the_server_keeps_running() {
    let server = TestServer::start().await;
    let mut made = Vec::new();
    for (number, (what, answer, class)) in attacks().into_iter().enumerate() {
        let app = server.create_app(&format!("app{number}")).await;
        let address: SocketAddr = answering(answer).await;
        app.tell(ROOM_KINDS[0], &format!("http://{address}/"), &json!({})).await;
        made.push((what, class, app.trigger(ROOM_KINDS[0], None).await, app));
    }
    for (what, class, id, app) in &made {
        let delivery = app.attempted(*id, 1).await;
        let found = classes(&delivery);
        assert_eq!(found[0], *class, "{what}: {delivery}");
        let expected = if class.is_empty() { "delivered" } else { "waiting" };
        assert_eq!(delivery["standing"], expected, "{what}");
        let answer = items(&delivery["attempt_list"])[0]["answer"].as_str().expect("a text");
        assert!(!answer.contains('\0') && answer.len() <= 3 * 16 * 1024, "{what}");
        // In a list and alone, and as JSON without raw control characters.
        for path in ["/deliveries".to_owned(), format!("/deliveries/{id}")] {
            let shown = sent(app.webhooks(Method::GET, &path)).await;
            assert_eq!((shown.status, shown.header("content-type")), (200, "application/json"));
            assert!(shown.json().is_object(), "{what}");
            assert!(!shown.text.chars().any(|it| it < ' '), "{what}: {}", shown.text);
        }
    }
    let receiver = Receiver::start().await;
    server.tell("bot", &receiver.url, &json!({})).await;
    let id = server.trigger("bot", None).await;
    receiver.takes(&[id]).await;
    let ready: Value = server.ready().await.json();
    assert_eq!(ready, json!({"status": "ok"}));
    let verdict = Verdict::of(&[id], &receiver.seen());
    println!("S9: {} hostile responses stored as inert text; afterwards {verdict}", made.len());
    assert_eq!(verdict, Verdict::default());
}
