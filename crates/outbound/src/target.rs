//! A strict URL parser: no two programs can disagree about the host of an accepted URL.

use std::net::{IpAddr, Ipv6Addr};

use url::Url;

const URL_BYTES_MAX: usize = 2048;
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// Reason why a target may not be called. The text is for the person who configures the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockedTarget {
    #[error("the URL has more than {URL_BYTES_MAX} bytes")]
    TooLong,
    /// A scheme other than http and https, or an incomplete URL.
    #[error("the URL must start with http:// or https://")]
    Scheme,
    /// A character that some parsers skip.
    #[error("the URL contains a space, a control character or a backslash")]
    Character,
    /// A user name or password before the host (`user:password@`).
    #[error("the URL must not contain a user name or a password")]
    UserInfo,
    /// A fragment (`#...`), which is never sent.
    #[error("the URL must not have a fragment")]
    Fragment,
    /// A missing or invalid host.
    #[error("the URL has no valid host")]
    Host,
    /// An address in an unusual notation, or a name that normalizes to one.
    #[error(
        "the URL's host must be written in its usual form, such as 8.8.8.8 instead of 0x8.8.8.8"
    )]
    OddHost,
    /// A host such as `example.com.`.
    #[error("the URL's host must not end with a dot")]
    TrailingDot,
    /// A port that is not a plain number.
    #[error("the URL has no valid port")]
    OddPort,
    /// A port of services other than web receivers.
    #[error("the URL must not use port {0}")]
    Port(u16),
    /// A name that is valid inside a private network only.
    #[error("{0} is not a public name")]
    InternalName(String),
    /// An address that is not public. Only its kind is shown, because the address would reveal the
    /// internal network.
    #[error("the host has an address that may not be called ({0})")]
    Address(&'static str),
    /// A host without addresses.
    #[error("the host has no address")]
    NoAddress,
}

impl BlockedTarget {
    /// Returns the text, with advice if the operator's allow list can allow the target (D-0010).
    pub fn with_advice(&self) -> String {
        match self {
            Self::Port(_) | Self::InternalName(_) | Self::Address(_) => {
                format!("{self}; the server's operator can allow it with --webhook-allow")
            }
            _ => self.to_string(),
        }
    }
}

/// The host of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name in its ASCII form, in lower case.
    Name(String),
    /// A literal address.
    Address(IpAddr),
}

/// A validated URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    is_tls: bool,
    is_mail: bool,
    host: Host,
    port: u16,
    path_and_query: String,
}

impl Target {
    /// Parses a URL. Does not decide whether its host may be called.
    pub(super) fn parse(url: &str) -> Result<Self, BlockedTarget> {
        if url.len() > URL_BYTES_MAX {
            return Err(BlockedTarget::TooLong);
        }
        if url.chars().any(|it| it.is_control() || it.is_whitespace() || it == '\\') {
            return Err(BlockedTarget::Character);
        }
        let authority = authority_of(url)?;
        if authority.contains('@') {
            return Err(BlockedTarget::UserInfo);
        }
        if url.contains('#') {
            return Err(BlockedTarget::Fragment);
        }
        let (raw_host, raw_port) = split_port(authority)?;
        let parsed = Url::parse(url).map_err(|_| BlockedTarget::Host)?;
        let host = host_of(&parsed, raw_host)?;
        let port = parsed.port_or_known_default().ok_or(BlockedTarget::OddPort)?;
        if port == 0 || raw_port.is_some_and(|raw| raw != port.to_string()) {
            return Err(BlockedTarget::OddPort);
        }
        let query = parsed.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path_and_query = format!("{}{query}", parsed.path());
        let is_tls = parsed.scheme() == "https";
        Ok(Self { is_tls, is_mail: false, host, port, path_and_query })
    }

    /// Parses the address of a mail server as strictly as a URL.
    pub(super) fn mail(host: &str, port: u16, is_tls: bool) -> Result<Self, BlockedTarget> {
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        if host.is_empty() || !host.chars().all(is_plain) {
            return Err(BlockedTarget::Host);
        }
        let bracketed = host.starts_with('[');
        let host = match host.contains(':') && !bracketed {
            true => format!("[{host}]"),
            false => host.to_ascii_lowercase(),
        };
        let scheme = if is_tls { "https" } else { "http" };
        let target = Self::parse(&format!("{scheme}://{host}:{port}/"))?;
        Ok(Self { is_mail: true, port, ..target })
    }

    /// Whether the target is a mail server.
    pub(super) fn is_mail(&self) -> bool {
        self.is_mail
    }

    /// Whether the connection uses TLS.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Returns the name or address to call.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the URL's port, or the default of its scheme.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the value of the `host` header.
    pub(super) fn authority(&self) -> String {
        let host = match &self.host {
            Host::Name(name) => name.clone(),
            Host::Address(IpAddr::V4(address)) => address.to_string(),
            Host::Address(IpAddr::V6(address)) => format!("[{address}]"),
        };
        match (self.is_tls, self.port) {
            (false, 80) | (true, 443) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }
}

/// Returns the URL's authority, the text between `//` and the path, as written.
fn authority_of(url: &str) -> Result<&str, BlockedTarget> {
    let (scheme, rest) = url.split_once("://").ok_or(BlockedTarget::Scheme)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(BlockedTarget::Scheme);
    }
    match rest.split(['/', '?', '#']).next() {
        None | Some("") => Err(BlockedTarget::Host),
        Some(authority) => Ok(authority),
    }
}

/// Splits an authority into the host with its brackets and the port, if there is one.
fn split_port(authority: &str) -> Result<(&str, Option<&str>), BlockedTarget> {
    let host_end = match authority.find(']') {
        Some(at) => at + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, rest) = authority.split_at(host_end);
    match rest.strip_prefix(':') {
        Some(port) => Ok((host, Some(port))),
        None if rest.is_empty() => Ok((host, None)),
        None => Err(BlockedTarget::Host),
    }
}

fn host_of(parsed: &Url, raw: &str) -> Result<Host, BlockedTarget> {
    match parsed.host().ok_or(BlockedTarget::Host)? {
        url::Host::Ipv4(address) if raw == address.to_string() => Ok(Host::Address(address.into())),
        url::Host::Ipv6(address) => {
            let inside = raw.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let is_plain = inside.is_some_and(|text| text.parse::<Ipv6Addr>() == Ok(address));
            if is_plain { Ok(Host::Address(address.into())) } else { Err(BlockedTarget::OddHost) }
        }
        url::Host::Ipv4(_) => Err(BlockedTarget::OddHost),
        url::Host::Domain(name) => name_of(name, raw).map(Host::Name),
    }
}

/// Returns the normalized name if normalization changed only letter case and non-ASCII letters,
/// which it encodes (`xn--`).
fn name_of(name: &str, raw: &str) -> Result<String, BlockedTarget> {
    if name.ends_with('.') || raw.ends_with('.') {
        return Err(BlockedTarget::TrailingDot);
    }
    if raw.contains('%') {
        return Err(BlockedTarget::OddHost);
    }
    let count = |text: &str| text.split('.').count();
    if name.len() > NAME_BYTES_MAX || count(name) != count(raw) {
        return Err(BlockedTarget::Host);
    }
    for (label, raw) in name.split('.').zip(raw.split('.')) {
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || it == b'-' || it == b'_';
        if label.is_empty() || label.len() > LABEL_BYTES_MAX || !label.bytes().all(is_plain) {
            return Err(BlockedTarget::Host);
        }
        // Circled digits, wide letters and invisible characters normalize to plain ASCII.
        let is_kept = label.eq_ignore_ascii_case(raw) || label.starts_with("xn--");
        if !is_kept {
            return Err(BlockedTarget::OddHost);
        }
    }
    match name.rsplit('.').next() {
        Some(last) if last.bytes().all(|it| it.is_ascii_digit()) => Err(BlockedTarget::OddHost),
        _ => Ok(name.to_owned()),
    }
}
