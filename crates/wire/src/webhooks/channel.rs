//! The channel object (spec 2.5).

use confab_domain::webhooks::event::ChannelSummary;
use serde::Serialize;
use utoipa::ToSchema;

/// Channel through which the customer writes.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookChannel)]
pub(super) struct ChannelShape<'a> {
    id: i64,
    name: &'a str,
    source: &'a str,
}

impl<'a> From<&'a ChannelSummary> for ChannelShape<'a> {
    fn from(channel: &'a ChannelSummary) -> Self {
        Self { id: channel.id.0, name: &channel.name, source: &channel.source }
    }
}
