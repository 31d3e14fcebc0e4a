//! The messaging providers through which customers write.

use confab_domain::people::user::UserId;
use sha2::{Digest, Sha256};

/// A messaging platform. Instagram uses the format of Messenger with a few differences (channel
/// facts 4.2).
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

    /// Returns the provider's name in API paths, in the field `source`, and in keys such as
    /// `wa_channels` (channel facts 2).
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

    /// Returns the provider with this name in API paths.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.word() == word)
    }

    /// Whether the provider later confirms a sent message by an event that contains our tag, which
    /// resolves an unknown outcome (channel facts 5.4).
    pub fn reports_later(self) -> bool {
        matches!(self, Self::Whatsapp | Self::Messenger | Self::Instagram)
    }

    /// Returns the provider that the field `object` of a Meta webhook names, because Meta's
    /// providers share one webhook URL.
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

    /// Returns the default base URL for downloading files (`ProviderHost::Data`).
    pub fn data_url(self) -> &'static str {
        match self {
            Self::Line => "https://api-data.line.me",
            _ => self.api_url(),
        }
    }

    /// Returns the user id of the customer with this id at the provider. All users of an app share
    /// one namespace (channel facts 2), so the user id is the provider's name followed by the
    /// provider's id, except that it is the number of a WhatsApp customer and the address of a
    /// mail's sender.
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

/// Returns a hash of an e-mail address that is not a valid user id, as 32 hexadecimal digits.
fn hashed(external: &str) -> String {
    let digest = Sha256::digest(external.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
