//! What a channel is to the service that it leads to.

use std::collections::BTreeMap;

use crate::ids::ChannelId;

/// The account of a channel at its service: what is known of it, and what opens it, by names that
/// its kind understands (`username`, `bot_token`). No `Debug`: it holds secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProviderAccount {
    pub settings: BTreeMap<String, String>,
    /// Stored sealed, shown masked.
    pub secrets: BTreeMap<String, String>,
}

/// Which secret of which channel: where a sealed one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretName<'a> {
    pub channel: ChannelId,
    pub name: &'a str,
}

impl ProviderAccount {
    /// A setting, or nothing.
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }

    /// A secret, or nothing.
    pub fn secret(&self, name: &str) -> &str {
        self.secrets.get(name).map_or("", String::as_str)
    }
}
