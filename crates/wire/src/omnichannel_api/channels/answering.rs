//! What agents and bots answer, and who of them shall (wire facts 5.3).

use confab_domain::messages::message::Draft;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::service::customer_room::CustomerRoom;
use confab_domain::webhooks::notice::Channel;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::room_log::RoomLog;
use crate::body::Body;
use crate::message_api::comments::{Content, ContentFields, read_room, read_unique_id};
use crate::message_api::read_user_id;
use crate::reading::{Given, Reading};
use crate::time::to_the_plain_second;

/// `POST /{app_code}/bot`
#[derive(Deserialize, ToSchema)]
#[schema(as = BotAnswer)]
pub struct BotAnswerFields<'a> {
    /// A user of the app, `{app_code}_admin@` and anything, or the sign-in address of an admin.
    #[schema(value_type = String, required = true, example = "shop_admin@bot.example")]
    #[serde(borrow, default)]
    sender_email: Given<'a>,
    /// The customer's room.
    #[schema(value_type = String, required = true, example = "55")]
    #[serde(default)]
    room_id: Given<'a>,
    /// At most 4000 characters. Optional where the payload supplies the text.
    #[schema(value_type = Option<String>, example = "Hello", max_length = 4000)]
    #[serde(default)]
    message: Given<'a>,
    /// Default `text`, or `file_attachment` where there is an `attachment_url`.
    #[schema(value_type = Option<String>, example = "text")]
    #[serde(default)]
    r#type: Given<'a>,
    /// The payload of the type.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// A file, where there is no payload.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    attachment_url: Given<'a>,
    /// Its caption.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    caption: Given<'a>,
    /// Metadata of the message.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
    /// Answering with the same id again changes nothing.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
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
        let fields: BotAnswerFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let sender = read_user_id(&mut reading, "sender_email", fields.sender_email);
        let room = read_room(&mut reading, fields.room_id);
        let attached = attached(&mut reading, &fields);
        let (payload, kind) = match &attached {
            Some(payload) => (Given::of(payload), Given::of_text("\"file_attachment\"")),
            None => (fields.payload, fields.r#type),
        };
        let (message, extras) = (fields.message, fields.extras);
        let content = ContentFields { message, kind, payload, extras };
        let content = Content::read(&mut reading, &content);
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

/// The payload of a file that is named beside the message.
fn attached(
    reading: &mut Reading,
    fields: &BotAnswerFields<'_>,
) -> Option<confab_domain::json_text::JsonText> {
    if !fields.payload.is_absent() {
        return None;
    }
    let url = reading.filled_text("attachment_url", fields.attachment_url)?;
    let caption = reading.text("caption", fields.caption).unwrap_or_default();
    let payload = serde_json::json!({"url": url, "caption": caption}).to_string();
    Some(confab_domain::json_text::JsonText::from_checked(payload))
}

/// `POST /customer_rooms/{room_id}/messages`
#[derive(Deserialize, ToSchema)]
#[schema(as = AgentReply)]
pub struct AgentReplyFields<'a> {
    /// At most 4000 characters. Optional where the payload supplies the text.
    #[schema(value_type = Option<String>, example = "Hello", max_length = 4000)]
    #[serde(borrow, default)]
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
    /// Replying with the same id again changes nothing.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
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
        let fields: AgentReplyFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let content = ContentFields {
            message: fields.message,
            kind: fields.r#type,
            payload: fields.payload,
            extras: fields.extras,
        };
        let content = Content::read(&mut reading, &content);
        let unique_id = read_unique_id(&mut reading, fields.unique_temp_id, idempotency_key);
        let Some(content) = content else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { draft: content.draft(UserRef::own(sender), unique_id) })
    }
}

/// `POST /bot/{room_id}/activate`
#[derive(Deserialize, ToSchema)]
#[schema(as = ActivateBot)]
pub struct ActivateBotFields<'a> {
    /// Whether a bot answers from now on.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_active: Given<'a>,
}

/// Whether a bot shall answer.
pub struct ActivateBot {
    /// It shall.
    pub is_active: bool,
}

impl ActivateBot {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let fields: ActivateBotFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let is_active = reading.boolean("is_active", fields.is_active);
        let is_active = reading.needed("is_active", is_active);
        is_active.map(|is_active| Self { is_active }).ok_or_else(|| reading.refusal())
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
    pub fn new(room: &'a CustomerRoom, channel: &'a Channel, customer: &'a User) -> Self {
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
