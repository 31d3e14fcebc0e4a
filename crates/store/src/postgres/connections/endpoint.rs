//! Address of the database, and connection options derived from it.
//!
//! `sslmode` means the same as in PostgreSQL's own clients (design/storage): `prefer` and `require`
//! encrypt, `verify-full` also verifies the server's name.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::StoreError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time without acknowledgment of sent data after which a connection counts as lost.
const SILENCE_MAX: Duration = Duration::from_secs(10);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(5);

/// Address of a PostgreSQL database. No `Debug`: it contains a password.
#[derive(Clone)]
pub struct DatabaseEndpoint {
    config: Config,
    /// Connection options for each host of the address, in order.
    pub(crate) hosts: Vec<Config>,
    pub(crate) tls: MakeRustlsConnect,
    /// Location where this node stores uploaded files, if it serves.
    pub(crate) files_place: Option<String>,
}

impl DatabaseEndpoint {
    pub(crate) fn parse(url: &str) -> Result<Self, StoreError> {
        let doing = "reading the database's address";
        let (url, verification) = take_tls_options(url).map_err(StoreError::while_doing(doing))?;
        let config = configured(&url, &verification).map_err(StoreError::while_doing(doing))?;
        let hosts = each_host(&url).into_iter().map(|url| configured(&url, &verification));
        let hosts: Result<Vec<_>, _> = hosts.collect();
        let hosts = hosts.map_err(StoreError::while_doing(doing))?;
        let tls = client_config(&verification).map_err(StoreError::while_doing(doing))?;
        Ok(Self { config, hosts, tls: MakeRustlsConnect::new(tls), files_place: None })
    }

    pub(crate) fn with_files_in(self, place: String) -> Self {
        Self { files_place: Some(place), ..self }
    }

    /// Formats the address without user and password.
    pub(crate) fn shown(&self) -> String {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate().map(|(at, host)| {
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(path) => path.display().to_string(),
            }
        });
        let hosts: Vec<_> = hosts.collect();
        let database = self.config.get_dbname().unwrap_or("the user's database");
        format!("PostgreSQL {database} at {}", hosts.join(", "))
    }
}

fn configured(url: &str, verification: &Verification) -> Result<Config, tokio_postgres::Error> {
    let mut config: Config = url.parse()?;
    if *verification != Verification::None {
        config.ssl_mode(SslMode::Require);
    }
    if config.get_application_name().is_none() {
        config.application_name("confab");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    config.tcp_user_timeout(SILENCE_MAX);
    config.keepalives_idle(KEEPALIVE_EVERY).keepalives_interval(KEEPALIVE_EVERY);
    config.keepalives_retries(2);
    Ok(config)
}

/// Splits an address with several hosts into one address per host. Returns addresses that are no
/// URLs unchanged.
fn each_host(url: &str) -> Vec<String> {
    let Some((scheme, rest)) = url.split_once("://") else { return vec![url.to_owned()] };
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    hosts.split(',').map(|host| format!("{scheme}://{user}{host}{rest}")).collect()
}

#[derive(PartialEq, Eq)]
enum Verification {
    None,
    Platform,
    Root(PathBuf),
}

/// Removes the options that the driver does not support from the address, and returns how to verify
/// the server's certificate.
fn take_tls_options(url: &str) -> Result<(String, Verification), String> {
    let Some((base, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), Verification::None));
    };
    let (mut rest, mut is_full, mut root) = (Vec::new(), false, None);
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", "verify-full")) => is_full = true,
            Some(("sslmode", "verify-ca" | "allow")) => {
                return Err("sslmode must be disable, prefer, require or verify-full".to_owned());
            }
            Some(("sslrootcert", path)) => root = Some(PathBuf::from(path)),
            _ => rest.push(pair),
        }
    }
    let verification = match (is_full, root) {
        (false, None) => Verification::None,
        (false, Some(_)) => return Err("sslrootcert needs sslmode=verify-full".to_owned()),
        (true, None) => Verification::Platform,
        (true, Some(path)) => Verification::Root(path),
    };
    let rest = rest.join("&");
    Ok((if rest.is_empty() { base.to_owned() } else { format!("{base}?{rest}") }, verification))
}

type EndpointFailure = Box<dyn std::error::Error + Send + Sync>;

fn client_config(verification: &Verification) -> Result<ClientConfig, EndpointFailure> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    Ok(match verification {
        Verification::None => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth(),
        Verification::Platform => builder.with_platform_verifier()?.with_no_client_auth(),
        Verification::Root(path) => {
            let mut roots = RootCertStore::empty();
            let shown = path.display();
            let certificates = CertificateDer::pem_file_iter(path)
                .map_err(|error| format!("sslrootcert {shown} cannot be read: {error}"))?;
            for certificate in certificates {
                roots.add(certificate?)?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    })
}

/// Certificate verifier that accepts every certificate: `prefer` and `require` encrypt without
/// verifying the server.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(url: &str) -> String {
        DatabaseEndpoint::parse(url).err().expect("refused").source.to_string()
    }

    #[test]
    fn the_address_is_shown_without_its_password() {
        let shown = |url: &str| DatabaseEndpoint::parse(url).expect("valid").shown();
        let url = "postgres://ana:secret@db.example:6000/chat?sslmode=verify-full";
        assert_eq!(shown(url), "PostgreSQL chat at db.example:6000");
        let two = "postgres://ana:secret@one,two/chat?target_session_attrs=read-write";
        assert_eq!(shown(two), "PostgreSQL chat at one:5432, two:5432");
    }

    #[test]
    fn each_host_is_tried_with_all_other_parts_of_the_address() {
        let url = "postgres://ana:a,b@one:6000,[::1],two/chat?target_session_attrs=read-write";
        let each = ["one:6000", "[::1]", "two"]
            .map(|host| format!("postgres://ana:a,b@{host}/chat?target_session_attrs=read-write"));
        assert_eq!(each_host(url), each);
        for one in ["postgres://h", "postgres:///chat?host=/tmp", "host=a,b dbname=chat"] {
            assert_eq!(each_host(one), [one]);
        }
    }

    #[test]
    fn unsupported_addresses_are_rejected_without_showing_their_password() {
        assert!(problem("postgres://h/d?sslmode=verify-ca").contains("verify-full"));
        assert!(problem("postgres://h/d?sslrootcert=/ca.pem").contains("sslmode=verify-full"));
        let missing = problem("postgres://h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem");
        assert!(missing.contains("/nowhere/ca.pem"), "{missing}");
        assert!(!problem("postgres://ana:secret@h:port/d").contains("secret"));
    }
}
