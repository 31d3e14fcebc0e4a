//! What is to be done at a service: something is said to a customer, corrected or taken back.

use crate::channels::channel::ChannelKind;
use crate::json_text::JsonText;
use crate::messages::message::Message;
use crate::support::answerer::Answerer;

/// What a service is to be told. `wire` makes its parts of it, each of which is sent by itself.
pub struct Outgoing<'a> {
    pub kind: ChannelKind,
    pub message: &'a Message,
    pub what: OutgoingKind,
    /// It is said by this template of the service, as its API takes it; the message is what the
    /// customer reads (D-0149).
    pub template: Option<&'a JsonText>,
}

/// One request to the service.
pub struct OutgoingPart {
    pub body: JsonText,
    /// The service takes it only while the customer's window is open.
    pub needs_window: bool,
}

/// What is to be done with the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingKind {
    /// It is new, said by this one.
    PostedMessage(Answerer),
    /// It reads differently now.
    Corrected,
    /// It is taken back.
    Deleted,
}
