//! Proves that a webhook came from Confab and is unchanged: for receivers written in Rust.
//!
//! Every webhook carries two signatures over the same raw bytes, with the app's secret key:
//!
//! - `service-signature-key` (spec 5): Base64 of the HMAC-SHA256 of the body. [`verify`] checks it.
//! - `webhook-id`, `webhook-timestamp` and `webhook-signature`: the Standard Webhooks headers,
//!   which also protect against replay. [`standard`] checks them; so does any library for them.
//!
//! Called by receivers and by `confab verify`; the server signs with [`sign`] and
//! [`standard::sign`]. No I/O, no clock, no JSON: sign and verify the bytes that came, before
//! anything parses them.
//!
//! ```
//! # let (secret, body) = ("a-secret-key", b"{}");
//! # let header = confab_verify::sign(secret, body);
//! match confab_verify::verify(secret, body, &header) {
//!     Ok(()) => { /* handle it, answer 200 */ }
//!     Err(wrong) => { /* answer 401 */ }
//! }
//! ```

pub mod standard;
mod why;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

pub use why::{Reason, why};

/// The name of the header that holds the signature, for a brand such as `SERVICE`.
pub fn header_name(brand: &str) -> String {
    format!("{}-signature-key", brand.to_lowercase())
}

/// The signature of a body: Base64 of its HMAC-SHA256 with the app's secret key (spec 5).
pub fn sign(secret_key: &str, body: &[u8]) -> String {
    STANDARD.encode(digest(secret_key.as_bytes(), &[body]))
}

/// The signature does not fit the body and the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not fit the body")]
pub struct Mismatch;

/// Checks the value of the signature header against the raw body. The time it takes tells nothing.
pub fn verify(secret_key: &str, body: &[u8], signature: &str) -> Result<(), Mismatch> {
    let given = STANDARD.decode(signature.trim()).unwrap_or_default();
    let expected = digest(secret_key.as_bytes(), &[body]);
    if bool::from(expected.as_slice().ct_eq(given.as_slice())) { Ok(()) } else { Err(Mismatch) }
}

fn digest(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length is taken");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}
