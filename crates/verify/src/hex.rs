//! The signature of chat message webhooks: HMAC-SHA256 with the app's SDK secret, in hexadecimal.

use subtle::ConstantTimeEq;

use crate::plain::{Mismatch, digest};

/// Returns the name of the signature header for a brand such as `SERVICE`.
pub fn header_name(brand: &str) -> String {
    format!("{}-sdk-signature", brand.to_lowercase())
}

/// Signs a body: returns its HMAC-SHA256 with the app's SDK secret, in lower-case hexadecimal.
pub fn sign(sdk_secret: &str, body: &[u8]) -> String {
    digest(sdk_secret.as_bytes(), &[body]).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks the value of the signature header against the raw body, in constant time.
pub fn verify(sdk_secret: &str, body: &[u8], signature: &str) -> Result<(), Mismatch> {
    let (expected, given) = (sign(sdk_secret, body), signature.trim().to_ascii_lowercase());
    let is_equal = expected.as_bytes().ct_eq(given.as_bytes());
    if bool::from(is_equal) { Ok(()) } else { Err(Mismatch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses RFC 4231, test case 2.
    #[test]
    fn a_known_signature_is_computed_and_accepted_in_either_case() {
        let (key, body) = ("Jefe", b"what do ya want for nothing?");
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign(key, body), known);
        assert_eq!(verify(key, body, known), Ok(()));
        assert_eq!(verify(key, body, &known.to_uppercase()), Ok(()));
        assert_eq!(verify("other", body, known), Err(Mismatch));
        assert_eq!(verify(key, body, ""), Err(Mismatch));
    }

    #[test]
    fn the_header_has_the_brand_in_its_name() {
        assert_eq!(header_name("SERVICE"), "service-sdk-signature");
    }
}
