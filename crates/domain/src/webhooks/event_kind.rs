//! The kinds of events, by the names that endpoints are registered with.

/// The kind of an event: the six webhooks of spec 6, three more webhooks, and four kinds that use
/// the delivery engine without being webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A customer sent a message.
    Bot,
    /// A customer without an assigned agent sent a message.
    AgentAllocation,
    /// An agent clicked a custom button.
    CustomButton,
    /// An agent resolved a session.
    Resolved,
    /// A customer sent their first message in a session.
    NewSession,
    /// An agent logged out.
    LoggedOut,
    /// The health of an endpoint changed.
    EndpointState,
    /// A message to a customer of a custom channel was posted.
    ChannelMessage,
    /// A message was posted in any room.
    ChatMessage,
    /// A message is pushed to a participant's device.
    Push,
    /// A provider reported an action of a customer (D-0150).
    ChannelEvent,
    /// One part of a message to a customer is sent to their provider (D-0150).
    ChannelSend,
    /// A provider's event is forwarded to a URL of the app.
    ChannelForward,
}

impl EventKind {
    /// All kinds: those of spec 6 first, in the same order.
    pub const ALL: [Self; 13] = [
        Self::Bot,
        Self::AgentAllocation,
        Self::CustomButton,
        Self::Resolved,
        Self::NewSession,
        Self::LoggedOut,
        Self::EndpointState,
        Self::ChannelMessage,
        Self::ChatMessage,
        Self::Push,
        Self::ChannelEvent,
        Self::ChannelSend,
        Self::ChannelForward,
    ];

    /// The kinds by which messages are sent to customers: to a gateway or to a provider.
    pub const TO_CUSTOMERS: [Self; 2] = [Self::ChannelMessage, Self::ChannelSend];

    /// Returns the kinds that an app can register webhooks for.
    pub fn webhooks() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.is_webhook())
    }

    /// Whether apps register endpoints for this kind.
    pub fn is_webhook(self) -> bool {
        self != Self::Push && !self.is_of_channel()
    }

    /// Whether endpoints of this kind belong to a provider channel and are created and deleted with
    /// it.
    pub fn is_of_channel(self) -> bool {
        matches!(self, Self::ChannelEvent | Self::ChannelSend | Self::ChannelForward)
    }

    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::AgentAllocation => "agent_allocation",
            Self::CustomButton => "custom_button",
            Self::Resolved => "mark_as_resolved",
            Self::NewSession => "new_session",
            Self::LoggedOut => "logout",
            Self::EndpointState => "endpoint_state",
            Self::ChannelMessage => "channel_message",
            Self::ChatMessage => "chat_message",
            Self::Push => "push",
            Self::ChannelEvent => "channel_event",
            Self::ChannelSend => "channel_send",
            Self::ChannelForward => "channel_forward",
        }
    }

    /// Parses the public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_parsed_from_its_own_name_only() {
        let names = EventKind::ALL.map(EventKind::as_str);
        let expected =
            ["bot", "agent_allocation", "custom_button", "mark_as_resolved", "new_session"];
        assert_eq!(names[..5], expected);
        let expected = ["logout", "endpoint_state", "channel_message", "chat_message", "push"];
        assert_eq!(names[5..10], expected);
        assert_eq!(names[10..], ["channel_event", "channel_send", "channel_forward"]);
        for kind in EventKind::ALL {
            assert_eq!(EventKind::parse(kind.as_str()), Some(kind));
        }
        for text in ["", "Bot", "bot ", "resolved", "auth"] {
            assert_eq!(EventKind::parse(text), None, "{text}");
        }
    }
}
