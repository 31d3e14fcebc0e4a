//! What callers send about comments: posting, loading, system events, deleting (spec 4.1).

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
use crate::reading::Reading;
use crate::request::{GivenFields, Part, Request, request};

request! {
    /// `POST /post_comment`
    pub struct PostCommentFields as "PostComment" {
        /// The sender.
        user_id: fields::User, required, example = "ana";
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        post: Post, group;
    }
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
        let PostCommentFields { user_id, room_id, post } = body.read_keyed(idempotency_key)?;
        Ok(Self { room: room_id, draft: post.draft(user_id) })
    }
}

request! {
    struct SenderAndTargets {
        /// Who says it.
        sender_user_id: fields::User, required, example = "ana";
        /// To whom, at most 100.
        target_user_ids: fields::Users<1, { limits::BROADCAST_TARGETS_MAX }>, required,
            also = "target_user_ids[]", example = r#"["bob"]"#;
    }
}

/// A sender, and others than the sender.
struct SenderAndOthers(SenderAndTargets);

impl Request for SenderAndOthers {
    const PARTS: &'static [Part] = SenderAndTargets::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<Self> {
        let named = SenderAndTargets::read(fields, reading)?;
        if named.target_user_ids.contains(&named.sender_user_id) {
            return reading.wrong("target_user_ids", "must not name the sender");
        }
        Some(Self(named))
    }
}

request! {
    /// `POST /broadcast`: one message to each target, in the single room of sender and target.
    pub struct BroadcastFields as "Broadcast" {
        named: SenderAndOthers, group;
        post: Post, group;
    }
}

/// Messages to post, and to whom.
pub struct BroadcastDrafts {
    /// To whom; never the sender.
    pub targets: Vec<UserId>,
    /// One draft a target, in the same order.
    pub drafts: Vec<Draft>,
}

impl BroadcastDrafts {
    /// Reads the request. Each message's unique id is the call's with the target's name (D-0002).
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
    /// `POST /post_system_event_message`
    pub struct PostSystemEventFields as "PostSystemEvent" {
        /// Must be `custom`.
        system_event_type: EventType, required, example = "custom";
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        /// At most 4000 characters.
        message: fields::MessageText, required, example = "Ana joined";
        /// Free, defined by the caller.
        payload: fields::FreePayload, optional;
        /// Metadata of the message.
        extras: fields::Extras, optional;
        unique_temp_id: UniqueIdOrKey, group;
    }
}

field! {
    /// `custom`, and nothing else.
    EventType -> (), string().of_pattern("^custom$");
    |reading, field, given| {
        let is_custom = reading.text(field, given)? == "custom";
        if is_custom { Some(()) } else { reading.wrong(field, "must be custom") }
    }
}

impl PostComment {
    /// Reads a system event: the app's System user speaks (spec 2.4).
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
    /// `GET /load_comments`
    pub struct LoadCommentsFields {
        /// Room id; a room unique id is taken too.
        room_id: fields::Room, required, example = "first";
        /// From 1, newest messages first.
        page: fields::PageNumber, or 1;
        /// Default 20, at most 100; a greater value gives 20.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
    }
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
        let LoadCommentsFields { room_id, page, limit } = query.read_spelled()?;
        Ok(Self { room: room_id, page: Page { number: page, size: limit } })
    }
}

request! {
    /// `GET /load_comments_with_range`
    pub struct LoadRangeFields {
        /// Room id; a room unique id is taken too.
        room_id: fields::Room, required, example = "first";
        /// The smallest message id wanted.
        first_comment_id: fields::Integer, required;
        /// The greatest message id wanted.
        last_comment_id: fields::Integer, required;
    }
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
        let LoadRangeFields { room_id, first_comment_id, last_comment_id } =
            query.read_spelled()?;
        let (first, last) = (MessageId(first_comment_id), MessageId(last_comment_id));
        Ok(Self { room: room_id, first, last })
    }
}

request! {
    /// `DELETE /delete_messages`
    pub struct DeleteMessagesFields as "DeleteMessages" {
        /// Unique ids of the messages, at most 3.
        unique_ids: fields::UniqueIds<{ limits::DELETE_IDS_MAX }>, required,
            also = "unique_ids[]";
    }
}

/// Reads which messages to delete, one to three, each named once: from the body, or from the query
/// where the body names none.
pub fn read_delete_messages(body: &Body<'_>, query: &Body<'_>) -> Result<DeleteMessages, Refusal> {
    let given = body.given_or::<DeleteMessagesFields>(query)?;
    given.read_then(|fields: DeleteMessagesFields, reading| {
        let ids = unique_ids::<{ limits::DELETE_IDS_MAX }>(reading, fields.unique_ids)?;
        Some(DeleteMessages { ids })
    })
}
