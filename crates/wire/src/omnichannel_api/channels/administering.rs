//! Channels as admins see and configure them.

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
use crate::reading::FieldReader;
use crate::request::{GivenFields, Part, Request, request};

request! {
    /// Body of `POST /custom_channels` and `PUT /custom_channels/{id}`.
    pub struct CustomChannelFields as "CustomChannel" {
        /// Display name; required for a new channel.
        name: ChannelName, optional, example = "SMS gateway";
        settings: ChannelSettings, group;
    }
}

request! {
    /// Fields of a new custom channel, where the name is required.
    struct NewChannelFields {
        name: ChannelName, required;
        settings: ChannelSettings, group;
    }
}

request! {
    struct ChannelSettings {
        key: OneKey, group;
        /// URL of the gateway, to which replies to customers are sent; an empty string removes it.
        webhook_url: Short<{ limits::URL_CHARS_MAX }>, optional,
            example = "https://gateway.example.com/answers";
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// URL of the channel's picture.
        logo_url: Picture, optional;
    }
}

request! {
    struct ChannelKey {
        /// Whether to generate a new key; the old one stops working.
        rotate_identifier_key: Flag, or false;
        /// Key with which the gateway authenticates; generated for a new channel if absent.
        identifier_key: IdentifierKey, optional;
    }
}

/// A request to create or change a custom channel.
pub struct PutChannel {
    /// Values to set in the channel.
    pub wanted: ChannelInput,
    /// Whether to generate a new key for the gateway.
    pub rotates_key: bool,
}

impl PutChannel {
    /// Parses a request to create a channel.
    pub fn read_new(body: &Body<'_>) -> Result<Self, Refusal> {
        let NewChannelFields { name, settings } = body.read()?;
        Ok(Self::of(Some(name), settings))
    }

    /// Parses a request to change a channel.
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

/// Either a given key or a request to generate one.
struct OneKey(ChannelKey);

impl Request for OneKey {
    const PARTS: &'static [Part] = ChannelKey::PARTS;

    fn read(fields: &GivenFields<'_>, reading: &mut FieldReader) -> Option<Self> {
        let key = ChannelKey::read(fields, reading)?;
        if key.rotate_identifier_key && key.identifier_key.is_some() {
            let problem = "must be absent if rotate_identifier_key is true";
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
    /// The key with which a gateway authenticates; an empty string means absent.
    IdentifierKey -> String,
        string().at_least(limits::CHANNEL_KEY_CHARS_MIN).at_most(limits::CHANNEL_KEY_CHARS_MAX);
    |reading, field, given| {
        let key = reading.filled_text(field, given)?;
        let (least, most) = (limits::CHANNEL_KEY_CHARS_MIN, limits::CHANNEL_KEY_CHARS_MAX);
        let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
        if !(least..=most).contains(&key.len()) || !is_plain {
            let problem =
                format!("must be {least} to {most} ASCII characters without spaces");
            return reading.wrong(field, problem);
        }
        Some(key)
    }
}

/// A custom channel, with its key.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelRecord)]
pub struct ChannelRecordShape<'a> {
    /// Id of the channel, as used in the paths of other calls.
    id: i64,
    /// URL of the gateway, to which replies to customers are sent.
    webhook_url: Option<&'a str>,
    /// URL of the channel's picture.
    logo_url: Option<&'a str>,
    /// Key with which the gateway authenticates.
    identifier_key: &'a str,
    /// Display name of the channel.
    name: &'a str,
    /// Whether the channel is active; an inactive channel neither receives nor sends messages.
    is_active: bool,
    /// Always false; the field exists only for compatibility with existing clients.
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

/// Response data with one custom channel.
#[derive(Serialize, ToSchema)]
pub struct ChannelBox<'a> {
    /// The custom channel.
    custom_channel: ChannelRecordShape<'a>,
}

/// Response data with a list of custom channels.
#[derive(Serialize, ToSchema)]
pub struct CustomChannelList<'a> {
    /// All custom channels of the app.
    custom_channels: Vec<ChannelRecordShape<'a>>,
}

/// All channels of an app, grouped by kind.
#[derive(Serialize, ToSchema)]
#[serde(transparent)]
pub struct ChannelMap<'a>(BTreeMap<String, Vec<AnyRecord<'a>>>);

/// A channel of any kind.
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

/// Returns response data with one custom channel.
pub fn custom_channel(channel: &Channel) -> ChannelBox<'_> {
    ChannelBox { custom_channel: channel.into() }
}

/// Returns response data with the custom channels among `channels`.
pub fn custom_channels(channels: &[Channel]) -> CustomChannelList<'_> {
    CustomChannelList { custom_channels: of_kind(channels, ChannelKind::Custom) }
}

/// Channel kinds that Confab does not support. The map contains them as empty lists, because
/// statically typed clients require every key.
const ABSENT_KINDS: [&str; 1] = ["tiktok"];

/// Returns all channels grouped by kind, under keys such as `custom_channels`. Widget channels are
/// listed once per brand, under the brand's name in lower case; `services` are the provider
/// channels.
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
