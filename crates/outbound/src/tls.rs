//! TLS for outgoing connections, and the root certificates that it trusts.

use std::sync::{Arc, LazyLock, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::target::Host;

/// The trusted root certificates.
#[derive(Debug, Clone)]
pub enum TlsRoots {
    /// The roots that the operating system trusts.
    Platform,
    /// Only these roots, for tests.
    Only(Vec<CertificateDer<'static>>),
}

type TlsFailure = Box<dyn std::error::Error + Send + Sync>;

/// TLS settings for one protocol, created for the first TLS connection, so that a machine without
/// root certificates can still call http targets.
pub struct OutboundTls {
    roots: TlsRoots,
    protocol: &'static [u8],
    connector: OnceLock<Result<TlsConnector, String>>,
}

impl OutboundTls {
    pub fn new(roots: TlsRoots) -> Self {
        Self::with_protocol(roots, b"http/1.1")
    }

    /// Creates settings for HTTP/2.
    pub(super) fn http2(roots: TlsRoots) -> Self {
        Self::with_protocol(roots, b"h2")
    }

    /// Creates settings for mail servers, without ALPN: some mail servers abort the handshake if
    /// HTTP is offered.
    pub(super) fn mail(roots: TlsRoots) -> Self {
        Self::with_protocol(roots, b"")
    }

    fn with_protocol(roots: TlsRoots, protocol: &'static [u8]) -> Self {
        Self { roots, protocol, connector: OnceLock::new() }
    }

    fn connector(&self) -> Result<&TlsConnector, String> {
        let connector = self.connector.get_or_init(|| {
            let config = client_config(&self.roots, self.protocol).inspect_err(|error| {
                tracing::warn!(%error, "failed to load root certificates; https targets fail");
            });
            config
                .map(|config| TlsConnector::from(Arc::new(config)))
                .map_err(|error| format!("this server has no valid root certificates: {error}"))
        });
        connector.as_ref().map_err(Clone::clone)
    }

    /// Encrypts a connection to a host. The caller limits the time.
    pub async fn connect<S>(&self, host: &Host, stream: S) -> Result<TlsStream<S>, String>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let connector = self.connector()?;
        let name = match host {
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|it| it.to_string())?,
            Host::Address(address) => ServerName::from(*address),
        };
        connector.connect(name, stream).await.map_err(|error| error.to_string())
    }
}

fn client_config(roots: &TlsRoots, protocol: &[u8]) -> Result<ClientConfig, TlsFailure> {
    let verifier = match roots {
        TlsRoots::Platform => PLATFORM.clone()?,
        TlsRoots::Only(certificates) => only(certificates)?,
    };
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    if !protocol.is_empty() {
        config.alpn_protocols = vec![protocol.to_vec()];
    }
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The operating system's roots, read once because they are more than a hundred certificates.
static PLATFORM: LazyLock<Result<Arc<dyn ServerCertVerifier>, String>> =
    LazyLock::new(|| match Verifier::new(provider()) {
        Ok(verifier) => Ok(Arc::new(verifier)),
        Err(error) => Err(error.to_string()),
    });

fn only(
    certificates: &[CertificateDer<'static>],
) -> Result<Arc<dyn ServerCertVerifier>, TlsFailure> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate.clone())?;
    }
    Ok(WebPkiServerVerifier::builder_with_provider(roots.into(), provider()).build()?)
}

/// Whether an error comes from TLS, such as a late handshake failure.
pub(super) fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<std::io::Error>().and_then(|it| it.get_ref());
        if inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        cause = error.source();
    }
    false
}
