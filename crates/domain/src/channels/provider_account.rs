//! A channel's account at its provider.

use std::collections::BTreeMap;

use crate::ids::ChannelId;

/// The settings and secrets of a channel's account at its provider, by names that depend on the
/// kind (`username`, `bot_token`). No `Debug`: it holds secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProviderAccount {
    pub settings: BTreeMap<String, String>,
    /// Credentials. Stored sealed, shown masked.
    pub secrets: BTreeMap<String, String>,
}

/// The location of a sealed secret: a channel and the secret's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretName<'a> {
    pub channel: ChannelId,
    pub name: &'a str,
}

impl ProviderAccount {
    /// Returns a setting, or an empty text.
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }

    /// Returns a secret, or an empty text.
    pub fn secret(&self, name: &str) -> &str {
        self.secrets.get(name).map_or("", String::as_str)
    }
}
