//! Information about customers, stored with a room or with the customer (wire facts 5.5).

use confab_domain::ids::UserKey;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::contacts::customer_info::CustomerInfoUpdate;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::{ChannelSummary, CustomerProperty, Info};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::shape::{Items, list};
use crate::fields::{Label, Short, Value, field};
use crate::reading::{FieldJson, FieldReader, json_string};
use crate::request::request;
use crate::time::{to_the_microsecond, to_the_second};

request! {
    /// Body of `POST /room/{room}/user_info`.
    pub struct UserInfoFields as "PutUserInfo" {
        /// List of `{key, value}`; numbers and booleans become text. It replaces all stored
        /// properties; an empty list removes them. Required without `notes`.
        user_properties: Infos, optional;
        /// Notes about the conversation; an empty string removes them.
        notes: Short<{ limits::INFO_CHARS_MAX }>, optional;
    }
}

field! {
    /// A list of properties as JSON; in a form, a string with this list.
    Infos -> JsonText, list(Items::Named("InfoShape"));
    |reading, field, given| reading.free_json(field, given)
}

/// Parses new properties and notes.
pub fn read_user_info(body: &Body<'_>) -> Result<CustomerInfoUpdate, Refusal> {
    const FIELD: &str = "user_properties";
    body.read_then(|UserInfoFields { user_properties: opened, notes }, reading| {
        let opened = if notes.is_some() { opened } else { reading.needed(FIELD, opened) };
        let infos = opened.as_ref().map(|opened| read_infos(reading, FIELD, opened));
        Some(CustomerInfoUpdate { infos, notes })
    })
}

fn read_infos(reading: &mut FieldReader, field: &str, opened: &JsonText) -> Vec<Info> {
    if serde_json::from_str::<[(); 0]>(opened.as_str()).is_ok() {
        return Vec::new();
    }
    let items = reading.items(field, FieldJson::of(opened), limits::INFOS_MAX).unwrap_or_default();
    let mut infos = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        infos.extend(read_info(reading, &format!("{field}[{at}]"), item));
    }
    infos
}

fn read_info(reading: &mut FieldReader, path: &str, given: FieldJson<'_>) -> Option<Info> {
    let object = reading.object(path, given)?;
    let key_path = object.path("key");
    let key = Label::<{ limits::LABEL_CHARS_MAX }>::read(reading, &key_path, object.get("key"));
    let key = reading.needed(&key_path, key);
    let value_path = object.path("value");
    let value = reading.short_value(&value_path, object.get("value"), limits::INFO_CHARS_MAX);
    let value = reading.needed(&value_path, value);
    Some(Info { key: key?, value: value? })
}

/// A property of a customer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfoShape)]
pub struct InfoShape<'a> {
    key: &'a str,
    value: &'a str,
}

/// Properties and notes of the customer of a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserInfo<'a, Time> {
    extras: InfoExtras<'a>,
    // Time of the room's creation.
    #[schema(inline)]
    first_initiated: Time,
    // Time when an agent was first assigned in the newest conversation.
    #[schema(inline, value_type = Time, required = false)]
    first_agent_response_time: Option<Time>,
    user_id: &'a str,
    channel_id: i64,
    /// Whether the customer is blocked and cannot write.
    is_blocked: bool,
    channel_name: &'a str,
    channel: InfoChannel<'a>,
}

/// Notes and properties of a customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoExtras<'a> {
    /// Notes about the conversation.
    notes: Option<&'a str>,
    user_properties: Vec<InfoShape<'a>>,
}

/// Channel through which the customer writes.
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoChannel<'a> {
    id: i64,
    name: &'a str,
    source: &'a str,
}

/// The values for a [`UserInfo`].
pub struct KnownCustomer<'a> {
    /// User id of the customer.
    pub user_id: &'a str,
    /// Channel through which the customer writes.
    pub channel: &'a ChannelSummary,
    /// Properties of the customer.
    pub infos: &'a [Info],
    /// Whether the customer is blocked and cannot write.
    pub is_blocked: bool,
    /// Notes about the conversation.
    pub notes: Option<&'a str>,
    /// Time of the room's creation.
    pub opened_at: Timestamp,
    /// Time when an agent was first assigned in the newest conversation.
    pub taken_at: Option<Timestamp>,
}

/// Returns the response to GET, with times as strings. Go clients parse them as RFC 3339.
pub fn user_info<'a>(known: &KnownCustomer<'a>) -> UserInfo<'a, String> {
    shape(known, to_the_second)
}

/// Returns the response to POST, with times as objects.
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
        is_blocked: known.is_blocked,
        channel_name: &channel.name,
        channel: InfoChannel { id: channel.id.0, name: &channel.name, source: &channel.source },
    }
}

/// A time in the response to POST, in the format of PHP's `DateTime`.
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

request! {
    /// Body of `POST /api/v2/contacts/properties/{contact_id}`.
    pub struct PropertyFields as "PutContactProperty" {
        /// Label of the property.
        label: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "Tier";
        /// Value of the property.
        value: Value<{ limits::INFO_CHARS_MAX }>, required, example = "Gold";
    }
}

/// Parses the label and value of a property.
pub fn read_property(body: &Body<'_>) -> Result<(String, String), Refusal> {
    let PropertyFields { label, value } = body.read()?;
    Ok((label, value))
}

/// A property of a customer that applies to all of their rooms.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactProperty<'a> {
    id: i64,
    contact_id: i64,
    label: &'a str,
    value: &'a str,
}

/// Returns a property of a customer.
pub fn property(customer: UserKey, property: &CustomerProperty) -> ContactProperty<'_> {
    ContactProperty {
        id: property.id.0,
        contact_id: customer.0,
        label: &property.label,
        value: &property.value,
    }
}

request! {
    /// Body of `PUT /api/v2/customer_rooms/{room_id}/infos/{key}`.
    pub struct InfoFields as "PutInfo" {
        /// Value of the property; numbers and booleans become text.
        value: Value<{ limits::INFO_CHARS_MAX }>, required, example = "Yogyakarta";
    }
}

/// Parses the value of a property. `key` is from the path.
pub fn read_one_info(key: &str, body: &Body<'_>) -> Result<Info, Refusal> {
    let InfoFields { value } = body.read()?;
    Ok(Info { key: info_key(key)?, value })
}

/// Parses the key of a property in a path.
pub fn info_key(text: &str) -> Result<String, Refusal> {
    let (mut reading, json) = (FieldReader::default(), json_string(text));
    let given = FieldJson::of_text(&json);
    let key = Label::<{ limits::LABEL_CHARS_MAX }>::read(&mut reading, "key", given);
    let key = reading.needed("key", key);
    key.ok_or_else(|| reading.refusal())
}

/// Response data with the properties of a customer in a room.
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoList<'a> {
    infos: Vec<InfoShape<'a>>,
}

/// Returns the properties of a customer in a room.
pub fn info_list<'a>(infos: &'a [Info]) -> InfoList<'a> {
    let shape = |info: &'a Info| InfoShape { key: &info.key, value: &info.value };
    InfoList { infos: infos.iter().map(shape).collect() }
}

/// Response data with one property of a customer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactPropertyBox<'a> {
    pub customer_property: ContactProperty<'a>,
}
