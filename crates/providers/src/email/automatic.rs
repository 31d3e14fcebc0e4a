//! Detects automatic mails, which are never posted in a room and never answered.

use mail_parser::{Addr, Address, HeaderValue, Message, MimeHeaders};

use super::arrival::Arrival;
use super::headers::{LOOP_HEADER, OWN_ID_PREFIX};

/// Returns the reason why a mail is not a customer's message; `None` if it is one. If a header is
/// repeated, all of its values are checked.
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
    let is_our_id = |it: &str| {
        let name = it.split('@').next().and_then(|it| it.strip_prefix(OWN_ID_PREFIX));
        name.is_some_and(|mark| arrival.key.made(mark))
    };
    match () {
        () if any(LOOP_HEADER, &|it| arrival.key.made(it))
            || mail.message_id().is_some_and(is_our_id) =>
        {
            Some("a mail that this app sent")
        }
        () if from.eq_ignore_ascii_case(arrival.own) => {
            Some("a mail from the channel's own address")
        }
        () if mail.root_part().content_type().is_some_and(is_report) => {
            Some("a report of a mail server")
        }
        () if any("Auto-Submitted", &is_automatic) => Some("an automatic mail"),
        () if any("Return-Path", &|it| it == "<>") || arrival.return_path == Some("") => {
            Some("a report of a mail server")
        }
        () if any("Precedence", &is_to_many) => Some("a bulk or automatic mail"),
        () if has("List-Id") || has("List-Unsubscribe") => Some("a mail of a mailing list"),
        () if has("X-Autoreply") || has("X-Autorespond") => Some("an automatic mail"),
        () if is_daemon(from) => Some("a report of a mail server"),
        () => None,
    }
}

fn is_daemon(from: &str) -> bool {
    let name = from.split('@').next().unwrap_or_default().to_ascii_lowercase();
    ["mailer-daemon", "postmaster"].contains(&name.as_str())
}

/// Returns the first address of a header.
pub(super) fn first<'a>(value: Option<&'a Address<'a>>) -> Option<&'a Addr<'a>> {
    value.and_then(|it| it.first())
}

/// Returns the items of a header whose value is a list, such as References.
pub(super) fn listed(value: &HeaderValue<'_>) -> Vec<String> {
    let list = value.as_text_list().unwrap_or_default();
    list.iter().map(|it| it.to_string()).collect()
}
