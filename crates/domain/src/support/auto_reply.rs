//! What customers are told by itself: by the app, and by its channels instead (D-0102).

use crate::ids::ChannelId;

/// What is said by itself; what is nothing is as the app says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AutoReplies {
    /// To the first message of a session, while the office is open; an empty text is none.
    pub online_text: Option<String>,
    /// The same while it is closed.
    pub offline_text: Option<String>,
    /// The first also where an earlier session of the room was resolved.
    pub is_online_if_resolved: Option<bool>,
    /// The second to every message, not only to the first.
    pub is_offline_each_message: Option<bool>,
}

impl AutoReplies {
    /// These, and the others for what is nothing.
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

/// What an app says, and what its channels say instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllAutoReplies {
    pub of_app: AutoReplies,
    pub of_channels: Vec<(ChannelId, AutoReplies)>,
}

impl AllAutoReplies {
    /// What is said in a channel.
    pub fn of(&self, channel: ChannelId) -> AutoReplies {
        self.own(channel).or(&self.of_app)
    }

    /// What a channel says instead of the app.
    pub fn own(&self, channel: ChannelId) -> AutoReplies {
        let own = self.of_channels.iter().find(|(of, _)| *of == channel);
        own.map(|(_, own)| own.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_channel_does_not_say_the_app_does() {
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
        let said = all.of(ChannelId(1));
        assert_eq!(said.online_text.as_deref(), Some(""), "it says nothing");
        assert_eq!(said.offline_text.as_deref(), Some("Closed"));
        assert_eq!(said.is_offline_each_message, Some(false));
    }
}
