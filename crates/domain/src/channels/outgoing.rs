//! Outgoing messages, edits and deletions for a provider.

use crate::channels::channel::ChannelKind;
use crate::json_text::JsonText;
use crate::messages::message::Message;
use crate::support::conversations::answerer::Answerer;

/// A message, edit or deletion for a provider. `providers` renders it as parts, each of which is
/// one request.
pub struct ProviderMessage<'a> {
    pub kind: ChannelKind,
    pub message: &'a Message,
    pub what: OutgoingKind,
    /// Template in the JSON of the provider's API, if the message is sent as a template. `message`
    /// then contains the text that the customer reads.
    pub template: Option<&'a JsonText>,
}

/// One request to the provider.
pub struct OutgoingPart {
    pub body: JsonText,
    /// Whether the provider accepts the request only within its messaging window after the
    /// customer's last message.
    pub needs_window: bool,
}

/// The operation on a message at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingKind {
    /// Send a new message. `Answerer` is its sender.
    Message(Answerer),
    /// Edit a sent message.
    Corrected,
    /// Delete a sent message.
    Deleted,
}
