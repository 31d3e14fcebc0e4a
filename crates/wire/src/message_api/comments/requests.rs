//! What callers send about comments: posting, loading, system events, deleting (spec 4.1).

use confab_domain::app::{App, AppCode};
use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::{Draft, check_text};
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::body::Body;
use crate::message_api::{Page, read_page, read_some_user_ids, read_user_id};
use crate::payload;
use crate::reading::{Given, Reading};

/// `POST /post_comment`
#[derive(Deserialize, ToSchema)]
#[schema(as = PostComment)]
pub struct PostCommentFields<'a> {
    /// The sender.
    #[schema(value_type = String, required = true, example = "ana", max_length = 255,
        pattern = "^[A-Za-z0-9._@-]+$")]
    #[serde(borrow, default)]
    user_id: Given<'a>,
    /// Room id, or a room unique id.
    #[schema(value_type = String, required = true, example = "support")]
    #[serde(default)]
    room_id: Given<'a>,
    /// At most 4000 characters. Optional where the payload supplies the text.
    #[schema(value_type = Option<String>, example = "Hello", max_length = 4000)]
    #[serde(default)]
    message: Given<'a>,
    /// Default `text`.
    #[schema(value_type = Option<String>, example = "text")]
    #[serde(default)]
    r#type: Given<'a>,
    /// The payload of the type.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// Metadata of the message.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
    /// Posting the same id again gives the first message.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
}

/// A message to post, and where.
pub struct PostComment {
    /// Where.
    pub room: RoomRef,
    /// What.
    pub draft: Draft,
}

impl PostComment {
    /// Reads the request. The `Idempotency-Key` header serves as unique id where the body has none.
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let fields: PostCommentFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let sender = read_user_id(&mut reading, "user_id", fields.user_id);
        let room = read_room(&mut reading, fields.room_id);
        let content = Content::read(&mut reading, &fields.content());
        let unique_id = read_unique_id(&mut reading, fields.unique_temp_id, idempotency_key);
        match (sender, room, content) {
            (Some(sender), Some(room), Some(content)) => {
                reading.finish()?;
                Ok(Self { room, draft: content.draft(sender, unique_id) })
            }
            _ => Err(reading.refusal()),
        }
    }
}

impl<'a> PostCommentFields<'a> {
    fn content(&self) -> ContentFields<'a> {
        ContentFields {
            message: self.message,
            kind: self.r#type,
            payload: self.payload,
            extras: self.extras,
        }
    }
}

/// `POST /broadcast`: one message to each target, in the single room of sender and target.
#[derive(Deserialize, ToSchema)]
#[schema(as = Broadcast)]
pub struct BroadcastFields<'a> {
    /// Who says it.
    #[schema(value_type = String, required = true, example = "ana",
        pattern = "^[A-Za-z0-9._@-]+$")]
    #[serde(borrow, default)]
    sender_user_id: Given<'a>,
    /// To whom, at most 100.
    #[schema(value_type = Vec<String>, required = true)]
    #[serde(default, alias = "target_user_ids[]")]
    target_user_ids: Given<'a>,
    /// At most 4000 characters.
    #[schema(value_type = Option<String>, max_length = 4000)]
    #[serde(default)]
    message: Given<'a>,
    /// Default `text`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    r#type: Given<'a>,
    /// The payload of the type.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// Metadata of the messages.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
    /// Posting the same id again gives the first messages.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
}

/// Messages to post, and to whom.
pub struct Broadcast {
    /// To whom; never the sender.
    pub targets: Vec<UserId>,
    /// One draft a target, in the same order.
    pub drafts: Vec<Draft>,
}

impl Broadcast {
    /// Reads the request. Each message's unique id is the call's with the target's name (D-0002).
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let fields: BroadcastFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let sender = read_user_id(&mut reading, "sender_user_id", fields.sender_user_id);
        let targets = read_some_user_ids(
            &mut reading,
            "target_user_ids",
            fields.target_user_ids,
            limits::BROADCAST_TARGETS_MAX,
        );
        if sender.is_some()
            && targets.iter().flatten().any(|target| Some(target) == sender.as_ref())
        {
            reading.wrong::<()>("target_user_ids", "must not name the sender");
        }
        let content = ContentFields {
            message: fields.message,
            kind: fields.r#type,
            payload: fields.payload,
            extras: fields.extras,
        };
        let content = Content::read(&mut reading, &content);
        let key = read_unique_id(&mut reading, fields.unique_temp_id, idempotency_key);
        let (Some(sender), Some(targets), Some(content)) = (sender, targets, content) else {
            return Err(reading.refusal());
        };
        reading.finish()?;
        let own_id = |target: &UserId| {
            key.as_ref().map(|key| UniqueId::from_stored(format!("{key}/{}", target.as_str())))
        };
        let draft = |target| content.clone().draft(sender.clone(), own_id(target));
        let drafts = targets.iter().map(draft).collect();
        Ok(Self { targets, drafts })
    }
}

/// `POST /post_system_event_message`
#[derive(Deserialize, ToSchema)]
#[schema(as = PostSystemEvent)]
pub struct PostSystemEventFields<'a> {
    /// Must be `custom`.
    #[schema(value_type = String, required = true, example = "custom", pattern = "^custom$")]
    #[serde(borrow, default)]
    system_event_type: Given<'a>,
    /// Room id, or a room unique id.
    #[schema(value_type = String, required = true, example = "support")]
    #[serde(default)]
    room_id: Given<'a>,
    /// At most 4000 characters.
    #[schema(value_type = String, required = true, example = "Ana joined", max_length = 4000)]
    #[serde(default)]
    message: Given<'a>,
    /// Free, defined by the caller.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// Metadata of the message.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
    /// Posting the same id again gives the first message.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
}

impl PostComment {
    /// Reads a system event: the app's System user speaks (spec 2.4).
    pub fn read_system_event(
        body: &Body<'_>,
        idempotency_key: Option<&str>,
        app: &AppCode,
    ) -> Result<Self, Refusal> {
        let fields: PostSystemEventFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let kind = reading.text("system_event_type", fields.system_event_type);
        let kind = reading.needed("system_event_type", kind);
        if kind.is_some_and(|kind| kind != "custom") {
            reading.wrong::<()>("system_event_type", "must be custom");
        }
        let room = read_room(&mut reading, fields.room_id);
        let text = read_message(&mut reading, fields.message);
        let text = reading.needed("message", text);
        let payload = reading.free_json("payload", fields.payload);
        reading.check_bytes("payload", payload.as_ref(), limits::PAYLOAD_BYTES_MAX);
        let extras = read_extras(&mut reading, fields.extras);
        let unique_id = read_unique_id(&mut reading, fields.unique_temp_id, idempotency_key);
        let (Some(room), Some(text)) = (room, text) else { return Err(reading.refusal()) };
        reading.finish()?;
        let payload = Payload::SystemEvent(payload.unwrap_or_else(JsonText::empty_object));
        let sender = UserRef::own(App::system_user_id(app));
        Ok(Self { room, draft: Draft { sender, text, payload, extras, unique_id } })
    }
}

/// What is said, as it came.
pub(crate) struct ContentFields<'a> {
    pub(crate) message: Given<'a>,
    pub(crate) kind: Given<'a>,
    pub(crate) payload: Given<'a>,
    pub(crate) extras: Given<'a>,
}

/// What is said, whoever says it.
#[derive(Clone)]
pub(crate) struct Content {
    text: String,
    payload: Payload,
    extras: Option<JsonText>,
}

impl Content {
    pub(crate) fn read(reading: &mut Reading, fields: &ContentFields<'_>) -> Option<Self> {
        let text = read_message(reading, fields.message);
        let kind = payload::read_kind(reading, fields.kind);
        let extras = read_extras(reading, fields.extras);
        let payload = payload::read(reading, kind?, fields.payload, text.as_deref())?;
        reading.check_bytes("payload", payload.json(), limits::PAYLOAD_BYTES_MAX);
        Some(Self { text: text.unwrap_or_default(), payload, extras })
    }

    pub(crate) fn draft(self, sender: impl Into<UserRef>, unique_id: Option<UniqueId>) -> Draft {
        let Self { text, payload, extras } = self;
        Draft { sender: sender.into(), text, payload, extras, unique_id }
    }
}

fn read_message(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let text = reading.filled_text("message", given)?;
    reading.check(check_text("message", &text))?;
    Some(text)
}

/// The metadata of a message.
pub(crate) fn read_extras(reading: &mut Reading, given: Given<'_>) -> Option<JsonText> {
    let extras = reading.json("extras", given);
    reading.check_bytes("extras", extras.as_ref(), limits::EXTRAS_BYTES_MAX);
    extras
}

pub(crate) fn read_room(reading: &mut Reading, given: Given<'_>) -> Option<RoomRef> {
    let text = reading.key("room_id", given);
    let text = reading.needed("room_id", text)?;
    reading.check(RoomRef::parse("room_id", &text))
}

pub(crate) fn read_unique_id(
    reading: &mut Reading,
    given: Given<'_>,
    idempotency_key: Option<&str>,
) -> Option<UniqueId> {
    if let Some(text) = reading.filled_text("unique_temp_id", given) {
        return reading.check(UniqueId::parse("unique_temp_id", &text));
    }
    let key = idempotency_key.filter(|key| !key.is_empty())?;
    reading.check(UniqueId::parse("Idempotency-Key", key))
}

/// `GET /load_comments`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoadCommentsFields<'a> {
    /// Room id; a room unique id is taken too.
    #[param(value_type = String, required = true, example = "support")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// From 1, newest messages first.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default 20, at most 100; a greater value gives 20.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// A page of a room.
#[derive(Debug)]
pub struct LoadComments {
    /// Where.
    pub room: RoomRef,
    /// Which page.
    pub page: Page,
}

impl LoadComments {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: LoadCommentsFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let room = read_room(&mut reading, fields.room_id);
        let page = read_page(fields.page, fields.limit, limits::PAGE_DEFAULT);
        room.map(|room| Self { room, page }).ok_or_else(|| reading.refusal())
    }
}

/// `GET /load_comments_with_range`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoadRangeFields<'a> {
    /// Room id; a room unique id is taken too.
    #[param(value_type = String, required = true, example = "support")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// The smallest message id wanted.
    #[param(value_type = i64, required = true)]
    #[serde(default)]
    first_comment_id: Given<'a>,
    /// The greatest message id wanted.
    #[param(value_type = i64, required = true)]
    #[serde(default)]
    last_comment_id: Given<'a>,
}

/// The messages between two ids.
#[derive(Debug)]
pub struct LoadRange {
    /// Where.
    pub room: RoomRef,
    /// The smallest id wanted.
    pub first: MessageId,
    /// The greatest id wanted.
    pub last: MessageId,
}

impl LoadRange {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: LoadRangeFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let room = read_room(&mut reading, fields.room_id);
        let first = reading.integer("first_comment_id", fields.first_comment_id);
        let first = reading.needed("first_comment_id", first);
        let last = reading.integer("last_comment_id", fields.last_comment_id);
        let last = reading.needed("last_comment_id", last);
        match (room, first, last) {
            (Some(room), Some(first), Some(last)) => {
                Ok(Self { room, first: MessageId(first), last: MessageId(last) })
            }
            _ => Err(reading.refusal()),
        }
    }
}

/// `DELETE /delete_messages`
#[derive(Deserialize, ToSchema)]
#[schema(as = DeleteMessages)]
pub struct DeleteMessagesFields<'a> {
    /// Unique ids of the messages, at most 3.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 3)]
    #[serde(borrow, default, alias = "unique_ids[]")]
    unique_ids: Given<'a>,
}

/// Which messages to delete: one to three, each named once.
#[derive(Debug)]
pub struct DeleteMessages {
    /// Their unique ids.
    pub ids: Vec<UniqueId>,
}

impl DeleteMessages {
    /// Reads the body, or the query where the body names none.
    pub fn read(body: &Body<'_>, query: &Body<'_>) -> Result<Self, Refusal> {
        let in_body: DeleteMessagesFields<'_> = body.fields()?;
        let in_query: DeleteMessagesFields<'_> = query.fields()?;
        let is_in_body = !in_body.unique_ids.is_absent();
        let given = if is_in_body { in_body.unique_ids } else { in_query.unique_ids };
        let mut reading = Reading::default();
        let texts = reading.texts("unique_ids", given);
        let texts = reading.needed("unique_ids", texts.filter(|texts| !texts.is_empty()));
        let Some(texts) = texts else { return Err(reading.refusal()) };
        if texts.len() > limits::DELETE_IDS_MAX {
            reading.wrong::<()>("unique_ids", "must name at most 3 messages");
            return Err(reading.refusal());
        }
        let mut ids: Vec<UniqueId> = Vec::new();
        for text in &texts {
            // Not `UniqueId::parse`: broadcasts make longer ids, and an odd one is just unknown.
            let id = UniqueId::from_stored(text.clone());
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(Self { ids })
    }
}
