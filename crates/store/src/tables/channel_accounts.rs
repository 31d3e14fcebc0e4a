//! Accounts of channels at their providers: settings, and sealed secrets (D-0086).

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::ids::{AppId, ChannelId};

use super::channels::{self, channel_columns};
use crate::error::Read;
use crate::secrets::sealer::{Sealer, SecretLocation};
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    PUT_SETTING = "INSERT INTO channel_settings (channel, name, value) VALUES ($1, $2, $3) \
        ON CONFLICT (channel, name) DO UPDATE SET value = excluded.value";
    REMOVE_SETTING = "DELETE FROM channel_settings WHERE channel = $1 AND name = $2";
    PUT_SECRET = "INSERT INTO channel_secrets (channel, name, sealed) VALUES ($1, $2, $3) \
        ON CONFLICT (channel, name) DO UPDATE SET sealed = excluded.sealed";
    REMOVE_SECRET = "DELETE FROM channel_secrets WHERE channel = $1 AND name = $2";
    FORGET_SECRETS = "DELETE FROM channel_secrets WHERE channel = $1";
}

statements! {
    ACCOUNT_SETTINGS = "SELECT name, value FROM channel_settings WHERE channel = $1";
    ACCOUNT_SECRETS = "SELECT name, sealed FROM channel_secrets WHERE channel = $1";
    CHANNEL_SECRETS_NAMED = "SELECT cs.channel, cs.sealed FROM channels ch \
        JOIN channel_secrets cs ON cs.channel = ch.id \
        WHERE ch.app = $1 AND ch.deleted_at IS NULL AND cs.name = $2 ORDER BY ch.id";
    // Without an app: a request from a provider names only the channel.
    ANY_CHANNEL = concat!("SELECT ", channel_columns!(), " FROM channels ch \
        WHERE ch.id = $1 AND ch.deleted_at IS NULL AND ch.kind NOT IN ('widget', 'custom')");
    ALL_SERVICES = concat!("SELECT ", channel_columns!(), " FROM channels ch \
        WHERE ch.deleted_at IS NULL AND ch.kind NOT IN ('widget', 'custom') ORDER BY ch.id");
}

pub(crate) fn set_setting(channel: ChannelId, name: &str, value: Option<&str>) -> Vec<Ask> {
    vec![match value {
        Some(value) => Ask::new(&PUT_SETTING, values![channel.0, name, value]),
        None => Ask::new(&REMOVE_SETTING, values![channel.0, name]),
    }]
}

pub(crate) fn set_secret(
    channel: ChannelId,
    name: &str,
    value: Option<&str>,
    sealer: &Sealer,
) -> Vec<Ask> {
    vec![match value {
        Some(value) => {
            let sealed = sealer.seal(SecretLocation::ChannelSecret(channel.0, name), value);
            Ask::new(&PUT_SECRET, values![channel.0, name, sealed])
        }
        None => Ask::new(&REMOVE_SECRET, values![channel.0, name]),
    }]
}

pub(crate) fn delete_secrets(channel: ChannelId) -> Vec<Ask> {
    vec![Ask::new(&FORGET_SECRETS, values![channel.0])]
}

impl Store {
    /// Returns the settings and secrets of a channel's account at its provider.
    pub async fn service_account(&self, channel: ChannelId) -> Read<ProviderAccount> {
        let pair = |row: &ValueRow| Ok((row.text(0)?, row.text(1)?));
        let settings =
            self.query_now(Ask::new(&ACCOUNT_SETTINGS, values![channel.0]), pair).await?;
        let opened = |row: &ValueRow| {
            let name = row.text(0)?;
            let place = SecretLocation::ChannelSecret(channel.0, &name);
            let secret = self.sealer().open_text(place, row.word(1)?)?;
            Ok((name, secret))
        };
        let secrets =
            self.query_now(Ask::new(&ACCOUNT_SECRETS, values![channel.0]), opened).await?;
        let (settings, secrets) = (settings.into_iter().collect(), secrets.into_iter().collect());
        Ok(ProviderAccount { settings, secrets })
    }

    /// Returns the secret with this name of each of the app's channels that has one, oldest channel
    /// first.
    pub async fn channel_secrets(&self, app: AppId, name: &str) -> Read<Vec<(ChannelId, String)>> {
        let ask = Ask::new(&CHANNEL_SECRETS_NAMED, values![app.0, name]);
        let opened = |row: &ValueRow| {
            let channel = row.number(0)?;
            let place = SecretLocation::ChannelSecret(channel, name);
            Ok((ChannelId(channel), self.sealer().open_text(place, row.word(1)?)?))
        };
        self.query_now(ask, opened).await
    }

    /// Returns a channel of any app, if it belongs to a provider.
    pub async fn service_channel(&self, channel: ChannelId) -> Read<Option<Channel>> {
        let ask = Ask::new(&ANY_CHANNEL, values![channel.0]);
        Ok(self.query_now(ask, |row| channels::row(row, self.sealer())).await?.pop())
    }

    /// Returns all channels that belong to providers, of all apps.
    pub async fn service_channels(&self) -> Read<Vec<Channel>> {
        let ask = Ask::new(&ALL_SERVICES, Vec::new());
        self.asked(ask, |row| channels::row(row, self.sealer())).await
    }
}
