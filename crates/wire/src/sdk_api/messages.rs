//! What clients send and are answered about messages (wire facts 4.3).

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
use crate::fields::{self, ClientPost, Filled, Flag, PageSize, unique_ids};
use crate::payload;
use crate::raw_json::options_of;
use crate::reading::{Given, Reading};
use crate::request::request;
use crate::sdk_api::comment::{ClientComment, Status, chat_type};
use crate::sdk_api::rooms::{UnknownComment, unknown_comment};

request! {
    /// `POST /post_comment`
    pub struct ClientPostCommentFields as "ClientPostComment" {
        /// Room id.
        topic_id: Filled<fields::Room>, required, example = "55";
        post: ClientPost, group;
    }
}

/// Reads where somebody says what.
pub fn read_post(body: &Body<'_>, sender: &User) -> Result<(RoomRef, Draft), Refusal> {
    let fields: ClientPostCommentFields = body.read().map_err(as_comment)?;
    Ok((fields.topic_id, fields.post.0.draft(sender.itself())))
}

/// What the message API calls `message`, clients call `comment`.
fn as_comment(refusal: Refusal) -> Refusal {
    let Refusal::Invalid(mut problems) = refusal else { return refusal };
    let texts = problems.iter_mut().filter(|problem| problem.field == "message");
    texts.for_each(|problem| problem.field = "comment".to_owned());
    Refusal::Invalid(problems)
}

request! {
    /// `POST /update_message`
    pub struct UpdateMessageFields as "ClientUpdateMessage" {
        /// Which message.
        unique_id: fields::StoredId, required;
        /// The new text, at most 4000 characters; absent, it stays.
        comment: fields::MessageText, optional, example = "Hello!";
        /// The new payload of the message's type; absent, it stays.
        payload: fields::Payload, optional;
        /// The new metadata; absent, they stay.
        extras: fields::Extras, optional;
    }
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
        let UpdateMessageFields { unique_id, comment: text, payload, extras } = body.read()?;
        Ok(Self { unique_id, text, payload, extras })
    }

    /// The whole message as it shall read, of the type that it has.
    pub fn draft(self, message: &Message, sender: &User) -> Result<Draft, Refusal> {
        let mut reading = Reading::default();
        let text = self.text.unwrap_or_else(|| message.text.clone());
        let json = self.payload.or_else(|| message.payload.clone());
        let given = json.as_ref().map(Given::of).unwrap_or_default();
        let payload = payload::read_of_client(&mut reading, message.kind, given, Some(&text));
        let Some(payload) = payload else { return Err(as_comment(reading.refusal())) };
        reading.finish().map_err(as_comment)?;
        let extras = self.extras.or_else(|| message.extras.clone());
        Ok(Draft { sender: sender.itself(), text, payload, extras, unique_id: None })
    }
}

request! {
    /// `GET /load_comments`
    pub struct ClientLoadCommentsFields {
        /// Room id.
        topic_id: Filled<fields::Room>, required, example = "55";
        /// Messages before this one, or after it; without it the newest.
        last_comment_id: fields::MessageId, optional;
        /// True for those after it.
        after: Flag, or false;
        /// Default 20, at most 100; a greater value gives 20.
        limit: PageSize, or limits::PAGE_DEFAULT;
        /// A time in Unix seconds (or milli- or nanoseconds), instead of a message.
        timestamp: fields::LenientInteger, optional;
    }
}

/// Which messages of a room are wanted.
pub struct LoadClientComments {
    /// Where.
    pub room: RoomRef,
    /// Before or after this one.
    pub from: Option<MessageId>,
    /// Those after it.
    pub is_after: bool,
    /// How many.
    pub size: usize,
}

impl LoadClientComments {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: ClientLoadCommentsFields = query.read()?;
        let time = fields.timestamp.filter(|time| *time > 0);
        let from = fields.last_comment_id.or_else(|| time.map(first_message_at));
        Ok(Self { room: fields.topic_id, from, is_after: fields.after, size: fields.limit })
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

request! {
    /// `GET /sync`
    pub struct SyncFields {
        /// The last message that is known; those after it are given.
        last_received_comment_id: fields::MessageId, or MessageId(0);
        /// Default and at most 100.
        limit: PageSize, or limits::PAGE_MAX;
    }
}

/// Reads after which message, and how many.
pub fn read_sync(query: &Body<'_>) -> Result<(MessageId, usize), Refusal> {
    query.read().map(|fields: SyncFields| (fields.last_received_comment_id, fields.limit))
}

request! {
    /// `POST /update_comment_status`
    pub struct UpdateStatusFields as "ClientUpdateStatus" {
        /// Room id.
        room_id: Filled<fields::Room>, required, example = "55";
        /// The last message that was read.
        last_comment_read_id: fields::MessageId, optional;
        /// The last message that arrived.
        last_comment_received_id: fields::MessageId, optional;
    }
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
        let fields: UpdateStatusFields = body.read()?;
        Ok(Self {
            room: fields.room_id,
            read: fields.last_comment_read_id,
            received: fields.last_comment_received_id,
        })
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

request! {
    /// `DELETE /delete_messages`
    pub struct ClientDeleteMessagesFields as "ClientDeleteMessages" {
        /// Unique ids of messages, at most 100; for everyone only one's own.
        unique_ids: fields::UniqueIds<{ limits::OWN_DELETE_IDS_MAX }>, required,
            also = "unique_ids[]";
        /// False hides the messages from oneself only; default true.
        is_delete_for_everyone: Flag, or true;
        /// False if clients shall show that something was there; default true.
        is_hard_delete: Flag, or true;
    }
}

/// Which messages to delete, and for whom.
pub struct MessagesToDelete {
    /// Their unique ids.
    pub ids: Vec<UniqueId>,
    /// Or for the caller only.
    pub is_for_everyone: bool,
    /// Clients shall not even show that something was there.
    pub is_hard: bool,
}

impl MessagesToDelete {
    /// Reads the body, or the query where the body names none.
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
    /// `DELETE /clear_room_messages`
    pub struct ClearRoomsFields as "ClientClearRooms" {
        /// Unique ids or ids of rooms, at most 100.
        room_channel_ids: fields::Rooms<1>, required, also = "room_channel_ids[]";
    }
}

/// Reads which rooms to clear: from the body, or from the query where the body names none.
pub fn read_clear_rooms(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    let given = body.given_or::<ClearRoomsFields>(query)?;
    given.read().map(|fields: ClearRoomsFields| fields.room_channel_ids)
}

/// `results.comment`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentBox)]
pub struct ClientCommentBox<'a> {
    /// What was posted, or how it reads now.
    pub comment: ClientComment<'a>,
}

/// `results.comments`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientCommentList)]
pub struct ClientCommentList<'a> {
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
pub fn one<'a>(said: &'a PostedMessage, room: &'a Room) -> ClientCommentBox<'a> {
    ClientCommentBox { comment: ClientComment::answered(said, room, Status::Sent) }
}

/// Messages of several rooms.
pub fn listed<'a>(
    said: impl IntoIterator<Item = (&'a PostedMessage, &'a Room)>,
) -> ClientCommentList<'a> {
    let comment = |(said, room)| ClientComment::answered(said, room, Status::Sent);
    ClientCommentList { comments: said.into_iter().map(comment).collect() }
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
    if room.kind == RoomKind::Public || !is_counted || others().next().is_none() {
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
    /// As of a room without comments: id 0 and type `unknown`.
    last_comment: Box<UnknownComment>,
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
            last_comment: Box::new(unknown_comment(room)),
            options: options_of(&room.options),
            raw_room_name: &room.name,
            room_name: &room.name,
            unique_id: room.unique_id.as_str(),
            unread_count: 0,
        }
    }
}
