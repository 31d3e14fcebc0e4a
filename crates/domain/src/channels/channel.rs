//! Channels: where customers write from.

use crate::ids::{AppId, ChannelId};
use crate::time::Timestamp;
use crate::webhooks::event;

/// What kind of channel it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// The chat widget on a web page.
    Widget,
    /// A gateway of the app's own, spoken to by webhook.
    Custom,
    Telegram,
    WhatsApp,
    Line,
    Messenger,
    Instagram,
    /// A mailbox, by IMAP and SMTP.
    Email,
}

impl ChannelKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Widget,
        Self::Custom,
        Self::Telegram,
        Self::WhatsApp,
        Self::Line,
        Self::Messenger,
        Self::Instagram,
        Self::Email,
    ];

    /// As it is stored; but for the widget's also its public `source` (channel facts 2).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Widget => "widget",
            Self::Custom => "custom",
            Self::Telegram => "telegram",
            Self::WhatsApp => "wa",
            Self::Line => "line",
            Self::Messenger => "fb",
            Self::Instagram => "ig",
            Self::Email => "email",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether it is a messenger's own service, which this server speaks to by itself.
    pub fn is_service(self) -> bool {
        !matches!(self, Self::Widget | Self::Custom)
    }

    /// Whether somebody who never wrote can be written to through it.
    pub fn may_write_first(self) -> bool {
        self == Self::WhatsApp
    }
}

/// Where customers write from. No `Debug`: the key must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Channel {
    /// The integer.
    pub id: ChannelId,
    /// The app it belongs to.
    pub app: AppId,
    /// What kind it is.
    pub kind: ChannelKind,
    /// The name for people.
    pub name: String,
    /// Nothing comes in or goes out while it is switched off.
    pub is_active: bool,
    /// What a gateway shows to prove that it is the channel's.
    pub identifier_key: String,
    /// Where answers to customers are sent.
    pub webhook_url: Option<String>,
    /// A picture.
    pub logo_url: Option<String>,
    /// Digits of the WhatsApp account's phone number; empty for other kinds, and before the account
    /// was checked. Read from the account's settings, never written with the channel.
    pub phone: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was deleted; its rooms stay.
    pub deleted_at: Option<Timestamp>,
}

impl Channel {
    /// As outsiders are shown it. The widget's source follows the brand (D-0001).
    pub fn shown(&self, widget_source: &str) -> event::ChannelSummary {
        let source = match self.kind {
            ChannelKind::Widget => widget_source.to_owned(),
            kind => kind.as_str().to_owned(),
        };
        let (name, phone) = (self.name.clone(), self.phone.clone());
        event::ChannelSummary { id: self.id, name, source, phone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_own_word() {
        for kind in ChannelKind::ALL {
            assert_eq!(ChannelKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ChannelKind::parse("whatsapp"), None);
        let services: Vec<_> = ChannelKind::ALL.into_iter().filter(|it| it.is_service()).collect();
        assert_eq!(services.len(), 6);
    }
}
