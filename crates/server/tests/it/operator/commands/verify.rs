//! `confab verify`: whether a webhook signature matches a body and, if not, why.

use confab_verify::sign;

use crate::support::process::Folder;

const KEY: &str = "a-secret-key";

fn verify(signature: &str, body: &str) -> crate::support::process::Ended {
    let arguments = ["verify", "--secret", KEY, "--signature", signature];
    Folder::embedded().run_with_input(&arguments, body)
}

#[test]
fn a_valid_signature_is_reported_as_matching() {
    let said = verify(&sign(KEY, b"{}"), "{}").ok();
    assert!(said.contains("matches") && said.contains("(2 bytes)"), "{said}");
}

#[test]
fn an_invalid_signature_is_explained_without_showing_the_key() {
    let said = verify(&sign(KEY, b"{}"), "{}\n").failed(1);
    assert!(said.contains("one extra byte at its end"), "{said}");
    let said = verify(&sign("another", b"{}"), "{}").failed(1);
    assert!(said.contains("another app's or an old one"), "{said}");
    assert!(!said.contains(KEY), "{said}");
}
