//! The types of messages (spec 2.2).

/// What a message is (spec 2.2), system events included (spec 2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// Asks a person to link an account.
    AccountLinking,
    /// A person pressed a button.
    ButtonPostbackResponse,
    /// A text with buttons.
    Buttons,
    /// A picture with text and buttons.
    Card,
    /// Several cards.
    Carousel,
    /// Somebody to reach.
    ContactPerson,
    /// Anything the app defines.
    Custom,
    /// A file.
    FileAttachment,
    /// A place.
    Location,
    /// An answer to a message of the same room.
    Reply,
    /// Plain text.
    Text,
    /// Something that happened in the room.
    SystemEvent,
}

impl MessageKind {
    /// All kinds.
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

    /// Those that callers may post (spec 2.2); the server posts system events.
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

    /// The public name.
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

    /// Reads the public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}
