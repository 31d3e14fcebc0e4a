//! Tests of HTTP/2 over TLS: negotiation, sharing and replacement of connections.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::super::{AllowList, OutboundClient, TargetGuard, TlsRoots};
use super::{
    PATIENT, answering, every_name_is, listen, local_client, loopback_guard, request, word,
};

const NAME: &str = "push.example";

/// Starts a receiver with one protocol over TLS. Returns its certificate and its connection
/// counter.
async fn receiver(
    protocol: &'static [u8],
) -> (SocketAddr, CertificateDer<'static>, Arc<AtomicUsize>) {
    let key = KeyPair::generate().expect("the key pair is generated");
    let params = CertificateParams::new([NAME.to_owned()]).expect("the name is valid");
    let certificate = params.self_signed(&key).expect("the certificate is valid").der().clone();
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("the key pair is generated");
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the TLS versions are supported")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .expect("the certificate is valid");
    config.alpn_protocols = vec![protocol.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    let address = listen(move |stream| {
        count.fetch_add(1, Ordering::Relaxed);
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.serve_connection(TokioIo::new(stream), service_fn(echo)).await.ok();
        }
    })
    .await;
    (address, certificate, connections)
}

/// Answers with a description of the request.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_http2 = request.version() == Version::HTTP_2;
    let (host, path) = (request.uri().host().unwrap_or_default(), request.uri().path());
    let said = format!("{is_http2} {} {host} {path}", request.method());
    let body = request.into_body().collect().await.map_or(0, |it| it.to_bytes().len());
    Ok(Response::new(Full::new(Bytes::from(format!("{said} {body}")))))
}

fn trusting(certificate: CertificateDer<'static>) -> OutboundClient {
    let here: IpAddr = [127, 0, 0, 1].into();
    OutboundClient::new(loopback_guard(), every_name_is(here), TlsRoots::Only(vec![certificate]))
}

#[tokio::test]
async fn many_requests_share_one_encrypted_connection() {
    let (address, certificate, connections) = receiver(b"h2").await;
    let client = Arc::new(trusting(certificate));
    let url = format!("https://{NAME}:{}/3/device/a1", address.port());
    let posts = (0..50).map(|_| {
        let (client, url) = (client.clone(), url.clone());
        tokio::spawn(async move { client.post_http2(request(url, PATIENT)).await })
    });
    for post in posts.collect::<Vec<_>>() {
        let attempted = post.await.expect("the request task finished");
        assert_eq!(attempted.peer, Some(address));
        let answer = attempted.outcome.expect("the receiver answered");
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(said, format!("true POST {NAME} /3/device/a1 2"));
    }
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_receiver_without_http2_or_a_trusted_certificate_gets_no_request() {
    let (address, certificate, _) = receiver(b"http/1.1").await;
    let url = format!("https://{NAME}:{}/", address.port());
    let client = trusting(certificate);
    assert_eq!(word(&client.post_http2(request(&url, PATIENT)).await), "tls");
    let (address, _, _) = receiver(b"h2").await;
    let url = format!("https://{NAME}:{}/", address.port());
    assert_eq!(
        word(&client.post_http2(request(&url, PATIENT)).await),
        "tls",
        "the certificate is not trusted"
    );
}

#[tokio::test]
async fn the_guard_also_checks_http2_targets() {
    let client = local_client();
    let old = answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let attempted = client.post_http2(request(format!("http://{old}/"), PATIENT)).await;
    assert_eq!(word(&attempted), "write", "the receiver speaks HTTP/1");
    let guard = TargetGuard::new(false, AllowList::default());
    let here: IpAddr = [127, 0, 0, 1].into();
    let client = OutboundClient::new(guard, every_name_is(here), TlsRoots::Only(Vec::new()));
    for url in ["https://push.example/", "https://127.0.0.1/", "http://10.0.0.1/"] {
        let attempted = client.post_http2(request(url, PATIENT)).await;
        assert_eq!(word(&attempted), "blocked_address", "{url}");
    }
}
