//! Whether a request came from the provider: by its head and its raw bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::credentials::Secret;

/// What stands around the body of a request. No `Debug`: it may hold a token.
pub struct Head<'a> {
    /// `GET` or `POST`.
    pub method: &'a str,
    /// What follows the question mark, as it came.
    pub query: &'a str,
    /// Those that are text.
    pub headers: &'a [(&'a str, &'a str)],
}

impl Head<'_> {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }

    pub(super) fn query(&self, name: &str) -> Option<String> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|(it, _)| it == name).map(|(_, value)| value.into_owned())
    }
}

/// What a request to a channel's hook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The provider tries the address: answer 200 with this as `text/plain`, byte for byte.
    Handshake(String),
    /// It came from the provider.
    Proven,
    /// It did not, or nobody can say: answer 403 and write nothing.
    Forged,
}

impl Proof {
    pub(super) fn of(is_proven: bool) -> Self {
        if is_proven { Self::Proven } else { Self::Forged }
    }
}

/// Whether two texts are the same; how long it takes tells nothing but their length. An absent
/// secret is like nothing.
pub(super) fn is_same(secret: Option<&Secret>, given: Option<&str>) -> bool {
    let (Some(secret), Some(given)) = (secret, given) else { return false };
    bool::from(secret.expose().as_bytes().ct_eq(given.as_bytes()))
}

/// Whether Base64 of the HMAC-SHA256 of a body was given.
pub(super) fn is_signed_base64(secret: Option<&Secret>, raw: &[u8], given: Option<&str>) -> bool {
    let given = given.and_then(|given| STANDARD.decode(given.trim()).ok());
    is_signed(secret, raw, given)
}

/// Whether the HMAC-SHA256 of a body was given in hexadecimal.
pub(super) fn is_signed_hex(secret: Option<&Secret>, raw: &[u8], given: Option<&str>) -> bool {
    is_signed(secret, raw, given.and_then(from_hex))
}

fn is_signed(secret: Option<&Secret>, raw: &[u8], given: Option<Vec<u8>>) -> bool {
    let (Some(secret), Some(given)) = (secret, given) else { return false };
    let key = secret.expose().as_bytes();
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length is taken");
    mac.update(raw);
    bool::from(mac.finalize().into_bytes().as_slice().ct_eq(&given))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
