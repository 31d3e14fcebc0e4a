//! An upper bound on the total size of the header sections of a mail. The mail parser creates a
//! value for each header field, which occupies many times the field's size in memory; the rest of a
//! mail occupies about its own size.

/// Returns an upper bound on the total size in bytes of the headers of a mail, of its parts and of
/// the mails nested in it. The parser may find the beginning of a part after any two hyphens, and
/// finds that of a nested mail after the headers that declare it. Headers end with an empty line.
pub(super) fn head_bytes(raw: &[u8]) -> usize {
    let (mut at, mut total) = (0, 0);
    let mut is_digest = false;
    loop {
        let head = &raw[at..at + head_length(&raw[at..])];
        total += head.len();
        at += head.len();
        let headers = condensed(head);
        let is_nested = is_digest || holds(&headers, b"rfc822") || holds(&headers, b"global");
        is_digest |= holds(&headers, b"digest");
        if is_nested && is_encoded(&headers) {
            // The headers of the nested mail are encoded, so its whole size is counted.
            return total + raw.len() - at;
        }
        if !is_nested {
            match raw[at..].windows(2).position(|it| it == b"--") {
                Some(hyphens) => at += hyphens + 2,
                None => return total,
            }
        }
        if at >= raw.len() {
            return total;
        }
    }
}

/// Returns the number of bytes up to and including the first empty line.
fn head_length(rest: &[u8]) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        length += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
    }
    length
}

/// Returns the headers in lower case and without white space, because the parser ignores case and
/// white space in field names.
fn condensed(head: &[u8]) -> Vec<u8> {
    let letters = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    letters.map(u8::to_ascii_lowercase).collect()
}

fn holds(headers: &[u8], word: &[u8]) -> bool {
    headers.windows(word.len()).any(|it| it == word)
}

/// Whether headers, in the form that `condensed` returns, declare a transfer encoding that hides
/// the headers of a nested mail.
fn is_encoded(headers: &[u8]) -> bool {
    const FIELD: &[u8] = b"transfer-encoding:";
    const OPEN: [&[u8]; 3] = [b"7bit", b"8bit", b"binary"];
    let mut fields = headers.windows(FIELD.len()).enumerate().filter(|it| it.1 == FIELD);
    fields.any(|(at, _)| !OPEN.iter().any(|it| headers[at + FIELD.len()..].starts_with(it)))
}

#[cfg(test)]
mod tests {
    use mail_parser::{Encoding, Message, MessageParser, PartType};
    use proptest::prelude::*;

    use super::*;

    /// Pieces of mails that are meant to confuse the parser.
    const WORDS: [&str; 30] = [
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\r\n\r\n",
        "\n--b",
        "\n--b\n",
        "--b",
        "--b--\n",
        "-",
        "a:b\n",
        "a: b\r\n",
        "A :\n",
        ":",
        " ",
        "\t",
        "\n x",
        "\"",
        "(",
        ")",
        "\\",
        "From: a, b <c@d>\n",
        "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n",
        "C ontent-Type: multipart/digest; boundary=b\n\n",
        "Content-Type: message/rfc822\n\n",
        "CONTENT-TYPE: message/global;\n x=\"",
        "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: 7bit\n",
        "Content-Type: text/plain\n",
    ];

    fn parsed(mail: &Message<'_>) -> usize {
        let of_part = |it: &mail_parser::MessagePart<'_>| {
            let fields = it.headers.iter().map(|it| (it.offset_end - it.offset_field) as usize);
            let own: usize = fields.sum();
            own + match &it.body {
                PartType::Message(nested) if it.encoding == Encoding::None => parsed(nested),
                _ => 0,
            }
        };
        mail.parts.iter().map(of_part).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]
        #[test]
        fn the_parser_reads_at_most_the_counted_header_bytes(
            words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60)
        ) {
            let raw = words.concat().into_bytes();
            // Debug builds of the parser panic on some malformed mails.
            let read = || MessageParser::default().parse(&raw).map(|mail| parsed(&mail));
            if let Ok(Some(read)) = std::panic::catch_unwind(read) {
                prop_assert!(read <= head_bytes(&raw), "{}", words.concat());
            }
        }
    }

    #[test]
    fn bodies_are_not_counted_and_encoded_mails_are_counted_whole() {
        let head = "From: a@x.example\r\n\r\n";
        let body = "words: and\r\nwords\r\n\r\n".repeat(1_000);
        assert_eq!(head_bytes(format!("{head}{body}").as_bytes()), head.len());
        let part = "--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n";
        let parts = format!("{part}{}\r\n", "aGVsbG8h\r\n".repeat(1_000)).repeat(3);
        assert_eq!(
            head_bytes(format!("{head}{parts}").as_bytes()),
            head.len() + 3 * (part.len() - 2)
        );
        let hidden = "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n";
        let hidden = format!("{hidden}{}", "aGVsbG8h\r\n".repeat(1_000));
        assert_eq!(head_bytes(hidden.as_bytes()), hidden.len());
    }
}
