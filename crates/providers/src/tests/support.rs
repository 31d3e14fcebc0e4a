//! Golden files, and events and requests as JSON.

use std::path::PathBuf;

use confab_domain::ids::{AgentId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::payload::Payload;
use confab_domain::support::conversations::answering::Answerer;
use confab_domain::time::Timestamp;
use serde_json::{Value, json};

use crate::{
    Credentials, Destination, EventContent, ExternalId, FileFacts, InboundContent, InboundMessage,
    Part, PressedButton, Provider, ProviderEvent, ProviderHost, ReplyReference, Status, StatusOf,
    Step, StepBody, Utterance, parts, read, steps,
};

pub(super) const STAFF: Answerer = Answerer::Staff(AgentId(9));

/// Applies `convert` to the first half of each golden file in a folder and compares the result with
/// the second half.
fn golden(folder: &str, first: &str, second: &str, convert: impl Fn(&Value) -> Value) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
    let mut count = 0;
    for entry in std::fs::read_dir(&path).expect("a folder") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let name = path.display();
        let is = convert(&file[first]);
        if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
            let both = json!({first: file[first], second: is});
            let text = serde_json::to_string_pretty(&both).expect("JSON");
            std::fs::write(&path, text + "\n").expect("written");
        } else {
            assert_eq!(is, file[second], "{name}");
        }
        count += 1;
    }
    assert!(count > 0, "{folder} contains golden files");
}

/// Compares the events of each received body, read together and alone.
pub(super) fn check_golden_events(provider: Provider, folder: &str) {
    golden(&format!("{folder}/golden/received"), "came", "heard", |body| {
        let events = events_of(provider, body);
        for event in &events {
            let again = read(provider, event.body.as_str().as_bytes());
            assert_eq!(again.as_deref(), Ok(std::slice::from_ref(event)), "alone: {body}");
        }
        events.iter().map(shown).collect()
    });
}

pub(super) fn events_of(provider: Provider, body: &Value) -> Vec<ProviderEvent> {
    read(provider, body.to_string().as_bytes()).expect("readable")
}

/// Compares the requests for each message of ours.
pub(super) fn check_golden_requests(
    provider: Provider,
    folder: &str,
    to: &ExternalId,
    with: &Credentials,
) {
    golden(&format!("{folder}/golden/sent"), "said", "sent", |fields| {
        let parts = parts(provider, &message(fields), STAFF);
        let request = |part: &Part| {
            assert_eq!(Part::open(&part.frozen()).as_ref(), Some(part), "frozen and opened");
            let file = part.file_url().map(|url| FileFacts {
                is_ours: url.starts_with("https://files.example/"),
                bytes: Some(2048),
                mime_type: None,
            });
            let reply_to = part.reply_to.map(|_| fields["replied"].as_str().expect("an id"));
            let destination = Destination { file, reply_to, ..destination(to) };
            match steps(provider, part, &destination, with) {
                Ok(steps) => {
                    let shown = steps.iter().map(request).collect::<Value>();
                    let logged = format!("{shown} {steps:?}");
                    assert!(!logged.contains("SECRET"), "{logged}");
                    assert!(steps.iter().all(is_authorized), "{logged}");
                    shown
                }
                Err(verdict) => json!(format!("{verdict:?}")),
            }
        };
        parts.iter().map(request).collect()
    });
}

/// Whether the request contains the token, in its path or as a bearer token.
fn is_authorized(step: &Step) -> bool {
    let in_path = step.path().expose().contains("SECRET");
    in_path || step.bearer.as_ref().is_some_and(|it| it.expose().contains("SECRET"))
}

pub(super) fn destination(address: &ExternalId) -> Destination<'_> {
    Destination {
        address,
        delivery: 900,
        reply_to: None,
        target: None,
        file: None,
        reply_token: None,
        is_window_open: true,
        may_tag_person: false,
    }
}

/// Builds a message of ours from `{type, text, payload}`.
pub(super) fn message(fields: &Value) -> Message {
    let kind = fields["type"].as_str().unwrap_or("text");
    let payload = Some(&fields["payload"]).filter(|it| !it.is_null());
    Message {
        id: MessageId(9_007_199_254_740_991),
        room: RoomId(55),
        number: 2,
        before: None,
        sender: UserKey(1),
        kind: MessageKind::parse(kind).expect("a kind"),
        text: fields["text"].as_str().unwrap_or_default().to_owned(),
        payload: payload.map(|it| JsonText::from_checked(it.to_string())),
        extras: None,
        client_unique_id: None,
        posted_at: Timestamp(0),
        is_deleted: false,
    }
}

pub(super) fn text_message(text: &str) -> Message {
    message(&json!({"text": text}))
}

pub(super) fn shown(event: &ProviderEvent) -> Value {
    let ids = |ids: &[ExternalId]| -> Value {
        ids.iter().map(|it| json!([it.kind.as_str(), it.value])).collect()
    };
    let contact = event.customer.as_ref().map(|it| {
        json!({
            "ids": ids(&it.ids), "user_id": it.user_id, "name": it.name,
            "username": it.username, "language": it.language,
        })
    });
    let what = match &event.content {
        EventContent::Posted(utterance) => json!({"said": shown_utterance(utterance)}),
        EventContent::Echoed(echo) => {
            json!({"echoed": shown_utterance(&echo.utterance), "tag": echo.tag.map(|it| it.message)})
        }
        EventContent::Status(it) => json!({"status": status(it)}),
        EventContent::Edited(utterance) => json!({"edited": shown_utterance(utterance)}),
        EventContent::Deleted(id) => json!({"deleted": id}),
        EventContent::Reacted(it) => json!({"reacted": {"to": it.to, "emoji": it.emoji}}),
        EventContent::Pressed(it) => {
            let button = match &it.button {
                PressedButton::Ours { message, place } => json!([message.0, place]),
                PressedButton::Foreign(carried) => json!(carried),
            };
            json!({"pressed": {
                "id": it.id, "button": button, "title": it.title, "query": it.query,
            }})
        }
        EventContent::Moved { old, new } => json!({"moved": {"old": ids(old), "new": ids(new)}}),
        EventContent::Left(why) => json!({"left": why}),
        EventContent::Ignored(noise) => json!({"noise": format!("{noise:?}")}),
        EventContent::Refused(why) => json!({"refused": why}),
    };
    json!({
        "key": event.key, "lane": event.lane, "customer": contact,
        "at_s": event.at.map(Timestamp::unix_seconds), "what": what,
        "reply_token": event.reply_token.as_ref().map(|it| it.0.as_str()),
    })
}

fn shown_utterance(utterance: &Utterance) -> Value {
    let one = |inbound: &InboundMessage| {
        let posted = inbound.posted(&ReplyReference::Nothing, None);
        let content = match &inbound.content {
            InboundContent::Ready { payload: Payload::Text, .. } => json!({"text": posted.text}),
            InboundContent::Ready { payload, .. } => json!({
                "type": payload.kind().as_str(),
                "text": posted.text,
                "payload": payload.json().map(value),
            }),
            InboundContent::File(media) => json!({"file": {
                "source": format!("{:?}", media.source), "name": media.file_name,
                "caption": media.caption, "mime_type": media.mime_type, "bytes": media.bytes,
                "sha256": media.sha256, "must_not_be_kept": media.must_not_be_kept,
            }}),
            InboundContent::LongText(text) => json!({"long_text": text.chars().count()}),
        };
        let extras = posted.extras.as_ref().map(value);
        json!({"content": content, "reply_to": inbound.reply_to, "extras": extras})
    };
    let messages = utterance.inbound_messages.iter().map(one).collect::<Value>();
    json!({"id": utterance.id, "sayings": messages})
}

fn status(status: &Status) -> Value {
    let of = match &status.of {
        StatusOf::Messages(ids) => json!(ids),
        StatusOf::SentTo { messages, addresses } => json!({"of": messages, "to": addresses}),
        StatusOf::Until(at) => json!({"until_s": at.unix_seconds()}),
    };
    let failure = status.failure.as_ref();
    json!({
        "of": of,
        "state": format!("{:?}", status.state),
        "failure": failure.map(|it| json!([it.code, it.why, it.is_window_closed])),
        "tag": status.tag.map(|it| [it.delivery, it.room, it.message]),
    })
}

pub(super) fn value(json: &JsonText) -> Value {
    serde_json::from_str(json.as_str()).expect("JSON")
}

/// Returns a request in its loggable form.
pub(super) fn request(step: &Step) -> Value {
    let body = match &step.body {
        StepBody::Empty => Value::Null,
        StepBody::Json(body) => body.clone(),
        StepBody::Multipart { fields, file } => {
            json!({"fields": fields, "file": [file.field, file.url, file.name, file.mime_type]})
        }
    };
    let host = match &step.host {
        ProviderHost::Api => "",
        ProviderHost::Data => "data",
        ProviderHost::Given(url) => url,
    };
    json!({
        "to": format!("{:?} {:?} {host}{}", step.purpose, step.method, step.shown_path()),
        "body": body,
        "headers": step.headers,
        "gives": step.gives,
        "takes": step.takes.map(|it| format!("{it:?}")),
    })
}
