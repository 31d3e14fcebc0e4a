//! Masking of secret keys in webhook bodies that are shown to users.

use std::borrow::Cow;

use crate::push::DEVICE_TOKEN;
use crate::reading::json_string;

const SECRET_KEYS: [&str; 3] = ["sdk_key", "secret_key", DEVICE_TOKEN];
const MASK: &str = "\"***\"";

/// Replacement for the signature of a masked body.
pub(super) const MASKED: &str = "***";

/// Whether a header of a webhook contains a signature.
pub(super) fn is_signature(name: &str) -> bool {
    name.contains("signature")
}

/// Masks the values of secret JSON properties such as `secret_key`, also in JSON inside a string.
/// All other bytes are unchanged, even if the text is not JSON.
pub fn masked(text: &str) -> Cow<'_, str> {
    // Without a Unicode escape, a text contains each of its keys literally.
    if !SECRET_KEYS.iter().any(|key| text.contains(key)) && !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(start) = text[at..].find('"').map(|found| at + found) {
        let end = string_end(text, start);
        at = end;
        let Ok(string) = serde_json::from_str::<String>(&text[start..end]) else { continue };
        let (from, to, instead) = match after_colon(text, end) {
            Some(value) if SECRET_KEYS.contains(&string.as_str()) => {
                (value, value_end(text, value), Cow::Borrowed(MASK))
            }
            Some(_) => continue,
            None => match masked(&string) {
                Cow::Borrowed(_) => continue,
                Cow::Owned(inner) => (start, end, Cow::Owned(json_string(&inner))),
            },
        };
        shown.push_str(&text[copied..from]);
        shown.push_str(&instead);
        (copied, at) = (to, to);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Returns the position after the string that begins at `start`, or the end of the text.
fn string_end(text: &str, start: usize) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the start of the value if the string that ends at `end` is a property name.
fn after_colon(text: &str, end: usize) -> Option<usize> {
    let rest = text[end..].trim_ascii_start().strip_prefix(':')?;
    Some(text.len() - rest.trim_ascii_start().len())
}

/// Returns the position after the value that begins at `start`, or the end of the text.
fn value_end(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_body_without_keys_is_shown_byte_for_byte() {
        for body in [r#"{"a": 1.0,"b":"sdk_key","é":"\u00e9 👋"}"#, "", "plain", r#"["\"#] {
            assert_eq!(masked(body), body);
        }
    }

    #[test]
    fn keys_are_masked_anywhere_in_a_body_and_nothing_else_changes() {
        for (body, shown) in [
            (r#"{"sdk_key":"abc","n":1.0}"#, r#"{"sdk_key":"***","n":1.0}"#),
            (r#"{"a":[{"secret_key" : "a\"b}" }]}"#, r#"{"a":[{"secret_key" : "***" }]}"#),
            (r#"{"sdk_key":{"a":["}"]},"b":2}"#, r#"{"sdk_key":"***","b":2}"#),
            (r#"{"sdk_key":12.50}"#, r#"{"sdk_key":"***"}"#),
            (r#"{"sdk\u005fkey":"abc"}"#, r#"{"sdk\u005fkey":"***"}"#),
            (r#"{"sdk_key":"abc","sdk_key":["x"]}"#, r#"{"sdk_key":"***","sdk_key":"***"}"#),
            (r#"{"o":"{\"sdk_key\":\"abc\"}"}"#, r#"{"o":"{\"sdk_key\":\"***\"}"}"#),
            (r#"{"sdk_key":"cut of"#, r#"{"sdk_key":"***""#),
            (r#"{"sdk_key""#, r#"{"sdk_key""#),
        ] {
            assert_eq!(masked(body), shown);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_masked_without_a_panic(text in r#"([\\"{}\[\]:, é]|sdk_key|\\u005f){0,40}"#) {
            let _ = masked(&text);
        }
    }
}
