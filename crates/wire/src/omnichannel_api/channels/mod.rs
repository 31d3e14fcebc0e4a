//! Public JSON about channels, and replies by agents and bots (wire facts 5.3, 5.5).

mod account_fields;
mod administering;
mod answering;
pub mod email;
mod identity;
mod incoming;
pub mod instagram;
pub mod line;
pub mod messenger;
mod names;
pub mod provider_channels;
mod provider_records;
mod room_log;
pub mod starting;
pub mod templates;
pub mod testing;
pub mod whatsapp;
pub mod whatsapp_messages;
mod widget;

#[cfg(test)]
mod tests;

pub use administering::{
    AnyRecord, ChannelBox, ChannelMap, ChannelRecordShape, CustomChannelFields, CustomChannelList,
    PutChannel, channel_map, custom_channel, custom_channels,
};
pub use answering::{
    ActivateBot, ActivateBotFields, AgentReply, AgentReplyFields, BotAnswer, BotAnswerFields,
    HandledRoom,
};
pub use identity::{
    IdentityUser, Nonce, VerifiedUser, VerifyIdentityFields, nonce, read_identity_token,
    verified_user,
};
pub use incoming::{IncomingFields, IncomingMessage, ReceivedMessage, received};
pub use names::{ChannelName, ChannelNames, channel_names};
pub use provider_records::{ProviderBox, ProviderList, service_box, service_page};
pub use room_log::RoomLog;
pub use widget::{
    InitiateChat, InitiateChatFields, InitiatedChat, InitiatedParts, InitiatedV1, SessionShape,
    VisitorCredentials, initiated, initiated_v1, session,
};
