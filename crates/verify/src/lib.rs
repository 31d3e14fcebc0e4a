//! Verifies that a webhook came from Confab and is unchanged: for receivers written in Rust.
//!
//! Every webhook carries two signatures over the same raw bytes, with the app's secret key:
//!
//! - `service-signature-key` (spec 5): Base64 of the HMAC-SHA256 of the body. [`verify`] checks it.
//! - `webhook-id`, `webhook-timestamp` and `webhook-signature`: the Standard Webhooks headers,
//!   which also protect against replay. [`standard`] checks them; so does any library for them.
//!
//! Chat message webhooks also carry `service-sdk-signature`, with the SDK secret: [`hex`] checks
//! it.
//!
//! Receivers and `confab verify` call this crate; the server signs with [`sign`] and
//! [`standard::sign`]. No I/O, no clock, no JSON: sign and verify the raw bytes, before anything
//! parses them.
//!
//! ```
//! # let (secret, body) = ("a-secret-key", b"{}");
//! # let header = confab_verify::sign(secret, body);
//! match confab_verify::verify(secret, body, &header) {
//!     Ok(()) => { /* handle it, answer 200 */ }
//!     Err(wrong) => { /* answer 401 */ }
//! }
//! ```

pub mod hex;
mod plain;
pub mod standard;
mod why;

pub use plain::{Mismatch, sign, verify};

pub use why::{Reason, why};

/// Returns the name of the signature header for a brand such as `SERVICE`.
pub fn header_name(brand: &str) -> String {
    format!("{}-signature-key", brand.to_lowercase())
}
