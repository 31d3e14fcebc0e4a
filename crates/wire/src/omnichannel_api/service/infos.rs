//! What is known about customers: in one room, and in all (wire facts 5.5).

use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_info::Told;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::{Channel, CustomerProperty, Info};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::read_needed_text;
use crate::body::Body;
use crate::reading::{Given, Reading};
use crate::time::{to_the_microsecond, to_the_plain_second};

/// `POST /room/{room}/user_info`
#[derive(Deserialize, ToSchema)]
#[schema(as = PutUserInfo)]
pub struct UserInfoFields<'a> {
    /// A list of `{key, value}`; numbers and booleans are taken as their text. What is known under
    /// other keys stays. Required without `notes`.
    #[schema(value_type = Option<Vec<InfoShape>>)]
    #[serde(borrow, default)]
    user_properties: Given<'a>,
    /// What is to be remembered of the conversation; an empty text removes it.
    #[schema(value_type = Option<String>, max_length = 4000)]
    #[serde(default)]
    notes: Given<'a>,
}

/// Reads what is to be known.
pub fn read_user_info(body: &Body<'_>) -> Result<Told, Refusal> {
    let fields: UserInfoFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    // In a form it is a text that holds the list.
    let opened = reading.free_json("user_properties", fields.user_properties);
    let notes = reading.short_text("notes", fields.notes, limits::INFO_CHARS_MAX);
    let opened = match notes {
        Some(_) => opened,
        None => reading.needed("user_properties", opened),
    };
    let given = opened.as_ref().map(Given::of);
    let items = given.and_then(|it| reading.items("user_properties", it, limits::INFOS_MAX));
    let mut infos = Vec::new();
    for (at, item) in items.unwrap_or_default().into_iter().enumerate() {
        infos.extend(read_info(&mut reading, &format!("user_properties[{at}]"), item));
    }
    reading.finish()?;
    Ok(Told { infos, notes })
}

fn read_info(reading: &mut Reading, path: &str, given: Given<'_>) -> Option<Info> {
    let object = reading.object(path, given)?;
    let key_path = object.path("key");
    let key = read_needed_text(reading, &key_path, object.get("key"), limits::LABEL_CHARS_MAX);
    let value_path = object.path("value");
    let value = reading.short_value(&value_path, object.get("value"), limits::INFO_CHARS_MAX);
    let value = reading.needed(&value_path, value);
    Some(Info { key: key?, value: value? })
}

/// One thing that is known.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfoShape)]
pub struct InfoShape<'a> {
    key: &'a str,
    value: &'a str,
}

/// What is known about the customer of a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserInfo<'a, Time> {
    extras: InfoExtras<'a>,
    /// When the room was opened.
    first_initiated: Time,
    /// When somebody first took the session.
    first_agent_response_time: Option<Time>,
    user_id: &'a str,
    channel_id: i64,
    is_blocked: bool,
    channel_name: &'a str,
    channel: InfoChannel<'a>,
}

/// `{notes, user_properties}`
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoExtras<'a> {
    /// What is to be remembered of the conversation.
    notes: Option<&'a str>,
    user_properties: Vec<InfoShape<'a>>,
}

/// Where the customer writes from.
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoChannel<'a> {
    id: i64,
    name: &'a str,
    source: &'a str,
}

/// Everything that a [`UserInfo`] shows.
pub struct KnownCustomer<'a> {
    /// The customer.
    pub user_id: &'a str,
    /// Where the customer writes from.
    pub channel: &'a Channel,
    /// What is known.
    pub infos: &'a [Info],
    /// What is to be remembered of the conversation.
    pub notes: Option<&'a str>,
    /// When the room was opened.
    pub opened_at: Timestamp,
    /// When somebody first took the session.
    pub taken_at: Option<Timestamp>,
}

/// With times as texts: what GET gives.
pub fn user_info<'a>(known: &KnownCustomer<'a>) -> UserInfo<'a, String> {
    shape(known, to_the_plain_second)
}

/// With times as objects: what POST gives.
pub fn changed_user_info<'a>(known: &KnownCustomer<'a>) -> UserInfo<'a, TimeObject> {
    shape(known, TimeObject::of)
}

fn shape<'a, Time>(
    known: &KnownCustomer<'a>,
    time: impl Fn(Timestamp) -> Time,
) -> UserInfo<'a, Time> {
    let info = |info: &'a Info| InfoShape { key: &info.key, value: &info.value };
    let channel = known.channel;
    UserInfo {
        extras: InfoExtras {
            notes: known.notes,
            user_properties: known.infos.iter().map(info).collect(),
        },
        first_initiated: time(known.opened_at),
        first_agent_response_time: known.taken_at.map(&time),
        user_id: known.user_id,
        channel_id: channel.id.0,
        is_blocked: false,
        channel_name: &channel.name,
        channel: InfoChannel { id: channel.id.0, name: &channel.name, source: &channel.source },
    }
}

/// A time as POST gives it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeObject {
    #[schema(example = "2026-01-31 10:00:00.000000")]
    date: String,
    #[schema(example = 3)]
    timezone_type: u8,
    #[schema(example = "UTC")]
    timezone: &'static str,
}

impl TimeObject {
    fn of(time: Timestamp) -> Self {
        let date = to_the_microsecond(time).replace('T', " ").replace('Z', "");
        Self { date, timezone_type: 3, timezone: "UTC" }
    }
}

/// `POST /api/v2/contacts/properties/{contact_id}`
#[derive(Deserialize, ToSchema)]
#[schema(as = PutContactProperty)]
pub struct PropertyFields<'a> {
    /// What it is about.
    #[schema(value_type = String, required = true, max_length = 100, example = "Tier")]
    #[serde(borrow, default)]
    label: Given<'a>,
    /// What is known.
    #[schema(value_type = String, required = true, max_length = 4000, example = "Gold")]
    #[serde(default)]
    value: Given<'a>,
}

/// Reads a label and a value.
pub fn read_property(body: &Body<'_>) -> Result<(String, String), Refusal> {
    let fields: PropertyFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let label = read_needed_text(&mut reading, "label", fields.label, limits::LABEL_CHARS_MAX);
    let value = reading.short_value("value", fields.value, limits::INFO_CHARS_MAX);
    let value = reading.needed("value", value);
    let (Some(label), Some(value)) = (label, value) else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok((label, value))
}

/// One thing known about a customer in every room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactProperty<'a> {
    id: i64,
    contact_id: i64,
    label: &'a str,
    value: &'a str,
}

/// One thing known about a customer.
pub fn property(customer: UserKey, property: &CustomerProperty) -> ContactProperty<'_> {
    ContactProperty {
        id: property.id.0,
        contact_id: customer.0,
        label: &property.label,
        value: &property.value,
    }
}
