//! What a custom channel's gateway brings (wire facts 5.5).

use confab_domain::ids::ChannelId;
use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::service::initiating::Visitor;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RoomLog;
use crate::body::Body;
use crate::message_api::comments::{Content, ContentFields, read_unique_id};
use crate::message_api::read_user_id;
use crate::reading::{Given, Reading};

/// `POST /{app_code}/api/v2/custom_channel/send`
#[derive(Deserialize, ToSchema)]
#[schema(as = CustomChannelMessage)]
pub struct IncomingFields<'a> {
    /// Proves the channel.
    #[schema(value_type = String, required = true)]
    #[serde(borrow, default)]
    identifier_key: Given<'a>,
    /// The customer, as the channel calls them.
    #[schema(value_type = String, required = true, example = "6281234567890", max_length = 255,
        pattern = "^[A-Za-z0-9._@-]+$")]
    #[serde(default)]
    user_id: Given<'a>,
    /// The customer's name for people.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    name: Given<'a>,
    /// At most 4000 characters. Optional where the payload supplies the text.
    #[schema(value_type = Option<String>, example = "Hello", max_length = 4000)]
    #[serde(default)]
    message: Given<'a>,
    /// Default `text`.
    #[schema(value_type = Option<String>, example = "text")]
    #[serde(default)]
    r#type: Given<'a>,
    /// The customer's picture.
    #[schema(value_type = Option<String>)]
    #[serde(default, alias = "avatar_url")]
    avatar: Given<'a>,
    /// The payload of the type.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    payload: Given<'a>,
    /// Metadata of the message.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
    /// Bringing the same id again changes nothing.
    #[schema(value_type = Option<String>, max_length = 128)]
    #[serde(default)]
    unique_temp_id: Given<'a>,
}

/// A customer's message. No `Debug`: it holds the key.
pub struct Incoming {
    /// Who says it.
    pub visitor: Visitor,
    /// What.
    pub draft: Draft,
}

impl Incoming {
    /// What proves the channel; it is looked at before anything else.
    pub fn key(body: &Body<'_>) -> Result<Option<String>, Refusal> {
        let fields: IncomingFields<'_> = body.fields()?;
        Ok(Reading::default().filled_text("identifier_key", fields.identifier_key))
    }

    /// Reads the rest: what a customer of this channel says.
    pub fn read(
        body: &Body<'_>,
        channel: ChannelId,
        idempotency_key: Option<&str>,
    ) -> Result<Self, Refusal> {
        let fields: IncomingFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let user_id = read_user_id(&mut reading, "user_id", fields.user_id);
        let name = read_name(&mut reading, fields.name);
        let avatar_url = read_avatar(&mut reading, fields.avatar);
        let content = ContentFields {
            message: fields.message,
            kind: fields.r#type,
            payload: fields.payload,
            extras: fields.extras,
        };
        let content = Content::read(&mut reading, &content);
        let unique_id = read_unique_id(&mut reading, fields.unique_temp_id, idempotency_key);
        let (Some(user_id), Some(content)) = (user_id, content) else {
            return Err(reading.refusal());
        };
        reading.finish()?;
        let sender = UserRef::Of(Realm::Channel(channel), user_id.clone());
        let draft = content.draft(sender, unique_id);
        let (extras, room_extras, infos) = (None, None, Vec::new());
        let visitor = Visitor { user_id, name, avatar_url, extras, room_extras, infos };
        Ok(Self { visitor, draft })
    }
}

/// A customer's name; an empty one is none.
pub(super) fn read_name(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let name = reading.name("name", given, limits::NAME_CHARS_MAX)?;
    Some(name).filter(|name| !name.trim().is_empty())
}

/// A customer's picture; an empty one is none.
pub(super) fn read_avatar(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let avatar = reading.url("avatar", given).filter(|url| !url.is_empty())?;
    if avatar.chars().count() > limits::URL_CHARS_MAX {
        return reading.wrong("avatar", "must have at most 2048 characters");
    }
    Some(avatar)
}

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct Received<'a> {
    /// Who serves the customer, or null.
    agent: Option<AgentShape<'a>>,
    /// The session, or null while nobody serves.
    agent_service: Option<ServiceShape>,
    /// The customer's room.
    room_log: RoomLog<'a>,
}

#[derive(Serialize, ToSchema)]
struct AgentShape<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
}

#[derive(Serialize, ToSchema)]
struct ServiceShape {
    id: i64,
    room_id: String,
    is_resolved: bool,
}

/// The answer: the room, and who serves it.
pub fn received<'a>(
    room_log: RoomLog<'a>,
    agent: Option<&'a confab_domain::agents::agent::DashboardUser>,
    session: Option<&confab_domain::webhooks::notice::Session>,
) -> Received<'a> {
    let shown = |it: &'a confab_domain::agents::agent::DashboardUser| AgentShape {
        id: it.id.0,
        name: &it.name,
        email: &it.email,
    };
    let session = session.filter(|_| agent.is_some()).map(|it| ServiceShape {
        id: it.id.0,
        room_id: it.room.to_string(),
        is_resolved: it.resolved_at.is_some(),
    });
    Received { agent: agent.map(shown), agent_service: session, room_log }
}
