//! Attempts against real receivers: what they are sent, and what is remembered of them.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::webhooks::delivery::{ErrorClass, Lane};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_verify::standard::Headers;
use confab_verify::verify;
use tokio::sync::mpsc;

use super::*;
use crate::outbound::{AllowList, Resolver, TargetGuard, TlsRoots};

const NOW: Timestamp = Timestamp(1_769_853_600_500_000);
const BODY: &str = r#"{"text":"Grüße 👋","number":1.0}"#;

/// A receiver on loopback that answers all alike and hands on what it got.
async fn receiver(
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    answer: &'static [u8],
) -> (SocketAddr, mpsc::UnboundedReceiver<(HeaderMap, Bytes)>) {
    let (got, received) = mpsc::unbounded_channel();
    let handler = move |sent: HeaderMap, body: Bytes| async move {
        got.send((sent, body)).expect("the test listens");
        let mut given = HeaderMap::new();
        headers.iter().for_each(|(name, value)| {
            given.insert(*name, value.parse().expect("a value"));
        });
        (StatusCode::from_u16(status).expect("a status"), given, answer)
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, received)
}

fn delivery() -> Delivery {
    Delivery {
        id: DeliveryId(371_307_303_809_024),
        app: AppId(1),
        endpoint: EndpointId(2),
        kind: NoticeKind::Bot,
        lane: Lane(55),
        sequence: 7,
        created_at: NOW,
        depth: 2,
        body: Arc::from(BODY),
    }
}

async fn send_to(address: SocketAddr, keys: Keys<'_>) -> (Outcome, Attempt) {
    let guard = TargetGuard::new(true, AllowList::default());
    let client = OutboundClient::new(guard, Resolver::system(), TlsRoots::Only(Vec::new()));
    let letter = Letter {
        delivery: &delivery(),
        number: 3,
        url: &format!("http://{address}/hook"),
        timeout: Duration::from_secs(10),
        keys,
        brands: &["SERVICE".to_owned(), "OTHER".to_owned()],
        sent_at: NOW,
        is_after_gap: true,
    };
    send(&client, letter).await
}

fn one_key() -> Keys<'static> {
    Keys { current: "the-key", other: None }
}

#[tokio::test]
async fn the_stored_bytes_arrive_with_signatures_that_fit_them() {
    let (address, mut received) = receiver(200, &[], b"thanks").await;
    let keys = Keys { current: "new-key", other: Some("old-key") };
    let (outcome, attempt) = send_to(address, keys).await;
    assert_eq!(outcome, Outcome::Delivered);
    let (headers, body) = received.recv().await.expect("it arrived");
    assert_eq!(body, BODY.as_bytes());
    let header = |name: &str| headers[name].to_str().expect("text").to_owned();
    for brand in ["service-signature-key", "other-signature-key"] {
        assert_eq!(verify("new-key", &body, &header(brand)), Ok(()), "{brand}");
    }
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"));
    let signature = header("webhook-signature");
    let given = Headers { id: &id, timestamp: &timestamp, signature: &signature };
    for key in ["new-key", "old-key"] {
        assert_eq!(standard::verify(key, given, &body, NOW.unix_seconds()), Ok(()), "{key}");
    }
    assert_eq!((id.as_str(), timestamp.as_str()), ("msg_371307303809024", "1769853600"));
    assert_eq!((header("webhook-attempt"), header("webhook-sequence")), ("3".into(), "7".into()));
    assert_eq!(header("webhook-depth"), "2");
    assert_eq!(
        (header("webhook-gap"), header("content-type")),
        ("true".into(), "application/json".into())
    );
    assert_eq!((attempt.number, attempt.status, attempt.error), (3, Some(200), None));
    assert_eq!(attempt.answer, "thanks");
    assert_eq!(attempt.peer, Some(address.to_string()));
    assert!(attempt.phases_us[1].is_some() && attempt.phases_us[3].is_some(), "{attempt:?}");
}

#[tokio::test]
async fn a_refusal_is_remembered_with_what_the_receiver_said_and_asked_for() {
    let headers = &[("retry-after", "120")];
    let (address, _received) = receiver(503, headers, b"\xff\0<script>down</script>").await;
    let (outcome, attempt) = send_to(address, one_key()).await;
    let class = ErrorClass::Status5xx;
    assert_eq!(outcome, Outcome::Failed { class, retry_after_s: Some(120) });
    assert_eq!((attempt.status, attempt.error), (Some(503), Some(class)));
    assert_eq!(attempt.answer, "\u{fffd}\u{fffd}<script>down</script>", "storable everywhere");
}

#[tokio::test]
async fn nobody_there_is_remembered_in_words() {
    // A port that nobody is given, however many ask for any.
    let (outcome, attempt) = send_to(([127, 0, 0, 9], 1999).into(), one_key()).await;
    let class = ErrorClass::ConnectRefused;
    assert_eq!(outcome, Outcome::Failed { class, retry_after_s: None });
    assert_eq!((attempt.status, attempt.error), (None, Some(class)));
    assert!(!attempt.answer.is_empty());
}

#[test]
fn a_wait_may_be_asked_for_in_seconds_or_by_a_date() {
    assert_eq!(retry_after(" 30 ", NOW), Some(30));
    assert_eq!(retry_after("Sat, 31 Jan 2026 10:01:00 GMT", NOW), Some(60));
    assert_eq!(retry_after("Sat, 31 Jan 2026 09:00:00 GMT", NOW), Some(0), "it is over");
    for nonsense in ["", "-5", "soon", "1e3", "99999999999999999999999"] {
        assert_eq!(retry_after(nonsense, NOW), None, "{nonsense}");
    }
}
