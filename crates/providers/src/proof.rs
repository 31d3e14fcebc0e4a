//! Verification that a webhook request came from the provider, by its head and its raw body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::credentials::Secret;

/// Method, query and headers of a request. No `Debug`: they may contain a token.
pub struct Head<'a> {
    /// `GET` or `POST`.
    pub method: &'a str,
    /// Query string as received, without the question mark.
    pub query: &'a str,
    /// Names and values of the headers, except those whose values are not text.
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

/// Result of verifying a request to a channel's webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The provider verifies the webhook URL. The caller must respond with status 200 and exactly
    /// this value as `text/plain`.
    Handshake(String),
    /// The request came from the provider.
    Proven,
    /// The request may be forged. The caller must respond with status 403 and store nothing.
    Forged,
}

impl Proof {
    pub(super) fn of(is_proven: bool) -> Self {
        if is_proven { Self::Proven } else { Self::Forged }
    }
}

/// Whether a given text equals a secret. The time of the comparison depends only on their lengths.
/// An absent secret equals nothing.
pub(super) fn is_same(secret: Option<&Secret>, given: Option<&str>) -> bool {
    let (Some(secret), Some(given)) = (secret, given) else { return false };
    bool::from(secret.expose().as_bytes().ct_eq(given.as_bytes()))
}

/// Whether `given` is the HMAC-SHA256 of the body in Base64.
pub(super) fn is_signed_base64(secret: Option<&Secret>, raw: &[u8], given: Option<&str>) -> bool {
    let given = given.and_then(|given| STANDARD.decode(given.trim()).ok());
    is_signed(secret, raw, given)
}

/// Whether `given` is the HMAC-SHA256 of the body in hexadecimal.
pub(super) fn is_signed_hex(secret: Option<&Secret>, raw: &[u8], given: Option<&str>) -> bool {
    is_signed(secret, raw, given.and_then(from_hex))
}

fn is_signed(secret: Option<&Secret>, raw: &[u8], given: Option<Vec<u8>>) -> bool {
    let (Some(secret), Some(given)) = (secret, given) else { return false };
    let key = secret.expose().as_bytes();
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts keys of any length");
    mac.update(raw);
    bool::from(mac.finalize().into_bytes().as_slice().ct_eq(&given))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|it| u8::try_from(it).ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
