//! Requests about comments: post, load, post system events, delete (spec 4.1).

use confab_domain::app::{App, AppCode};
use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::deleting::DeleteMessages;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;

use crate::body::Body;
use crate::fields::shape::string;
use crate::fields::{self, Post, UniqueIdOrKey, field, unique_ids};
use crate::message_api::Page;
use crate::reading::FieldReader;
use crate::request::{GivenFields, Part, Request, request};

request! {
    /// Body of `POST /post_comment`.
    pub struct PostCommentFields as "PostComment" {
        /// User id of the sender.
        user_id: fields::User, required, example = "ana";
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        post: Post, group;
    }
}

/// A message to post into a room.
pub struct PostComment {
    pub room: RoomRef,
    pub draft: Draft,
}

impl PostComment {
    /// Parses the request. `idempotency_key` becomes the unique id if the body has none.
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let PostCommentFields { user_id, room_id, post } = body.read_keyed(idempotency_key)?;
        Ok(Self { room: room_id, draft: post.draft(user_id) })
    }
}

request! {
    struct SenderAndTargets {
        /// User id of the sender.
        sender_user_id: fields::User, required, example = "ana";
        /// User ids of the recipients, at most 100.
        target_user_ids: fields::Users<1, { limits::BROADCAST_TARGETS_MAX }>, required,
            also = "target_user_ids[]", example = r#"["bob"]"#;
    }
}

/// A sender, and targets that do not include the sender.
struct SenderAndOthers(SenderAndTargets);

impl Request for SenderAndOthers {
    const PARTS: &'static [Part] = SenderAndTargets::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let named = SenderAndTargets::read(fields, reading)?;
        if named.target_user_ids.contains(&named.sender_user_id) {
            return reading.wrong("target_user_ids", "must not name the sender");
        }
        Some(Self(named))
    }
}

request! {
    /// Body of `POST /broadcast`. The message is posted once per target, into the single room of
    /// sender and target.
    pub struct BroadcastFields as "Broadcast" {
        named: SenderAndOthers, group;
        post: Post, group;
    }
}

/// The messages of a broadcast, one per target.
pub struct BroadcastDrafts {
    /// Recipients; never the sender.
    pub targets: Vec<UserId>,
    /// One draft per target, in the order of `targets`.
    pub drafts: Vec<Draft>,
}

impl BroadcastDrafts {
    /// Parses the request. The unique id of each message is the call's unique id, a slash and the
    /// target's user id (D-0002).
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let BroadcastFields { named, post } = body.read_keyed(idempotency_key)?;
        let SenderAndTargets { sender_user_id: sender, target_user_ids: targets } = named.0;
        let own_id = |key: &UniqueId, target: &UserId| {
            UniqueId::from_stored(format!("{key}/{}", target.as_str()))
        };
        let draft = |target| {
            let unique_id = post.unique_id.as_ref().map(|key| own_id(key, target));
            Draft { unique_id, ..post.clone().draft(sender.clone()) }
        };
        let drafts = targets.iter().map(draft).collect();
        Ok(Self { targets, drafts })
    }
}

request! {
    /// Body of `POST /post_system_event_message`.
    pub struct PostSystemEventFields as "PostSystemEvent" {
        /// Must be `custom`.
        system_event_type: EventType, required, example = "custom";
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        /// Text of the event, at most 4000 characters.
        message: fields::MessageText, required, example = "Ana joined";
        /// Any JSON value, defined by the caller.
        payload: fields::FreePayload, optional;
        /// Metadata of the message.
        extras: fields::Extras, optional;
        unique_temp_id: UniqueIdOrKey, group;
    }
}

field! {
    /// Type of a system event, which must be `custom`.
    EventType -> (), string().of_pattern("^custom$");
    |reading, field, given| {
        let is_custom = reading.text(field, given)? == "custom";
        if is_custom { Some(()) } else { reading.wrong(field, "must be custom") }
    }
}

impl PostComment {
    /// Parses a system event, which the app's System user posts (spec 2.4).
    pub fn read_system_event(
        body: &Body<'_>,
        idempotency_key: Option<&str>,
        app: &AppCode,
    ) -> Result<Self, Refusal> {
        let fields: PostSystemEventFields = body.read_keyed(idempotency_key)?;
        let PostSystemEventFields { system_event_type: (), room_id, message, .. } = fields;
        let payload = fields.payload.unwrap_or_else(JsonText::empty_object);
        let draft = Draft {
            sender: UserRef::own(App::system_user_id(app)),
            text: message,
            payload: Payload::SystemEvent(payload),
            extras: fields.extras,
            unique_id: fields.unique_temp_id.0,
        };
        Ok(Self { room: room_id, draft })
    }
}

request! {
    /// Query of `GET /load_comments`.
    pub struct LoadCommentsFields {
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        /// Page number, from 1. The first page has the newest messages.
        page: fields::PageNumber, or 1;
        /// Messages per page, default 20, at most 100; a greater value means 20.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
    }
}

/// A request for one page of a room's messages.
#[derive(Debug)]
pub struct LoadComments {
    pub room: RoomRef,
    pub page: Page,
}

impl LoadComments {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let LoadCommentsFields { room_id, page, limit } = query.read_spelled()?;
        Ok(Self { room: room_id, page: Page { number: page, size: limit } })
    }
}

request! {
    /// Query of `GET /load_comments_with_range`.
    pub struct LoadRangeFields {
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        /// Smallest message id to return.
        first_comment_id: fields::Integer, required;
        /// Greatest message id to return.
        last_comment_id: fields::Integer, required;
    }
}

/// A request for a room's messages between two ids.
#[derive(Debug)]
pub struct LoadRange {
    pub room: RoomRef,
    /// Smallest message id to return.
    pub first: MessageId,
    /// Greatest message id to return.
    pub last: MessageId,
}

impl LoadRange {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let LoadRangeFields { room_id, first_comment_id, last_comment_id } =
            query.read_spelled()?;
        let (first, last) = (MessageId(first_comment_id), MessageId(last_comment_id));
        Ok(Self { room: room_id, first, last })
    }
}

request! {
    /// Body or query of `DELETE /delete_messages`.
    pub struct DeleteMessagesFields as "DeleteMessages" {
        /// Unique ids of the messages to delete, at most 3.
        unique_ids: fields::UniqueIds<{ limits::DELETE_IDS_MAX }>, required,
            also = "unique_ids[]";
    }
}

/// Parses the one to three unique ids of messages to delete, without duplicates: from the body, or
/// from the query if the body has none.
pub fn read_delete_messages(body: &Body<'_>, query: &Body<'_>) -> Result<DeleteMessages, Refusal> {
    let given = body.given_or::<DeleteMessagesFields>(query)?;
    given.read_then(|fields: DeleteMessagesFields, reading| {
        let ids = unique_ids::<{ limits::DELETE_IDS_MAX }>(reading, fields.unique_ids)?;
        Some(DeleteMessages { ids })
    })
}
