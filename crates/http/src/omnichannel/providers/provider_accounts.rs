//! Renders provider channels and their accounts for API responses.

use confab_app::channels::linked::hook_url;
use confab_app::services::Services;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::channels::AnyRecord;
use confab_wire::omnichannel_api::channels::email::email_record;
use confab_wire::omnichannel_api::channels::instagram::instagram_record;
use confab_wire::omnichannel_api::channels::line::line_record;
use confab_wire::omnichannel_api::channels::messenger::messenger_record;
use confab_wire::omnichannel_api::channels::provider_channels::service_record;
use confab_wire::omnichannel_api::channels::whatsapp::whatsapp_record;

/// Provider channels with their accounts.
pub(crate) struct Accounts(Vec<(Channel, ProviderAccount)>);

impl Accounts {
    pub(crate) async fn load(store: &Store, channels: &[Channel]) -> Result<Self, StoreError> {
        let mut accounts = Vec::new();
        for channel in channels.iter().filter(|it| it.kind.is_service()) {
            let account = store.service_account(channel.id).await?;
            accounts.push((channel.clone(), account));
        }
        Ok(Self(accounts))
    }

    pub(crate) fn all<'a>(&'a self, services: &'a Services) -> Vec<(ChannelKind, AnyRecord<'a>)> {
        let shown = |(channel, account): &'a (Channel, ProviderAccount)| {
            (channel.kind, record(services, channel, account))
        };
        self.0.iter().map(shown).collect()
    }
}

/// Renders a channel and its account in the format of the channel's kind. A deleted channel has no
/// webhook URL.
pub(crate) fn record<'a>(
    services: &'a Services,
    channel: &'a Channel,
    account: &'a ProviderAccount,
) -> AnyRecord<'a> {
    let config = services.config();
    let hook = hook_url(config, channel).filter(|_| channel.deleted_at.is_none());
    match channel.kind {
        ChannelKind::WhatsApp => {
            let record = whatsapp_record(channel, account, hook, &config.whatsapp_api_url);
            AnyRecord::Whatsapp(Box::new(record))
        }
        ChannelKind::Email => AnyRecord::Email(Box::new(email_record(channel, account))),
        ChannelKind::Line => AnyRecord::Line(line_record(channel, account, hook)),
        ChannelKind::Messenger => {
            AnyRecord::Messenger(Box::new(messenger_record(channel, account, hook)))
        }
        ChannelKind::Instagram => {
            AnyRecord::Instagram(Box::new(instagram_record(channel, account, hook)))
        }
        _ => AnyRecord::Service(service_record(channel, account, hook)),
    }
}
