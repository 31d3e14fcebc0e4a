//! Converts a part of an answer to a mail.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confab_domain::channels::email_address::normal_address;
use confab_domain::messages::message::Message;
use confab_domain::support::conversations::answering::Answerer;
use confab_domain::time::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::Value;

use super::headers::{LOOP_HEADER, OWN_ID_PREFIX, is_id};
use super::marking::MailKey;
use crate::json_lookup;
use crate::part::{Part, PartContent};
use crate::parting::{self, PartBounds};
use crate::splitting::Bound;
use crate::verdict::Verdict;

/// Maximum size in bytes of an attached file; larger files are linked. Many mail servers accept
/// mails of at most 25 MB, in which Base64 enlarges a file by a third.
pub const FILE_BYTES_MAX: u64 = 18 * 1024 * 1024;
const LINE_BYTES_MAX: usize = 76;
const REFERENCES_MAX: usize = 20;
const SUBJECT_CHARS_MAX: usize = 200;

/// Limits of a mail: texts have almost no length limit, and buttons become lines of text.
const BOUNDS: PartBounds = PartBounds {
    text: Bound::utf16(1_000_000),
    caption: Bound::utf16(1_000_000),
    is_bare: |_| false,
    button_text: Bound::utf16(1_000_000),
    card_text: Bound::utf16(1_000_000),
    buttons_max: usize::MAX,
    card_buttons_max: usize::MAX,
    linking_buttons_max: 0,
    has_templates: false,
    has_phones: false,
    has_locations: false,
};

pub fn parts(message: &Message, answerer: Answerer) -> Vec<Part> {
    parting::parts(message, answerer, &BOUNDS)
}

/// The channel as the sender of a mail. No `Debug`: it contains a secret.
#[derive(Clone, Copy)]
pub struct Sender<'a> {
    pub channel: i64,
    pub address: &'a str,
    pub name: &'a str,
    pub key: MailKey<'a>,
}

/// The mail thread that an answer continues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    pub subject: String,
    /// Message-ID of the customer's mail.
    pub message_id: Option<String>,
    /// Message-IDs of the preceding mails, oldest first.
    pub references: Vec<String>,
}

/// Name and type of the file that is attached to a mail.
#[derive(Debug, Clone, Copy)]
pub struct MailFile<'a> {
    pub name: &'a str,
    pub mime_type: &'a str,
}

/// A mail, split at the position of the attachment's content. Lines end with CRLF, and none begins
/// with a dot.
pub struct ComposedMail {
    pub message_id: String,
    pub head: String,
    /// Text after the attachment's content, which the caller inserts as lines of Base64; `None` if
    /// the mail has no attachment.
    pub tail: Option<String>,
}

/// Returns the mail thread that a message's extras describe. The extras are not trusted, because
/// the caller that posted the message set them.
pub fn thread_of(extras: &str) -> Option<Thread> {
    let extras: Value = serde_json::from_str(extras).ok()?;
    let mail = extras.get("email")?;
    let id = |it: &Value| json_lookup::text(it).filter(|it| is_id(it));
    let message_id = id(&mail["message_id"]).filter(|it| !it.starts_with("sha256:"));
    let references = json_lookup::list(&mail["references"]).iter().filter_map(id).collect();
    let subject = json_lookup::text(&mail["subject"]).unwrap_or_default();
    Some(Thread { subject, message_id, references })
}

/// Returns the Message-ID of the mail for a part, which is the same for every attempt to send the
/// mail.
pub fn message_id(part: &Part, from: Sender<'_>) -> String {
    let domain = from.address.rsplit('@').next().unwrap_or_default();
    format!("{OWN_ID_PREFIX}{}@{domain}", from.key.mark(from.channel, part))
}

/// Builds the mail for a part. `file` is the part's file, if it is in the file store and small
/// enough to be attached.
pub fn compose(
    part: &Part,
    from: Sender<'_>,
    to: &str,
    thread: &Thread,
    file: Option<MailFile<'_>>,
    at: Timestamp,
) -> Result<ComposedMail, Verdict> {
    if normal_address(to).as_deref() != Some(to) {
        return Err(Verdict::never("address", "The customer's address is not valid."));
    }
    let text = text_of(part, file.is_some())?;
    let id = message_id(part, from);
    let mut mail = String::new();
    let mut header = |name: &str, value: &str| {
        let _ = write!(mail, "{name}: {value}\r\n");
    };
    header("From", &mailbox(from.name, from.address));
    header("To", to);
    header("Subject", &encoded(&answered(&thread.subject)));
    header("Date", &dated(at));
    header("Message-ID", &format!("<{id}>"));
    if let Some(answered) = &thread.message_id {
        header("In-Reply-To", &format!("<{answered}>"));
        let skipped = (thread.references.len() + 1).saturating_sub(REFERENCES_MAX);
        let all = thread.references.iter().filter(|it| *it != answered).skip(skipped);
        let all: Vec<_> = all.chain([answered]).map(|it| format!("<{it}>")).collect();
        header("References", &all.join("\r\n "));
    }
    if !part.is_by_person {
        header("Auto-Submitted", "auto-replied");
    }
    header(LOOP_HEADER, &from.key.mark(from.channel, part));
    header("MIME-Version", "1.0");
    let text = format!(
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\
         \r\n\r\n{}\r\n",
        quoted_printable(&text)
    );
    let Some(file) = file else {
        mail.push_str(&text);
        return Ok(ComposedMail { message_id: id, head: mail, tail: None });
    };
    // The boundary cannot occur in quoted-printable text, in which "=" precedes a digit, a letter
    // or the end of the line.
    let boundary = format!("=_confab_{}_{}", part.message, part.place);
    let _ = write!(mail, "Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n");
    let _ = write!(mail, "--{boundary}\r\n{text}--{boundary}\r\n");
    let _ = write!(mail, "Content-Type: {}\r\n", plain_type(file.mime_type));
    let _ = write!(mail, "Content-Disposition: attachment;\r\n {}\r\n", file_name(file.name));
    mail.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
    let tail = Some(format!("--{boundary}--\r\n"));
    Ok(ComposedMail { message_id: id, head: mail, tail })
}

/// Returns the text of the mail. A file that is not attached is linked.
fn text_of(part: &Part, has_file: bool) -> Result<String, Verdict> {
    let linked = |text: &str, url: &str| match (has_file, text.is_empty()) {
        (true, _) => text.to_owned(),
        (false, true) => url.to_owned(),
        (false, false) => format!("{text}\n\n{url}"),
    };
    match &part.say {
        PartContent::Text { text } => Ok(text.clone()),
        PartContent::File { url, caption, .. } => Ok(linked(caption, url)),
        PartContent::Buttons { text, image, buttons } => {
            let lines = buttons.iter().map(|it| format!("\n- {}", it.label));
            let text = text.clone() + &lines.collect::<String>();
            Ok(image.as_ref().map_or_else(|| text.clone(), |url| linked(&text, url)))
        }
        PartContent::Unsayable { why } => Err(Verdict::never("unsupported", why)),
        PartContent::Location { .. }
        | PartContent::Phone { .. }
        | PartContent::Template { .. }
        | PartContent::Edit { .. }
        | PartContent::Delete => {
            Err(Verdict::never("unsupported", "A mail cannot show this message."))
        }
    }
}

fn answered(subject: &str) -> String {
    let subject: String = subject.chars().filter(|c| !c.is_control()).collect();
    let subject: String = subject.trim().chars().take(SUBJECT_CHARS_MAX).collect();
    let is_reply = subject.get(..3).is_some_and(|it| it.eq_ignore_ascii_case("re:"));
    match (subject.is_empty(), is_reply) {
        (true, _) => "Re: your message".to_owned(),
        (_, true) => subject,
        (_, false) => format!("Re: {subject}"),
    }
}

fn dated(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_second(at.unix_seconds()).unwrap_or_default();
    rfc2822::to_string(&moment.to_zoned(jiff::tz::TimeZone::UTC)).unwrap_or_default()
}

/// Returns a header value such as `"Acme, Inc." <shop@x.example>`. No name can add another address
/// to the value.
fn mailbox(name: &str, address: &str) -> String {
    let name = one_line(name);
    let name = match name.trim() {
        "" => return address.to_owned(),
        name if is_plain_line(name) => {
            format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
        }
        name => encoded_words(name),
    };
    let fits = name.len() + address.len() < LINE_BYTES_MAX - 10;
    format!("{name}{}<{address}>", if fits { " " } else { "\r\n " })
}

/// Encodes a header's text: unchanged if it is plain, else as Base64 words (RFC 2047).
fn encoded(text: &str) -> String {
    let text = one_line(text);
    if is_plain_line(&text) { text } else { encoded_words(&text) }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Whether a text fits into one header line and cannot be mistaken for an encoded word.
fn is_plain_line(text: &str) -> bool {
    let is_plain = |c: char| (c.is_ascii_graphic() || c == ' ') && c != '=';
    text.chars().all(is_plain) && text.len() <= LINE_BYTES_MAX - 14
}

/// Encodes a text as Base64 words (RFC 2047), which cannot be mistaken for other header syntax.
fn encoded_words(text: &str) -> String {
    let mut words = Vec::new();
    let mut piece = String::new();
    for letter in text.chars() {
        if piece.len() + letter.len_utf8() > WORD_BYTES_MAX {
            words.push(std::mem::take(&mut piece));
        }
        piece.push(letter);
    }
    words.push(piece);
    let word = |it: &String| format!("=?utf-8?B?{}?=", STANDARD.encode(it));
    words.iter().map(word).collect::<Vec<_>>().join("\r\n ")
}

/// Maximum number of bytes of text in one encoded word, so that the word has at most 75 characters.
const WORD_BYTES_MAX: usize = 42;

/// Encodes a text as quoted-printable (RFC 2045), with short lines that end with CRLF and never
/// begin with a dot.
fn quoted_printable(text: &str) -> String {
    let mut written = String::new();
    let text = text.replace("\r\n", "\n");
    for line in text.split('\n') {
        let (mut width, bytes) = (0, line.as_bytes());
        for (at, byte) in bytes.iter().enumerate() {
            let is_last = at + 1 == bytes.len();
            let is_plain = match byte {
                b'.' => width > 0,
                b' ' | b'\t' => !is_last,
                b'=' => false,
                // Some programs change "From " at the beginning of a line.
                b'F' => width > 0,
                byte => byte.is_ascii_graphic(),
            };
            let size = if is_plain { 1 } else { 3 };
            if width + size >= LINE_BYTES_MAX {
                written.push_str("=\r\n");
                width = 0;
                // The line now begins with this dot.
                if *byte == b'.' {
                    written.push_str("=2E");
                    width = 3;
                    continue;
                }
            }
            match is_plain {
                true => written.push(char::from(*byte)),
                false => {
                    let _ = write!(written, "={byte:02X}");
                }
            }
            width += size;
        }
        written.push_str("\r\n");
    }
    written.truncate(written.trim_end_matches("\r\n").len());
    written
}

fn plain_type(text: &str) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '+' | '.');
    let is_type = text.contains('/') && text.chars().all(is_plain);
    if is_type { text } else { "application/octet-stream" }
}

/// Returns the parameter `filename="a.pdf"`, or its RFC 2231 form if the name is long or contains
/// special characters.
fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    if name.chars().all(is_plain) && name.len() <= 60 {
        return format!("filename=\"{name}\"");
    }
    let escaped: String = name.bytes().take(200).fold(String::new(), |mut all, byte| {
        match byte.is_ascii_alphanumeric() || byte == b'.' {
            true => all.push(char::from(byte)),
            false => {
                let _ = write!(all, "%{byte:02X}");
            }
        }
        all
    });
    format!("filename*=utf-8''{escaped}")
}
