//! The functions with which rules render webhooks, requests to providers and other public JSON.

use confab_domain::channels::outgoing::{OutgoingKind, OutgoingPart, ProviderMessage};
use confab_domain::decision::context::Renderers;
use confab_domain::json_text::JsonText;
use confab_domain::support::conversations::answerer::Answerer;
use confab_domain::webhooks::event::ChannelSummary;
use confab_providers::{self as providers, Part, Provider};
use confab_wire::webhooks::{self, RoomOptions};
use confab_wire::{complete_payload, is_same_payload};

/// Returns the functions with which rules render public JSON.
pub fn renderers(brands: &[String]) -> Renderers {
    Renderers {
        local_time: confab_wire::time::local_time,
        complete_payload,
        is_same_payload,
        webhook_body: webhooks::body,
        channel_parts,
        example: webhooks::examples::example,
        room_options,
        widget_source: brands.first().map_or("service", String::as_str).to_lowercase(),
    }
}

/// Returns the requests that send a message to a customer. Empty if the channel has no provider.
fn channel_parts(outgoing: &ProviderMessage<'_>) -> Vec<OutgoingPart> {
    let Some(provider) = Provider::parse(outgoing.kind.as_str()) else { return Vec::new() };
    let message = outgoing.message;
    let parts = match (outgoing.what, outgoing.template) {
        (OutgoingKind::Message(answerer), None) => providers::parts(provider, message, answerer),
        (OutgoingKind::Message(answerer), Some(template)) => {
            providers::template_parts(message, answerer, template)
        }
        // No provider shows who edited or deleted a message.
        (OutgoingKind::Corrected, _) => providers::edit_parts(provider, message, Answerer::Bot),
        (OutgoingKind::Deleted, _) => providers::delete_parts(provider, message, Answerer::Bot),
    };
    let outgoing = |part: &Part| OutgoingPart {
        body: JsonText::from_checked(part.frozen()),
        needs_window: providers::needs_window(provider, part),
    };
    parts.iter().map(outgoing).collect()
}

fn room_options(channel: &ChannelSummary, is_resolved: bool, is_waiting: bool) -> JsonText {
    RoomOptions { channel, is_resolved, is_waiting }.to_json()
}
