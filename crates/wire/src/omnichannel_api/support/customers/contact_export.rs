//! Export and erasure of all data about a customer (design/support).

use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::note::Note;
use confab_domain::webhooks::event::{CustomerProperty, Info, Session};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::Short;
use crate::omnichannel_api::support::annotations::notes::NoteShape;
use crate::omnichannel_api::support::customers::infos::{ContactProperty, property};
use crate::person::PersonShape;
use crate::raw_json::raw;
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Body of `POST /api/v2/contacts/{contact_id}/erase`.
    pub struct EraseContactFields as "EraseContact" {
        /// Name of the customer, to prevent erasing the wrong one.
        confirm: Short<{ limits::NAME_CHARS_MAX }>, required, example = "Ana";
    }
}

/// Parses the name of the customer to erase.
pub fn read_erase(body: &Body<'_>) -> Result<String, Refusal> {
    let EraseContactFields { confirm } = body.read()?;
    Ok(confirm)
}

/// Response data with all data about a customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactExport<'a> {
    contact: ExportedContact<'a>,
    properties: Vec<ContactProperty<'a>>,
    /// Rooms of the customer, latest change first.
    rooms: Vec<ExportedRoom<'a>>,
}

/// The customer in an export.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedContact<'a> {
    id: i64,
    user_id: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    #[schema(value_type = Option<Object>)]
    extras: Option<&'a RawValue>,
    is_blocked: bool,
    #[schema(example = "2026-01-31T10:00:00.123456Z")]
    created_at: String,
}

/// A room of the customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedRoom<'a> {
    room_id: String,
    name: &'a str,
    infos: Vec<ExportedInfo<'a>>,
    /// Conversations, newest first.
    conversations: Vec<ContactConversation<'a>>,
    /// Notes, newest first.
    notes: Vec<NoteShape<'a>>,
    /// Messages, oldest first; `payload` contains links to files.
    messages: Vec<ExportedMessage<'a>>,
}

/// Information about the customer, stored with a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedInfo<'a> {
    key: &'a str,
    value: &'a str,
}

/// A conversation of a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactConversation<'a> {
    id: String,
    opened_at: String,
    resolved_at: Option<String>,
    notes: Option<&'a str>,
}

/// A message. A deleted one has no content.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedMessage<'a> {
    id: String,
    unique_id: String,
    at: String,
    sender: PersonShape<'a>,
    r#type: &'static str,
    text: &'a str,
    #[schema(value_type = Option<Object>)]
    payload: Option<&'a RawValue>,
    #[schema(value_type = Option<Object>)]
    extras: Option<&'a RawValue>,
    is_deleted: bool,
}

/// Returns the export of a customer without rooms, which are written after it.
pub fn exported_contact<'a>(
    customer: &'a User,
    known: &'a [CustomerProperty],
) -> ContactExport<'a> {
    let contact = ExportedContact {
        id: customer.key.0,
        user_id: customer.user_id.as_str(),
        name: &customer.username,
        avatar_url: &customer.avatar_url,
        extras: customer.extras.as_ref().map(raw),
        is_blocked: !customer.is_active,
        created_at: to_the_microsecond(customer.created_at),
    };
    let properties = known.iter().map(|it| property(customer.key, it)).collect();
    ContactExport { contact, properties, rooms: Vec::new() }
}

/// Returns the export of a room without messages, which are written after it.
pub fn exported_room<'a>(
    room_id: String,
    name: &'a str,
    infos: &'a [Info],
    conversations: &'a [Session],
    notes: &'a [Note],
) -> ExportedRoom<'a> {
    let conversation = |it: &'a Session| ContactConversation {
        id: it.id.to_string(),
        opened_at: to_the_microsecond(it.created_at),
        resolved_at: it.resolved_at.map(to_the_microsecond),
        notes: it.notes.as_deref(),
    };
    ExportedRoom {
        room_id,
        name,
        infos: infos.iter().map(|it| ExportedInfo { key: &it.key, value: &it.value }).collect(),
        conversations: conversations.iter().map(conversation).collect(),
        notes: notes.iter().map(NoteShape::from).collect(),
        messages: Vec::new(),
    }
}

/// Returns the export of a message.
pub fn exported_message(posted: &PostedMessage) -> ExportedMessage<'_> {
    let PostedMessage { message, sender } = posted;
    ExportedMessage {
        id: message.id.to_string(),
        unique_id: message.unique_id().as_str().to_owned(),
        at: to_the_microsecond(message.posted_at),
        sender: PersonShape { id: sender.key.0, name: &sender.username },
        r#type: message.kind.as_str(),
        text: &message.text,
        payload: message.payload.as_ref().map(raw),
        extras: message.extras.as_ref().map(raw),
        is_deleted: message.is_deleted,
    }
}

/// Response data of an erasure.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErasedContact {
    pub contact_id: i64,
    /// Always true.
    pub is_erased: bool,
}
