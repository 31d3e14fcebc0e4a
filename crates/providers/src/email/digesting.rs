//! Converts the bytes of a mail to the JSON that is stored: sender, text and list of files.

use std::borrow::Cow;

use confab_domain::json_text::JsonText;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::arrival::Arrival;
use super::automatic::{self, first, listed};
use super::headers::is_id;
use super::heads::head_bytes;
use super::quoting::divided;
use super::reports;
use super::sender::sender;

/// Maximum size of a mail in bytes. A larger mail remains in the mailbox, and a message that
/// mentions it is posted instead.
pub const MAIL_BYTES_MAX: u64 = 25 * 1024 * 1024;
/// Maximum number of characters of a mail's text. A longer text is truncated, and also attached as
/// a file.
const TEXT_CHARS_MAX: usize = 100_000;
/// Maximum size in bytes of a quotation that is stored with the message. If the quotation is
/// larger, the complete text of the mail is attached as a file.
const QUOTED_BYTES_MAX: usize = 7_000;
const FILES_MAX: usize = 50;
const REFERENCES_MAX: usize = 20;
const SUBJECT_CHARS_MAX: usize = 500;

/// Maximum number of `Content-Type` headers in a parsed mail. Together with the constants below, it
/// limits the parser's work: the parser searches the rest of the mail for each part, and represents
/// a nested mail as a value within another.
const TYPES_MAX: usize = 400;
const LINES_MAX: usize = 5_000;
const WORK_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;
const HEAD_BYTES_MAX: usize = 512 * 1024;
/// Maximum total size in bytes of all header sections of a mail, including those of its parts and
/// of nested mails.
const HEADS_BYTES_MAX: usize = 1024 * 1024;

/// Converts a mail to JSON. `None` if the bytes are not a mail.
pub fn digest(raw: &[u8], arrival: Arrival<'_>) -> Option<JsonText> {
    let head_end = end_of_head(raw);
    if !is_parsed(raw, head_end) {
        let head = &raw[..head_end.min(HEAD_BYTES_MAX)];
        let mut mail = described(&MessageParser::default().parse_headers(head)?, raw, arrival)?;
        if mail["automatic"].is_null() {
            with_whole(&mut mail, raw);
        }
        return Some(stored(mail, &raw[head_end..]));
    }
    let parsed = MessageParser::default().parse(raw)?;
    let mut mail = described(&parsed, raw, arrival)?;
    if mail["automatic"].is_null() {
        content(&parsed, raw, &mut mail);
    } else if let Some(bounce) = reports::bounce(&parsed) {
        mail["bounce"] = bounce;
    }
    Some(stored(mail, &raw[head_end..]))
}

/// Returns the JSON that is stored for bytes in a mailbox that cannot be parsed as a mail, so that
/// the failure is visible.
pub fn unreadable(raw: &[u8], place: &str) -> JsonText {
    let id = format!("sha256:{}", hash(raw));
    let why = "It cannot be read as a mail.";
    stored(json!({"id": id, "place": place, "bytes": raw.len(), "refused": why}), raw)
}

/// Adds the whole mail to its digest as an attached file.
fn with_whole(mail: &mut Value, raw: &[u8]) {
    mail["is_whole_file"] = true.into();
    mail["sha256"] = hash(raw).into();
}

/// Converts a mail that is too large to be downloaded to JSON, given only its headers.
pub fn digest_head(head: &[u8], arrival: Arrival<'_>) -> Option<JsonText> {
    let head = &head[..end_of_head(head).min(HEAD_BYTES_MAX)];
    let parsed = MessageParser::default().parse_headers(head)?;
    let mut mail = described(&parsed, head, arrival)?;
    mail["text"] = "The mail is too large to be shown here. It is still in the mailbox.".into();
    Some(stored(mail, parsed.header_raw("Date").unwrap_or_default().as_bytes()))
}

/// Serializes a digest with its fingerprint. `rest` is content of the mail that the digest may not
/// contain.
fn stored(mut mail: Value, rest: &[u8]) -> JsonText {
    mail["fingerprint"] = fingerprint(&mail, rest).into();
    JsonText::from_checked(json!({"mail": mail}).to_string())
}

/// Returns the fingerprint of a mail: a hash of its Message-ID, sender and content. A mail that
/// arrives twice, even by different protocols, has the same fingerprint both times. A different
/// mail has another one, even if its sender reuses a Message-ID.
fn fingerprint(mail: &Value, rest: &[u8]) -> String {
    let files = mail["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let files: Vec<_> = files.iter().map(|it| [&it["name"], &it["sha256"]]).collect();
    let is_in_digest = mail["files"].is_array() && mail["is_whole_file"].is_null();
    let rest = if is_in_digest { String::new() } else { hash(rest) };
    let parts = ["id", "from", "subject", "text", "quoted"].map(|name| &mail[name]);
    hash(json!([parts, files, rest]).to_string().as_bytes())
}

/// Returns the digest of a mail without its text and files.
fn described(parsed: &Message<'_>, raw: &[u8], arrival: Arrival<'_>) -> Option<Value> {
    if parsed.parts.is_empty() {
        return None;
    }
    let named = first(parsed.from());
    let name = named.and_then(|it| it.name.as_deref()).unwrap_or_default();
    let sender = sender(parsed, raw);
    let from = sender.as_deref().unwrap_or_default();
    let automatic = automatic::why(parsed, from, arrival);
    Some(json!({
        "id": id(parsed, raw),
        "place": arrival.place,
        "from": from,
        "name": cut(name, SUBJECT_CHARS_MAX),
        "subject": cut(parsed.subject().unwrap_or_default(), SUBJECT_CHARS_MAX),
        "in_reply_to": ids(listed(parsed.in_reply_to())),
        "references": ids(listed(parsed.references())),
        "bytes": raw.len(),
        "refused": sender.as_ref().err().filter(|_| automatic.is_none()),
        "automatic": automatic,
    }))
}

/// Returns the content of a file that a digest lists: the part of the mail with this index, or the
/// whole mail if `part` is `None`.
pub fn part_of(raw: &[u8], part: Option<usize>) -> Option<Vec<u8>> {
    let Some(place) = part else { return Some(raw.to_vec()) };
    if !is_parsed(raw, end_of_head(raw)) {
        return None;
    }
    let parsed = MessageParser::default().parse(raw)?;
    Some(parsed.parts.get(place)?.contents().to_vec())
}

/// Returns the contents of the files that a digest lists, except files larger than `bytes_max`.
pub fn files_of(raw: &[u8], digest: &JsonText, bytes_max: u64) -> Vec<Vec<u8>> {
    let digest: Value = serde_json::from_str(digest.as_str()).unwrap_or_default();
    let mail = &digest["mail"];
    let named = mail["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    let fits = |bytes: &[u8]| bytes.len() as u64 <= bytes_max;
    let mut files = Vec::new();
    if !named.is_empty()
        && let Some(parsed) = MessageParser::default().parse(raw)
    {
        let places = named.iter().filter_map(|it| usize::try_from(it["part"].as_u64()?).ok());
        let parts = places.filter_map(|at| parsed.parts.get(at)).map(|it| it.contents());
        files.extend(parts.filter(|it| fits(it)).map(<[u8]>::to_vec));
    }
    if mail["is_whole_file"] == true && fits(raw) {
        files.push(raw.to_vec());
    }
    files
}

fn end_of_head(raw: &[u8]) -> usize {
    let blank = raw.windows(2).position(|it| it == b"\n\n");
    let crlf = raw.windows(4).position(|it| it == b"\r\n\r\n").map(|at| at + 2);
    let ends = [blank, crlf].into_iter().flatten().min();
    ends.map_or(raw.len(), |at| at + 2)
}

/// Whether parsing a mail is cheap enough. Otherwise the whole mail is attached as a file.
fn is_parsed(raw: &[u8], head_end: usize) -> bool {
    let types = count(raw, b"content-type");
    let lines = raw.windows(3).filter(|it| *it == b"\n--").take(LINES_MAX + 1).count();
    head_end <= HEAD_BYTES_MAX
        && types <= TYPES_MAX
        && lines <= LINES_MAX
        && head_bytes(raw) <= HEADS_BYTES_MAX
        && (types + 1).saturating_mul(raw.len()) <= WORK_BYTES_MAX
}

fn count(raw: &[u8], word: &[u8]) -> usize {
    let is_it = |it: &&[u8]| it.eq_ignore_ascii_case(word);
    raw.windows(word.len()).filter(is_it).take(TYPES_MAX + 1).count()
}

/// Returns the Message-ID, or a hash of the mail if it has no valid one.
fn id(mail: &Message<'_>, raw: &[u8]) -> String {
    let given = mail.message_id().map(str::trim).filter(|it| is_id(it));
    given.map_or_else(|| format!("sha256:{}", hash(raw)), str::to_owned)
}

fn ids(given: Vec<String>) -> Vec<String> {
    let skipped = given.len().saturating_sub(REFERENCES_MAX);
    given.into_iter().skip(skipped).filter(|it| is_id(it)).collect()
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

/// Adds the mail's text and files to the digest `into`.
fn content(mail: &Message<'_>, raw: &[u8], into: &mut Value) {
    let mut files = Vec::new();
    let shown = text_part(mail);
    let text = match shown.and_then(|place| mail.parts.get(place)).map(|it| &it.body) {
        Some(PartType::Text(text)) => text.replace("\r\n", "\n"),
        Some(PartType::Html(html)) => html_to_text(html).replace("\r\n", "\n"),
        _ => String::new(),
    };
    let (new, quoted) = divided(&text);
    if new.chars().count() > TEXT_CHARS_MAX || quoted.len() > QUOTED_BYTES_MAX {
        // The complete text follows as a file.
        files.extend(shown.and_then(|at| file(at, mail.parts.get(at)?, Some("message"))));
    } else if !quoted.is_empty() {
        into["quoted"] = quoted.trim().into();
    }
    into["text"] = cut(new.trim(), TEXT_CHARS_MAX).into();
    let is_html =
        |it: &usize| matches!(mail.parts.get(*it).map(|it| &it.body), Some(PartType::Html(_)));
    let alternative = mail.html_body.first().map(|it| *it as usize);
    for (at, part) in mail.parts.iter().enumerate() {
        let is_shown = Some(at) == shown && !is_html(&at);
        // The HTML alternative of the same text.
        let is_twin =
            Some(at) == alternative && shown.is_some_and(|it| !is_html(&it)) && is_html(&at);
        if is_shown || is_twin || files.iter().any(|it: &Value| it["part"] == at) {
            continue;
        }
        let name = (Some(at) == shown).then_some("message");
        files.extend(file(at, part, name));
    }
    if files.len() > FILES_MAX {
        files.truncate(FILES_MAX);
        with_whole(into, raw);
    }
    into["files"] = files.into();
}

/// Returns the index of the part whose text is shown: the first plain text, or else the first HTML.
fn text_part(mail: &Message<'_>) -> Option<usize> {
    let is_plain = |it: &&u32| {
        matches!(mail.parts.get(**it as usize).map(|it| &it.body), Some(PartType::Text(_)))
    };
    let is_html = |it: &&u32| {
        matches!(mail.parts.get(**it as usize).map(|it| &it.body), Some(PartType::Html(_)))
    };
    let plain = mail.text_body.iter().find(is_plain);
    plain.or_else(|| mail.html_body.iter().find(is_html)).map(|it| *it as usize)
}

/// Returns a part as a file; `None` if it is empty or only contains other parts.
fn file(at: usize, part: &MessagePart<'_>, name: Option<&str>) -> Option<Value> {
    let bytes = part.contents();
    if bytes.is_empty() || matches!(part.body, PartType::Multipart(_)) {
        return None;
    }
    let kind = part.content_type().map(|it| {
        let subtype = it.subtype().unwrap_or("octet-stream");
        Cow::from(format!("{}/{subtype}", it.ctype()).to_ascii_lowercase())
    });
    let kind = kind.unwrap_or(Cow::Borrowed("text/plain"));
    let given = name.is_none().then(|| part.attachment_name()).flatten();
    let given = given.map(plain_name).filter(|it| !it.is_empty());
    let name =
        given.unwrap_or_else(|| format!("{}.{}", name.unwrap_or("file"), ending(&kind, part)));
    Some(json!({
        "part": at, "name": name, "type": kind, "bytes": bytes.len(), "sha256": hash(bytes),
    }))
}

fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|c| !c.is_control()).take(200).collect();
    kept.trim().trim_start_matches('.').to_owned()
}

fn ending(kind: &str, part: &MessagePart<'_>) -> &'static str {
    match (&part.body, kind) {
        (PartType::Message(_), _) => "eml",
        (PartType::Html(_), _) => "html",
        (_, "image/jpeg") => "jpg",
        (_, "image/png") => "png",
        (_, "image/gif") => "gif",
        (_, "image/webp") => "webp",
        (_, "application/pdf") => "pdf",
        (_, "text/calendar") => "ics",
        (_, "text/csv") => "csv",
        (PartType::Text(_), _) => "txt",
        _ => "bin",
    }
}
