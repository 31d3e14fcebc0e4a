//! The bodies of webhooks (spec 2.5, wire facts 6): an event as the bytes that are signed and sent.
//!
//! Keys are in alphabetical order, as in the spec, so an event always yields the same bytes. If
//! spec and wire facts differ, the spec takes precedence and a comment says so.

mod channel;
mod dashboard_user;
mod message;
mod room;

mod agent_allocation;
mod bot;
mod channel_message;
mod chat_message;
mod custom_button;
mod endpoint_state;
mod logout;
mod mark_as_resolved;
mod new_session;
mod shapes;

#[cfg(feature = "document")]
pub mod described;
pub mod examples;

#[cfg(test)]
mod tests;

use confab_domain::webhooks::event::Event;
use serde::Serialize;

use agent_allocation::AgentAllocationBody;
pub use agent_allocation::ServiceShape;
use bot::BotBody;
use channel_message::ChannelMessageBody;
use chat_message::ChatMessageBody;
use custom_button::CustomButtonBody;
use endpoint_state::EndpointStateBody;
use logout::LogoutBody;
use mark_as_resolved::MarkAsResolvedBody;
use new_session::NewSessionBody;
pub use room::RoomOptions;

/// Serializes the body of an event's webhook as compact JSON.
pub fn body(event: &Event) -> Vec<u8> {
    match event {
        Event::Bot(bot) => written(&BotBody::from(bot)),
        Event::AgentAllocation(allocation) => written(&AgentAllocationBody::from(allocation)),
        Event::CustomButton(click) => written(&CustomButtonBody::from(click)),
        Event::Resolved(resolved) => written(&MarkAsResolvedBody::from(resolved)),
        Event::NewSession(session) => written(&NewSessionBody::from(session)),
        Event::LoggedOut(logout) => written(&LogoutBody::from(logout)),
        Event::EndpointStateChanged(turned) => written(&EndpointStateBody::from(turned)),
        Event::ChannelMessage(message) => written(&ChannelMessageBody::from(message)),
        Event::ChatMessage(message) => written(&ChatMessageBody::from(message)),
        // The provider's adapter wrote this body.
        Event::ChannelSend(send) => send.body.as_str().into(),
    }
}

fn written(shape: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shape).expect("all keys are strings, and writing to a Vec cannot fail")
}
