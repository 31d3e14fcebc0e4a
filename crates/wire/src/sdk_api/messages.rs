//! What clients send and are answered about messages (wire facts 4.3).

use std::sync::Arc;

use confab_domain::ids::{EventId, MessageId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::{Draft, Message, Said, check_text};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::Body;
use crate::message_api::comments::{Content, ContentFields, read_extras, read_unique_id};
use crate::payload;
use crate::reading::{Given, Reading};
use crate::sdk_api::comment::{ClientComment, Status, chat_type};

/// `POST /post_comment`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientPostComment)]
pub struct PostCommentFields<'a> {
    /// Room id.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    topic_id: Given<'a>,
    /// At most 4000 characters. Optional where the payload supplies the text.
    #[schema(value_type = Option<String>, example = "Hello", max_length = 4000)]
    #[serde(default)]
    comment: Given<'a>,
    /// Posting the same id again gives the first message.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
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
}

/// Reads where somebody says what.
pub fn read_post(body: &Body<'_>, sender: &User) -> Result<(RoomRef, Draft), Refusal> {
    let fields: PostCommentFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let room = read_room(&mut reading, "topic_id", fields.topic_id);
    let content = ContentFields {
        message: fields.comment,
        kind: fields.r#type,
        payload: fields.payload,
        extras: fields.extras,
    };
    let content = Content::read(&mut reading, &content);
    let unique_id = read_unique_id(&mut reading, fields.unique_temp_id, None);
    match (room, content) {
        (Some(room), Some(content)) => {
            reading.finish().map_err(as_comment)?;
            Ok((room, content.draft(sender.itself(), unique_id)))
        }
        _ => Err(as_comment(reading.refusal())),
    }
}

/// What the message API calls `message`, clients call `comment`.
fn as_comment(refusal: Refusal) -> Refusal {
    let Refusal::Invalid(mut problems) = refusal else { return refusal };
    let texts = problems.iter_mut().filter(|problem| problem.field == "message");
    texts.for_each(|problem| problem.field = "comment".to_owned());
    Refusal::Invalid(problems)
}

/// `POST /update_message`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientUpdateMessage)]
pub struct UpdateMessageFields<'a> {
    /// Which message.
    #[schema(value_type = String, required = true)]
    #[serde(borrow, default)]
    unique_id: Given<'a>,
    /// The new text, at most 4000 characters; absent, it stays.
    #[schema(value_type = Option<String>, example = "Hello!", max_length = 4000)]
    #[serde(default)]
    comment: Given<'a>,
    /// The new payload of the message's type; absent, it stays.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// The new metadata; absent, they stay.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
}

/// How a message shall read. What is absent stays as it is.
pub struct UpdateMessage {
    /// Which message.
    pub unique_id: UniqueId,
    text: Option<String>,
    payload: Option<JsonText>,
    extras: Option<JsonText>,
}

impl UpdateMessage {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UpdateMessageFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let unique_id = reading.filled_text("unique_id", fields.unique_id);
        // Not `UniqueId::parse`: broadcasts make longer ids, and an odd one is just unknown.
        let unique_id = reading.needed("unique_id", unique_id).map(UniqueId::from_stored);
        let text = reading.filled_text("comment", fields.comment);
        if let Some(text) = &text {
            reading.check(check_text("comment", text));
        }
        let payload = reading.json_object("payload", fields.payload);
        reading.check_bytes("payload", payload.as_ref(), limits::PAYLOAD_BYTES_MAX);
        let extras = read_extras(&mut reading, fields.extras);
        let Some(unique_id) = unique_id else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { unique_id, text, payload, extras })
    }

    /// The whole message as it shall read, of the type that it has.
    pub fn draft(self, message: &Message, sender: &User) -> Result<Draft, Refusal> {
        let mut reading = Reading::default();
        let text = self.text.unwrap_or_else(|| message.text.clone());
        let json = self.payload.or_else(|| message.payload.clone());
        let given = json.as_ref().map(Given::of).unwrap_or_default();
        let payload = payload::read(&mut reading, message.kind, given, Some(&text));
        let Some(payload) = payload else { return Err(as_comment(reading.refusal())) };
        reading.finish().map_err(as_comment)?;
        let extras = self.extras.or_else(|| message.extras.clone());
        Ok(Draft { sender: sender.itself(), text, payload, extras, unique_id: None })
    }
}

/// `GET /load_comments`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoadCommentsFields<'a> {
    /// Room id.
    #[param(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    topic_id: Given<'a>,
    /// Messages before this one, or after it; without it the newest.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    last_comment_id: Given<'a>,
    /// True for those after it.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    after: Given<'a>,
    /// Default 20, at most 100; a greater value gives 20.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
    /// A time in Unix seconds (or milli- or nanoseconds), instead of a message.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    timestamp: Given<'a>,
}

/// Which messages of a room are wanted.
pub struct LoadComments {
    /// Where.
    pub room: RoomRef,
    /// Before or after this one.
    pub from: Option<MessageId>,
    /// Those after it.
    pub is_after: bool,
    /// How many.
    pub size: usize,
}

impl LoadComments {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: LoadCommentsFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let room = read_room(&mut reading, "topic_id", fields.topic_id);
        let from = read_message_id(&mut reading, "last_comment_id", fields.last_comment_id);
        let is_after = reading.boolean("after", fields.after).unwrap_or(false);
        // A reading of its own: a time that makes no sense is no reason to refuse.
        let time = Reading::default().integer("timestamp", fields.timestamp);
        let Some(room) = room else { return Err(reading.refusal()) };
        reading.finish()?;
        let from = from.or_else(|| time.filter(|time| *time > 0).map(first_message_at));
        Ok(Self { room, from, is_after, size: read_size(fields.limit, limits::PAGE_DEFAULT) })
    }
}

/// The least id that a message of this time can have; seconds, milli- or nanoseconds.
fn first_message_at(time: i64) -> MessageId {
    let microseconds = match time {
        ..100_000_000_000 => time.saturating_mul(1_000_000),
        100_000_000_000..100_000_000_000_000 => time.saturating_mul(1_000),
        _ => time / 1_000,
    };
    MessageId(EventId::first_at(Timestamp(microseconds)).0)
}

/// `GET /sync`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SyncFields<'a> {
    /// The last message that is known; those after it are given.
    #[param(value_type = Option<i64>)]
    #[serde(borrow, default)]
    last_received_comment_id: Given<'a>,
    /// Default and at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// Reads after which message, and how many.
pub fn read_sync(query: &Body<'_>) -> Result<(MessageId, usize), Refusal> {
    let fields: SyncFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let (field, given) = ("last_received_comment_id", fields.last_received_comment_id);
    let after = read_message_id(&mut reading, field, given);
    reading.finish()?;
    Ok((after.unwrap_or(MessageId(0)), read_size(fields.limit, limits::PAGE_MAX)))
}

/// `POST /update_comment_status`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientUpdateStatus)]
pub struct UpdateStatusFields<'a> {
    /// Room id.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(borrow, default)]
    room_id: Given<'a>,
    /// The last message that was read.
    #[schema(value_type = Option<i64>)]
    #[serde(default)]
    last_comment_read_id: Given<'a>,
    /// The last message that arrived.
    #[schema(value_type = Option<i64>)]
    #[serde(default)]
    last_comment_received_id: Given<'a>,
}

/// Up to where somebody read and received.
pub struct UpdateStatus {
    /// Where.
    pub room: RoomRef,
    /// The last message that was read.
    pub read: Option<MessageId>,
    /// The last message that arrived.
    pub received: Option<MessageId>,
}

impl UpdateStatus {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UpdateStatusFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let room = read_room(&mut reading, "room_id", fields.room_id);
        let (field, given) = ("last_comment_read_id", fields.last_comment_read_id);
        let read = read_message_id(&mut reading, field, given);
        let (field, given) = ("last_comment_received_id", fields.last_comment_received_id);
        let received = read_message_id(&mut reading, field, given);
        let Some(room) = room else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { room, read, received })
    }

    /// The answer.
    pub fn answer(&self, user: UserKey, changed: bool) -> StatusUpdated {
        let id = |message: Option<MessageId>| message.map_or(0, |message| message.0);
        let (read, received) = (id(self.read), id(self.received));
        StatusUpdated {
            changed,
            last_comment_read_id: read,
            last_comment_read_id_str: read.to_string(),
            last_comment_received_id: received,
            last_comment_received_id_str: received.to_string(),
            user_id: user.0,
            user_id_str: user.to_string(),
        }
    }
}

/// `results` of `update_comment_status`.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusUpdated {
    /// Whether the user is further than before.
    changed: bool,
    last_comment_read_id: i64,
    last_comment_read_id_str: String,
    last_comment_received_id: i64,
    last_comment_received_id_str: String,
    user_id: i64,
    user_id_str: String,
}

/// `DELETE /delete_messages`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientDeleteMessages)]
pub struct DeleteMessagesFields<'a> {
    /// Unique ids of one's own messages, at most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(borrow, default, alias = "unique_ids[]")]
    unique_ids: Given<'a>,
    /// Must be true, which is the default (D-0047).
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_delete_for_everyone: Given<'a>,
    /// False if clients shall show that something was there; default true.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_hard_delete: Given<'a>,
}

/// Which of one's own messages to delete.
pub struct DeleteMessages {
    /// Their unique ids.
    pub ids: Vec<UniqueId>,
    /// Clients shall not even show that something was there.
    pub is_hard: bool,
}

impl DeleteMessages {
    /// Reads the body, or the query where the body names none.
    pub fn read(body: &Body<'_>, query: &Body<'_>) -> Result<Self, Refusal> {
        let in_body: DeleteMessagesFields<'_> = body.fields()?;
        let in_query: DeleteMessagesFields<'_> = query.fields()?;
        let fields = if in_body.unique_ids.is_absent() { in_query } else { in_body };
        let mut reading = Reading::default();
        let texts = reading.texts("unique_ids", fields.unique_ids);
        let texts = reading.needed("unique_ids", texts.filter(|texts| !texts.is_empty()));
        let for_all = reading.boolean("is_delete_for_everyone", fields.is_delete_for_everyone);
        if for_all == Some(false) {
            let problem = "must be true: messages are deleted for everyone or not at all";
            reading.wrong::<()>("is_delete_for_everyone", problem);
        }
        let is_hard = reading.boolean("is_hard_delete", fields.is_hard_delete).unwrap_or(true);
        let Some(texts) = texts else { return Err(reading.refusal()) };
        if texts.len() > limits::OWN_DELETE_IDS_MAX {
            reading.wrong::<()>("unique_ids", "must name at most 100 messages");
        }
        reading.finish()?;
        let mut ids: Vec<UniqueId> = Vec::new();
        for text in texts {
            let id = UniqueId::from_stored(text);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(Self { ids, is_hard })
    }
}

/// `DELETE /clear_room_messages`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientClearRooms)]
pub struct ClearRoomsFields<'a> {
    /// Unique ids or ids of rooms, at most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(borrow, default, alias = "room_channel_ids[]")]
    room_channel_ids: Given<'a>,
}

/// Reads which rooms to clear: from the body, or from the query where the body names none.
pub fn read_clear_rooms(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    let in_body: ClearRoomsFields<'_> = body.fields()?;
    let in_query: ClearRoomsFields<'_> = query.fields()?;
    let is_in_body = !in_body.room_channel_ids.is_absent();
    let fields = if is_in_body { in_body } else { in_query };
    let mut reading = Reading::default();
    let rooms = read_rooms(&mut reading, "room_channel_ids", fields.room_channel_ids);
    let rooms = reading.needed("room_channel_ids", rooms.filter(|rooms| !rooms.is_empty()));
    rooms.ok_or_else(|| reading.refusal())
}

pub(super) fn read_rooms(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
) -> Option<Vec<RoomRef>> {
    let mut rooms = Vec::new();
    for text in reading.keys(field, given)? {
        let room = reading.check(RoomRef::parse(field, &text))?;
        if !rooms.contains(&room) {
            rooms.push(room);
        }
    }
    if rooms.len() > limits::CALL_ROOMS_MAX {
        return reading.wrong(field, "must name at most 100 rooms");
    }
    Some(rooms)
}

pub(super) fn read_room(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<RoomRef> {
    let text = reading.key(field, given).filter(|text| !text.is_empty());
    let text = reading.needed(field, text)?;
    reading.check(RoomRef::parse(field, &text))
}

/// The integer of a message; 0 and an empty text mean none.
pub(super) fn read_message_id(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
) -> Option<MessageId> {
    let text = reading.key(field, given).filter(|text| !text.is_empty())?;
    match text.trim().parse::<i64>() {
        Ok(id) => Some(MessageId(id)).filter(|id| id.0 > 0),
        Err(_) => reading.wrong(field, "must be the id of a message"),
    }
}

/// A `limit` as generous as D-0003 says: what makes no sense gives the default.
pub(super) fn read_size(given: Given<'_>, default: usize) -> usize {
    let size = Reading::default().integer("limit", given).and_then(|it| usize::try_from(it).ok());
    size.filter(|size| (1..=limits::PAGE_MAX).contains(size)).unwrap_or(default)
}

/// `results.comment`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentBox)]
pub struct CommentBox<'a> {
    /// What was posted, or how it reads now.
    comment: ClientComment<'a>,
}

/// `results.comments`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentList)]
pub struct CommentList<'a> {
    /// Newest first, where they are loaded or found.
    comments: Vec<ClientComment<'a>>,
}

/// `results` of `sync`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Synced<'a> {
    /// The oldest first.
    comments: Vec<ClientComment<'a>>,
    meta: SyncedMeta,
}

/// Where the next call goes on.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncedMeta {
    last_received_comment_id: i64,
    /// Always false.
    need_clear: bool,
}

/// One message.
pub fn one<'a>(said: &'a Said, room: &'a Room) -> CommentBox<'a> {
    CommentBox { comment: ClientComment::answered(said, room, Status::Sent) }
}

/// Messages of several rooms.
pub fn listed<'a>(said: impl IntoIterator<Item = (&'a Said, &'a Room)>) -> CommentList<'a> {
    let comment = |(said, room)| ClientComment::answered(said, room, Status::Sent);
    CommentList { comments: said.into_iter().map(comment).collect() }
}

/// What `sync` answers beside its messages: up to which one they go.
pub fn synced(last: MessageId) -> Synced<'static> {
    let meta = SyncedMeta { last_received_comment_id: last.0, need_clear: false };
    Synced { comments: Vec::new(), meta }
}

/// How far somebody is in a room.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// Who.
    pub user: UserKey,
    /// Everything up to this number is read.
    pub read_number: u64,
    /// Everything up to this number arrived.
    pub received_number: u64,
}

/// How far a message got: it is delivered or read once everybody else in the room received or read
/// it. In a channel, and where there are too many to look at, it is just sent (D-0049).
pub fn status(room: &Room, message: &Message, reached: &[Reached]) -> Status {
    let is_counted = reached.len() <= limits::STATUS_PARTICIPANTS_MAX;
    let others = || reached.iter().filter(|it| it.user != message.sender);
    if room.kind == RoomKind::Channel || !is_counted || others().next().is_none() {
        return Status::Sent;
    }
    if others().all(|it| it.read_number >= message.number) {
        Status::Read
    } else if others().all(|it| it.received_number >= message.number) {
        Status::Delivered
    } else {
        Status::Sent
    }
}

/// `results` of `clear_room_messages`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClearedRooms<'a> {
    rooms: Vec<ClearedRoom<'a>>,
}

/// A room that is empty for the caller now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientClearedRoom)]
pub struct ClearedRoom<'a> {
    avatar_url: &'a str,
    /// `single` or `group`.
    chat_type: &'static str,
    id: i64,
    id_str: String,
    /// Always null.
    last_comment: Option<()>,
    options: &'a str,
    raw_room_name: &'a str,
    room_name: &'a str,
    unique_id: &'a str,
    /// Always 0.
    unread_count: u64,
}

/// The rooms that were cleared.
pub fn cleared(rooms: &[Arc<Room>]) -> ClearedRooms<'_> {
    ClearedRooms { rooms: rooms.iter().map(|room| ClearedRoom::of(room)).collect() }
}

impl<'a> ClearedRoom<'a> {
    pub(crate) fn of(room: &'a Room) -> Self {
        Self {
            avatar_url: &room.avatar_url,
            chat_type: chat_type(room.kind),
            id: room.id.0,
            id_str: room.id.to_string(),
            last_comment: None,
            options: &room.options,
            raw_room_name: &room.name,
            room_name: &room.name,
            unique_id: room.unique_id.as_str(),
            unread_count: 0,
        }
    }
}
