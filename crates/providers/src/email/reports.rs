//! Delivery reports of mail servers (RFC 3464): which of our mails failed, and for which addresses.

use confab_domain::channels::email_address::normal_address;
use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use serde_json::{Value, json};

use super::headers::ids_in;

const PARTS_MAX: usize = 50;
const RECIPIENTS_MAX: usize = 20;
const CODE_CHARS_MAX: usize = 20;
const REASON_CHARS_MAX: usize = 300;

/// Returns the failure that a delivery report describes: Message-IDs of the failed mails, failed
/// addresses, status code and reason. `None` if the mail reports no failure.
pub(super) fn bounce(mail: &Message<'_>) -> Option<Value> {
    let (mut of, mut failed) = (Vec::new(), Vec::new());
    for part in mail.parts.iter().take(PARTS_MAX) {
        match &part.body {
            PartType::Message(sent) => of.extend(sent.message_id().map(str::to_owned)),
            PartType::Text(text) | PartType::Html(text) if is(part, "text", "rfc822-headers") => {
                of.extend(field(text, "message-id").and_then(|it| ids_in(it).into_iter().next()));
            }
            PartType::Text(_) | PartType::Binary(_) if is(part, "message", "delivery-status") => {
                failed.extend(failures(&String::from_utf8_lossy(part.contents())));
            }
            _ => {}
        }
    }
    let to: Vec<_> = failed.iter().flat_map(|it| &it.to).take(RECIPIENTS_MAX).collect();
    let first = failed.first().filter(|_| !of.is_empty())?;
    Some(json!({"of": of, "to": to, "code": first.code, "why": first.why}))
}

fn is(part: &MessagePart<'_>, kind: &str, subtype: &str) -> bool {
    part.is_content_type(kind, subtype)
}

/// Recipient of a mail whose delivery failed.
struct FailedRecipient {
    /// Final recipient address, followed by the original recipient address if the report contains
    /// it.
    to: Vec<String>,
    code: String,
    why: String,
}

/// Returns the failed recipients in the text of a `message/delivery-status` part, which contains a
/// block of fields for each recipient.
fn failures(status: &str) -> Vec<FailedRecipient> {
    let status = status.replace("\r\n", "\n").replace("\n ", " ").replace("\n\t", " ");
    let of_block = |block: &str| {
        let is_failure = field(block, "action").is_some_and(|it| it.eq_ignore_ascii_case("failed"));
        if !is_failure {
            return None;
        }
        let recipients = ["final-recipient", "original-recipient"].map(|name| field(block, name));
        let to = recipients.into_iter().flatten().filter_map(address).collect();
        let code = field(block, "status").unwrap_or_default();
        let reason = field(block, "diagnostic-code").unwrap_or_default();
        let why = reason.split_once(';').map_or(reason, |(_, words)| words).trim();
        let cut = |text: &str, most| text.chars().take(most).collect();
        Some(FailedRecipient {
            to,
            code: cut(code, CODE_CHARS_MAX),
            why: cut(why, REASON_CHARS_MAX),
        })
    };
    status.split("\n\n").filter_map(of_block).collect()
}

/// Parses the address in the value of a recipient field, such as `rfc822; ana@x.example`.
fn address(value: &str) -> Option<String> {
    let (_, address) = value.split_once(';')?;
    normal_address(address.trim().trim_start_matches('<').trim_end_matches('>'))
}

/// Returns the value of the first field with this name, ignoring case.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (its, value) = line.split_once(':')?;
        its.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
