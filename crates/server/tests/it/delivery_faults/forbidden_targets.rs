//! S1, S3, S16: forbidden targets are never called, whether an endpoint is new or already stored,
//! by address, redirect or line break.

use confab_domain::app::AppCode;
use confab_domain::decision::change::WebhookChange;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::EndpointId;
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use confab_domain::webhooks::event_kind::EventKind;
use confab_test_servers::raw::{Canary, answering};
use serde_json::{Value, json};

use super::ROOM_KINDS;
use crate::support::answer::items;
use crate::support::caller::Caller;
use crate::support::test_server::TestServer;
use crate::support::webhook_api::classes;

/// Starts a server that listens on all interfaces, so that it calls only public addresses.
async fn public_server() -> TestServer {
    TestServer::start_with(&[("listen", "0.0.0.0:0")]).await
}

/// Returns URLs of addresses that are not public in many spellings, with the canary's port.
fn forbidden(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "metadata.google.internal",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
    ];
    let mut urls: Vec<_> = hosts.iter().map(|host| format!("http://{host}:{port}/")).collect();
    urls.extend(
        ["user@", "example.com@", "user:password@"]
            .map(|user| format!("http://{user}127.0.0.1:{port}/")),
    );
    urls.push(format!("http:\\\\127.0.0.1:{port}\\"));
    urls.push(format!("gopher://127.0.0.1:{port}/"));
    urls.push("file:///etc/passwd".to_owned());
    urls
}

/// Stores an endpoint whose URL the API would refuse.
async fn put_unchecked(server: &TestServer, app: &Caller, kind: &str, url: &str) {
    let code = AppCode::parse(&app.code).expect("a code");
    let app = server.store.app(&code).await.expect("read").expect("an app").id;
    let kind = EventKind::parse(kind).expect("a kind");
    let url = url.to_owned();
    let rule = move |_: &Facts, stamp: &Stamp<'_>| {
        let endpoint = Endpoint {
            id: EndpointId(stamp.next_id()),
            app,
            kind,
            name: String::new(),
            url: url.clone(),
            is_enabled: true,
            is_paused: false,
            failing: None,
            policy: DeliveryPolicy::default(),
            created_at: stamp.now,
            updated_at: stamp.now,
        };
        Ok(Decision::new(vec![WebhookChange::PutEndpoint(endpoint).into()], ()))
    };
    server.store.decide(app, Question::default(), rule).await.expect("put");
}

/// Stores endpoints with these URLs unchecked; returns a delivery to each after its first attempt.
async fn delivered_unchecked(server: &TestServer, urls: &[String]) -> Vec<Value> {
    let mut made = Vec::new();
    for (number, some) in urls.chunks(ROOM_KINDS.len()).enumerate() {
        let app = server.create_app(&format!("app{number}")).await;
        for (url, kind) in some.iter().zip(ROOM_KINDS) {
            put_unchecked(server, &app, kind, url).await;
            made.push((app.clone(), app.trigger(kind, None).await));
        }
    }
    let mut deliveries = Vec::new();
    for (app, id) in made {
        deliveries.push(app.attempted(id, 1).await);
    }
    deliveries
}

#[track_caller]
fn check_refused(answer: &crate::support::answer::Answer, url: &str) {
    assert_eq!(answer.status, 400, "{url}: {}", answer.text);
    let json = answer.json();
    assert_eq!(json["status"], 400);
    assert!(!items(&json["errors"]["detailed_messages"]).is_empty(), "{url}: {}", answer.text);
}

#[tokio::test]
async fn s1_addresses_that_are_not_public_are_refused_at_save_and_blocked_at_send() {
    let (server, canary) = (public_server().await, Canary::start().await);
    let urls = forbidden(canary.address.port());
    for url in &urls {
        check_refused(&server.put_endpoint("bot", url, &json!({})).await, url);
    }
    for (url, delivery) in urls.iter().zip(delivered_unchecked(&server, &urls).await) {
        assert_eq!(classes(&delivery)[0], "blocked_address", "{url}: {delivery}");
        let attempt = &items(&delivery["attempt_list"])[0];
        assert_eq!((&attempt["peer"], &attempt["status"]), (&Value::Null, &Value::Null), "{url}");
    }
    let hits = canary.hits_when_settled().await;
    println!(
        "S1: {} addresses, refused at save {}, blocked at send {}, canary hits {hits}",
        urls.len(),
        urls.len(),
        urls.len()
    );
    assert_eq!(hits, 0);
}

#[tokio::test]
async fn s3_redirects_are_never_followed() {
    let (server, canary) = (TestServer::start().await, Canary::start().await);
    let mut urls = Vec::new();
    for status in [301, 302, 303, 307, 308] {
        for place in [format!("http://{}/", canary.address), "file:///etc/passwd".to_owned()] {
            let answer = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n"
            );
            urls.push(format!("http://{}/", answering(answer.into_bytes()).await));
        }
    }
    for delivery in delivered_unchecked(&server, &urls).await {
        assert_eq!(classes(&delivery), ["status_3xx"], "{delivery}");
    }
    let hits = canary.hits_when_settled().await;
    println!("S3: {} redirections, class status_3xx each, canary hits {hits}", urls.len());
    assert_eq!(hits, 0);
}

#[tokio::test]
async fn s16_urls_with_control_characters_are_refused_at_save_and_blocked_at_send() {
    let (server, canary) = (TestServer::start().await, Canary::start().await);
    let base = format!("http://{}/", canary.address);
    let breaks = ["\r\n", "\n", "\r", "\t", "\0", "\u{b}", "\u{7f}"];
    let mut urls = Vec::new();
    for it in breaks {
        urls.push(format!("{base}a{it}x-injected: yes"));
        urls.push(format!("http://127.0.0.1{it}:{}/", canary.address.port()));
        urls.push(format!("{it}{base}"));
    }
    for url in &urls {
        check_refused(&server.put_endpoint("bot", url, &json!({})).await, url);
    }
    // Not every database can store text with NUL.
    urls.retain(|url| !url.contains('\0'));
    for (url, delivery) in urls.iter().zip(delivered_unchecked(&server, &urls).await) {
        assert_eq!(classes(&delivery)[0], "blocked_address", "{url:?}: {delivery}");
    }
    let hits = canary.hits_when_settled().await;
    println!(
        "S16: {} addresses with line breaks and the like, refused at save and at send, canary \
         hits {hits}",
        urls.len()
    );
    assert_eq!(hits, 0);
}
