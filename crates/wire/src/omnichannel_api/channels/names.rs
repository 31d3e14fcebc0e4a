//! Channels as all staff see them: without keys and URLs.

use confab_domain::channels::channel::Channel;
use serde::Serialize;
use utoipa::ToSchema;

/// The name and kind of a channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelName<'a> {
    id: i64,
    is_active: bool,
    logo_url: Option<&'a str>,
    name: &'a str,
    /// Kind of the channel, as in the `source` of customer rooms.
    source: String,
}

/// Response data with the names of channels.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelNames<'a> {
    channels: Vec<ChannelName<'a>>,
}

/// Returns the names of channels. The kind of a widget channel is `widget_source`, which depends on
/// the brand.
pub fn channel_names<'a>(channels: &'a [Channel], widget_source: &str) -> ChannelNames<'a> {
    let name = |it: &'a Channel| ChannelName {
        id: it.id.0,
        is_active: it.is_active,
        logo_url: it.logo_url.as_deref(),
        name: &it.name,
        source: it.shown(widget_source).source,
    };
    ChannelNames { channels: channels.iter().map(name).collect() }
}
