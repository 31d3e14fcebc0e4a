//! The handles with which requests are sent through channels.

use std::sync::Arc;

use confab_outbound::OutboundClient;
use confab_runtime::config::Config;
use confab_runtime::files::Files;
use confab_store::Store;

use super::reply_tokens::ReplyTokens;

/// A channel's way to the store, the settings, the network and the files.
pub struct ChannelClient {
    pub store: Store,
    pub config: Arc<Config>,
    pub outbound: Arc<OutboundClient>,
    pub files: Arc<Files>,
    /// The reply tokens with which messages to LINE customers are free of charge.
    pub reply_tokens: ReplyTokens,
}
