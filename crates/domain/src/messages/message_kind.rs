//! The types of messages (spec 2.2).

/// The type of a message (spec 2.2), including system events (spec 2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A request to link an account.
    AccountLinking,
    /// The press of a button, as a message.
    ButtonPostbackResponse,
    /// A text with buttons.
    Buttons,
    /// A picture with text and buttons.
    Card,
    /// Several cards.
    Carousel,
    /// Contact details of a person.
    ContactPerson,
    /// Content that the app defines.
    Custom,
    FileAttachment,
    /// A geographic location.
    Location,
    /// A reply to a message in the same room.
    Reply,
    /// Plain text.
    Text,
    /// A system event in the room.
    SystemEvent,
}

impl MessageKind {
    pub const ALL: [Self; 12] = [
        Self::AccountLinking,
        Self::ButtonPostbackResponse,
        Self::Buttons,
        Self::Card,
        Self::Carousel,
        Self::ContactPerson,
        Self::Custom,
        Self::FileAttachment,
        Self::Location,
        Self::Reply,
        Self::Text,
        Self::SystemEvent,
    ];

    /// The kinds that clients may post (spec 2.2). Only the server and the app post system events.
    pub const POSTED: [Self; 11] = [
        Self::AccountLinking,
        Self::ButtonPostbackResponse,
        Self::Buttons,
        Self::Card,
        Self::Carousel,
        Self::ContactPerson,
        Self::Custom,
        Self::FileAttachment,
        Self::Location,
        Self::Reply,
        Self::Text,
    ];

    /// Returns the name of the kind in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccountLinking => "account_linking",
            Self::ButtonPostbackResponse => "button_postback_response",
            Self::Buttons => "buttons",
            Self::Card => "card",
            Self::Carousel => "carousel",
            Self::ContactPerson => "contact_person",
            Self::Custom => "custom",
            Self::FileAttachment => "file_attachment",
            Self::Location => "location",
            Self::Reply => "reply",
            Self::Text => "text",
            Self::SystemEvent => "system_event",
        }
    }

    /// Parses the name of a kind in the public API.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}
