//! Channels as everybody who works in an app may see them: without keys and addresses.

use confab_domain::channels::channel::Channel;
use serde::Serialize;
use utoipa::ToSchema;

/// Where customers write from.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelName<'a> {
    id: i64,
    is_active: bool,
    logo_url: Option<&'a str>,
    name: &'a str,
    /// The kind of channel, as rows of customers' rooms show it.
    source: String,
}

/// `{channels}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelNames<'a> {
    channels: Vec<ChannelName<'a>>,
}

/// The names of these; the widget goes by the brand.
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
