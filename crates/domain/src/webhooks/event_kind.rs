//! The kinds of notices, by the names that endpoints are registered with.

/// The six webhooks of spec 6, three more, and what is no webhook but delivered like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A customer sent a message.
    Bot,
    /// A customer sent a message and nobody serves them.
    AgentAllocation,
    /// An agent clicked a custom button.
    CustomButton,
    /// An agent resolved a session.
    Resolved,
    /// A customer's message opened a session.
    NewSession,
    /// An agent logged out.
    LoggedOut,
    /// An endpoint changed for worse or better.
    EndpointState,
    /// Somebody answered a customer of a channel.
    ChannelMessage,
    /// Somebody said something, in whichever room.
    ChatMessage,
    /// Something was said, which a participant's phone shows (D-0051).
    Push,
    /// A service told us what a customer did (D-0150).
    ChannelEvent,
    /// A part of what is said to a customer goes to their service (D-0150).
    ChannelSend,
    /// What a service told is forwarded to an address of the app's (D-0159).
    ChannelForward,
}

impl EventKind {
    /// All kinds, in the order of spec 6.
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

    /// Those by which what is said to a customer leaves: to a gateway, or to a service.
    pub const TO_CUSTOMERS: [Self; 2] = [Self::ChannelMessage, Self::ChannelSend];

    /// Those that are told to an app's own receivers.
    pub fn webhooks() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.is_webhook())
    }

    /// Whether it is told to an app's own receivers, which register for it.
    pub fn is_webhook(self) -> bool {
        self != Self::Push && !self.is_of_channel()
    }

    /// Whether its endpoints are made and kept with a channel of a service.
    pub fn is_of_channel(self) -> bool {
        matches!(self, Self::ChannelEvent | Self::ChannelSend | Self::ChannelForward)
    }

    /// The public name.
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

    /// Reads the public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_own_name_and_no_other() {
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
