//! A provider channel with the operations of the server other than sending.

use std::ops::Deref;
use std::sync::Arc;

use crate::decide::Decisions;

pub use confab_delivery::channels::sender::{ChannelSender, provider_of};
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::channels::forwarding::{ForwardEvents, ForwardTarget};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::receiving_events::{
    InboundEvent, RecordAccountHint, StoreInboundEvents,
};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::ChannelId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_providers::{Provider, ProviderEvent};
use confab_runtime::config::Config;
use confab_store::{StoreError, WriteError};
use confab_wire::omnichannel_api::channels::instagram::IG_ID;
use serde::Deserialize;
use url::{Host, Url};

use crate::services::Services;

/// The account setting with a note that the channel's bot was added to a group.
pub const GROUP_NOTE: &str = "group_note";

/// The account setting with a note that Meta sent an event of a number, page or account that is not
/// a channel of the app.
pub const UNKNOWN_NUMBER_NOTE: &str = "unknown_number_note";

/// The account setting with the used share of the monthly message quota.
pub const QUOTA_NOTE: &str = "quota_note";

/// A channel with its credentials.
pub struct LinkedChannel(ChannelSender);

impl Deref for LinkedChannel {
    type Target = ChannelSender;

    fn deref(&self) -> &ChannelSender {
        &self.0
    }
}

impl LinkedChannel {
    /// Loads the channel with this id, of any app. Returns `None` if it does not exist or its kind
    /// is not supported.
    pub async fn load(services: &Services, id: ChannelId) -> Result<Option<Self>, StoreError> {
        Ok(ChannelSender::load(&services.channel_client(), id).await?.map(Self))
    }

    pub fn new(
        services: &Services,
        app: Arc<App>,
        channel: Channel,
        account: ProviderAccount,
    ) -> Option<Self> {
        ChannelSender::new(services.channel_client(), app, channel, account).map(Self)
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

    /// Whether mails are read with IMAP; otherwise a mail server delivers them by LMTP.
    pub fn has_mailbox(&self) -> bool {
        !self.account.setting("imap_host").is_empty()
    }

    /// Returns the webhook URL. `None` for e-mail, for channels that print their requests, and if
    /// the provider cannot reach this server.
    pub fn hook_url(&self) -> Option<String> {
        hook_url(&self.client.config, &self.channel).filter(|_| !self.is_printed())
    }

    /// Stores events of the provider, a limited number per commit. Returns the number of stored
    /// events, which is 0 if the channel is disabled.
    pub async fn keep(
        &self,
        decisions: &Decisions,
        events: Vec<ProviderEvent>,
    ) -> Result<usize, WriteError> {
        let mut kept = 0;
        let mut left = events.into_iter().map(|it| told(self.provider, it)).peekable();
        while left.peek().is_some() {
            let events = left.by_ref().take(limits::CHANNEL_EVENTS_MAX).collect();
            let rule =
                StoreInboundEvents { channel: self.channel.id, events, cursor: None, noted: None };
            kept += decisions.decide(&self.principal(), rule).await?;
        }
        Ok(kept)
    }

    /// Creates deliveries of the provider's events to the app's forward address, if it has one.
    /// Returns before they are sent.
    pub async fn forward(
        &self,
        decisions: &Decisions,
        customer: &str,
        bodies: Vec<JsonText>,
    ) -> Result<(), WriteError> {
        if bodies.is_empty() || !self.forwards() {
            return Ok(());
        }
        let (channel, customer) = (self.channel.id, customer.to_owned());
        decisions.decide(&self.principal(), ForwardEvents { channel, customer, bodies }).await
    }

    /// Stores a note about the channel in its account's settings.
    pub async fn record_hint(
        &self,
        decisions: &Decisions,
        name: &'static str,
        value: String,
    ) -> Result<(), WriteError> {
        let rule = RecordAccountHint { channel: self.channel.id, name, value };
        decisions.decide(&self.principal(), rule).await
    }

    /// Returns on whose behalf rules decide about the provider's events: the server.
    pub(crate) fn principal(&self) -> Principal {
        Principal::server(&self.app)
    }

    fn forwards(&self) -> bool {
        ForwardTarget::of(&self.account).is_some_and(|it| it.is_enabled)
    }
}

/// Returns the webhook URL of a channel if its provider uses webhooks and can reach this server.
pub fn hook_url(config: &Config, channel: &Channel) -> Option<String> {
    // Mail servers use no webhook.
    let word = provider_of(channel.kind).filter(|it| *it != Provider::Email)?.word();
    is_reached(config).then(|| format!("{}/api/v2/hooks/{word}/{}", config.public_url, channel.id))
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
