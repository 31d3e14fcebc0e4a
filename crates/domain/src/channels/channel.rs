//! Channels: where customers write from.

use crate::ids::{AppId, ChannelId};
use crate::time::Timestamp;
use crate::webhooks::notice;

/// What kind of channel it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// The chat widget on a web page.
    Widget,
    /// A gateway of the app's own, spoken to by webhook.
    Custom,
}

impl ChannelKind {
    /// As it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Widget => "widget",
            Self::Custom => "custom",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Widget, Self::Custom].into_iter().find(|kind| kind.as_str() == text)
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
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was deleted; its rooms stay.
    pub deleted_at: Option<Timestamp>,
}

impl Channel {
    /// As outsiders are shown it. The widget's source follows the brand (D-0001).
    pub fn shown(&self, widget_source: &str) -> notice::ChannelSummary {
        let source = match self.kind {
            ChannelKind::Widget => widget_source.to_owned(),
            ChannelKind::Custom => self.kind.as_str().to_owned(),
        };
        notice::ChannelSummary { id: self.id, name: self.name.clone(), source }
    }
}
