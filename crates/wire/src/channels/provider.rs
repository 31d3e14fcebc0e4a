//! The messaging providers through which customers write.

use confab_domain::people::user::UserId;
use sha2::{Digest, Sha256};

/// A messaging platform. Instagram is Messenger with a few differences (channel facts 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    Telegram,
    Whatsapp,
    Line,
    Messenger,
    Instagram,
    Email,
}

impl Provider {
    pub const ALL: [Self; 6] =
        [Self::Telegram, Self::Whatsapp, Self::Line, Self::Messenger, Self::Instagram, Self::Email];

    /// Returns the provider's name in paths, in `source` and before `_channels` (channel facts 2).
    pub fn word(self) -> &'static str {
        match self {
            Self::Telegram => "telegram",
            Self::Whatsapp => "wa",
            Self::Line => "line",
            Self::Messenger => "fb",
            Self::Instagram => "ig",
            Self::Email => "email",
        }
    }

    /// Parses the name in a path.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.word() == word)
    }

    /// Whether the provider later confirms a sent message with our tag, which resolves an unknown
    /// outcome (channel facts 5.4).
    pub fn reports_later(self) -> bool {
        matches!(self, Self::Whatsapp | Self::Messenger | Self::Instagram)
    }

    /// Returns the provider of a Meta webhook's `object`; one address serves several providers.
    pub(super) fn of_meta_object(object: &str) -> Option<Self> {
        match object {
            "whatsapp_business_account" => Some(Self::Whatsapp),
            "page" => Some(Self::Messenger),
            "instagram" => Some(Self::Instagram),
            _ => None,
        }
    }

    /// Whether the provider recognizes a repeated request by its retry key.
    pub fn recognizes_repetitions(self) -> bool {
        matches!(self, Self::Line)
    }

    /// Returns the default base URL of the API; operators can set another one.
    pub fn api_url(self) -> &'static str {
        match self {
            Self::Telegram => "https://api.telegram.org",
            Self::Whatsapp | Self::Messenger => "https://graph.facebook.com",
            Self::Line => "https://api.line.me",
            Self::Instagram => "https://graph.instagram.com",
            // Each account has its own servers.
            Self::Email => "",
        }
    }

    /// Returns the default base URL of files (`ProviderHost::Data`).
    pub fn data_url(self) -> &'static str {
        match self {
            Self::Line => "https://api-data.line.me",
            _ => self.api_url(),
        }
    }

    /// Returns the user id of a customer. User ids are one namespace per app (channel facts 2):
    /// WhatsApp customers have their bare number, mail senders their address, and all others the
    /// provider's name before their id.
    pub(super) fn user_id(self, external: &str) -> String {
        match self {
            Self::Whatsapp => external.to_owned(),
            Self::Email if is_free_user_id(external) => external.to_owned(),
            Self::Email => format!("mail-{}", hashed(external)),
            _ => format!("{}-{external}", self.word()),
        }
    }
}

/// Whether a text is a valid user id that is not reserved.
fn is_free_user_id(text: &str) -> bool {
    UserId::parse("user_id", text).is_ok_and(|it| !it.is_reserved())
}

/// Hashes an address that is not a valid user id, as 32 hexadecimal digits.
fn hashed(external: &str) -> String {
    let digest = Sha256::digest(external.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
