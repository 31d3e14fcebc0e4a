//! Requests and responses of clients about messages (wire facts 4.3).

use std::sync::Arc;

use confab_domain::ids::{EventId, MessageId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::{Draft, Message, PostedMessage};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{self, ClientPost, Flag, NonEmpty, PageSize, unique_ids};
use crate::payload;
use crate::raw_json::options_of;
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::sdk_api::comment::{ClientComment, SdkStatus, chat_type};
use crate::sdk_api::rooms::{UnknownComment, unknown_comment};

request! {
    /// Body of `POST /post_comment`.
    pub struct ClientPostCommentFields as "ClientPostComment" {
        /// Id of the room in which the message is posted.
        topic_id: NonEmpty<fields::Room>, required, example = "55";
        post: ClientPost, group;
    }
}

/// Parses a message and its room.
pub fn read_post(body: &Body<'_>, sender: &User) -> Result<(RoomRef, Draft), Refusal> {
    let fields: ClientPostCommentFields = body.read().map_err(as_comment)?;
    Ok((fields.topic_id, fields.post.0.draft(sender.itself())))
}

/// Renames the field `message` in problems to `comment`, its name in the client API.
fn as_comment(refusal: Refusal) -> Refusal {
    let Refusal::Invalid(mut problems) = refusal else { return refusal };
    let texts = problems.iter_mut().filter(|problem| problem.field == "message");
    texts.for_each(|problem| problem.field = "comment".to_owned());
    Refusal::Invalid(problems)
}

request! {
    /// Body of `POST /update_message`.
    pub struct UpdateMessageFields as "ClientUpdateMessage" {
        /// Unique id of the message.
        unique_id: fields::StoredId, required;
        /// New text, at most 4000 characters; unchanged if absent.
        comment: fields::MessageText, optional, example = "Hello!";
        /// New payload, matching the message's type; unchanged if absent.
        payload: fields::Payload, optional;
        /// New metadata; unchanged if absent.
        extras: fields::Extras, optional;
    }
}

/// A request to edit a message. Absent fields keep their values.
pub struct UpdateMessage {
    /// Unique id of the message.
    pub unique_id: UniqueId,
    text: Option<String>,
    payload: Option<JsonText>,
    extras: Option<JsonText>,
}

impl UpdateMessage {
    /// Parses the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let UpdateMessageFields { unique_id, comment: text, payload, extras } = body.read()?;
        Ok(Self { unique_id, text, payload, extras })
    }

    /// Returns the complete message after the edit. Its type is unchanged.
    pub fn draft(self, message: &Message, sender: &User) -> Result<Draft, Refusal> {
        let mut reading = FieldReader::default();
        let text = self.text.unwrap_or_else(|| message.text.clone());
        let json = self.payload.or_else(|| message.payload.clone());
        let given = json.as_ref().map(FieldJson::of).unwrap_or_default();
        let payload = payload::read_of_client(&mut reading, message.kind, given, Some(&text));
        let Some(payload) = payload else { return Err(as_comment(reading.refusal())) };
        reading.finish().map_err(as_comment)?;
        let extras = self.extras.or_else(|| message.extras.clone());
        Ok(Draft { sender: sender.itself(), text, payload, extras, unique_id: None })
    }
}

request! {
    /// Query of `GET /load_comments`.
    pub struct ClientLoadCommentsFields {
        /// Id of the room whose messages are loaded.
        topic_id: NonEmpty<fields::Room>, required, example = "55";
        /// Id of a message. Older messages are returned, or newer ones if `after` is set. If
        /// absent, the newest messages are returned.
        last_comment_id: fields::MessageId, optional;
        /// Whether to return messages after `last_comment_id` instead of those before it.
        after: Flag, or false;
        /// Messages per page, default 20, at most 100; a greater value means 20.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// Unix time in seconds, milliseconds or nanoseconds, as an alternative to
        /// `last_comment_id`.
        timestamp: fields::LenientInteger, optional;
    }
}

/// A request for one page of a room's messages.
pub struct LoadClientComments {
    pub room: RoomRef,
    /// Id of the message before or after which messages are returned; `None` for the newest
    /// messages.
    pub from: Option<MessageId>,
    /// Whether to return messages after `from` instead of those before it.
    pub is_after: bool,
    /// Messages per page.
    pub size: usize,
}

impl LoadClientComments {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: ClientLoadCommentsFields = query.read()?;
        let time = fields.timestamp.filter(|time| *time > 0);
        let from = fields.last_comment_id.or_else(|| time.map(first_message_at));
        Ok(Self { room: fields.topic_id, from, is_after: fields.after, size: fields.limit })
    }
}

/// Returns the smallest possible id of a message posted at this Unix time in seconds, milliseconds
/// or nanoseconds.
fn first_message_at(time: i64) -> MessageId {
    let microseconds = match time {
        ..100_000_000_000 => time.saturating_mul(1_000_000),
        100_000_000_000..100_000_000_000_000 => time.saturating_mul(1_000),
        _ => time / 1_000,
    };
    MessageId(EventId::first_at(Timestamp(microseconds)).0)
}

request! {
    /// Query of `GET /sync`.
    pub struct SyncFields {
        /// Id of the last message that the client has; later messages are returned.
        last_received_comment_id: fields::MessageId, or MessageId(0);
        /// Messages per page, default and maximum 100.
        limit: PageSize, or limits::PAGE_MAX;
    }
}

/// Parses the id of the last message that the client has, and the page size.
pub fn read_sync(query: &Body<'_>) -> Result<(MessageId, usize), Refusal> {
    query.read().map(|fields: SyncFields| (fields.last_received_comment_id, fields.limit))
}

request! {
    /// Body of `POST /update_comment_status`.
    pub struct UpdateStatusFields as "ClientUpdateStatus" {
        /// Id of the room whose messages the user read or received.
        room_id: NonEmpty<fields::Room>, required, example = "55";
        /// Id of the last message that the user read.
        last_comment_read_id: fields::MessageId, optional;
        /// Id of the last message that the client received.
        last_comment_received_id: fields::MessageId, optional;
    }
}

/// The positions up to which a user received and read the messages of a room.
pub struct UpdateStatus {
    pub room: RoomRef,
    /// Id of the last message that the user read.
    pub read: Option<MessageId>,
    /// Id of the last message that the client received.
    pub received: Option<MessageId>,
}

impl UpdateStatus {
    /// Parses the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: UpdateStatusFields = body.read()?;
        Ok(Self {
            room: fields.room_id,
            read: fields.last_comment_read_id,
            received: fields.last_comment_received_id,
        })
    }

    /// Returns the response to `update_comment_status`.
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

/// The `results` object of `update_comment_status`.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusUpdated {
    /// Whether the call advanced one of the user's positions.
    changed: bool,
    last_comment_read_id: i64,
    last_comment_read_id_str: String,
    last_comment_received_id: i64,
    last_comment_received_id_str: String,
    user_id: i64,
    user_id_str: String,
}

request! {
    /// Body or query of `DELETE /delete_messages`.
    pub struct ClientDeleteMessagesFields as "ClientDeleteMessages" {
        /// Unique ids of messages, at most 100. Only own messages can be deleted for everyone.
        unique_ids: fields::UniqueIds<{ limits::OWN_DELETE_IDS_MAX }>, required,
            also = "unique_ids[]";
        /// Whether to delete the messages for everyone (default), or only hide them from the
        /// caller.
        is_delete_for_everyone: Flag, or true;
        /// Whether other clients remove the messages (default), or show that a message was deleted.
        is_hard_delete: Flag, or true;
    }
}

/// A request to delete messages.
pub struct MessagesToDelete {
    /// Unique ids of the messages.
    pub ids: Vec<UniqueId>,
    /// Whether to delete the messages for everyone, or only hide them from the caller.
    pub is_for_everyone: bool,
    /// Whether other clients remove the messages, instead of showing that a message was deleted.
    pub is_hard: bool,
}

impl MessagesToDelete {
    /// Parses the body, or the query if the body has no ids.
    pub fn read(body: &Body<'_>, query: &Body<'_>) -> Result<Self, Refusal> {
        let given = body.given_or::<ClientDeleteMessagesFields>(query)?;
        given.read_then(|fields: ClientDeleteMessagesFields, reading| {
            let is_for_everyone = fields.is_delete_for_everyone;
            let ids = unique_ids::<{ limits::OWN_DELETE_IDS_MAX }>(reading, fields.unique_ids)?;
            Some(Self { ids, is_for_everyone, is_hard: fields.is_hard_delete })
        })
    }
}

request! {
    /// Body or query of `DELETE /clear_room_messages`.
    pub struct ClearRoomsFields as "ClientClearRooms" {
        /// Unique ids or ids of rooms, at most 100.
        room_channel_ids: fields::Rooms<1>, required, also = "room_channel_ids[]";
    }
}

/// Parses the rooms to clear: from the body, or from the query if the body has none.
pub fn read_clear_rooms(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    let given = body.given_or::<ClearRoomsFields>(query)?;
    given.read().map(|fields: ClearRoomsFields| fields.room_channel_ids)
}

/// The `results` object of a response with one comment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentBox)]
pub struct ClientCommentBox<'a> {
    /// The posted or edited message.
    pub comment: ClientComment<'a>,
}

/// The `results` object of a response with several comments.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentList)]
pub struct ClientCommentList<'a> {
    /// Messages; newest first if the call loads messages or searches for them.
    comments: Vec<ClientComment<'a>>,
}

/// The `results` object of `sync`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncResult<'a> {
    /// Comments, oldest first.
    comments: Vec<ClientComment<'a>>,
    meta: SyncedMeta,
}

/// Metadata of a `sync` response: the id of the last returned message, from which the next call
/// continues.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncedMeta {
    last_received_comment_id: i64,
    /// Always false.
    need_clear: bool,
}

/// Returns a response with one message.
pub fn one<'a>(posted: &'a PostedMessage, room: &'a Room) -> ClientCommentBox<'a> {
    ClientCommentBox { comment: ClientComment::answered(posted, room, SdkStatus::Sent) }
}

/// Returns a response with messages of several rooms.
pub fn listed<'a>(
    posted: impl IntoIterator<Item = (&'a PostedMessage, &'a Room)>,
) -> ClientCommentList<'a> {
    let comment = |(posted, room)| ClientComment::answered(posted, room, SdkStatus::Sent);
    ClientCommentList { comments: posted.into_iter().map(comment).collect() }
}

/// Returns the response to `sync` without the messages, which the caller inserts. `last` is the id
/// of the last of these messages.
pub fn synced(last: MessageId) -> SyncResult<'static> {
    let meta = SyncedMeta { last_received_comment_id: last.0, need_clear: false };
    SyncResult { comments: Vec::new(), meta }
}

/// The positions up to which a participant received and read the messages of a room.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptPositions {
    pub user: UserKey,
    /// Number, within the room, of the last message that the user read.
    pub read_number: u64,
    /// Number, within the room, of the last message that the user received.
    pub received_number: u64,
}

/// Returns the delivery state of a message: `Delivered` or `Read` once all participants except the
/// sender received or read it. In public rooms, and in rooms with more than
/// `STATUS_PARTICIPANTS_MAX` participants, the state is always `Sent`.
pub fn status(room: &Room, message: &Message, reached: &[ReceiptPositions]) -> SdkStatus {
    let is_counted = reached.len() <= limits::STATUS_PARTICIPANTS_MAX;
    let others = || reached.iter().filter(|it| it.user != message.sender);
    if room.kind == RoomKind::Public || !is_counted || others().next().is_none() {
        return SdkStatus::Sent;
    }
    if others().all(|it| it.read_number >= message.number) {
        SdkStatus::Read
    } else if others().all(|it| it.received_number >= message.number) {
        SdkStatus::Delivered
    } else {
        SdkStatus::Sent
    }
}

/// The `results` object of `clear_room_messages`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClearedRooms<'a> {
    rooms: Vec<ClearedRoom<'a>>,
}

/// A room whose messages were cleared for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientClearedRoom)]
pub struct ClearedRoom<'a> {
    avatar_url: &'a str,
    /// Kind of the room: `single` or `group`.
    chat_type: &'static str,
    id: i64,
    id_str: String,
    /// Placeholder for a room without comments, with id 0 and type `unknown`.
    last_comment: Box<UnknownComment>,
    options: &'a str,
    raw_room_name: &'a str,
    room_name: &'a str,
    unique_id: &'a str,
    /// Always 0, because the caller no longer has messages in the room.
    unread_count: u64,
}

/// Returns the response to `clear_room_messages`.
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
            last_comment: Box::new(unknown_comment(room)),
            options: options_of(&room.options),
            raw_room_name: &room.name,
            room_name: &room.name,
            unique_id: room.unique_id.as_str(),
            unread_count: 0,
        }
    }
}
