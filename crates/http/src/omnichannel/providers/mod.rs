//! Channels of messaging providers: connecting them, and the webhooks that providers send.

pub(crate) mod email_channels;
pub(super) mod hook_calls;
pub(crate) mod hooks;
pub(crate) mod instagram_channels;
pub(crate) mod line_channels;
pub(crate) mod messenger_channels;
pub(super) mod meta_hooks;
pub(super) mod provider_accounts;
pub(super) mod provider_calls;
pub(crate) mod provider_channels;
pub(crate) mod telegram_channels;
pub(crate) mod templates;
pub(crate) mod whatsapp_channels;
pub(crate) mod whatsapp_messages;
