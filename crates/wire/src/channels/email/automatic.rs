//! Mails that no person wrote: they are never brought into a room, and never answered.

use mail_parser::{Addr, Address, HeaderValue, Message, MimeHeaders, PartType};
use serde_json::{Value, json};

use super::arrival::Arrival;
use super::headers::{LOOP_HEADER, ids_in};

/// Why a mail is no message of a customer, in plain words; nothing if it is one. Where a header is
/// repeated, any of its values counts.
pub(super) fn why(mail: &Message<'_>, from: &str, arrival: Arrival<'_>) -> Option<&'static str> {
    let has = |name: &'static str| mail.header(name).is_some();
    let any = |name: &'static str, is_it: &dyn Fn(&str) -> bool| {
        let mut values = mail.headers_raw().filter(|it| it.0.eq_ignore_ascii_case(name));
        values.any(|(_, value)| is_it(value.trim().to_ascii_lowercase().as_str()))
    };
    let is_report = |it: &mail_parser::ContentType<'_>| {
        it.ctype().eq_ignore_ascii_case("multipart")
            && it.subtype().is_some_and(|it| it.eq_ignore_ascii_case("report"))
    };
    let is_automatic = |it: &str| !it.is_empty() && it != "no" && !it.starts_with("no;");
    let is_to_many = |it: &str| ["bulk", "junk", "list", "auto_reply"].contains(&it);
    match () {
        () if has(LOOP_HEADER) => Some("a mail that this server sent"),
        () if from.eq_ignore_ascii_case(arrival.own) => {
            Some("a mail from the channel's own address")
        }
        () if mail.root_part().content_type().is_some_and(is_report) => {
            Some("a report of a mail server")
        }
        () if any("Auto-Submitted", &is_automatic) => Some("a mail that was sent by itself"),
        () if any("Return-Path", &|it| it == "<>") || arrival.return_path == Some("") => {
            Some("a report of a mail server")
        }
        () if any("Precedence", &is_to_many) => {
            Some("a mail to many, or one that was sent by itself")
        }
        () if has("List-Id") || has("List-Unsubscribe") => Some("a mail of a mailing list"),
        () if has("X-Autoreply") || has("X-Autorespond") => Some("a mail that was sent by itself"),
        () if is_daemon(from) => Some("a report of a mail server"),
        () => None,
    }
}

fn is_daemon(from: &str) -> bool {
    let name = from.split('@').next().unwrap_or_default().to_ascii_lowercase();
    ["mailer-daemon", "postmaster"].contains(&name.as_str())
}

/// Which mails of ours a report says did not arrive, and why; nothing if it says no such thing.
pub(super) fn bounce(mail: &Message<'_>) -> Option<Value> {
    let (mut code, mut why, mut has_failed) = (String::new(), String::new(), false);
    let mut of = Vec::new();
    for part in mail.parts.iter().take(PARTS_MAX) {
        match &part.body {
            PartType::Message(sent) => of.extend(sent.message_id().map(str::to_owned)),
            PartType::Text(text) | PartType::Html(text) if is(part, "text", "rfc822-headers") => {
                of.extend(field(text, "message-id").and_then(|it| ids_in(it).into_iter().next()));
            }
            PartType::Text(_) | PartType::Binary(_) if is(part, "message", "delivery-status") => {
                let text = String::from_utf8_lossy(part.contents());
                has_failed |=
                    field(&text, "action").is_some_and(|it| it.eq_ignore_ascii_case("failed"));
                code = field(&text, "status").unwrap_or_default().to_owned();
                let said = field(&text, "diagnostic-code").unwrap_or_default();
                why = said.split_once(';').map_or(said, |(_, words)| words).trim().to_owned();
            }
            _ => {}
        }
    }
    let code: String = code.chars().take(20).collect();
    let why: String = why.chars().take(300).collect();
    (has_failed && !of.is_empty()).then(|| json!({"of": of, "code": code, "why": why}))
}

const PARTS_MAX: usize = 50;

fn is(part: &mail_parser::MessagePart<'_>, kind: &str, subtype: &str) -> bool {
    part.is_content_type(kind, subtype)
}

/// A field of a report, whose name stands in lower case here.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (its, value) = line.split_once(':')?;
        its.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// The first address of a header.
pub(super) fn first<'a>(value: Option<&'a Address<'a>>) -> Option<&'a Addr<'a>> {
    value.and_then(|it| it.first())
}

/// The words of a header that lists some.
pub(super) fn listed(value: &HeaderValue<'_>) -> Vec<String> {
    let list = value.as_text_list().unwrap_or_default();
    list.iter().map(|it| it.to_string()).collect()
}
