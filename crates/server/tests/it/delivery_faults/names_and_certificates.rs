//! F13 and F14: unresolvable names and invalid certificates each have an error class in the list of
//! attempts, and delay no other lane.

use std::net::SocketAddr;
use std::sync::Arc;

use confab_test_servers::raw::{answer_all, answering, listen};
use confab_test_servers::receiver::Receiver;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio_rustls::TlsAcceptor;

use super::ROOM_KINDS;
use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;
use crate::support::webhook_api::classes;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Starts a receiver with a self-signed certificate.
async fn self_signed(name: &str, is_expired: bool) -> SocketAddr {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    if is_expired {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    let certificate = params.self_signed(&key).expect("a certificate").der().clone();
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            match acceptor.accept(stream).into_fallible().await {
                Ok(stream) => answer_all(stream, Arc::from(OK)).await,
                // Closing at once would discard the TLS alert with the reason.
                Err((_, mut stream)) => drop(stream.read_to_end(&mut Vec::new()).await),
            }
        }
    })
    .await
}

/// Delivers to these URLs and to a healthy receiver; returns the error classes of the former and
/// the verdict about the latter.
async fn deliver_next_to_healthy(urls: &[String]) -> (Vec<String>, Verdict) {
    let server = TestServer::start().await;
    let healthy = Receiver::start().await;
    server.tell("bot", &healthy.url, &json!({})).await;
    let rooms = server.open_rooms(5).await;
    let app = server.create_app("unlucky").await;
    let mut unlucky = Vec::new();
    for (url, kind) in urls.iter().zip(ROOM_KINDS) {
        app.tell(kind, url, &json!({"timeout_ms": 5000})).await;
        unlucky.push(app.trigger(kind, None).await);
    }
    let mut acknowledged = Vec::new();
    for room in rooms.iter().cycle().take(50) {
        acknowledged.push(server.trigger("bot", Some(room)).await);
    }
    healthy.takes(&acknowledged).await;
    let mut found = Vec::new();
    for id in unlucky {
        let delivery = app.attempted(id, 1).await;
        assert_eq!(delivery["standing"], "waiting", "the delivery will be retried: {delivery}");
        found.extend(classes(&delivery).into_iter().take(1));
    }
    (found, Verdict::of(&acknowledged, &healthy.seen()))
}

#[tokio::test]
async fn f13_an_unresolvable_name_has_class_dns_and_delays_no_other_receiver() {
    let urls = ["http://nothing.invalid/", "https://hooks.nothing.invalid:8443/a?b=c"];
    let (classes, verdict) = deliver_next_to_healthy(&urls.map(str::to_owned)).await;
    println!("F13: {} names that do not resolve: {classes:?}; next to them {verdict}", urls.len());
    assert_eq!((classes, verdict), (vec!["dns".to_owned(); 2], Verdict::default()));
}

#[tokio::test]
async fn f14_an_invalid_certificate_has_class_tls_and_delays_no_other_receiver() {
    let receivers = [
        self_signed("127.0.0.1", false).await,
        self_signed("127.0.0.1", true).await,
        self_signed("other.example", false).await,
        // Does not speak TLS, and would accept a plain request.
        answering(OK.to_vec()).await,
    ];
    let urls = receivers.map(|address| format!("https://{address}/"));
    let (classes, verdict) = deliver_next_to_healthy(&urls).await;
    println!("F14: {} bad certificates: {classes:?}; next to them {verdict}", urls.len());
    assert_eq!((classes, verdict), (vec!["tls".to_owned(); 4], Verdict::default()));
}
