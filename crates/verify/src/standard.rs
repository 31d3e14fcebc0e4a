//! The Standard Webhooks signature (version 1), which covers the webhook's id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use subtle::{Choice, ConstantTimeEq};

use crate::plain::digest;

/// Maximum difference in seconds between a webhook's timestamp and the receiver's clock.
pub const TOLERANCE_S: u64 = 300;

/// The reason why a webhook's headers are not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// `webhook-timestamp` is not a number of seconds.
    #[error("webhook-timestamp is not a number of seconds")]
    Timestamp,
    /// The timestamp is too old; the webhook may be a replay.
    #[error("the webhook timestamp is too old")]
    TooOld,
    /// The timestamp is in the future; the sender's or the receiver's clock is wrong.
    #[error("the webhook timestamp is in the future")]
    TooNew,
    /// None of the signatures in the header matches.
    #[error("no signature matches")]
    Mismatch,
}

/// The three signature headers of a webhook.
#[derive(Debug, Clone, Copy)]
pub struct Headers<'a> {
    /// `webhook-id`: identical in every attempt; use it to detect repeated deliveries.
    pub id: &'a str,
    /// `webhook-timestamp`: time of this attempt, in Unix seconds.
    pub timestamp: &'a str,
    /// `webhook-signature`: one or more signatures, separated by spaces.
    pub signature: &'a str,
}

/// Returns the app's secret key in the format of Standard Webhooks libraries: `whsec_` and Base64.
pub fn secret(secret_key: &str) -> String {
    format!("whsec_{}", STANDARD.encode(secret_key))
}

/// Returns the signature for `webhook-signature`, such as
/// `v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=`.
pub fn sign(secret_key: &str, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    format!("v1,{}", STANDARD.encode(signed(secret_key, id, &timestamp_s.to_string(), body)))
}

/// Checks the headers against the raw body; `now_s` is the receiver's clock in Unix seconds.
pub fn verify(
    secret_key: &str,
    headers: Headers<'_>,
    body: &[u8],
    now_s: i64,
) -> Result<(), Wrong> {
    let sent_s: i64 = headers.timestamp.trim().parse().map_err(|_| Wrong::Timestamp)?;
    if sent_s.abs_diff(now_s) > TOLERANCE_S {
        return Err(if sent_s < now_s { Wrong::TooOld } else { Wrong::TooNew });
    }
    let expected = signed(secret_key, headers.id, headers.timestamp.trim(), body);
    let matches = |given: &str| {
        let given = STANDARD.decode(given).unwrap_or_default();
        expected.as_slice().ct_eq(given.as_slice())
    };
    let given = headers.signature.split_whitespace().filter_map(|one| one.strip_prefix("v1,"));
    let any = given.map(matches).fold(Choice::from(0), |any, one| any | one);
    if bool::from(any) { Ok(()) } else { Err(Wrong::Mismatch) }
}

fn signed(secret_key: &str, id: &str, timestamp: &str, body: &[u8]) -> [u8; 32] {
    let parts = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
    digest(secret_key.as_bytes(), &parts)
}
