//! Channels as their admins see them.

use std::collections::BTreeMap;

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::ChannelInput;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::email::EmailRecord;
use super::instagram::InstagramRecord;
use super::line::LineRecord;
use super::messenger::MessengerRecord;
use super::provider_channels::ProviderRecord;
use super::whatsapp::WhatsappRecord;
use crate::body::Body;
use crate::fields::shape::string;
use crate::fields::{Flag, Name, Picture, Short, field};
use crate::reading::Reading;
use crate::request::{GivenFields, Part, Request, request};

request! {
    /// `POST /custom_channels`, `PUT /custom_channels/{id}`
    pub struct CustomChannelFields as "CustomChannel" {
        /// The name for people; needed for a new channel.
        name: ChannelName, optional, example = "SMS gateway";
        settings: ChannelSettings, group;
    }
}

request! {
    /// The same for a new channel.
    struct NewChannelFields {
        name: ChannelName, required;
        settings: ChannelSettings, group;
    }
}

request! {
    struct ChannelSettings {
        key: OneKey, group;
        /// Where answers to customers are posted to; an empty text is nowhere.
        webhook_url: Short<{ limits::URL_CHARS_MAX }>, optional,
            example = "https://gateway.example.com/answers";
        /// Nothing comes in or goes out while it is false.
        is_active: Flag, optional;
        /// A picture.
        logo_url: Picture, optional;
    }
}

request! {
    struct ChannelKey {
        /// Makes a new key; the old one stops working.
        rotate_identifier_key: Flag, or false;
        /// What the gateway shows; made by the server for a new channel without one.
        identifier_key: IdentifierKey, optional;
    }
}

/// A channel as its owner wants it.
pub struct PutChannel {
    /// What is wanted.
    pub wanted: ChannelInput,
    /// The server shall make a new key.
    pub rotates_key: bool,
}

impl PutChannel {
    /// Reads a new channel.
    pub fn read_new(body: &Body<'_>) -> Result<Self, Refusal> {
        let NewChannelFields { name, settings } = body.read()?;
        Ok(Self::of(Some(name), settings))
    }

    /// Reads a change.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let CustomChannelFields { name, settings } = body.read()?;
        Ok(Self::of(name, settings))
    }

    fn of(name: Option<String>, settings: ChannelSettings) -> Self {
        let ChannelSettings { key: OneKey(key), webhook_url, is_active, logo_url } = settings;
        let ChannelKey { rotate_identifier_key: rotates_key, identifier_key } = key;
        let wanted = ChannelInput { name, webhook_url, identifier_key, is_active, logo_url };
        Self { wanted, rotates_key }
    }
}

/// A key, or that the server shall make one.
struct OneKey(ChannelKey);

impl Request for OneKey {
    const PARTS: &'static [Part] = ChannelKey::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut Reading) -> Option<Self> {
        let key = ChannelKey::read(fields, reading)?;
        if key.rotate_identifier_key && key.identifier_key.is_some() {
            let problem = "must be absent where rotate_identifier_key is true";
            return reading.wrong("identifier_key", problem);
        }
        Some(Self(key))
    }
}

field! {
    ChannelName -> String, Name::SHAPE;
    |reading, field, given| {
        let name = Name::read(reading, field, given)?;
        if name.trim().is_empty() { reading.wrong(field, "must not be empty") } else { Some(name) }
    }
}

field! {
    /// What a gateway shows; an empty text counts as missing.
    IdentifierKey -> String,
        string().at_least(limits::CHANNEL_KEY_CHARS_MIN).at_most(limits::CHANNEL_KEY_CHARS_MAX);
    |reading, field, given| {
        let key = reading.filled_text(field, given)?;
        let (least, most) = (limits::CHANNEL_KEY_CHARS_MIN, limits::CHANNEL_KEY_CHARS_MAX);
        let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
        if !(least..=most).contains(&key.len()) || !is_plain {
            let problem =
                format!("must be {least} to {most} letters, digits or signs, without blanks");
            return reading.wrong(field, problem);
        }
        Some(key)
    }
}

/// A channel with its key.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelRecord)]
pub struct ChannelRecordShape<'a> {
    /// The integer.
    id: i64,
    /// Where answers to customers are posted to.
    webhook_url: Option<&'a str>,
    /// A picture.
    logo_url: Option<&'a str>,
    /// What the gateway shows.
    identifier_key: &'a str,
    /// The name for people.
    name: &'a str,
    /// Nothing comes in or goes out while it is false.
    is_active: bool,
    /// Always false.
    use_channel_responder: bool,
}

impl<'a> From<&'a Channel> for ChannelRecordShape<'a> {
    fn from(channel: &'a Channel) -> Self {
        Self {
            id: channel.id.0,
            webhook_url: channel.webhook_url.as_deref(),
            logo_url: channel.logo_url.as_deref(),
            identifier_key: &channel.identifier_key,
            name: &channel.name,
            is_active: channel.is_active,
            use_channel_responder: false,
        }
    }
}

/// `{custom_channel}`
#[derive(Serialize, ToSchema)]
pub struct ChannelBox<'a> {
    /// The channel.
    custom_channel: ChannelRecordShape<'a>,
}

/// `{custom_channels}`
#[derive(Serialize, ToSchema)]
pub struct ChannelList<'a> {
    /// All of the app.
    custom_channels: Vec<ChannelRecordShape<'a>>,
}

/// Every channel of the app, by what it is.
#[derive(Serialize, ToSchema)]
#[serde(transparent)]
pub struct ChannelMap<'a>(BTreeMap<String, Vec<AnyRecord<'a>>>);

/// A channel of whatever kind.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum AnyRecord<'a> {
    Own(ChannelRecordShape<'a>),
    Service(ProviderRecord<'a>),
    Whatsapp(Box<WhatsappRecord<'a>>),
    Line(LineRecord<'a>),
    Email(Box<EmailRecord<'a>>),
    Messenger(Box<MessengerRecord<'a>>),
    Instagram(Box<InstagramRecord<'a>>),
}

/// One channel.
pub fn custom_channel(channel: &Channel) -> ChannelBox<'_> {
    ChannelBox { custom_channel: channel.into() }
}

/// The custom channels among these.
pub fn custom_channels(channels: &[Channel]) -> ChannelList<'_> {
    ChannelList { custom_channels: of_kind(channels, ChannelKind::Custom) }
}

/// Kinds that clients look for and that no channel is of: some walk through the whole map, and
/// typed ones need every key.
const ABSENT_KINDS: [&str; 1] = ["tiktok"];

/// All of these; the widget stands under every brand, in lower case (D-0001). The records of
/// channels of services are given beside them.
pub fn channel_map<'a>(
    channels: &'a [Channel],
    services: Vec<(ChannelKind, AnyRecord<'a>)>,
    brands: &[String],
) -> ChannelMap<'a> {
    let widgets = brands.iter().map(|brand| (brand.to_lowercase(), ChannelKind::Widget));
    let kinds = widgets.chain([("custom".to_owned(), ChannelKind::Custom)]);
    let key = |name: &str| format!("{name}_channels");
    let own = |kind| of_kind(channels, kind).into_iter().map(AnyRecord::Own).collect();
    let mut map: BTreeMap<String, Vec<AnyRecord<'a>>> =
        ABSENT_KINDS.map(|name| (key(name), Vec::new())).into();
    let of_services = ChannelKind::ALL.into_iter().filter(|kind| kind.is_service());
    map.extend(of_services.map(|kind| (key(kind.as_str()), Vec::new())));
    map.extend(kinds.map(|(name, kind)| (key(&name), own(kind))));
    for (kind, record) in services {
        map.entry(key(kind.as_str())).or_default().push(record);
    }
    ChannelMap(map)
}

fn of_kind(channels: &[Channel], kind: ChannelKind) -> Vec<ChannelRecordShape<'_>> {
    channels.iter().filter(|channel| channel.kind == kind).map(Into::into).collect()
}
