//! Tests of TLS targets: certificates are verified, and no attempt falls back to plain text.

use std::future::pending;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

use super::super::{AttemptReport, OutboundClient, TlsRoots};
use super::{
    OK, answer_all, answering, every_name_is, listen, loopback_guard, post, request, word,
};

const NAME: &str = "hooks.example";

type Issuer = CertifiedIssuer<'static, KeyPair>;
type Chain = (CertificateDer<'static>, PrivateKeyDer<'static>);

fn issuer(name: &str) -> Issuer {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("the key pair is generated"))
        .expect("the issuer is created")
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).expect("the name is valid")
}

fn issued(issuer: &Issuer, params: &CertificateParams) -> Chain {
    let key = KeyPair::generate().expect("the key pair is generated");
    let certificate = params.signed_by(&key, issuer).expect("the certificate is valid");
    (
        certificate.der().clone(),
        PrivateKeyDer::try_from(key.serialize_der()).expect("the key pair is generated"),
    )
}

fn self_signed() -> Chain {
    let key = KeyPair::generate().expect("the key pair is generated");
    let certificate = params(NAME).self_signed(&key).expect("the certificate is valid");
    (
        certificate.der().clone(),
        PrivateKeyDer::try_from(key.serialize_der()).expect("the key pair is generated"),
    )
}

/// Starts a receiver with a certificate. It requests a client certificate if `asks` is set.
async fn receiver((certificate, key): Chain, asks: Option<&Issuer>) -> SocketAddr {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("the TLS versions are supported");
    let builder = match asks {
        None => builder.with_no_client_auth(),
        Some(issuer) => {
            let mut roots = RootCertStore::empty();
            roots.add(issuer.der().clone()).expect("the root is valid");
            let asking = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(asking.build().expect("the verifier is valid"))
        }
    };
    let config =
        builder.with_single_cert(vec![certificate], key).expect("the certificate is valid");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            match acceptor.accept(stream).into_fallible().await {
                Ok(stream) => answer_all(stream, OK).await,
                // Closing immediately would discard the alert with the reason.
                Err((_, mut stream)) => {
                    stream.read_to_end(&mut Vec::new()).await.ok();
                }
            }
        }
    })
    .await
}

fn trusting(issuer: &Issuer) -> OutboundClient {
    let names = every_name_is(IpAddr::from([127, 0, 0, 1]));
    OutboundClient::new(loopback_guard(), names, TlsRoots::Only(vec![issuer.der().clone()]))
}

async fn attempt(issuer: &Issuer, chain: Chain) -> AttemptReport {
    let port = receiver(chain, None).await.port();
    post(&trusting(issuer), format!("https://{NAME}:{port}/")).await
}

#[tokio::test]
async fn a_valid_certificate_is_accepted_and_the_connection_reused() {
    let issuer = issuer("trusted");
    let port = receiver(issued(&issuer, &params(NAME)), None).await.port();
    let client = trusting(&issuer);
    let first = post(&client, format!("https://{NAME}:{port}/")).await;
    assert_eq!(word(&first), "200", "{first:?}");
    assert!(first.timings.tls_us.is_some());
    let second = post(&client, format!("https://{NAME}:{port}/")).await;
    assert_eq!((word(&second).as_str(), second.is_reused), ("200", true));
    let address = issued(&issuer, &params("127.0.0.1"));
    let port = receiver(address, None).await.port();
    let attempted = post(&client, format!("https://127.0.0.1:{port}/")).await;
    assert_eq!(word(&attempted), "200", "{attempted:?}");
}

#[tokio::test]
async fn an_invalid_certificate_has_the_class_tls() {
    let issuer = issuer("trusted");
    let mut expired = params(NAME);
    expired.not_before = date_time_ymd(2001, 1, 1);
    expired.not_after = date_time_ymd(2002, 1, 1);
    let mut early = params(NAME);
    early.not_before = date_time_ymd(2090, 1, 1);
    early.not_after = date_time_ymd(2091, 1, 1);
    let stranger = self::issuer("stranger");
    let cases = [
        ("expired", issued(&issuer, &expired), "Expired"),
        ("not valid yet", issued(&issuer, &early), "NotValidYet"),
        ("another name", issued(&issuer, &params("other.example")), "not valid for name"),
        ("self-signed", self_signed(), "UnknownIssuer"),
        ("another issuer", issued(&stranger, &params(NAME)), "UnknownIssuer"),
    ];
    for (case, chain, expected) in cases {
        let attempted = attempt(&issuer, chain).await;
        assert_eq!(word(&attempted), "tls", "{case}: {attempted:?}");
        let detail = attempted.outcome.expect_err("the attempt fails").detail;
        println!("F14 {case}: {detail}");
        let plain = |text: &str| text.to_lowercase().replace(' ', "");
        assert!(plain(&detail).contains(&plain(expected)), "{case}: {detail}");
    }
}

#[tokio::test]
async fn a_port_without_tls_has_the_class_tls_and_gets_no_plain_request() {
    let client = trusting(&issuer("trusted"));
    let plain = listen(|mut stream| async move {
        stream.write_all(OK.as_bytes()).await.ok();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let attempted = post(&client, format!("https://{NAME}:{}/", plain.port())).await;
    assert_eq!(word(&attempted), "tls", "{attempted:?}");
    // The alert of a receiver that supports older versions only.
    let old = listen(|mut stream| async move {
        let mut hello = [0; 5];
        stream.read_exact(&mut hello).await.ok();
        assert_eq!(hello[0], 0x16, "the client sends only a handshake");
        stream.write_all(&[0x15, 3, 1, 0, 2, 2, 70]).await.ok();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let attempted = post(&client, format!("https://{NAME}:{}/", old.port())).await;
    assert_eq!(word(&attempted), "tls", "{attempted:?}");
    let closing = listen(|stream| async move { drop(stream) }).await;
    let attempted = post(&client, format!("https://{NAME}:{}/", closing.port())).await;
    assert_eq!(word(&attempted), "tls", "{attempted:?}");
}

#[tokio::test]
async fn a_stalled_handshake_ends_at_the_deadline() {
    let address = listen(|stream| async move {
        let _held = stream;
        pending::<()>().await;
    })
    .await;
    let url = format!("https://{NAME}:{}/", address.port());
    let deadline = Duration::from_secs(2);
    let attempted = trusting(&issuer("trusted")).post(request(url, deadline)).await;
    assert_eq!((word(&attempted).as_str(), attempted.peer), ("tls", Some(address)));
}

#[tokio::test]
async fn a_receiver_that_requires_a_client_certificate_has_the_class_tls() {
    let issuer = issuer("trusted");
    let port = receiver(issued(&issuer, &params(NAME)), Some(&issuer)).await.port();
    let attempted = post(&trusting(&issuer), format!("https://{NAME}:{port}/")).await;
    assert_eq!(word(&attempted), "tls", "{attempted:?}");
}

#[tokio::test]
async fn without_root_certificates_only_plain_targets_are_called() {
    let names = every_name_is(IpAddr::from([127, 0, 0, 1]));
    let client = OutboundClient::new(loopback_guard(), names, TlsRoots::Platform);
    let port = receiver(self_signed(), None).await.port();
    let attempted = post(&client, format!("https://{NAME}:{port}/")).await;
    assert_eq!(word(&attempted), "tls", "{attempted:?}");
    let plain = answering(OK).await;
    assert_eq!(word(&post(&client, format!("http://{plain}/")).await), "200");
}
