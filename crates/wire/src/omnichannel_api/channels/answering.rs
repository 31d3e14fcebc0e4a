//! Replies of agents and bots, and switching a room's bot on or off (wire facts 5.3).

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::webhooks::event::ChannelSummary;
use serde::Serialize;
use utoipa::ToSchema;

use super::room_log::RoomLog;
use crate::body::Body;
use crate::fields::{self, NonEmpty, Post, Text};
use crate::reading::{FieldJson, FieldReader};
use crate::request::{FieldShape, GivenFields, Part, Request, request};
use crate::time::to_the_plain_second;

request! {
    /// Body of `POST /{app_code}/bot`.
    pub struct BotAnswerFields as "BotAnswer" {
        /// User id of the bot: a user of the app, `{app_code}_admin@` followed by anything, or the
        /// email address of an admin.
        sender_email: fields::User, required, example = "shop_admin@bot.example";
        /// Id of the customer's room.
        room_id: fields::Room, required, example = "55";
        post: BotPost, group;
    }
}

/// A post whose payload may be replaced by the fields `attachment_url` and `caption`.
struct BotPost(Post);

impl Request for BotPost {
    const PARTS: &'static [Part] = &[
        Part::Group(Post::PARTS),
        Part::Field(FieldShape::of::<Text>(
            "attachment_url",
            &["URL of a file to send without `payload`; the type is then `file_attachment`."],
        )),
        Part::Field(FieldShape::of::<Text>("caption", &["Caption of the file."])),
    ];

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let attached = attached(fields, reading);
        let (kind, payload) = match &attached {
            Some(payload) => (FieldJson::of_text("\"file_attachment\""), FieldJson::of(payload)),
            None => (fields.get("type"), fields.get("payload")),
        };
        Post::read_of(reading, fields, "message", kind, payload).map(Self)
    }
}

/// Returns the payload of a file message made of `attachment_url` and `caption`, if the request has
/// no `payload`.
fn attached(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<JsonText> {
    if !fields.get("payload").is_absent() {
        return None;
    }
    let url = fields.value::<NonEmpty<Text>>("attachment_url", reading)?;
    let caption = fields.value::<Text>("caption", reading).unwrap_or_default();
    let payload = serde_json::json!({"url": url, "caption": caption}).to_string();
    Some(JsonText::from_checked(payload))
}

/// A bot's reply to a customer.
pub struct BotAnswer {
    pub room: RoomRef,
    pub draft: Draft,
}

impl BotAnswer {
    /// Parses a bot's reply from the body of a request.
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let BotAnswerFields { sender_email, room_id, post } = body.read_keyed(idempotency_key)?;
        Ok(Self { room: room_id, draft: post.0.draft(sender_email) })
    }
}

request! {
    /// Body of `POST /customer_rooms/{room_id}/messages`.
    pub struct AgentReplyFields as "AgentReply" {
        post: Post, group;
    }
}

/// An agent's reply to a customer.
pub struct AgentReply {
    pub draft: Draft,
}

impl AgentReply {
    /// Parses an agent's reply from the body of a request. `sender` is the user that posts for the
    /// agent.
    pub fn read(
        body: &Body<'_>,
        idempotency_key: Option<&str>,
        sender: UserId,
    ) -> Result<Self, Refusal> {
        let AgentReplyFields { post } = body.read_keyed(idempotency_key)?;
        Ok(Self { draft: post.draft(UserRef::own(sender)) })
    }
}

request! {
    /// Body of `POST /bot/{room_id}/activate`.
    pub struct ActivateBotFields as "ActivateBot" {
        /// Whether the bot handles the room from now on.
        is_active: fields::Flag, required;
    }
}

/// A request to switch a room's bot on or off.
pub struct ActivateBot {
    /// Whether the bot handles the room from now on.
    pub is_active: bool,
}

impl ActivateBot {
    /// Parses the body of `POST /bot/{room_id}/activate`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        body.read().map(|fields: ActivateBotFields| Self { is_active: fields.is_active })
    }
}

/// A customer room after its bot was switched on or off.
#[derive(Serialize, ToSchema)]
pub struct HandledRoom<'a> {
    #[serde(flatten)]
    room_log: RoomLog<'a>,
    /// Integer id of the room.
    id: i64,
    /// Integer id of the app to which the room belongs.
    app_id: i64,
    /// Time of creation, as `YYYY-MM-DD hh:mm:ss`.
    created_at: String,
    /// Time of the last change, as `YYYY-MM-DD hh:mm:ss`.
    updated_at: String,
    /// Whether the bot handles the room.
    is_handled_by_bot: bool,
    /// Always null; the field exists only for compatibility with existing clients.
    check_wa_contact: Option<()>,
    /// Always null; the field exists only for compatibility with existing clients.
    origin: Option<()>,
    /// Always null; the field exists only for compatibility with existing clients.
    sub_source: Option<()>,
    /// Always `customer`.
    r#type: &'static str,
    /// Always null; the field exists only for compatibility with existing clients.
    deleted_at: Option<()>,
    /// Integer id of the customer.
    customer_id: i64,
}

impl<'a> HandledRoom<'a> {
    /// Creates the response data for a customer room.
    pub fn new(room: &'a CustomerRoom, channel: &'a ChannelSummary, customer: &'a User) -> Self {
        Self {
            room_log: RoomLog::new(room, channel, customer),
            id: room.room.0,
            app_id: room.app.0,
            created_at: to_the_plain_second(room.created_at),
            updated_at: to_the_plain_second(room.updated_at),
            is_handled_by_bot: room.is_handled_by_bot,
            check_wa_contact: None,
            origin: None,
            sub_source: None,
            r#type: "customer",
            deleted_at: None,
            customer_id: room.customer.0,
        }
    }
}
