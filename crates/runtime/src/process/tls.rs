//! TLS for incoming connections: one certificate for HTTP and MQTT, reloaded without a restart
//! (design/sign-in-and-limits).
//!
//! Handshakes have a deadline. New connections use the certificate that was last read successfully.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use confab_domain::limits;
use confab_domain::time::Timestamp;
use parking_lot::{Mutex, RwLock};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// First byte of a TLS handshake.
const HANDSHAKE: u8 = 22;
/// Response to clients that use unencrypted HTTP.
const USE_HTTPS: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\n\
    content-length: 40\r\nconnection: close\r\n\r\nThis server is encrypted: use https://.\n";

/// The TLS configuration of the server. Cheap to clone; all clones share the certificate. No
/// `Debug`: it has a private key.
#[derive(Clone)]
pub struct Tls(Arc<TlsInner>);

struct TlsInner {
    files: CertificateFiles,
    certificate: Arc<Current>,
    http: TlsAcceptor,
    mqtt: TlsAcceptor,
    /// Modification times of the files when they were last read, whether or not they were usable.
    seen: Mutex<Changed>,
}

struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// Modification times of certificate and key, where available.
type Changed = [Option<SystemTime>; 2];

impl CertificateFiles {
    fn changed(&self) -> Changed {
        [&self.certificate, &self.key].map(|file| std::fs::metadata(file).ok()?.modified().ok())
    }

    /// Reads the certificate chain and its key, and checks that they belong together.
    fn read(&self) -> Result<CertifiedKey, String> {
        let named = |file: &Path, why: String| format!("{}: {why}", file.display());
        let of_certificate = |why: rustls::pki_types::pem::Error| {
            named(&self.certificate, format!("the certificate cannot be read: {why}"))
        };
        let chain = CertificateDer::pem_file_iter(&self.certificate).map_err(of_certificate)?;
        let chain: Vec<_> = chain.collect::<Result<_, _>>().map_err(of_certificate)?;
        if chain.is_empty() {
            return Err(named(&self.certificate, "the file contains no certificate".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|why| named(&self.key, format!("the private key cannot be read: {why}")))?;
        CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider()).map_err(|why| {
            named(&self.key, format!("the private key does not match the certificate: {why}"))
        })
    }
}

/// The certificate for new connections.
struct Current(RwLock<Arc<CertifiedKey>>);

// `ResolvesServerCert` requires `Debug`. Print nothing of the key.
impl std::fmt::Debug for Current {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().clone())
    }
}

impl Tls {
    /// Reads the certificate and the key. The error names the unusable file and the reason.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, String> {
        let files = CertificateFiles { certificate: certificate.to_owned(), key: key.to_owned() };
        let seen = Mutex::new(files.changed());
        let certificate = Arc::new(Current(RwLock::new(Arc::new(files.read()?))));
        let http = acceptor(certificate.clone(), &[b"h2", b"http/1.1"])?;
        // Most MQTT clients offer no ALPN protocol, and some offer an HTTP one by mistake.
        let mqtt = acceptor(certificate.clone(), &[])?;
        Ok(Self(Arc::new(TlsInner { files, certificate, http, mqtt, seen })))
    }

    /// Reads the files again. If they are unusable, logs the reason and keeps the old certificate.
    pub fn read_again(&self) {
        *self.0.seen.lock() = self.0.files.changed();
        match self.0.files.read() {
            Ok(read) => {
                *self.0.certificate.0.write() = Arc::new(read);
                let path = self.0.files.certificate.display();
                tracing::info!(%path, "certificate reloaded");
            }
            Err(reason) => {
                tracing::error!(
                    %reason,
                    "failed to reload the certificate; the old one stays in use"
                );
            }
        }
    }

    /// Reads the files again if they were modified.
    pub fn read_if_changed(&self) {
        if *self.0.seen.lock() != self.0.files.changed() {
            self.read_again();
        }
    }

    /// Performs the TLS handshake of an HTTP connection.
    pub async fn accept_http(&self, stream: TcpStream) -> io::Result<InboundStream> {
        in_time(async {
            let mut first = [0];
            if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
                let _ = stream.try_write(USE_HTTPS);
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.0.http.accept(stream).await
        })
        .await
    }

    /// Performs the TLS handshake of an MQTT connection.
    pub async fn accept_mqtt(&self, stream: TcpStream) -> io::Result<InboundStream> {
        in_time(self.0.mqtt.accept(stream)).await
    }
}

/// Returns the expiry time of the first certificate in a file, if it can be read.
pub fn expires_at(certificate: &Path) -> Option<Timestamp> {
    let first = CertificateDer::pem_file_iter(certificate).ok()?.next()?.ok()?;
    expiry(&first)
}

/// Returns the expiry time of a certificate in DER. Its validity is the only place where two times
/// follow each other; the second one is the end.
fn expiry(certificate: &[u8]) -> Option<Timestamp> {
    certificate.iter().enumerate().find_map(|(at, _)| {
        let (_, rest) = asn1_time(certificate.get(at..)?)?;
        asn1_time(rest).map(|(until, _)| until)
    })
}

/// Parses an ASN.1 time at the start of the bytes. Returns it with the remaining bytes.
fn asn1_time(bytes: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (length, format) = match bytes.get(..2)? {
        [0x17, 13] => (13, "%y%m%d%H%M%SZ"),
        [0x18, 15] => (15, "%Y%m%d%H%M%SZ"),
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(2..2 + length)?).ok()?;
    let time = jiff::civil::DateTime::strptime(format, text).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some((Timestamp(time.as_microsecond()), &bytes[2 + length..]))
}

async fn in_time(
    handshake: impl Future<Output = io::Result<TlsStream<TcpStream>>>,
) -> io::Result<InboundStream> {
    let limit = Duration::from_millis(limits::TLS_HANDSHAKE_MS);
    let shaken = timeout(limit, handshake).await.unwrap_or(Err(io::ErrorKind::TimedOut.into()));
    let outcome = if shaken.is_ok() { "done" } else { "failed" };
    metrics::counter!("confab_tls_handshakes_total", "outcome" => outcome).increment(1);
    Ok(InboundStream::Encrypted(Box::new(shaken?)))
}

fn acceptor(certificate: Arc<Current>, protocols: &[&[u8]]) -> Result<TlsAcceptor, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|why| why.to_string())?.with_no_client_auth();
    let mut config = config.with_cert_resolver(certificate);
    config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// An incoming connection.
pub enum InboundStream {
    Plain(TcpStream),
    /// Boxed because a TLS stream is large.
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for InboundStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for InboundStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Encrypted(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use rcgen::generate_simple_self_signed;
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;

    /// A folder with a certificate that can be replaced.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            let folder = Self(tempfile::tempdir().expect("a folder"));
            folder.put_certificate();
            folder
        }

        fn put_certificate(&self) {
            let made = generate_simple_self_signed(["localhost".to_owned()]).expect("created");
            std::fs::write(self.certificate(), made.cert.pem()).expect("written");
            std::fs::write(self.key(), made.signing_key.serialize_pem()).expect("written");
        }

        fn certificate(&self) -> PathBuf {
            self.0.path().join("cert.pem")
        }

        fn key(&self) -> PathBuf {
            self.0.path().join("key.pem")
        }

        fn tls(&self) -> Tls {
            Tls::from_files(&self.certificate(), &self.key()).expect("read")
        }
    }

    /// Returns the certificate for new connections.
    fn shown(tls: &Tls) -> Vec<CertificateDer<'static>> {
        tls.0.certificate.0.read().cert.clone()
    }

    #[tokio::test(start_paused = true)]
    async fn an_incomplete_handshake_is_aborted_after_ten_seconds() {
        let folder = Folder::new();
        let (tls, listener) =
            (folder.tls(), TcpListener::bind("127.0.0.1:0").await.expect("bound"));
        let address = listener.local_addr().expect("an address");
        for sent in [&b""[..], &[HANDSHAKE], &[HANDSHAKE, 3, 1, 2]] {
            let client = TcpStream::connect(address).await.expect("connected");
            if !sent.is_empty() {
                client.writable().await.expect("writable");
                client.try_write(sent).expect("sent");
            }
            let (stream, _) = listener.accept().await.expect("accepted");
            let begun = Instant::now();
            let error = tls.accept_http(stream).await.err().expect("the handshake times out");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            let took = begun.elapsed().as_millis() as u64;
            assert!((limits::TLS_HANDSHAKE_MS..10_100).contains(&took), "{took} ms");
        }
    }

    #[test]
    fn changed_certificates_are_reloaded_and_invalid_ones_are_ignored() {
        let folder = Folder::new();
        let tls = folder.tls();
        let first = shown(&tls);
        tls.read_if_changed();
        assert_eq!(shown(&tls), first);
        let later = |seconds| SystemTime::now() + Duration::from_secs(seconds);
        let touch = |at| {
            let file = std::fs::File::options().append(true).open(folder.certificate());
            file.and_then(|file| file.set_modified(at)).expect("the time is set");
        };
        folder.put_certificate();
        touch(later(1));
        tls.read_if_changed();
        let second = shown(&tls);
        assert_ne!(second, first);
        std::fs::write(folder.certificate(), "no certificate").expect("written");
        touch(later(2));
        tls.read_if_changed();
        assert_eq!(shown(&tls), second);
    }
}
