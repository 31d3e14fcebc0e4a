//! A provider channel with its credentials.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::ids::ChannelId;
use confab_providers::{Credentials, Provider};
use confab_runtime::config::Config;
use confab_store::StoreError;
use confab_wire::omnichannel_api::channels::messenger::HUMAN_AGENT_ENABLED;

use crate::channels::client::ChannelClient;

/// The base URL of channels that print messages instead of sending them to a provider.
const LOG: &str = "log:";

/// Minimum length in bytes of secrets that are masked: shorter ones would match ordinary text.
const MASKED_BYTES_MIN: usize = 8;

/// The account setting that overrides the provider's base URL.
pub(crate) const BASE_URL: &str = "base_url";

/// A channel through which messages can be sent. Not `Debug`, because it contains secrets.
pub struct ChannelSender {
    pub client: Arc<ChannelClient>,
    pub app: Arc<App>,
    pub channel: Channel,
    pub provider: Provider,
    pub account: ProviderAccount,
    pub credentials: Credentials,
    base: String,
    data_base: String,
}

impl ChannelSender {
    /// Loads the channel with this id, of any app. Returns `None` if it does not exist or its kind
    /// is not supported.
    pub async fn load(
        client: &Arc<ChannelClient>,
        id: ChannelId,
    ) -> Result<Option<Self>, StoreError> {
        let store = &client.store;
        let Some(channel) = store.service_channel(id).await? else { return Ok(None) };
        let Some(app) = store.app_by_id(channel.app).await? else { return Ok(None) };
        let account = store.service_account(id).await?;
        Ok(Self::new(client.clone(), Arc::new(app), channel, account))
    }

    pub fn new(
        client: Arc<ChannelClient>,
        app: Arc<App>,
        channel: Channel,
        account: ProviderAccount,
    ) -> Option<Self> {
        let provider = provider_of(channel.kind)?;
        let credentials = credentials(&account);
        let base = match account.setting(BASE_URL) {
            "" => base_url(&client.config, provider).to_owned(),
            own => own.trim_end_matches('/').to_owned(),
        };
        let data_base = match provider {
            Provider::Line => client.config.line_data_url.clone(),
            _ => base.clone(),
        };
        Some(Self { client, app, channel, provider, account, credentials, base, data_base })
    }

    /// Returns the base URL of the provider's API.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Returns the base URL of the provider's files.
    pub(crate) fn data_base(&self) -> &str {
        &self.data_base
    }

    /// Masks the account's secrets in a text from the provider, because Meta's errors repeat
    /// malformed tokens.
    pub fn masked(&self, text: &str) -> String {
        let secrets = self.account.secrets.values().filter(|it| it.len() >= MASKED_BYTES_MIN);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "****"))
    }

    /// Whether agents' messages may have Meta's tag `HUMAN_AGENT`, with which Meta allows replies
    /// for seven days instead of one.
    pub(crate) fn tags_people(&self) -> bool {
        self.account.setting(HUMAN_AGENT_ENABLED) == "true"
    }

    /// Whether requests are printed instead of sent.
    pub fn is_printed(&self) -> bool {
        self.base == LOG
    }
}

/// Returns the provider of a channel kind, if it is supported.
pub fn provider_of(kind: ChannelKind) -> Option<Provider> {
    Provider::parse(kind.as_str())
}

/// Returns the account's settings and secrets as credentials, from which provider adapters read
/// them.
pub(crate) fn credentials(account: &ProviderAccount) -> Credentials {
    let all = account.settings.iter().chain(&account.secrets);
    all.fold(Credentials::default(), |all, (name, value)| all.with(name, value.as_str()))
}

fn base_url(config: &Config, provider: Provider) -> &str {
    match provider {
        Provider::Telegram => &config.telegram_api_url,
        Provider::Whatsapp => &config.whatsapp_api_url,
        Provider::Line => &config.line_api_url,
        Provider::Messenger => &config.messenger_api_url,
        Provider::Instagram => &config.instagram_api_url,
        // Each e-mail account has its own mail servers.
        Provider::Email => "",
    }
}
