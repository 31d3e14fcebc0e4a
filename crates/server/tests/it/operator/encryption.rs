//! `--tls-cert` and `--tls-key`: HTTP and MQTT are encrypted, and the certificate can be renewed
//! while the server runs (design/sign-in-and-limits).

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::support::process::{Confab, Folder};
use crate::support::raw_connection::RawConnection;

/// Writes a new certificate with its key into the folder; returns the certificate.
fn renew(folder: &Folder) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    folder.write("key.pem", &signing_key.serialize_pem());
    folder.write("cert.pem", &cert.pem());
    cert.der().clone()
}

const FLAGS: [&str; 4] = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];

fn address(server: &Confab) -> String {
    server.base.strip_prefix("https://").expect("an encrypted server").to_owned()
}

/// Performs a TLS handshake that trusts only this certificate.
async fn encrypted(
    address: &str,
    certificate: &CertificateDer<'static>,
    protocol: &[u8],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().expect("versions");
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    if !protocol.is_empty() {
        config.alpn_protocols = vec![protocol.to_vec()];
    }
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = TcpStream::connect(address).await.expect("connected");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

async fn serve(folder: &Folder) -> Confab {
    folder.serve_with(&FLAGS, &[])
}

#[tokio::test]
async fn https_serves_http_1_and_2_and_plain_http_is_refused_with_a_hint() {
    let folder = Folder::with_app().await;
    let certificate = renew(&folder);
    let server = serve(&folder).await;
    let mut one = encrypted(&address(&server), &certificate, b"http/1.1").await.expect("TLS");
    let get = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    one.write_all(get).await.expect("written");
    let mut text = String::new();
    one.read_to_string(&mut text).await.expect("read");
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with(r#"{"status":"ok"}"#), "{text}");

    let two = encrypted(&address(&server), &certificate, b"h2").await.expect("TLS");
    assert_eq!(two.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(two));
    let (mut sender, driven) = handshake.await.expect("HTTP/2");
    tokio::spawn(driven);
    let request = hyper::Request::get("https://localhost/health").body(Empty::<Bytes>::new());
    let answer = sender.send_request(request.expect("a request")).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(body, r#"{"status":"ok"}"#);

    let mut plain = RawConnection::open(&format!("http://{}", address(&server))).await;
    plain.write("GET /health HTTP/1.1\r\nHost: confab\r\n\r\n").await;
    let answer = plain.answer().await;
    assert_eq!((answer.status, answer.text.contains("use https://")), (400, true), "{answer:?}");
}

#[tokio::test]
async fn mqtt_is_encrypted_with_the_same_certificate() {
    let folder = Folder::with_app().await;
    let certificate = renew(&folder);
    let server = serve(&folder).await;
    let line = server.log.wait_for("listening for MQTT");
    let mqtt = line.split("mqtts://").nth(1).expect("an address");
    let mut stream = encrypted(mqtt, &certificate, b"").await.expect("TLS");
    let connect = [16, 12, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 60, 0, 0];
    stream.write_all(&connect).await.expect("written");
    let mut connack = [0; 4];
    stream.read_exact(&mut connack).await.expect("a CONNACK");
    assert_eq!(connack, [0x20, 2, 0, 0]);
}

#[tokio::test]
async fn a_renewed_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let folder = Folder::with_app().await;
    let first = renew(&folder);
    let server = serve(&folder).await;
    encrypted(&address(&server), &first, b"").await.expect("the first certificate is used");
    let second = renew(&folder);
    server.signal("HUP");
    server.log.wait_for("certificate reloaded");
    encrypted(&address(&server), &second, b"").await.expect("the second certificate is used");
    assert!(encrypted(&address(&server), &first, b"").await.is_err());
    folder.write("cert.pem", "no certificate at all");
    server.signal("HUP");
    let line = server.log.wait_for("the old one stays in use");
    assert!(line.contains("cert.pem"), "{line}");
    encrypted(&address(&server), &second, b"").await.expect("the second certificate is still used");
}

#[tokio::test]
async fn unusable_certificates_and_keys_are_refused_at_the_start() {
    let folder = Folder::with_app().await;
    let refused = |said: &str| {
        let log = folder.launch(&FLAGS, &[]).failed();
        assert!(log.contains(said), "{said:?} in {log}");
    };
    refused("cert.pem: the certificate cannot be read");
    renew(&folder);
    folder.write("key.pem", "no key at all");
    refused("key.pem: the private key cannot be read");
    let other = KeyPair::generate().expect("a key");
    folder.write("key.pem", &other.serialize_pem());
    refused("the private key does not match the certificate");
    folder.write("cert.pem", "");
    refused("cert.pem: the file contains no certificate");
    let alone = folder.launch(&["--tls-cert", "cert.pem"], &[]).failed();
    assert!(alone.contains("tls_key is missing"), "{alone}");
}

#[tokio::test]
async fn listening_on_all_addresses_without_tls_logs_a_warning() {
    let folder = Folder::with_app().await;
    let server = folder.start(&["serve", "--listen", "0.0.0.0:0"], &[]);
    let line = server.log.wait_for("not encrypted");
    assert!(line.contains("WARN") && line.contains("tls_cert"), "{line}");
    drop(server);
    let quiet = folder.serve();
    assert!(!quiet.log.text().contains("not encrypted"));
}
