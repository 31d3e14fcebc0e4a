//! Converts the stored JSON of a mail to messages of a customer.

use confab_domain::channels::email_address::normal_address;
use confab_domain::json_text::JsonText;
use serde_json::{Map, Value, json};

use crate::inbound_message::{InboundMessage, Media, MediaSource};
use crate::json_lookup::{self, Unreadable};
use crate::provider::Provider;
use crate::provider_event::{
    Contact, EventContent, ExternalId, Failure, IdKind, IgnoredReason, ProviderEvent, State,
    Status, StatusOf, Utterance,
};

/// Returns the event of a mail, given the JSON that `digest` created. There is always exactly one.
pub fn read(raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    let text = json_lookup::readable(raw)?;
    let body = json_lookup::value(&text)?;
    let mail = &body["mail"];
    if !mail.is_object() {
        return Err(Unreadable("is not a mail"));
    }
    let message_id =
        json_lookup::text(&mail["id"]).unwrap_or_else(|| json_lookup::content_key(&text));
    let from =
        json_lookup::text(&mail["from"]).filter(|it| normal_address(it).as_ref() == Some(it));
    let customer = from.as_ref().and_then(|from| contact(from, mail));
    // A Message-ID contains no space, so the two kinds of ids differ. Digests stored by earlier
    // versions have no fingerprint.
    let fingerprint = json_lookup::text(&mail["fingerprint"]).map(|it| format!("sha256 {it}"));
    let id = fingerprint.unwrap_or_else(|| message_id.clone());
    let content = content(mail, (&id, &message_id), customer.is_some());
    Ok(vec![ProviderEvent {
        key: format!("mail:{id}"),
        lane: from.unwrap_or_default(),
        account: None,
        customer,
        at: None,
        reply_token: None,
        content,
        body: JsonText::from_checked(text),
    }])
}

fn contact(from: &str, mail: &Value) -> Option<Contact> {
    let id = ExternalId { kind: IdKind::Address, value: from.to_owned() };
    let contact = Contact::of(Provider::Email, vec![id])?;
    // A user id that is a hash is not a display name.
    let address = || (contact.user_id != from).then(|| from.to_owned());
    Some(Contact { name: json_lookup::name(&mail["name"]).or_else(address), ..contact })
}

fn content(mail: &Value, (id, message_id): (&str, &str), has_sender: bool) -> EventContent {
    let [messages, addresses] = ["of", "to"].map(|key| texts(&mail["bounce"][key]));
    if !messages.is_empty() {
        let code =
            json_lookup::text(&mail["bounce"]["code"]).unwrap_or_else(|| "bounced".to_owned());
        let words = json_lookup::text(&mail["bounce"]["why"]);
        let why = words.map_or_else(
            || "The customer's mail server did not take it.".to_owned(),
            |words| format!("The customer's mail server did not take it: {words}"),
        );
        let failure = Some(Failure { code, why, is_window_closed: false });
        let of = StatusOf::SentTo { messages, addresses };
        return EventContent::Status(Status { of, state: State::Failed, failure, tag: None });
    }
    if let Some(why) = json_lookup::text(&mail["automatic"]) {
        return EventContent::Ignored(IgnoredReason::Unknown(why));
    }
    if let Some(why) = json_lookup::text(&mail["refused"]) {
        return EventContent::Refused(why);
    }
    if !has_sender {
        return EventContent::Refused("It has no sender.".to_owned());
    }
    let mut inbound_messages = inbound_messages(mail, message_id);
    if let Some(first) = inbound_messages.first_mut().filter(|_| id != message_id) {
        first.also_known_as = Some(message_id.to_owned());
    }
    EventContent::Posted(Utterance { id: id.to_owned(), inbound_messages })
}

fn texts(list: &Value) -> Vec<String> {
    json_lookup::list(list).iter().filter_map(json_lookup::text).collect()
}

/// Returns the messages of a mail: the text, then each file.
fn inbound_messages(mail: &Value, id: &str) -> Vec<InboundMessage> {
    let [in_reply_to, references] = ["in_reply_to", "references"].map(|key| texts(&mail[key]));
    let replied = in_reply_to.first().or(references.last()).cloned();
    let subject = json_lookup::text(&mail["subject"]).unwrap_or_default();
    let text = json_lookup::text(&mail["text"]).unwrap_or_default();
    // Show the subject only if it is new; replies repeat it.
    let is_new = replied.is_none() && !subject.trim().is_empty();
    let text = match (is_new, text.trim()) {
        (true, "") => subject.trim().to_owned(),
        (true, text) => format!("{}\n\n{text}", subject.trim()),
        (false, text) => text.to_owned(),
    };
    let files: Vec<_> = files(mail).into_iter().flat_map(InboundMessage::file).collect();
    let mut inbound_messages = match text.is_empty() {
        true if files.is_empty() => InboundMessage::text("(an empty mail)"),
        true => Vec::new(),
        false => InboundMessage::text(&text),
    };
    inbound_messages.extend(files);
    if let Some(first) = inbound_messages.first_mut() {
        first.reply_to = replied;
        let mut extras = Map::new();
        extras.insert("message_id".to_owned(), id.into());
        extras.insert("subject".to_owned(), subject.into());
        extras.insert("references".to_owned(), json!(references));
        if let Some(quoted) = json_lookup::text(&mail["quoted"]) {
            extras.insert("quoted".to_owned(), quoted.into());
        }
        let all = Value::Object(extras.clone());
        first.add("email", all);
        extras.remove("quoted");
        extras.remove("references");
        first.add_if_absent("email", Value::Object(extras));
    }
    inbound_messages
}

/// Returns the files of a mail, with the positions from which their contents can be read.
fn files(mail: &Value) -> Vec<Media> {
    let place = json_lookup::text(&mail["place"]).unwrap_or_default();
    let one = |file: &Value| {
        let part = json_lookup::size(&file["part"])?;
        let name = json_lookup::name(&file["name"]).unwrap_or_else(|| "file".to_owned());
        let source = MediaSource::Id(format!("{place}:{part}"));
        let mut media = Media::new(source, name);
        media.mime_type = json_lookup::text(&file["type"]);
        media.bytes = json_lookup::size(&file["bytes"]);
        media.sha256 = json_lookup::text(&file["sha256"]);
        Some(media)
    };
    let mut files: Vec<_> = json_lookup::list(&mail["files"]).iter().filter_map(one).collect();
    if json_lookup::is_true(&mail["is_whole_file"]) {
        let mut media = Media::new(MediaSource::Id(format!("{place}:all")), "mail.eml");
        media.mime_type = Some("message/rfc822".to_owned());
        media.bytes = json_lookup::size(&mail["bytes"]);
        media.sha256 = json_lookup::text(&mail["sha256"]);
        media.caption =
            "The mail cannot be shown completely. The whole mail is attached.".to_owned();
        files.push(media);
    }
    files
}
