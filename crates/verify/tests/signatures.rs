//! Tests of signatures against other implementations, and of every diagnosis.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confab_verify::standard::{self, Headers, Wrong};
use confab_verify::{Mismatch, Reason, header_name, sign, verify, why};
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use sha2::Sha256;

const KEY: &str = "7f3c9e1d5a8b2c4e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6";

/// `printf '%s' BODY | openssl dgst -sha256 -hmac a-secret-key -binary | base64`
const BY_OPENSSL: [(&str, &str); 3] = [
    ("", "FvG4U6Ag3asJxtDZT72QOcx5FIvbpyUlt4ErY0z7B9c="),
    ("{}", "TQ1TfEKwCt2Ou1lx32Mrivt79AkgUslbaQ6fzXVxLT4="),
    (r#"{"text":"Grüße 👋"}"#, "li87PKm+iHs3BIF44m2tJunqT5tCm9pOfaMTk5lS1TE="),
];

#[test]
fn signatures_equal_those_of_openssl() {
    for (body, signature) in BY_OPENSSL {
        assert_eq!(sign("a-secret-key", body.as_bytes()), signature, "{body}");
        assert_eq!(verify("a-secret-key", body.as_bytes(), signature), Ok(()));
    }
}

#[test]
fn the_header_name_contains_the_brand() {
    assert_eq!(header_name("SERVICE"), "service-signature-key");
    assert_eq!(header_name("Other"), "other-signature-key");
}

proptest! {
    #[test]
    fn any_body_matches_and_one_changed_bit_does_not(
        mut body in proptest::collection::vec(any::<u8>(), 1..2000),
        bit in any::<usize>(),
    ) {
        let signature = sign(KEY, &body);
        prop_assert_eq!(verify(KEY, &body, &signature), Ok(()));
        let at = bit % (body.len() * 8);
        body[at / 8] ^= 1 << (at % 8);
        prop_assert_eq!(verify(KEY, &body, &signature), Err(Mismatch));
        prop_assert_eq!(verify("another key", &body, &signature), Err(Mismatch));
    }

    #[test]
    fn the_standard_signature_equals_that_of_the_public_library(
        body in "\\PC{0,400}",
        id in "[a-z0-9]{1,30}",
        seconds in 1_700_000_000_i64..1_900_000_000,
    ) {
        let library = standardwebhooks::Webhook::new(&standard::secret(KEY)).expect("a secret");
        let ours = standard::sign(KEY, &id, seconds, body.as_bytes());
        let theirs = library.sign(&id, seconds, body.as_bytes()).expect("signed");
        prop_assert_eq!(&ours, &theirs);
        let timestamp = seconds.to_string();
        let headers = Headers { id: &id, timestamp: &timestamp, signature: &theirs };
        prop_assert_eq!(standard::verify(KEY, headers, body.as_bytes(), seconds + 10), Ok(()));
    }
}

/// A small random generator: equal seeds give equal bodies.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns random bytes, or text with emoji and NUL.
    fn body(&mut self) -> Vec<u8> {
        let length = self.next() % 200;
        if self.next().is_multiple_of(2) {
            return (0..length).map(|_| self.next() as u8).collect();
        }
        let letters = ["a", "é", "👋", "\0", "\u{202e}", "{\"", "\r\n"];
        (0..length).flat_map(|_| letters[self.next() as usize % 7].bytes()).collect()
    }
}

/// Checks this many bodies, and one of a mebibyte (S5).
fn check_bodies(count: usize) {
    let library = standardwebhooks::Webhook::new(&standard::secret(KEY)).expect("a secret");
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let bodies = (0..count).map(|_| dice.body()).collect::<Vec<_>>().into_iter();
    let (mut signed, mut equal, mut rejected) = (0, 0, 0);
    for mut body in bodies.chain([vec![b'x'; 1 << 20], vec![0]]) {
        let (ours, seconds) = (standard::sign(KEY, "msg_1", 1_769_853_600, &body), 1_769_853_600);
        // The library signs text only.
        if std::str::from_utf8(&body).is_ok() {
            let theirs = library.sign("msg_1", seconds, &body).expect("signed");
            assert_eq!(ours, theirs);
            equal += 1;
        }
        signed += 1;
        let signature = sign(KEY, &body);
        assert_eq!(verify(KEY, &body, &signature), Ok(()));
        if !body.is_empty() {
            let at = dice.next() as usize % body.len();
            body[at] ^= 1 << (dice.next() % 8);
            assert_eq!(verify(KEY, &body, &signature), Err(Mismatch));
            assert_ne!(standard::sign(KEY, "msg_1", seconds, &body), ours);
            rejected += 1;
        }
    }
    println!(
        "S5: {signed} bodies, all {equal} of text signed as the public library does, {rejected} \
         changes rejected"
    );
}

#[test]
fn many_bodies_are_signed_as_the_public_library_does_and_changes_are_detected() {
    check_bodies(2_000);
}

#[test]
#[ignore = "long: make test-long"]
fn a_hundred_thousand_bodies_are_signed_as_the_public_library_does() {
    check_bodies(100_000);
}

#[test]
fn malformed_signatures_are_mismatches_and_do_not_panic() {
    for signature in ["", " ", "=", "not base64!", "AAAA", "ünïcode", &"A".repeat(100_000)] {
        assert_eq!(verify(KEY, b"{}", signature), Err(Mismatch), "{signature:.20}");
    }
}

#[test]
fn a_standard_signature_is_accepted_within_five_minutes_if_any_key_matches() {
    let (id, sent) = ("msg_1", 1_769_853_600);
    let old_and_new = format!(
        "{} {}",
        standard::sign("old", id, sent, b"{}"),
        standard::sign(KEY, id, sent, b"{}")
    );
    let check = |signature: &str, timestamp: &str, now_s: i64| {
        standard::verify(KEY, Headers { id, timestamp, signature }, b"{}", now_s)
    };
    let timestamp = sent.to_string();
    assert_eq!(check(&old_and_new, &timestamp, sent + 300), Ok(()));
    assert_eq!(check(&old_and_new, &timestamp, sent + 301), Err(Wrong::TooOld));
    assert_eq!(check(&old_and_new, &timestamp, sent - 301), Err(Wrong::TooNew));
    assert_eq!(check(&old_and_new, "yesterday", sent), Err(Wrong::Timestamp));
    assert_eq!(check(&old_and_new, "9223372036854775808", sent), Err(Wrong::Timestamp));
    assert_eq!(check("v1,AAAA v2,x nonsense", &timestamp, sent), Err(Wrong::Mismatch));
    assert_eq!(
        check(&standard::sign("old", id, sent, b"{}"), &timestamp, sent),
        Err(Wrong::Mismatch)
    );
}

#[test]
fn every_common_mistake_is_named() {
    let body = br#"{"a":1}"#;
    let right = sign(KEY, body);
    assert_eq!(why(KEY, body, &right), Reason::Fits);
    assert_eq!(why(KEY, body, &format!(" {right}\n")), Reason::Fits, "spaces around it");
    assert_eq!(why(KEY, body, " "), Reason::Empty);
    assert_eq!(why(KEY, body, &standard::sign(KEY, "id", 1, body)), Reason::StandardSignature);
    assert_eq!(why(KEY, body, "hello"), Reason::NotASignature);
    assert_eq!(why(KEY, b"{\"a\":1}\n", &right), Reason::BodyHasMore(1));
    assert_eq!(why(KEY, b"{\"a\":1}\r\n", &right), Reason::BodyHasMore(2));
    assert_eq!(why(KEY, b"{\"a\":1}        ", &right), Reason::BodyHasMore(8));
    let many = b"{\"a\":1}         ";
    assert_eq!(why(KEY, many, &right), Reason::Different, "at most eight are tried");
    assert_eq!(why(KEY, body, &sign(KEY, b"{\"a\":1}\n")), Reason::BodyLacksLineBreak);
    assert_eq!(why(&format!("{KEY}\n"), body, &right), Reason::BlanksAroundKey);
    assert_eq!(why(KEY, br#"{ "a": 1 }"#, &right), Reason::Different);
    assert_eq!(why("another", body, &right), Reason::Different);
}

#[test]
fn other_encodings_of_the_correct_signature_are_recognized() {
    // Search for a signature with both characters that URL-safe Base64 spells differently.
    let body = (0..).map(|n: u32| n.to_string()).find(|body| {
        let signature = sign(KEY, body.as_bytes());
        signature.contains('+') && signature.contains('/')
    });
    let body = body.expect("there is one").into_bytes();
    let right = sign(KEY, &body);
    let for_urls = right.replace('+', "-").replace('/', "_");
    assert_eq!(why(KEY, &body, &for_urls), Reason::UrlBase64);
    assert_eq!(why(KEY, &body, for_urls.trim_end_matches('=')), Reason::UrlBase64);
    let bytes = STANDARD.decode(&right).expect("Base64");
    let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(why(KEY, &body, &hexadecimal), Reason::Hexadecimal);
}

#[test]
fn a_key_that_was_decoded_before_use_is_recognized() {
    let by_key = |key: &[u8]| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
        mac.update(b"{}");
        STANDARD.encode(mac.finalize().into_bytes())
    };
    let bytes: Vec<u8> = (0..KEY.len() / 2)
        .map(|at| u8::from_str_radix(&KEY[2 * at..2 * at + 2], 16).expect("digits"))
        .collect();
    assert_eq!(why(KEY, b"{}", &by_key(&bytes)), Reason::KeyWasDecoded);
    let from_base64 = STANDARD.decode(KEY).expect("Base64 as well");
    assert_eq!(why(KEY, b"{}", &by_key(&from_base64)), Reason::KeyWasDecoded);
}
