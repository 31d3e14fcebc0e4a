//! Determines the sender of a mail by its From header.
//!
//! The mail server's DMARC check applies to the sender that the server found in the mail. Programs
//! differ in how they parse a From header, so a mail is accepted only if no program can find a
//! different sender in it. Encoded words are not decoded.

use mail_parser::{Header, HeaderName, Message};

use confab_domain::channels::email_address::normal_address;

const NO_FIELD: &str = "It has no From header.";
const FIELDS: &str = "It has more than one From header, so its sender is ambiguous.";
const SENDERS: &str = "Its From header names more than one sender.";
const NO_SENDER: &str = "Its From header has no address that can be answered.";

/// Returns the normalized address of the mail's only sender, or the reason why there is none.
pub(super) fn sender(mail: &Message<'_>, raw: &[u8]) -> Result<String, &'static str> {
    let mut fields = mail.headers().iter().filter(|it| it.name == HeaderName::From);
    let field = fields.next().ok_or(NO_FIELD)?;
    let head_end = mail.root_part().offset_body as usize;
    let lines = raw.get(..head_end).unwrap_or(raw).split(|byte| matches!(byte, b'\r' | b'\n'));
    let count = lines.filter(|line| is_from(line)).count();
    if fields.next().is_some() || count > 1 {
        return Err(FIELDS);
    }
    // The parser also accepts `F rom` as the field name; other readers do not.
    if !is_from(part(raw, field.offset_field, field)) {
        return Err(NO_FIELD);
    }
    let value = String::from_utf8_lossy(part(raw, field.offset_start, field));
    let named = named(&value).ok_or(NO_SENDER)?;
    let mut normal: Vec<_> = named.iter().map(|it| normal_address(it)).collect();
    normal.dedup();
    match normal.as_slice() {
        [Some(one)] => Ok(one.clone()),
        [] | [None] => Err(NO_SENDER),
        _ => Err(SENDERS),
    }
}

fn part<'a>(raw: &'a [u8], begin: u32, field: &Header<'_>) -> &'a [u8] {
    raw.get(begin as usize..field.offset_end as usize).unwrap_or_default()
}

/// Whether a line starts a From field; the obsolete syntax allows spaces before the colon.
fn is_from(line: &[u8]) -> bool {
    let colon = line.iter().position(|byte| *byte == b':');
    colon.is_some_and(|at| line[..at].trim_ascii_end().eq_ignore_ascii_case(b"from"))
}

/// Returns the addresses in the value of a From header, without comments (RFC 5322 3.4); `None` if
/// a quoted string, a comment or an angle bracket is not closed.
fn named(value: &str) -> Option<Vec<String>> {
    let mut reading = AddressReader::default();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if reading.comments > 0 => drop(chars.next()),
            '(' if !reading.is_quoted => reading.comments += 1,
            ')' if reading.comments > 0 => reading.comments -= 1,
            _ if reading.comments > 0 || matches!(c, '\r' | '\n') => {}
            '\\' if reading.is_quoted => {
                reading.put(c);
                reading.put(chars.next()?);
            }
            '"' => {
                reading.is_quoted = !reading.is_quoted;
                reading.put(c);
            }
            c if reading.is_quoted || reading.is_literal && c != ']' => reading.put(c),
            '[' | ']' => {
                reading.is_literal = c == '[';
                reading.put(c);
            }
            '<' if !reading.is_angle => reading.begin_angle(),
            '>' if reading.is_angle => reading.is_angle = false,
            ',' | ';' if !reading.is_angle => reading.end_item(),
            // The preceding text is the name of a group or an obsolete route.
            ':' => reading.text().clear(),
            c => reading.put_outside_quotes(c),
        }
    }
    let is_whole = reading.comments == 0 && !reading.is_quoted && !reading.is_angle;
    reading.end_item();
    is_whole.then_some(reading.found)
}

#[derive(Default)]
struct AddressReader {
    found: Vec<String>,
    /// Text of the current list item outside angle brackets: its display name or its address.
    words: String,
    angle: Option<String>,
    /// Whether `words` contains an at sign outside quotes.
    has_at: bool,
    comments: usize,
    is_quoted: bool,
    is_literal: bool,
    is_angle: bool,
}

impl AddressReader {
    fn text(&mut self) -> &mut String {
        match &mut self.angle {
            Some(angle) if self.is_angle => angle,
            _ => &mut self.words,
        }
    }

    fn put(&mut self, c: char) {
        self.text().push(c);
    }

    /// Appends a character outside quotes, ignoring spaces next to a dot or an at sign.
    fn put_outside_quotes(&mut self, c: char) {
        self.has_at |= c == '@' && !self.is_angle;
        let text = self.text();
        if matches!(c, '.' | '@') {
            text.truncate(text.trim_end().len());
        }
        if !c.is_whitespace() || !text.ends_with(['.', '@']) {
            text.push(c);
        }
    }

    /// Begins a text in angle brackets. If the current item already has one, the next item begins.
    fn begin_angle(&mut self) {
        if self.angle.is_some() {
            self.end_item();
        }
        (self.angle, self.is_angle) = (Some(String::new()), true);
    }

    /// Adds the addresses of the current item to `found`. An address before an angle bracket counts
    /// too, because some mail programs use it.
    fn end_item(&mut self) {
        let words = std::mem::take(&mut self.words);
        let has_at = std::mem::take(&mut self.has_at);
        let angle = self.angle.take().filter(|it| it.contains('@'));
        let words = (has_at || angle.is_none() && words.contains('@')).then_some(words);
        self.found.extend([words, angle].into_iter().flatten().map(|it| it.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use mail_parser::MessageParser;

    use super::*;

    fn of(head: &str) -> Result<String, &'static str> {
        let raw = format!("{head}\r\n\r\nFrom: body@x.example\r\n");
        let mail = MessageParser::default().parse(raw.as_bytes()).expect("a mail");
        let head = &raw.as_bytes()[..head.len() + 4];
        let headers = MessageParser::default().parse_headers(head).expect("a mail");
        let found = sender(&mail, raw.as_bytes());
        assert_eq!(found, sender(&headers, raw.as_bytes()), "the head alone gives the same result");
        found
    }

    #[test]
    fn a_single_sender_is_found_in_every_form() {
        for value in [
            "a@x.example",
            "<a@x.example>",
            "Ana <A@X.example>",
            "\"Doe, Ana\" <a@x.example>",
            "Doe, Ana <a@x.example>",
            "\"b@y.example\" <a@x.example>",
            "\"Ana \\\" <b@y.example>\" <a@x.example>",
            "a@x.example (b@y.example)",
            "Ana (a comment (in another)) <a(here)@x.example>",
            "a@x.example <a@x.example>",
            "=?utf-8?q?b=40y.example?= <a@x.example>",
            "<@relay.example,@mx.example:a@x.example>",
            "Team: Ana <a@x.example>;",
            "Ana\r\n <a@x.example>",
            "a . b@x.example",
            "\"a\" @ x.example",
        ] {
            let expected = if value == "a . b@x.example" { "a.b@x.example" } else { "a@x.example" };
            assert_eq!(of(&format!("From: {value}")).as_deref(), Ok(expected), "{value}");
        }
        let literal = "From: user@[IPv6:2001:db8::1]";
        assert_eq!(of(literal).as_deref(), Ok("user@[ipv6:2001:db8::1]"));
        assert_eq!(
            of("FROM : a@x.example\r\nSubject: x\r\n From: y").as_deref(),
            Ok("a@x.example")
        );
    }

    #[test]
    fn a_second_sender_in_any_form_is_refused() {
        for head in [
            "From: a@x.example\r\nFrom: b@y.example",
            "From: a@x.example\r\nFrom: a@x.example",
            "From: a@x.example\r\nfrom : b@y.example",
            "From: a@x.example\r\nFr om: b@y.example",
            "From: a@x.example\rFrom: b@y.example",
            "From: a@x.example\nFrom: b@y.example",
        ] {
            assert_eq!(of(head), Err(FIELDS), "{head:?}");
        }
        for value in [
            "a@x.example, b@y.example",
            "Ana <a@x.example>, <b@y.example>",
            "<a@x.example> <b@y.example>",
            "a@x.example <b@y.example>",
            "Team: a@x.example, b@y.example;",
            "a@x.example; b@y.example",
        ] {
            assert_eq!(of(&format!("From: {value}")), Err(SENDERS), "{value}");
        }
        for value in [
            "",
            "nobody",
            "<>",
            "<nobody>",
            "=?utf-8?q?a=40x.example?=",
            "a@x.example b@y.example",
            "Ana <a@x.example",
            "\"Ana <a@x.example>",
            "(Ana <a@x.example>",
            "undisclosed:;",
        ] {
            assert_eq!(of(&format!("From: {value}")), Err(NO_SENDER), "{value}");
        }
        assert_eq!(of("Subject: x"), Err(NO_FIELD));
        assert_eq!(of("Fr om: a@x.example"), Err(NO_FIELD));
    }
}
