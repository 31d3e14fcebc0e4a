//! Automatic replies to customers, per app with overrides per channel (design/support).

use crate::ids::ChannelId;

/// Automatic replies of an app or of one channel. In a channel, fields that are `None` fall back to
/// the app's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AutoReplies {
    /// Reply to the first message of a session while the office is open; empty for none.
    pub online_text: Option<String>,
    /// Reply while the office is closed; empty for none. Sent to the first message of a session, or
    /// to every message.
    pub offline_text: Option<String>,
    /// Whether the online reply is also sent if the room had a session before.
    pub is_online_if_resolved: Option<bool>,
    /// Whether the offline reply answers every message, not only the first of a session.
    pub is_offline_each_message: Option<bool>,
}

impl AutoReplies {
    /// Returns these replies, with missing fields taken from `others`.
    pub fn or(self, others: &Self) -> Self {
        Self {
            online_text: self.online_text.or_else(|| others.online_text.clone()),
            offline_text: self.offline_text.or_else(|| others.offline_text.clone()),
            is_online_if_resolved: self.is_online_if_resolved.or(others.is_online_if_resolved),
            is_offline_each_message: self
                .is_offline_each_message
                .or(others.is_offline_each_message),
        }
    }
}

/// Automatic replies of an app and of its channels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllAutoReplies {
    pub of_app: AutoReplies,
    pub of_channels: Vec<(ChannelId, AutoReplies)>,
}

impl AllAutoReplies {
    /// Returns the replies that apply in a channel: its own, completed by those of the app.
    pub fn of(&self, channel: ChannelId) -> AutoReplies {
        self.own(channel).or(&self.of_app)
    }

    /// Returns the channel's own replies, without those of the app.
    pub fn own(&self, channel: ChannelId) -> AutoReplies {
        let own = self.of_channels.iter().find(|(of, _)| *of == channel);
        own.map(|(_, own)| own.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_replies_missing_in_a_channel_fall_back_to_those_of_the_app() {
        let of_app = AutoReplies {
            online_text: Some("Welcome".to_owned()),
            offline_text: Some("Closed".to_owned()),
            is_offline_each_message: Some(true),
            ..AutoReplies::default()
        };
        let own = AutoReplies {
            online_text: Some(String::new()),
            is_offline_each_message: Some(false),
            ..AutoReplies::default()
        };
        let all = AllAutoReplies { of_app: of_app.clone(), of_channels: vec![(ChannelId(1), own)] };
        assert_eq!(all.of(ChannelId(2)), of_app);
        let merged = all.of(ChannelId(1));
        assert_eq!(merged.online_text.as_deref(), Some(""), "an empty text disables the reply");
        assert_eq!(merged.offline_text.as_deref(), Some("Closed"));
        assert_eq!(merged.is_offline_each_message, Some(false));
    }
}
