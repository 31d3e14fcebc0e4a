//! Channels: the accounts and widgets through which customers write.

use crate::ids::{AppId, ChannelId};
use crate::time::Timestamp;
use crate::webhooks::event;

/// The kind of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// The chat widget on a web page.
    Widget,
    /// A gateway of the app, which posts customers' messages and receives replies as webhooks.
    Custom,
    Telegram,
    WhatsApp,
    Line,
    Messenger,
    Instagram,
    /// A mailbox. Mails arrive by IMAP or LMTP and are sent by SMTP.
    Email,
}

impl ChannelKind {
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

    /// Returns the stored name. Except for the widget, the name is also the channel's `source` in
    /// public JSON (channel facts 2).
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

    /// Parses the stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether the channel belongs to a messaging platform whose API this server calls.
    pub fn is_service(self) -> bool {
        !matches!(self, Self::Widget | Self::Custom)
    }

    /// Whether messages can be sent to customers who have not written through the channel yet.
    pub fn may_write_first(self) -> bool {
        self == Self::WhatsApp
    }
}

/// A channel through which customers write. No `Debug`: the key must not reach a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub app: AppId,
    pub kind: ChannelKind,
    /// Display name.
    pub name: String,
    /// Whether the channel receives and sends messages.
    pub is_active: bool,
    /// Key that authenticates a gateway. In a provider channel, it identifies the account at the
    /// provider.
    pub identifier_key: String,
    /// URL to which replies to customers are sent as webhooks.
    pub webhook_url: Option<String>,
    /// URL of a picture.
    pub logo_url: Option<String>,
    /// Digits of the WhatsApp account's phone number. Empty for other kinds, and until the account
    /// is checked. Read from the account's settings, never written with the channel.
    pub phone: String,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time of deletion. The channel's rooms stay.
    pub deleted_at: Option<Timestamp>,
}

impl Channel {
    /// Returns the channel as events show it. `widget_source` is the `source` of a widget channel.
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
    fn every_kind_is_parsed_from_its_name() {
        for kind in ChannelKind::ALL {
            assert_eq!(ChannelKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ChannelKind::parse("whatsapp"), None);
        let services: Vec<_> = ChannelKind::ALL.into_iter().filter(|it| it.is_service()).collect();
        assert_eq!(services.len(), 6);
    }
}
