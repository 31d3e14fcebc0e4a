//! A channel's account at its provider.

use std::collections::BTreeMap;

use crate::ids::ChannelId;

/// The settings and secrets of a channel's account at its provider, by names that depend on the
/// kind (`username`, `bot_token`). No `Debug`: it holds secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProviderAccount {
    pub settings: BTreeMap<String, String>,
    /// Credentials, by name. Stored encrypted, and masked in API responses.
    pub secrets: BTreeMap<String, String>,
}

/// The names by which a stored secret is found: its channel and its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretName<'a> {
    pub channel: ChannelId,
    pub name: &'a str,
}

impl ProviderAccount {
    /// Returns a setting, or an empty string if it is not set.
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }

    /// Returns a secret, or an empty string if it is not set.
    pub fn secret(&self, name: &str) -> &str {
        self.secrets.get(name).map_or("", String::as_str)
    }
}
