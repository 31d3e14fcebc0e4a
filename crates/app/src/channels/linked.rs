//! A provider channel with its credentials.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::forwarding::{ForwardEvents, ForwardTarget};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::receiving_events::{
    InboundEvent, RecordAccountHint, StoreInboundEvents,
};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::ChannelId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_providers::{Credentials, Provider, ProviderEvent};
use confab_store::{StoreError, WriteError};
use confab_wire::omnichannel_api::channels::instagram::IG_ID;
use confab_wire::omnichannel_api::channels::messenger::HUMAN_AGENT_ENABLED;
use serde::Deserialize;
use url::{Host, Url};

use crate::config::Config;
use crate::services::Services;

/// The base URL of channels that print messages instead of sending them to a provider.
const LOG: &str = "log:";

/// Minimum length in bytes of secrets that are masked: shorter ones would match ordinary text.
const MASKED_BYTES_MIN: usize = 8;

/// The account setting that overrides the provider's base URL.
pub(crate) const BASE_URL: &str = "base_url";

/// The account setting with a note that the channel's bot was added to a group.
pub const GROUP_NOTE: &str = "group_note";

/// The account setting with a note that Meta sent an event of a number, page or account that is not
/// a channel of the app.
pub const UNKNOWN_NUMBER_NOTE: &str = "unknown_number_note";

/// The account setting with the used share of the monthly message quota.
pub const QUOTA_NOTE: &str = "quota_note";

/// A channel through which messages can be sent. Not `Debug`, because it contains secrets.
pub struct LinkedChannel {
    pub app: Arc<App>,
    pub channel: Channel,
    pub provider: Provider,
    pub account: ProviderAccount,
    pub credentials: Credentials,
    base: String,
    data_base: String,
}

impl LinkedChannel {
    /// Loads the channel with this id, of any app. Returns `None` if it does not exist or its kind
    /// is not supported.
    pub async fn load(services: &Services, id: ChannelId) -> Result<Option<Self>, StoreError> {
        let Some(channel) = services.store().service_channel(id).await? else { return Ok(None) };
        let Some(app) = services.app_by_id(channel.app).await? else { return Ok(None) };
        let account = services.store().service_account(id).await?;
        Ok(Self::new(services.config(), app.app, channel, account))
    }

    pub fn new(
        config: &Config,
        app: Arc<App>,
        channel: Channel,
        account: ProviderAccount,
    ) -> Option<Self> {
        let provider = provider_of(channel.kind)?;
        let credentials = credentials(&account);
        let base = match account.setting(BASE_URL) {
            "" => base_url(config, provider).to_owned(),
            own => own.trim_end_matches('/').to_owned(),
        };
        let data_base = match provider {
            Provider::Line => config.line_data_url.clone(),
            _ => base.clone(),
        };
        Some(Self { app, channel, provider, account, credentials, base, data_base })
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
    pub(crate) fn masked(&self, text: &str) -> String {
        let secrets = self.account.secrets.values().filter(|it| it.len() >= MASKED_BYTES_MIN);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "****"))
    }

    /// Returns the id that identifies the account in Meta's webhooks: one webhook URL may receive
    /// the events of several accounts.
    pub fn account_id(&self) -> &str {
        self.account.setting(match self.provider {
            Provider::Messenger => "page_id",
            Provider::Instagram => IG_ID,
            _ => "phone_number_id",
        })
    }

    /// Whether agents' messages may have Meta's tag `HUMAN_AGENT`, with which Meta allows replies
    /// for seven days instead of one.
    pub(crate) fn tags_people(&self) -> bool {
        self.account.setting(HUMAN_AGENT_ENABLED) == "true"
    }

    /// Whether mails are read with IMAP; otherwise a mail server delivers them by LMTP.
    pub fn has_mailbox(&self) -> bool {
        !self.account.setting("imap_host").is_empty()
    }

    /// Whether requests are printed instead of sent.
    pub fn is_printed(&self) -> bool {
        self.base == LOG
    }

    /// Returns the webhook URL. `None` for e-mail, for channels that print their requests, and if
    /// the provider cannot reach this server.
    pub fn hook_url(&self, config: &Config) -> Option<String> {
        hook_url(config, &self.channel).filter(|_| !self.is_printed())
    }
}

/// Returns the webhook URL of a channel if its provider uses webhooks and can reach this server.
pub fn hook_url(config: &Config, channel: &Channel) -> Option<String> {
    // Mail servers use no webhook.
    let word = provider_of(channel.kind).filter(|it| *it != Provider::Email)?.word();
    is_reached(config).then(|| format!("{}/api/v2/hooks/{word}/{}", config.public_url, channel.id))
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

impl LinkedChannel {
    /// Stores events of the provider, a limited number per commit. Returns the number of stored
    /// events, which is 0 if the channel is disabled.
    pub async fn keep(
        &self,
        services: &Services,
        events: Vec<ProviderEvent>,
    ) -> Result<usize, WriteError> {
        let mut kept = 0;
        let mut left = events.into_iter().map(|it| told(self.provider, it)).peekable();
        while left.peek().is_some() {
            let events = left.by_ref().take(limits::CHANNEL_EVENTS_MAX).collect();
            let rule =
                StoreInboundEvents { channel: self.channel.id, events, cursor: None, noted: None };
            kept += services.decide(&self.principal(), rule).await?;
        }
        Ok(kept)
    }

    /// Creates deliveries of the provider's events to the app's forward address, if it has one.
    /// Returns before they are sent.
    pub async fn forward(
        &self,
        services: &Services,
        customer: &str,
        bodies: Vec<JsonText>,
    ) -> Result<(), WriteError> {
        if bodies.is_empty() || !self.forwards() {
            return Ok(());
        }
        let (channel, customer) = (self.channel.id, customer.to_owned());
        services.decide(&self.principal(), ForwardEvents { channel, customer, bodies }).await
    }

    /// Stores a note about the channel in its account's settings.
    pub async fn record_hint(
        &self,
        services: &Services,
        name: &'static str,
        value: String,
    ) -> Result<(), WriteError> {
        let rule = RecordAccountHint { channel: self.channel.id, name, value };
        services.decide(&self.principal(), rule).await
    }

    /// Returns on whose behalf rules decide about the provider's events: the server.
    pub(crate) fn principal(&self) -> Principal {
        Principal::server(&self.app)
    }

    fn forwards(&self) -> bool {
        ForwardTarget::of(&self.account).is_some_and(|it| it.is_enabled)
    }
}

/// Returns an event in its stored form.
pub(crate) fn told(provider: Provider, event: ProviderEvent) -> InboundEvent {
    InboundEvent { order: order(provider, &event), customer: event.lane, body: event.body }
}

/// Returns the number by which waiting events that arrived out of order are sorted: the `update_id`
/// of Telegram events; the time of LINE, Messenger and Instagram events.
fn order(provider: Provider, event: &ProviderEvent) -> Option<u64> {
    #[derive(Deserialize)]
    struct Counted {
        update_id: u64,
    }
    match provider {
        Provider::Line | Provider::Messenger | Provider::Instagram => {
            event.at.and_then(|at| u64::try_from(at.0).ok())
        }
        Provider::Telegram => {
            let counted: Option<Counted> = serde_json::from_str(event.body.as_str()).ok();
            counted.map(|it| it.update_id)
        }
        Provider::Whatsapp | Provider::Email => None,
    }
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

/// Whether providers can reach this server: with https, and not on loopback.
fn is_reached(config: &Config) -> bool {
    let Ok(url) = Url::parse(&config.public_url) else { return false };
    let is_own_machine = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => true,
    };
    url.scheme() == "https" && !is_own_machine
}
