//! The services that customers write from, each with a folder of its own.

use confab_domain::people::user::UserId;
use sha2::{Digest, Sha256};

/// Whose JSON it is. Instagram is Messenger with a few differences (channel facts 4.2).
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

    /// The word of paths, of `source` and before `_channels` (channel facts 2).
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

    /// Reads the word of a path.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.word() == word)
    }

    /// Whether it tells by itself that it has what it was sent, with our own name of it: an unknown
    /// outcome becomes known then (channel facts 5.4).
    pub fn tells_later(self) -> bool {
        matches!(self, Self::Whatsapp | Self::Messenger | Self::Instagram)
    }

    /// What Meta calls it at the top of a webhook, which serves several kinds at one address.
    pub(super) fn of_meta_object(object: &str) -> Option<Self> {
        match object {
            "whatsapp_business_account" => Some(Self::Whatsapp),
            "page" => Some(Self::Messenger),
            "instagram" => Some(Self::Instagram),
            _ => None,
        }
    }

    /// Whether it knows a repetition of what it took before by the key that is sent with it.
    pub fn knows_repetitions(self) -> bool {
        matches!(self, Self::Line)
    }

    /// Where its API is, unless the operator sets another address.
    pub fn api_url(self) -> &'static str {
        match self {
            Self::Telegram => "https://api.telegram.org",
            Self::Whatsapp | Self::Messenger => "https://graph.facebook.com",
            Self::Line => "https://api.line.me",
            Self::Instagram => "https://graph.instagram.com",
            // Each account has servers of its own.
            Self::Email => "",
        }
    }

    /// Where its files are (`Host::Data`).
    pub fn data_url(self) -> &'static str {
        match self {
            Self::Line => "https://api-data.line.me",
            _ => self.api_url(),
        }
    }

    /// What its customers are called in an app, where user ids are one space (channel facts 2): a
    /// customer of WhatsApp goes by the bare number, one who writes mails by the address, the
    /// others have the word before their id.
    pub(super) fn user_id(self, external: &str) -> String {
        match self {
            Self::Whatsapp => external.to_owned(),
            Self::Email if is_free_user_id(external) => external.to_owned(),
            Self::Email => format!("mail-{}", hashed(external)),
            _ => format!("{}-{external}", self.word()),
        }
    }
}

/// Whether a customer can go by this text.
fn is_free_user_id(text: &str) -> bool {
    UserId::parse("user_id", text).is_ok_and(|it| !it.is_reserved())
}

/// An address that is no user id, as 32 hexadecimal digits.
fn hashed(external: &str) -> String {
    let digest = Sha256::digest(external.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
