//! What agents and bots answer, and who of them shall (wire facts 5.3).

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Draft;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::customer_room::CustomerRoom;
use confab_domain::webhooks::event::ChannelSummary;
use serde::Serialize;
use utoipa::ToSchema;

use super::room_log::RoomLog;
use crate::body::Body;
use crate::fields::{self, Filled, Post, Text};
use crate::reading::{Given, Reading};
use crate::request::{FieldShape, GivenFields, Part, Request, request};
use crate::time::to_the_plain_second;

request! {
    /// `POST /{app_code}/bot`
    pub struct BotAnswerFields as "BotAnswer" {
        /// A user of the app, `{app_code}_admin@` and anything, or the sign-in address of an admin.
        sender_email: fields::User, required, example = "shop_admin@bot.example";
        /// The customer's room.
        room_id: fields::Room, required, example = "55";
        post: BotPost, group;
    }
}

/// A post, or a file that is named beside the text where there is no payload.
struct BotPost(Post);

impl Request for BotPost {
    const PARTS: &'static [Part] = &[
        Part::Group(Post::PARTS),
        Part::Field(FieldShape::of::<Text>(
            "attachment_url",
            &["A file, where there is no payload; the type is `file_attachment` then."],
        )),
        Part::Field(FieldShape::of::<Text>("caption", &["Its caption."])),
    ];

    fn read(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<Self> {
        let attached = attached(fields, reading);
        let (kind, payload) = match &attached {
            Some(payload) => (Given::of_text("\"file_attachment\""), Given::of(payload)),
            None => (fields.get("type"), fields.get("payload")),
        };
        Post::read_of(reading, fields, "message", kind, payload).map(Self)
    }
}

/// The payload of a file that is named beside the message.
fn attached(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<JsonText> {
    if !fields.get("payload").is_absent() {
        return None;
    }
    let url = fields.value::<Filled<Text>>("attachment_url", reading)?;
    let caption = fields.value::<Text>("caption", reading).unwrap_or_default();
    let payload = serde_json::json!({"url": url, "caption": caption}).to_string();
    Some(JsonText::from_checked(payload))
}

/// What a bot says.
pub struct BotAnswer {
    /// Where.
    pub room: RoomRef,
    /// What, and who says it.
    pub draft: Draft,
}

impl BotAnswer {
    /// Reads the request.
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let BotAnswerFields { sender_email, room_id, post } = body.read_keyed(idempotency_key)?;
        Ok(Self { room: room_id, draft: post.0.draft(sender_email) })
    }
}

request! {
    /// `POST /customer_rooms/{room_id}/messages`
    pub struct AgentReplyFields as "AgentReply" {
        post: Post, group;
    }
}

/// What an agent says.
pub struct AgentReply {
    /// What.
    pub draft: Draft,
}

impl AgentReply {
    /// Reads the request of whoever speaks as this user.
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
    /// `POST /bot/{room_id}/activate`
    pub struct ActivateBotFields as "ActivateBot" {
        /// Whether a bot answers from now on.
        is_active: fields::Flag, required;
    }
}

/// Whether a bot shall answer.
pub struct ActivateBot {
    /// It shall.
    pub is_active: bool,
}

impl ActivateBot {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        body.read().map(|fields: ActivateBotFields| Self { is_active: fields.is_active })
    }
}

/// A customer's room after a bot took or left it.
#[derive(Serialize, ToSchema)]
pub struct HandledRoom<'a> {
    #[serde(flatten)]
    room_log: RoomLog<'a>,
    /// The room's integer.
    id: i64,
    /// The app's integer.
    app_id: i64,
    /// `YYYY-MM-DD hh:mm:ss`
    created_at: String,
    /// `YYYY-MM-DD hh:mm:ss`
    updated_at: String,
    /// Whether a bot answers.
    is_handled_by_bot: bool,
    /// Always null.
    check_wa_contact: Option<()>,
    /// Always null.
    origin: Option<()>,
    /// Always null.
    sub_source: Option<()>,
    /// Always `customer`.
    r#type: &'static str,
    /// Always null.
    deleted_at: Option<()>,
    /// The customer's integer.
    customer_id: i64,
}

impl<'a> HandledRoom<'a> {
    /// The room of a customer.
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
