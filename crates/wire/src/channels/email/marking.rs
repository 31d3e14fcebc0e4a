//! The mark that an app puts on each mail it sends. Nobody else can make one, so a mail with a mark
//! of the app is its own, and the Message-ID that is made of it cannot be guessed.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::channels::part::Part;

/// Hexadecimal digits of the code that ends a mark: 80 bits, as lines of a mail should be short.
/// Each guess costs a mail.
const CODE_DIGITS: usize = 20;

/// The secret of an app, which marks are made with. No `Debug`: it must not be shown.
#[derive(Clone, Copy)]
pub struct MailKey<'a>(pub &'a str);

impl MailKey<'_> {
    /// `<channel>.<room>.<message>.<part>.<code>`, the same on every attempt.
    pub(super) fn mark(self, channel: i64, part: &Part) -> String {
        let Part { room, message, place, .. } = part;
        let name = format!("{channel}.{room}.{message}.{place}");
        let code = self.code(&name);
        format!("{name}.{code}")
    }

    /// Whether the app made this mark.
    pub(super) fn made(self, mark: &str) -> bool {
        let Some((name, code)) = mark.trim().rsplit_once('.') else { return false };
        self.code(name).as_bytes().ct_eq(code.as_bytes()).into()
    }

    fn code(self, name: &str) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes());
        let mut mac = mac.expect("a key of any length is taken");
        // Nothing else that is signed with the app's secret begins so.
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
    fn a_mark_is_the_apps_own_and_of_this_message_only() {
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
