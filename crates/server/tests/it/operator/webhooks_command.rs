//! `confab webhooks`, `trigger` and `listen` as a person sees them, against a stub of the API.

use std::sync::Arc;

use confab_verify::sign;
use rcgen::KeyPair;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::webhook_stub::{KEY, Stub};
use crate::process::Folder;

fn delivery(id: i64) -> Value {
    json!({
        "id": id,
        "kind": "bot",
        "room_id": "55",
        "sequence": 3,
        "url": "http://localhost:3000/hook",
        "standing": "failed",
        "attempts": 2,
        "last_status": 503,
        "last_error": "status_5xx",
        "created_at": "2026-11-15T10:00:00.000000Z",
        "due_at": null,
    })
}

fn endpoint(state: &str) -> Value {
    json!({
        "kind": "bot",
        "url": "http://localhost:3000/hook",
        "state": state,
        "is_enabled": true,
        "is_paused": state == "paused",
        "failing_since": null,
        "timeout_ms": 10000,
        "at_once_max": 64,
        "per_second_max": null,
        "block_s": 900,
        "waiting": 4,
        "oldest_waiting_at": "2026-11-15T09:00:00.000000Z",
        "created_at": "2026-11-15T08:00:00.000000Z",
        "updated_at": "2026-11-15T08:00:00.000000Z",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_goes_on_through_short_pages_until_it_has_enough() {
    let stub = Stub::start(vec![
        ("GET /deliveries?kind=bot&limit=2", json!({"deliveries": [], "next": "c1"})),
        (
            "GET /deliveries?kind=bot&limit=2&before=c1",
            json!({"deliveries": [delivery(9)], "next": "c2"}),
        ),
        (
            "GET /deliveries?kind=bot&limit=1&before=c2",
            json!({"deliveries": [delivery(1234)], "next": "c3"}),
        ),
    ])
    .await;
    let ended = stub.run(&["webhooks", "list", "--kind", "bot", "--limit", "2"]);
    assert!(ended.err.contains("--before c3"), "{}", ended.err);
    let expected = "\
TIME (UTC)           ID    KIND  ROOM  STANDING  ATTEMPTS  LAST
2026-11-15 10:00:00  9     bot   55    failed    2         503 status_5xx
2026-11-15 10:00:00  1234  bot   55    failed    2         503 status_5xx
";
    assert_eq!(ended.ok(), expected);
    let raw = stub.run(&["webhooks", "list", "--kind", "bot", "--limit", "2", "--json"]).ok();
    assert_eq!(raw.trim(), r#"{"deliveries":[],"next":"c1"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_filter_reaches_the_server() {
    let line = "GET /deliveries?kind=logout&standing=parked&error=dns&room_id=7\
                &from=2026-11-15T10%3A00%3A00Z&until=2026-11-15T11%3A00%3A00Z&limit=20";
    let stub = Stub::start(vec![(line, json!({"deliveries": [], "next": null}))]).await;
    let filters = ["--kind", "logout", "--standing", "parked", "--error", "dns", "--room", "7"];
    let times = ["--from", "2026-11-15T10:00:00Z", "--until", "2026-11-15T11:00:00Z"];
    let said = stub.run(&[&["webhooks", "list"], &filters[..], &times].concat()).ok();
    assert_eq!(said, "There is no such delivery.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_delivery_is_shown_with_its_attempts_and_its_body() {
    let mut whole = delivery(7);
    whole["body"] = json!("{\"payload\":{\"n\":1.0}}");
    let phases = json!({"name": 1200, "connect": 800, "tls": null, "head": 40000, "body": 10});
    whole["attempt_list"] = json!([{"number": 1, "at": "2026-11-15T10:00:00.000000Z",
        "status": 503, "error": "status_5xx", "peer": "127.0.0.1:3000", "phases_us": phases,
        "answer": "down"}]);
    let stub = Stub::start(vec![("GET /deliveries/7", json!({"delivery": whole}))]).await;
    let said = stub.run(&["webhooks", "show", "7"]).ok();
    for part in [
        "standing  failed\n",
        "#1  2026-11-15 10:00:00  503 status_5xx  from 127.0.0.1:3000\n",
        "name 1.20 ms, connect 0.80 ms, head 40 ms, body 0.01 ms\n",
        "answer: down\n",
        "{\n  \"payload\": {\n    \"n\": 1.0\n  }\n}\n",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let said = stub.run(&["webhooks", "show", "8"]).failed(1);
    assert!(said.contains("nothing at GET /deliveries/8: detail (404 Not Found)"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_is_replayed_page_by_page_and_nothing_without_a_filter() {
    let stub = Stub::start(vec![
        (r#"POST /replay {"kind":"bot"}"#, json!({"replayed": 1000, "next": "c1"})),
        (r#"POST /replay {"before":"c1","kind":"bot"}"#, json!({"replayed": 0, "next": "c2"})),
        (r#"POST /replay {"before":"c2","kind":"bot"}"#, json!({"replayed": 5, "next": null})),
        (r#"POST /replay {}"#, json!({"replayed": 2, "next": null})),
        (r#"POST /replay {"error":"dns"}"#, json!({"replayed": 3, "next": "c9"})),
        ("POST /deliveries/7/replay {}", json!({"delivery": delivery(7)})),
    ])
    .await;
    let said = stub.run(&["webhooks", "replay"]).failed(1);
    assert!(said.contains("--all") && stub.seen().is_empty(), "{said}");
    let ended = stub.run(&["webhooks", "replay", "--kind", "bot"]);
    assert_eq!(ended.err, "1000 so far\n1000 so far\n1005 so far\n");
    assert_eq!(ended.ok(), "Deliveries that will be sent again: 1005\n");
    let said = stub.run(&["webhooks", "replay", "--all"]).ok();
    assert_eq!(said, "Deliveries that will be sent again: 2\n");
    let said = stub.run(&["webhooks", "replay", "--error", "dns"]).failed(1);
    assert!(said.contains("stopped, but 3 will be sent again: the server refused"), "{said}");
    let said = stub.run(&["webhooks", "replay", "7"]).ok();
    assert!(said.contains("Delivery 7 will be sent again to http://localhost:3000/hook"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_are_listed_set_paused_resumed_and_tried() {
    let attempt = json!({"number": 1, "at": "2026-11-15T10:00:00.000000Z", "status": null,
        "error": "connect_refused", "peer": null, "answer": "the connection was refused",
        "phases_us": {"name": null, "connect": null, "tls": null, "head": null, "body": null}});
    let stub = Stub::start(vec![
        ("GET /endpoints", json!({"endpoints": [endpoint("failing")]})),
        (
            r#"PUT /endpoints/bot {"timeout_ms":500,"url":"http://localhost:3000/hook"}"#,
            json!({"endpoint": endpoint("healthy")}),
        ),
        ("POST /endpoints/bot/pause {}", json!({"endpoint": endpoint("paused")})),
        ("POST /endpoints/bot/resume {}", json!({"endpoint": endpoint("healthy")})),
        ("POST /endpoints/bot/test {}", json!({"attempt": attempt})),
    ])
    .await;
    let listed = stub.run(&["webhooks", "endpoints"]).ok();
    let expected = "\
KIND  STATE    WAITING  OLDEST (UTC)         FAILING SINCE (UTC)  URL
bot   failing  4        2026-11-15 09:00:00  -                    http://localhost:3000/hook
";
    assert_eq!(listed, expected);
    let url = "http://localhost:3000/hook";
    let said = stub.run(&["webhooks", "set", "bot", url, "--timeout-ms", "500"]).ok();
    assert!(said.starts_with(&format!("bot goes to {url} (healthy)")), "{said}");
    let said = stub.run(&["webhooks", "pause", "bot"]).ok();
    assert_eq!(said, "bot is paused; deliveries that wait: 4\n");
    let said = stub.run(&["webhooks", "resume", "bot"]).ok();
    assert_eq!(said, "bot is healthy; deliveries that wait: 4\n");
    let said = stub.run(&["webhooks", "test", "bot"]).failed(1);
    assert!(said.contains("did not take it: connect_refused"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_is_sent_and_who_gets_it_is_told() {
    let stub = Stub::start(vec![
        (
            r#"POST /trigger {"kind":"bot","room_id":"55"}"#,
            json!({"delivery_ids": [7], "listeners": 1}),
        ),
        ("GET /deliveries/7", json!({"delivery": delivery(7)})),
        (r#"POST /trigger {"kind":"logout"}"#, json!({"delivery_ids": [], "listeners": 0})),
    ])
    .await;
    let said = stub.run(&["trigger", "bot", "--room", "55"]).ok();
    assert!(said.starts_with("delivery 7 to http://localhost:3000/hook\n"), "{said}");
    assert!(said.contains("One `confab listen` was told."), "{said}");
    let said = stub.run(&["trigger", "logout"]).ok();
    assert!(said.contains("`confab webhooks set logout URL`"), "{said}");
    let raw = stub.run(&["trigger", "logout", "--json"]).ok();
    assert_eq!(raw.trim(), r#"{"delivery_ids":[],"listeners":0}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_is_found_in_the_data_and_never_shown() {
    let stub = Stub::start(vec![("GET /endpoints", json!({"endpoints": []}))]).await;
    let folder = Folder::with_app().await;
    let arguments = ["webhooks", "endpoints", "--server", &stub.base];
    let said = folder.run(&arguments).ok();
    assert!(said.contains("No receiver is registered"), "{said}");
    let said = folder.run_with(&arguments, &[("CONFAB_SECRET_KEY", "planted")]).failed(1);
    assert!(said.contains("refused the app id or its secret key"), "{said}");
    assert!(!said.contains("planted") && !said.contains(KEY), "{said}");
    folder.run(&["app", "create", "second"]).ok();
    let said = folder.run(&arguments).failed(1);
    assert!(said.contains("several apps; name one with --app: shop, second"), "{said}");
    folder.run(&[&arguments[..], &["--app", "shop"]].concat()).ok();
}

#[test]
fn without_data_or_server_it_is_said_what_to_do_and_nothing_is_made() {
    let folder = Folder::embedded();
    let said = folder.run(&["trigger", "bot"]).failed(1);
    assert!(said.contains("there are no data in ./data"), "{said}");
    assert!(!folder.data().exists(), "nothing was made");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let environment =
        [("CONFAB_SECRET_KEY", KEY), ("CONFAB_APP_ID", "shop"), ("CONFAB_LISTEN", &address)];
    let said = folder.run_with(&["listen"], &environment).failed(1);
    assert!(
        said.contains(&format!("nobody listens at http://{address}/; is the server")),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_sees_each_webhook_and_ctrl_c_ends_with_0() {
    let headers = json!({"service-signature-key": sign(KEY, b"{}")});
    let event = json!({"id": 11, "kind": "bot", "room_id": "55", "headers": headers, "body": "{}",
        "created_at": "2026-11-15T10:00:00.000000Z"});
    let stub = Stub::start(vec![
        ("GET /listen?wait_seconds=0", json!({"events": [], "next": 10})),
        ("GET /listen?after=10&wait_seconds=25", json!({"events": [event], "next": 11})),
    ])
    .await;
    let folder = Folder::with_app().await;
    let listening = folder.start(&["listen", "--server", &stub.base], &[]);
    let line = listening.said.wait_for("bot");
    assert_eq!(line, "2026-11-15 10:00:00  bot  room 55  signature ok");
    listening.signal("INT");
    assert_eq!(listening.ended().code(), Some(0));
}

/// Answers one encrypted request with an empty list of receivers.
async fn answer_encrypted(listener: tokio::net::TcpListener, made: rcgen::CertifiedKey<KeyPair>) {
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("a certificate");
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        // Who does not believe the certificate hangs up.
        let Ok(mut stream) = acceptor.accept(stream).await else { continue };
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let count = stream.read_buf(&mut head).await.expect("bytes");
            assert!(count > 0, "the head came to its end");
        }
        let body = r#"{"data":{"endpoints":[]},"status":200}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.expect("written");
        stream.shutdown().await.ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_server_is_called_if_its_certificate_is_believed() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let folder = Folder::embedded();
    folder.write("roots.pem", &made.cert.pem());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(answer_encrypted(listener, made));
    let server = format!("https://localhost:{port}");
    let arguments = ["webhooks", "endpoints", "--app", "shop", "--server", &server];
    let roots = folder.path().join("roots.pem").display().to_string();
    let environment = [("CONFAB_SECRET_KEY", KEY), ("SSL_CERT_FILE", &roots)];
    let said = folder.run_with(&arguments, &environment).ok();
    assert!(said.contains("No receiver is registered"), "{said}");
    let said = folder.run_with(&arguments, &environment[..1]).failed(1);
    assert!(said.contains("did not answer: TLS"), "{said}");
}
