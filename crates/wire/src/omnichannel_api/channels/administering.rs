//! Channels as their admins see them.

use std::collections::BTreeMap;

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::WantedChannel;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::Body;
use crate::reading::{Given, Reading};

/// `POST /custom_channels`, `PUT /custom_channels/{id}`
#[derive(Deserialize, ToSchema)]
#[schema(as = CustomChannel)]
pub struct CustomChannelFields<'a> {
    /// The name for people; needed for a new channel.
    #[schema(value_type = Option<String>, example = "SMS gateway", max_length = 255)]
    #[serde(borrow, default)]
    name: Given<'a>,
    /// Where answers to customers are posted to; an empty text is nowhere.
    #[schema(value_type = Option<String>, example = "https://gateway.example.com/answers")]
    #[serde(default)]
    webhook_url: Given<'a>,
    /// What the gateway shows; made by the server for a new channel without one.
    #[schema(value_type = Option<String>, min_length = 8, max_length = 255)]
    #[serde(default)]
    identifier_key: Given<'a>,
    /// Makes a new key; the old one stops working.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    rotate_identifier_key: Given<'a>,
    /// Nothing comes in or goes out while it is false.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_active: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    logo_url: Given<'a>,
}

/// A channel as its owner wants it.
pub struct PutChannel {
    /// What is wanted.
    pub wanted: WantedChannel,
    /// The server shall make a new key.
    pub rotates_key: bool,
}

impl PutChannel {
    /// Reads a new channel.
    pub fn read_new(body: &Body<'_>) -> Result<Self, Refusal> {
        Self::read_with(body, true)
    }

    /// Reads a change.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        Self::read_with(body, false)
    }

    fn read_with(body: &Body<'_>, is_new: bool) -> Result<Self, Refusal> {
        let fields: CustomChannelFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let name = reading.name("name", fields.name, limits::NAME_CHARS_MAX);
        if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
            reading.wrong::<()>("name", "must not be empty");
        }
        if is_new {
            reading.needed("name", name.as_ref());
        }
        let rotates = reading.boolean("rotate_identifier_key", fields.rotate_identifier_key);
        let identifier_key = read_key(&mut reading, fields.identifier_key);
        let rotates_key = rotates.unwrap_or(false);
        if rotates_key && identifier_key.is_some() {
            let problem = "must be absent where rotate_identifier_key is true";
            reading.wrong::<()>("identifier_key", problem);
        }
        let url_max = limits::URL_CHARS_MAX;
        let wanted = WantedChannel {
            name,
            webhook_url: reading.short_text("webhook_url", fields.webhook_url, url_max),
            identifier_key,
            is_active: reading.boolean("is_active", fields.is_active),
            logo_url: read_logo(&mut reading, fields.logo_url),
        };
        reading.finish()?;
        Ok(Self { wanted, rotates_key })
    }
}

fn read_key(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let key = reading.filled_text("identifier_key", given)?;
    let allowed = limits::CHANNEL_KEY_CHARS_MIN..=limits::CHANNEL_KEY_CHARS_MAX;
    if !allowed.contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let problem = "must be 8 to 255 letters, digits or signs, without blanks";
        return reading.wrong("identifier_key", problem);
    }
    Some(key)
}

fn read_logo(reading: &mut Reading, given: Given<'_>) -> Option<String> {
    let logo_url = reading.url("logo_url", given)?;
    if logo_url.chars().count() > limits::URL_CHARS_MAX {
        return reading.wrong("logo_url", "must have at most 2048 characters");
    }
    Some(logo_url)
}

/// A channel with its key.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelRecord)]
pub struct ChannelShape<'a> {
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

impl<'a> From<&'a Channel> for ChannelShape<'a> {
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
    custom_channel: ChannelShape<'a>,
}

/// `{custom_channels}`
#[derive(Serialize, ToSchema)]
pub struct ChannelList<'a> {
    /// All of the app.
    custom_channels: Vec<ChannelShape<'a>>,
}

/// Every channel of the app, by what it is.
#[derive(Serialize, ToSchema)]
#[serde(transparent)]
pub struct ChannelMap<'a>(BTreeMap<String, Vec<ChannelShape<'a>>>);

/// One channel.
pub fn custom_channel(channel: &Channel) -> ChannelBox<'_> {
    ChannelBox { custom_channel: channel.into() }
}

/// The custom channels among these.
pub fn custom_channels(channels: &[Channel]) -> ChannelList<'_> {
    ChannelList { custom_channels: of_kind(channels, ChannelKind::Custom) }
}

/// All of these; the widget's kind follows the brand (D-0001).
pub fn channel_map<'a>(channels: &'a [Channel], widget_source: &str) -> ChannelMap<'a> {
    let kinds = [("custom", ChannelKind::Custom), (widget_source, ChannelKind::Widget)];
    let listed = |(name, kind)| (format!("{name}_channels"), of_kind(channels, kind));
    ChannelMap(kinds.into_iter().map(listed).collect())
}

fn of_kind(channels: &[Channel], kind: ChannelKind) -> Vec<ChannelShape<'_>> {
    channels.iter().filter(|channel| channel.kind == kind).map(Into::into).collect()
}
