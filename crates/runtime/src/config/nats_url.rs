//! The `nats_url` setting: the addresses of the NATS servers that all nodes share.

use std::path::PathBuf;

use async_nats::ServerAddr;
use url::Url;

/// One or several servers of one NATS installation. No `Debug`: it may contain a password.
#[derive(Clone)]
pub struct NatsUrl {
    /// Server URLs without credentials.
    pub servers: Vec<ServerAddr>,
    pub credentials: Option<NatsCredentials>,
    /// File with the certificate authorities that sign the servers' certificates. `None` for those
    /// of the operating system.
    pub ca_file: Option<PathBuf>,
}

impl NatsUrl {
    /// Parses addresses such as `nats://user:password@host:4222` or `nats://token@host`, separated
    /// by commas. The first credentials found apply to all servers.
    pub fn parse(text: &str, ca_file: Option<PathBuf>) -> Option<Self> {
        let (mut servers, mut credentials) = (Vec::new(), None);
        for text in text.split(',') {
            let address: ServerAddr = text.trim().parse().ok()?;
            let mut url = address.into_inner();
            if !["nats", "tls"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty)
            {
                return None;
            }
            if credentials.is_none() && !url.username().is_empty() {
                credentials = Some(NatsCredentials::of(&url)?);
            }
            url.set_username("").ok()?;
            url.set_password(None).ok()?;
            servers.push(ServerAddr::from_url(url).ok()?);
        }
        Some(Self { servers, credentials, ca_file })
    }

    /// Whether the addresses contain a user or a token.
    pub fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }
}

#[derive(Clone)]
pub enum NatsCredentials {
    Password { user: String, password: String },
    Token(String),
}

impl NatsCredentials {
    /// Parses the credentials in a URL. A name without a password is a token, as in other NATS
    /// clients.
    fn of(url: &Url) -> Option<Self> {
        let user = decoded(url.username())?;
        Some(match url.password() {
            Some(password) => Self::Password { user, password: decoded(password)? },
            None => Self::Token(user),
        })
    }
}

/// Decodes the percent-encoding of a URL part.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
