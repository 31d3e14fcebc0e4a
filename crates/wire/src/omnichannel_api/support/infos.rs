//! What is known about customers: in one room, and in all (wire facts 5.5).

use confab_domain::ids::UserKey;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::customer_info::CustomerInfoUpdate;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::{ChannelSummary, CustomerProperty, Info};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::shape::{Items, list};
use crate::fields::{Label, Short, Value, field};
use crate::reading::{Given, Reading, json_string};
use crate::request::request;
use crate::time::{to_the_microsecond, to_the_second};

request! {
    /// `POST /room/{room}/user_info`
    pub struct UserInfoFields as "PutUserInfo" {
        /// A list of `{key, value}`; numbers and booleans are taken as their text. It replaces what
        /// is known; an empty list removes it. Required without `notes`.
        user_properties: Infos, optional;
        /// What is to be remembered of the conversation; an empty text removes it.
        notes: Short<{ limits::INFO_CHARS_MAX }>, optional;
    }
}

field! {
    /// The JSON of what is to be known. In a form it is a text that holds the list.
    Infos -> JsonText, list(Items::Named("InfoShape"));
    |reading, field, given| reading.free_json(field, given)
}

/// Reads what is to be known.
pub fn read_user_info(body: &Body<'_>) -> Result<CustomerInfoUpdate, Refusal> {
    const FIELD: &str = "user_properties";
    body.read_then(|UserInfoFields { user_properties: opened, notes }, reading| {
        let opened = if notes.is_some() { opened } else { reading.needed(FIELD, opened) };
        let infos = opened.as_ref().map(|opened| read_infos(reading, FIELD, opened));
        Some(CustomerInfoUpdate { infos, notes })
    })
}

fn read_infos(reading: &mut Reading, field: &str, opened: &JsonText) -> Vec<Info> {
    if serde_json::from_str::<[(); 0]>(opened.as_str()).is_ok() {
        return Vec::new();
    }
    let items = reading.items(field, Given::of(opened), limits::INFOS_MAX).unwrap_or_default();
    let mut infos = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        infos.extend(read_info(reading, &format!("{field}[{at}]"), item));
    }
    infos
}

fn read_info(reading: &mut Reading, path: &str, given: Given<'_>) -> Option<Info> {
    let object = reading.object(path, given)?;
    let key_path = object.path("key");
    let key = Label::<{ limits::LABEL_CHARS_MAX }>::read(reading, &key_path, object.get("key"));
    let key = reading.needed(&key_path, key);
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
    /// Whether they may write no more.
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
    pub channel: &'a ChannelSummary,
    /// What is known.
    pub infos: &'a [Info],
    /// Whether they may write no more.
    pub is_blocked: bool,
    /// What is to be remembered of the conversation.
    pub notes: Option<&'a str>,
    /// When the room was opened.
    pub opened_at: Timestamp,
    /// When somebody first took the session.
    pub taken_at: Option<Timestamp>,
}

/// With times as texts: what GET gives. Go clients read them as RFC 3339.
pub fn user_info<'a>(known: &KnownCustomer<'a>) -> UserInfo<'a, String> {
    shape(known, to_the_second)
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
        is_blocked: known.is_blocked,
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

request! {
    /// `POST /api/v2/contacts/properties/{contact_id}`
    pub struct PropertyFields as "PutContactProperty" {
        /// What it is about.
        label: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "Tier";
        /// What is known.
        value: Value<{ limits::INFO_CHARS_MAX }>, required, example = "Gold";
    }
}

/// Reads a label and a value.
pub fn read_property(body: &Body<'_>) -> Result<(String, String), Refusal> {
    let PropertyFields { label, value } = body.read()?;
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

request! {
    /// `PUT /api/v2/customer_rooms/{room_id}/infos/{key}`
    pub struct InfoFields as "PutInfo" {
        /// What is known; numbers and booleans are taken as their text.
        value: Value<{ limits::INFO_CHARS_MAX }>, required, example = "Yogyakarta";
    }
}

/// Reads what is known under a key.
pub fn read_one_info(key: &str, body: &Body<'_>) -> Result<Info, Refusal> {
    let InfoFields { value } = body.read()?;
    Ok(Info { key: info_key(key)?, value })
}

/// A key that stands in a path.
pub fn info_key(text: &str) -> Result<String, Refusal> {
    let (mut reading, json) = (Reading::default(), json_string(text));
    let given = Given::of_text(&json);
    let key = Label::<{ limits::LABEL_CHARS_MAX }>::read(&mut reading, "key", given);
    let key = reading.needed("key", key);
    key.ok_or_else(|| reading.refusal())
}

/// `{infos}`
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoList<'a> {
    infos: Vec<InfoShape<'a>>,
}

/// All that is known about the customer of a room.
pub fn info_list<'a>(infos: &'a [Info]) -> InfoList<'a> {
    let shape = |info: &'a Info| InfoShape { key: &info.key, value: &info.value };
    InfoList { infos: infos.iter().map(shape).collect() }
}

/// `{customer_property}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ContactPropertyBox<'a> {
    pub customer_property: ContactProperty<'a>,
}
