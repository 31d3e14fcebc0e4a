//! F13 and F14: a name that does not resolve and certificates that are not valid each have their
//! class in the list of attempts, and no other lane notices.

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

/// A receiver with a certificate that nobody vouches for.
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
                // Closing at once would take back the alert that says why.
                Err((_, mut stream)) => drop(stream.read_to_end(&mut Vec::new()).await),
            }
        }
    })
    .await
}

/// Tells receivers of their own that cannot be reached beside one that can; what the attempts say.
async fn beside_a_healthy_one(urls: &[String]) -> (Vec<String>, Verdict) {
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
        assert_eq!(delivery["standing"], "waiting", "it is tried again: {delivery}");
        found.extend(classes(&delivery).into_iter().take(1));
    }
    (found, Verdict::of(&acknowledged, &healthy.seen()))
}

#[tokio::test]
async fn f13_a_name_that_does_not_resolve_is_class_dns_and_delays_nobody() {
    let urls = ["http://nothing.invalid/", "https://hooks.nothing.invalid:8443/a?b=c"];
    let (classes, verdict) = beside_a_healthy_one(&urls.map(str::to_owned)).await;
    println!("F13: {} names that do not resolve: {classes:?}; beside them {verdict}", urls.len());
    assert_eq!((classes, verdict), (vec!["dns".to_owned(); 2], Verdict::default()));
}

#[tokio::test]
async fn f14_a_certificate_that_is_not_valid_is_class_tls_and_delays_nobody() {
    let receivers = [
        self_signed("127.0.0.1", false).await,
        self_signed("127.0.0.1", true).await,
        self_signed("other.example", false).await,
        // Does not speak TLS at all, and would take what is sent in plain.
        answering(OK.to_vec()).await,
    ];
    let urls = receivers.map(|address| format!("https://{address}/"));
    let (classes, verdict) = beside_a_healthy_one(&urls).await;
    println!("F14: {} bad certificates: {classes:?}; beside them {verdict}", urls.len());
    assert_eq!((classes, verdict), (vec!["tls".to_owned(); 4], Verdict::default()));
}
