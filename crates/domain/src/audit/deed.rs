//! The actions that the audit log records, each with a name of the form `<subject>.<action>`.

macro_rules! deeds {
    ($($deed:ident = $text:literal;)*) => {
        /// An action in the audit log.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum AuditAction { $($deed,)* }

        impl AuditAction {
            pub const ALL: &[Self] = &[$(Self::$deed,)*];

            /// Returns the stored and public name, `<subject>.<action>`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$deed => $text,)* }
            }
        }
    };
}

deeds! {
    AgentCreated = "agent.created";
    AgentChanged = "agent.changed";
    AgentDeleted = "agent.deleted";
    AgentForcedOffline = "agent.forced_offline";
    AgentSignedOut = "agent.signed_out";
    AgentLinkMade = "agent.link_made";
    DivisionCreated = "division.created";
    DivisionChanged = "division.changed";
    DivisionDeleted = "division.deleted";
    SettingsChanged = "settings.changed";
    WidgetChanged = "widget.changed";
    BotChanged = "bot.changed";
    OfficeHoursChanged = "office_hours.changed";
    KeysRevealed = "keys.revealed";
    KeysStaged = "keys.staged";
    KeysUnstaged = "keys.unstaged";
    KeysPromoted = "keys.promoted";
    KeysRetired = "keys.retired";
    KeysRotated = "keys.rotated";
    ChannelCreated = "channel.created";
    ChannelChanged = "channel.changed";
    ChannelDeleted = "channel.deleted";
    ChannelKeyRotated = "channel.key_rotated";
    EndpointChanged = "endpoint.changed";
    EndpointPaused = "endpoint.paused";
    EndpointResumed = "endpoint.resumed";
    EndpointDeleted = "endpoint.deleted";
    ButtonCreated = "button.created";
    ButtonChanged = "button.changed";
    ButtonDeleted = "button.deleted";
    DeliveryReplayed = "delivery.replayed";
    CannedReplyCreated = "canned_reply.created";
    CannedReplyChanged = "canned_reply.changed";
    CannedReplyDeleted = "canned_reply.deleted";
    TagChanged = "tag.changed";
    TagMerged = "tag.merged";
    TagDeleted = "tag.deleted";
    ContactBlocked = "contact.blocked";
    ContactUnblocked = "contact.unblocked";
    ContactExported = "contact.exported";
    ContactErased = "contact.erased";
}
