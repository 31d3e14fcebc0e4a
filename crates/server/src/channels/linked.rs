//! A channel of a service, with what opens its account there.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::forwarding::{ForwardEvents, ForwardTarget};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::receiving_events::{InboundEvent, StoreInboundEvents};
use confab_domain::ids::ChannelId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_store::{StoreError, WriteError};
use confab_wire::channels::{Credentials, Provider, ProviderEvent};
use confab_wire::omnichannel_api::channels::instagram::IG_ID;
use confab_wire::omnichannel_api::channels::messenger::HUMAN_AGENT_ENABLED;
use serde::Deserialize;
use url::{Host, Url};

use crate::config::Config;
use crate::services::Services;

/// The address of a service that is only told of in print.
const LOG: &str = "log:";

/// What is shorter is no secret that anybody trusts in, and may stand in any text.
const MASKED_BYTES_MIN: usize = 8;

/// The setting of an account that names another address of its service.
pub(crate) const BASE_URL: &str = "base_url";

/// Where it is kept that somebody put the bot into a group.
pub(crate) const GROUP_NOTE: &str = "group_note";

/// Where it is kept that Meta told of a number, a page or an account that is no channel here.
pub(crate) const UNKNOWN_NUMBER_NOTE: &str = "unknown_number_note";

/// The account setting with the share of the monthly quota that is used.
pub(crate) const QUOTA_NOTE: &str = "quota_note";

/// A channel that can be spoken through. No `Debug`: it holds secrets.
pub(crate) struct LinkedChannel {
    pub(crate) app: Arc<App>,
    pub(crate) channel: Channel,
    pub(crate) provider: Provider,
    pub(crate) account: ProviderAccount,
    pub(crate) credentials: Credentials,
    base: String,
    data_base: String,
}

impl LinkedChannel {
    /// The channel of this integer, in whichever app; nothing if there is none, or its kind cannot
    /// be spoken with yet.
    pub(crate) async fn load(
        services: &Services,
        id: ChannelId,
    ) -> Result<Option<Self>, StoreError> {
        let Some(channel) = services.store().service_channel(id).await? else { return Ok(None) };
        let Some(app) = services.app_by_id(channel.app).await? else { return Ok(None) };
        let account = services.store().service_account(id).await?;
        Ok(Self::new(services.config(), app.app, channel, account))
    }

    pub(crate) fn new(
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

    /// Where its service is.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Where the files of its service are.
    pub(crate) fn data_base(&self) -> &str {
        &self.data_base
    }

    /// What a service says, without our secrets: Meta repeats a token that it finds malformed.
    pub(crate) fn masked(&self, text: &str) -> String {
        let secrets = self.account.secrets.values().filter(|it| it.len() >= MASKED_BYTES_MIN);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "****"))
    }

    /// What Meta calls it in webhooks: one address may bring those of several channels.
    pub(crate) fn account_id(&self) -> &str {
        self.account.setting(match self.provider {
            Provider::Messenger => "page_id",
            Provider::Instagram => IG_ID,
            _ => "phone_number_id",
        })
    }

    /// Whether people who answer are marked as such, and have longer for it.
    pub(crate) fn tags_people(&self) -> bool {
        self.account.setting(HUMAN_AGENT_ENABLED) == "true"
    }

    /// Whether its mails are read by IMAP; else a mail server hands them over (D-0170).
    pub(crate) fn has_mailbox(&self) -> bool {
        !self.account.setting("imap_host").is_empty()
    }

    /// Nothing is sent; what would have been is printed.
    pub(crate) fn is_printed(&self) -> bool {
        self.base == LOG
    }

    /// Where its service is to bring what happens; nothing if it cannot reach this server, and must
    /// be asked.
    pub(crate) fn hook_url(&self, config: &Config) -> Option<String> {
        hook_url(config, &self.channel).filter(|_| !self.is_printed())
    }
}

/// Where the service of a channel is to bring what happens, if it can reach this server.
pub(crate) fn hook_url(config: &Config, channel: &Channel) -> Option<String> {
    // Mail servers bring nothing by a hook.
    let word = provider_of(channel.kind).filter(|it| *it != Provider::Email)?.word();
    is_reached(config).then(|| format!("{}/api/v2/hooks/{word}/{}", config.public_url, channel.id))
}

/// The adapter of a kind that this server speaks with.
pub(crate) fn provider_of(kind: ChannelKind) -> Option<Provider> {
    Provider::parse(kind.as_str())
}

/// What an adapter proves itself with.
pub(crate) fn credentials(account: &ProviderAccount) -> Credentials {
    let all = account.settings.iter().chain(&account.secrets);
    all.fold(Credentials::default(), |all, (name, value)| all.with(name, value.as_str()))
}

impl LinkedChannel {
    /// Keeps what its service told, however much that is, some at a time: whoever is not answered
    /// tells it again, and what was kept before is known then. How much of it was new.
    pub(crate) async fn keep(
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
            kept += services.decide(&self.app, rule).await?;
        }
        Ok(kept)
    }

    /// Has what its service told forwarded to the address that it names, if it names one (D-0159).
    /// Nobody waits until it is there.
    pub(crate) async fn forward(
        &self,
        services: &Services,
        customer: &str,
        bodies: Vec<JsonText>,
    ) -> Result<(), WriteError> {
        if bodies.is_empty() || !self.forwards() {
            return Ok(());
        }
        let (channel, customer) = (self.channel.id, customer.to_owned());
        services.decide(&self.app, ForwardEvents { channel, customer, bodies }).await
    }

    fn forwards(&self) -> bool {
        ForwardTarget::of(&self.account).is_some_and(|it| it.is_enabled)
    }
}

/// What a service told, as it is kept.
pub(crate) fn told(provider: Provider, event: ProviderEvent) -> InboundEvent {
    InboundEvent { order: order(provider, &event), customer: event.lane, body: event.body }
}

/// Telegram counts what it tells, LINE, Messenger and Instagram say when it happened to the
/// millisecond: what arrives out of order and still waits is put right.
fn order(provider: Provider, event: &ProviderEvent) -> Option<u64> {
    if matches!(provider, Provider::Line | Provider::Messenger | Provider::Instagram) {
        return event.at.and_then(|at| u64::try_from(at.0).ok());
    }
    #[derive(Deserialize)]
    struct Counted {
        update_id: u64,
    }
    let counted: Option<Counted> = serde_json::from_str(event.body.as_str()).ok();
    counted.map(|it| it.update_id)
}

fn base_url(config: &Config, provider: Provider) -> &str {
    match provider {
        Provider::Telegram => &config.telegram_api_url,
        Provider::Whatsapp => &config.whatsapp_api_url,
        Provider::Line => &config.line_api_url,
        Provider::Messenger => &config.messenger_api_url,
        Provider::Instagram => &config.instagram_api_url,
        // Each account names its own.
        Provider::Email => "",
    }
}

/// Services call by https only, and nobody outside reaches a loopback address.
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
