//! The bytes of a mail, up to the line with a dot that ends it (RFC 5321, 4.5.2).

/// The position of the next byte in its line. Only `\r\n` ends a line: if other line endings did, a
/// sender could hide a second mail in a mail (SMTP smuggling).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Begin,
    Within,
    AfterReturn,
    AfterDot,
    AfterDotReturn,
}

/// A parser that removes the dot stuffing and finds the end of a mail.
pub(super) struct MailContent {
    place: Place,
}

impl MailContent {
    pub(super) fn new() -> Self {
        Self { place: Place::Begin }
    }

    /// Passes the mail's bytes in `bytes` to `each`. Returns the number of bytes up to the mail's
    /// end, or `None` if the end has not arrived.
    pub(super) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(u8)) -> Option<usize> {
        for (at, byte) in bytes.iter().copied().enumerate() {
            self.place = match (self.place, byte) {
                (Place::Begin, b'.') => {
                    self.place = Place::AfterDot;
                    continue;
                }
                (Place::AfterDot, b'\r') => {
                    self.place = Place::AfterDotReturn;
                    continue;
                }
                (Place::AfterDotReturn, b'\n') => return Some(at + 1),
                (Place::AfterDotReturn, _) => {
                    each(b'\r');
                    after(Place::AfterReturn, byte)
                }
                (place, _) => after(place, byte),
            };
            each(byte);
        }
        None
    }
}

fn after(place: Place, byte: u8) -> Place {
    match (place, byte) {
        (_, b'\r') => Place::AfterReturn,
        (Place::AfterReturn, b'\n') => Place::Begin,
        _ => Place::Within,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mail and the rest, and checks that the result does not depend on how the bytes
    /// are split.
    fn read(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let cut = |size: usize| {
            let (mut content, mut mail) = (MailContent::new(), Vec::new());
            for (at, piece) in bytes.chunks(size).enumerate() {
                if let Some(end) = content.take(piece, |byte| mail.push(byte)) {
                    return Some((mail, bytes[at * size + end..].to_vec()));
                }
            }
            None
        };
        let whole = cut(bytes.len().max(1));
        for size in 1..bytes.len() {
            assert_eq!(cut(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn a_mail_ends_only_at_a_dot_between_complete_line_breaks() {
        let check = |bytes: &str, mail: &str, rest: &str| {
            let is = read(bytes.as_bytes());
            assert_eq!(is, Some((mail.into(), rest.into())), "{bytes:?}");
        };
        check("a\r\n.\r\n", "a\r\n", "");
        check(".\r\nQUIT\r\n", "", "QUIT\r\n");
        check("a\r\n..b\r\n...\r\n.\r\n", "a\r\n.b\r\n..\r\n", "");
        check("a\r\n.b\r\n.\r\n", "a\r\nb\r\n", "");
        check("a\n.\nb\r\n.\r\n", "a\n.\nb\r\n", "");
        check("a\n.\r\nb\r\n.\r\n", "a\n.\r\nb\r\n", "");
        check("a\r.\rb\r\n.\r\n", "a\r.\rb\r\n", "");
        check("a\r\n.\nb\r\n.\r\n", "a\r\n\nb\r\n", "");
        check("a\r\n.\rb\r\n.\r\n", "a\r\n\rb\r\n", "");
        check("a\r\r\n.\r\n", "a\r\r\n", "");
        check("a\r\n.\r\r\n.\r\n", "a\r\n\r\r\n", "");
        for endless in ["", "a", "a\r\n", "a\r\n.", "a\r\n.\r", "a\n.\n", "a.\r\n"] {
            assert_eq!(read(endless.as_bytes()), None, "{endless:?}");
        }
    }
}
