//! The signed mark in each mail that an app sends. Only the app can create it, so any received mail
//! with a valid mark was sent by the app. The Message-ID contains the mark, so it cannot be
//! guessed.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::part::Part;

/// Number of hexadecimal digits of the code at the end of a mark. Its 80 bits suffice, because each
/// guess costs an attacker one mail, and lines of a mail should be short.
const CODE_DIGITS: usize = 20;

/// An app's secret that signs its marks. No `Debug`, because it must not be logged.
#[derive(Clone, Copy)]
pub struct MailKey<'a>(pub &'a str);

impl MailKey<'_> {
    /// Returns the mark `<channel>.<room>.<message>.<part>.<code>`, which is the same for every
    /// attempt to send the mail.
    pub(super) fn mark(self, channel: i64, part: &Part) -> String {
        let Part { room, message, place, .. } = part;
        let name = format!("{channel}.{room}.{message}.{place}");
        let code = self.code(&name);
        format!("{name}.{code}")
    }

    /// Whether the mark was signed with this secret.
    pub(super) fn made(self, mark: &str) -> bool {
        let Some((name, code)) = mark.trim().rsplit_once('.') else { return false };
        self.code(name).as_bytes().ct_eq(code.as_bytes()).into()
    }

    fn code(self, name: &str) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes());
        let mut mac = mac.expect("HMAC accepts keys of any length");
        // Prefix that distinguishes marks from everything else signed with the app's secret.
        mac.update(b"mail\n");
        mac.update(name.as_bytes());
        let bytes = mac.finalize().into_bytes();
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digit = |it: u8| char::from_digit(it.into(), 16).unwrap_or_default();
        digits.take(CODE_DIGITS).map(digit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_valid_for_its_app_and_message_only() {
        let key = MailKey("secret");
        let mark = format!("7.55.9.0.{}", key.code("7.55.9.0"));
        assert_eq!(mark.len(), "7.55.9.0.".len() + CODE_DIGITS);
        assert!(key.made(&mark) && key.made(&format!(" {mark}\r\n")));
        assert!(!MailKey("another").made(&mark));
        for other in [mark.replace("7.55", "7.56"), mark.replace(".0.", ".1."), mark.clone() + "0"]
        {
            assert!(!key.made(&other), "{other}");
        }
        for none in ["", "7", ".", "7.55.9.0", "7.55.9.0."] {
            assert!(!key.made(none), "{none}");
        }
    }
}
