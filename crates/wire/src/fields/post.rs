//! Fields that are common to all calls that post a message.

use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::messages::message_kind;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::UserRef;

use crate::fields::kind::Field;
use crate::fields::messages::{Extras, MessageKind, MessageText, PostedPayload};
use crate::payload;
use crate::reading::{FieldJson, FieldReader};
use crate::request::{FieldShape, GivenFields, Part, Request};

/// The message fields of a post, without the sender.
#[derive(Clone)]
pub(crate) struct Post {
    text: String,
    payload: Payload,
    extras: Option<JsonText>,
    /// Unique id from the fields or from the header `Idempotency-Key`.
    pub(crate) unique_id: Option<UniqueId>,
}

/// Function that checks the payload of a message type. Its last argument is the text of the
/// message.
type PayloadReader =
    fn(&mut FieldReader, message_kind::MessageKind, FieldJson<'_>, Option<&str>) -> Option<Payload>;

/// A [`Post`] whose text is in the field `comment`, as clients send it.
pub(crate) struct ClientPost(pub(crate) Post);

/// A [`Post`] of the older server API, where a pressed button needs no text.
pub(crate) struct OlderPost(pub(crate) Post);

const fn parts(message: &'static str) -> [Part; 5] {
    const MESSAGE: &str = "At most 4000 characters. Optional where the payload supplies the text.";
    const PAYLOAD: &str = "The payload of the type: an object, or a text that holds one.";
    [
        Part::Field(FieldShape::of::<MessageText>(message, &[MESSAGE]).example("Hello")),
        Part::Field(FieldShape::of::<MessageKind>("type", &["Default `text`."]).example("text")),
        Part::Field(FieldShape::of::<PostedPayload>("payload", &[PAYLOAD])),
        Part::Field(FieldShape::of::<Extras>("extras", &["Metadata of the message."])),
        Part::Group(UniqueIdOrKey::PARTS),
    ]
}

impl Request for Post {
    const PARTS: &'static [Part] = &parts("message");

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let (kind, payload) = (fields.get("type"), fields.get("payload"));
        Self::read_of(reading, fields, "message", kind, payload)
    }
}

impl Request for ClientPost {
    const PARTS: &'static [Part] = &parts("comment");

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let (kind, payload) = (fields.get("type"), fields.get("payload"));
        let reader = payload::read_of_client;
        Post::read_with(reading, fields, "comment", kind, payload, reader).map(Self)
    }
}

impl Request for OlderPost {
    const PARTS: &'static [Part] = &parts("message");

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let (kind, payload) = (fields.get("type"), fields.get("payload"));
        let reader = payload::read_of_older_api;
        let mut post = Post::read_with(reading, fields, "message", kind, payload, reader)?;
        if post.text.is_empty()
            && let Payload::ButtonPostbackResponse { json, .. } = &post.payload
        {
            post.text = payload::name_of_press(FieldJson::of(json)).unwrap_or_default();
        }
        Some(Self(post))
    }
}

impl Post {
    /// Reads a post with this type and payload, and its text from the field named by the argument
    /// `message`. Problems of the text are always reported for the field `message`.
    pub(crate) fn read_of(
        reading: &mut FieldReader,
        fields: &GivenFields<'_>,
        message: &str,
        kind: FieldJson<'_>,
        payload: FieldJson<'_>,
    ) -> Option<Self> {
        Self::read_with(reading, fields, message, kind, payload, payload::read)
    }

    fn read_with(
        reading: &mut FieldReader,
        fields: &GivenFields<'_>,
        message: &str,
        kind: FieldJson<'_>,
        payload: FieldJson<'_>,
        reader: PayloadReader,
    ) -> Option<Self> {
        let text = MessageText::read(reading, "message", fields.get(message));
        let kind = MessageKind::read(reading, "type", kind);
        let extras = fields.value::<Extras>("extras", reading);
        let payload = kind.and_then(|kind| reader(reading, kind, payload, text.as_deref()));
        if let Some(payload) = &payload {
            reading.check_bytes("payload", payload.json(), limits::PAYLOAD_BYTES_MAX);
        }
        let unique_id = UniqueIdOrKey::read(fields, reading)?.0;
        Some(Self { text: text.unwrap_or_default(), payload: payload?, extras, unique_id })
    }

    /// Returns the message to post, with this sender.
    pub(crate) fn draft(self, sender: impl Into<UserRef>) -> Draft {
        let Self { text, payload, extras, unique_id } = self;
        Draft { sender: sender.into(), text, payload, extras, unique_id }
    }
}

const UNIQUE_ID: &str = "A new id for each message; made by the server where absent. A repeated \
    post with the same id answers with the first message and posts nothing.";

/// Unique id of a new message, from its field or else from the header `Idempotency-Key`.
pub(crate) struct UniqueIdOrKey(pub(crate) Option<UniqueId>);

impl Request for UniqueIdOrKey {
    const PARTS: &'static [Part] =
        &[Part::Field(FieldShape::of::<super::messages::UniqueId>("unique_temp_id", &[UNIQUE_ID]))];

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        const FIELD: &str = "unique_temp_id";
        if let Some(text) = reading.filled_text(FIELD, fields.get(FIELD)) {
            return Some(Self(reading.check(UniqueId::parse(FIELD, &text))));
        }
        let key = fields.idempotency_key().filter(|key| !key.is_empty());
        Some(Self(key.and_then(|key| reading.check(UniqueId::parse("Idempotency-Key", key)))))
    }
}
