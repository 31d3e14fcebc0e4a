//! Tests of webhook attempts with real receivers: the request, and the recorded attempt.

use std::net::SocketAddr;
use std::sync::Arc;

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::webhooks::delivery::{ErrorClass, Lane};
use confab_domain::webhooks::event_kind::EventKind;
use confab_outbound::{AllowList, Resolver, TargetGuard, TlsRoots};
use confab_test_servers::receiver::{Receiver, Reply};
use confab_verify::verify;

use super::*;

const NOW: Timestamp = Timestamp(1_769_853_600_500_000);
const BODY: &str = r#"{"text":"Grüße 👋","number":1.0}"#;

fn delivery() -> Delivery {
    Delivery {
        id: DeliveryId(371_307_303_809_024),
        app: AppId(1),
        endpoint: EndpointId(2),
        kind: EventKind::Bot,
        lane: Lane(55),
        sequence: 7,
        created_at: NOW,
        depth: 2,
        body: Arc::from(BODY),
    }
}

async fn send_to(address: SocketAddr, keys: SigningKeys<'_>) -> (Outcome, Attempt) {
    let guard = TargetGuard::new(true, AllowList::default());
    let client = OutboundClient::new(guard, Resolver::system(), TlsRoots::Only(Vec::new()));
    let webhook = WebhookRequest {
        delivery: &delivery(),
        number: 3,
        url: &format!("http://{address}/hook"),
        timeout: Duration::from_secs(10),
        keys,
        brands: &["SERVICE".to_owned(), "OTHER".to_owned()],
        sent_at: NOW,
        is_after_gap: true,
        trace: None,
    };
    send(&client, webhook).await
}

fn one_key() -> SigningKeys<'static> {
    SigningKeys { current: "the-key", other: None, sdk_secret: "sdk-secret" }
}

#[tokio::test]
async fn the_stored_bytes_arrive_with_valid_signatures() {
    let receiver = Receiver::replying(|_| Reply::status(200).body("thanks")).await;
    let keys = SigningKeys { current: "new-key", other: Some("old-key"), sdk_secret: "sdk-secret" };
    let (outcome, attempt) = send_to(receiver.address, keys).await;
    assert_eq!(outcome, Outcome::Delivered);
    let received = receiver.next().await;
    assert_eq!(received.body(), BODY.as_bytes());
    let header = |name: &str| received.header(name);
    for brand in ["service-signature-key", "other-signature-key"] {
        assert_eq!(verify("new-key", received.body(), header(brand)), Ok(()), "{brand}");
    }
    for key in ["new-key", "old-key"] {
        let now_s = NOW.unix_seconds();
        assert!(received.fits_standard_header(key, received.body(), now_s), "{key}");
    }
    assert_eq!(header("webhook-id"), "msg_371307303809024");
    assert_eq!(header("webhook-timestamp"), "1769853600");
    assert_eq!((header("webhook-attempt"), header("webhook-sequence")), ("3", "7"));
    assert_eq!(header("webhook-depth"), "2");
    assert_eq!((header("webhook-gap"), header("content-type")), ("true", "application/json"));
    assert_eq!((attempt.number, attempt.status, attempt.error), (3, Some(200), None));
    assert_eq!(attempt.answer, "thanks");
    assert_eq!(attempt.peer, Some(receiver.address.to_string()));
    assert!(attempt.phases_us[1].is_some() && attempt.phases_us[3].is_some(), "{attempt:?}");
}

#[tokio::test]
async fn a_failed_attempt_records_the_answer_and_the_requested_delay() {
    let reply = Reply::status(503).header("retry-after", "120");
    let reply = reply.body(b"\xff\0<script>down</script>");
    let receiver = Receiver::replying(move |_| reply.clone()).await;
    let (outcome, attempt) = send_to(receiver.address, one_key()).await;
    let class = ErrorClass::Status5xx;
    assert_eq!(outcome, Outcome::Failed { class, retry_after_s: Some(120) });
    assert_eq!((attempt.status, attempt.error), (Some(503), Some(class)));
    assert_eq!(
        attempt.answer, "\u{fffd}\u{fffd}<script>down</script>",
        "the stored answer contains no NUL and no invalid UTF-8"
    );
}

#[tokio::test]
async fn a_refused_connection_is_recorded_as_text() {
    // A port that the operating system never assigns.
    let (outcome, attempt) = send_to(([127, 0, 0, 9], 1999).into(), one_key()).await;
    let class = ErrorClass::ConnectRefused;
    assert_eq!(outcome, Outcome::Failed { class, retry_after_s: None });
    assert_eq!((attempt.status, attempt.error), (None, Some(class)));
    assert!(!attempt.answer.is_empty());
}

#[test]
fn retry_after_accepts_seconds_and_dates() {
    assert_eq!(retry_after(" 30 ", NOW), Some(30));
    assert_eq!(retry_after("Sat, 31 Jan 2026 10:01:00 GMT", NOW), Some(60));
    assert_eq!(retry_after("Sat, 31 Jan 2026 09:00:00 GMT", NOW), Some(0), "the date has passed");
    for nonsense in ["", "-5", "soon", "1e3", "99999999999999999999999"] {
        assert_eq!(retry_after(nonsense, NOW), None, "{nonsense}");
    }
}
