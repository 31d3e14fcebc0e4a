//! The signature in the `service-signature-key` header (spec 5): HMAC-SHA256 of the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Signs a body: returns its HMAC-SHA256 with the app's secret key, in Base64 (spec 5).
pub fn sign(secret_key: &str, body: &[u8]) -> String {
    STANDARD.encode(digest(secret_key.as_bytes(), &[body]))
}

/// The signature does not match the body and the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not match the body")]
pub struct Mismatch;

/// Checks the value of the signature header against the raw body, in constant time.
pub fn verify(secret_key: &str, body: &[u8], signature: &str) -> Result<(), Mismatch> {
    let given = STANDARD.decode(signature.trim()).unwrap_or_default();
    let expected = digest(secret_key.as_bytes(), &[body]);
    if bool::from(expected.as_slice().ct_eq(given.as_slice())) { Ok(()) } else { Err(Mismatch) }
}

pub(crate) fn digest(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}
