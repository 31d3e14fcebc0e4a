//! Diagnosis of signatures that do not match: tries common mistakes of receivers one after the
//! other.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::plain::{digest, sign, verify};

/// The probable reason why a signature does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The signature does match.
    Fits,
    /// The signature is missing.
    Empty,
    /// The signature is correct, but in hexadecimal instead of Base64.
    Hexadecimal,
    /// The signature is correct, but in URL-safe instead of standard Base64.
    UrlBase64,
    /// The text is no signature: a signature has 32 bytes, which are 44 characters in Base64.
    NotASignature,
    /// The body has this many bytes at its end that were not signed, usually a line break that a
    /// tool added.
    BodyHasMore(usize),
    /// The body lacks a line break at its end that was signed.
    BodyLacksLineBreak,
    /// The key has spaces or line breaks around it.
    BlanksAroundKey,
    /// The key was decoded before it was used. It must be used as it is written.
    KeyWasDecoded,
    /// The text is the value of `webhook-signature`, which also signs an id and a time.
    StandardSignature,
    /// The body was changed, or the key is not the one that signed it.
    Different,
}

impl Reason {
    /// Returns a sentence that explains the reason and, for a mistake, its remedy.
    pub fn advice(&self) -> String {
        match self {
            Self::Fits => "The signature matches: the webhook is authentic.".to_owned(),
            Self::Empty => "The signature is missing; give the value of the header.".to_owned(),
            Self::Hexadecimal => {
                "The signature is correct but in hexadecimal; the header has Base64.".to_owned()
            }
            Self::UrlBase64 => {
                "The signature is correct but in URL-safe Base64; use standard Base64.".to_owned()
            }
            Self::NotASignature => {
                "This is not a signature: 32 bytes in Base64 have 44 characters.".to_owned()
            }
            Self::BodyHasMore(1) => {
                "The body has one extra byte at its end that was not signed, probably a line \
                 break; verify the raw bytes."
                    .to_owned()
            }
            Self::BodyHasMore(count) => {
                format!("The body has {count} extra bytes at its end that were not signed.")
            }
            Self::BodyLacksLineBreak => {
                "The body lacks a line break at its end that was signed; verify the raw bytes."
                    .to_owned()
            }
            Self::BlanksAroundKey => {
                "The secret key has spaces or a line break around it; remove them.".to_owned()
            }
            Self::KeyWasDecoded => {
                "The secret key was decoded before it was used; use it as it is written.".to_owned()
            }
            Self::StandardSignature => {
                "This is a webhook-signature, which also signs an id and a time; give the value of \
                 the signature-key header."
                    .to_owned()
            }
            Self::Different => {
                "The body was changed in transit (parsed and serialized again?), or the secret key \
                 is another app's or an old one."
                    .to_owned()
            }
        }
    }
}

/// Maximum number of extra white space characters at the end of a body that are tried. Each
/// requires another digest of the whole body.
const BLANKS_MAX: usize = 8;

/// Finds out why a signature does not match. Meant for debugging; it is slow.
pub fn why(secret_key: &str, body: &[u8], signature: &str) -> Reason {
    let given = signature.trim();
    if verify(secret_key, body, given).is_ok() {
        return Reason::Fits;
    }
    if given.is_empty() {
        return Reason::Empty;
    }
    if given.starts_with("v1,") || given.starts_with("v1a,") {
        return Reason::StandardSignature;
    }
    let expected = digest(secret_key.as_bytes(), &[body]);
    let hexadecimal: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
    if given.eq_ignore_ascii_case(&hexadecimal) {
        return Reason::Hexadecimal;
    }
    if given == URL_SAFE.encode(expected) || given == URL_SAFE_NO_PAD.encode(expected) {
        return Reason::UrlBase64;
    }
    if STANDARD.decode(given).map(|bytes| bytes.len()) != Ok(32) {
        return Reason::NotASignature;
    }
    of_key_and_body(secret_key, body, given)
}

fn of_key_and_body(secret_key: &str, body: &[u8], given: &str) -> Reason {
    let blanks = body.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    for cut in 1..=blanks.min(BLANKS_MAX) {
        if verify(secret_key, &body[..body.len() - cut], given).is_ok() {
            return Reason::BodyHasMore(cut);
        }
    }
    let longer = [body, b"\n"].concat();
    if verify(secret_key, &longer, given).is_ok() {
        return Reason::BodyLacksLineBreak;
    }
    if secret_key.trim() != secret_key && given == sign(secret_key.trim(), body) {
        return Reason::BlanksAroundKey;
    }
    let decoded = [decoded_hexadecimal(secret_key), STANDARD.decode(secret_key).ok()];
    let fits = |key: &Vec<u8>| given == STANDARD.encode(digest(key, &[body]));
    match decoded.iter().flatten().any(fits) {
        true => Reason::KeyWasDecoded,
        false => Reason::Different,
    }
}

fn decoded_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    let (pairs, _) = digits.as_chunks::<2>();
    Some(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
