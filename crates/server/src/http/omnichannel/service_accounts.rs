//! Channels of services with their accounts, as records show them.

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::service_account::ServiceAccount;
use confab_store::StoreError;
use confab_wire::omnichannel_api::channels::AnyRecord;
use confab_wire::omnichannel_api::channels::email::{EmailRecord, email_record};
use confab_wire::omnichannel_api::channels::services::{self as wire, ServiceRecord};
use confab_wire::omnichannel_api::channels::whatsapp::{WhatsappRecord, whatsapp_record};

use crate::channels::linked::hook_url;
use crate::services::Services;

/// The channels of services among these, with their accounts.
pub(super) struct Accounts(Vec<(Channel, ServiceAccount)>);

impl Accounts {
    pub(super) async fn load(
        services: &Services,
        channels: &[Channel],
    ) -> Result<Self, StoreError> {
        let mut accounts = Vec::new();
        for channel in channels.iter().filter(|it| it.kind.is_service()) {
            let account = services.store().service_account(channel.id).await?;
            accounts.push((channel.clone(), account));
        }
        Ok(Self(accounts))
    }

    /// The bots among them.
    pub(super) fn telegram(&self, services: &Services) -> Vec<ServiceRecord<'_>> {
        let record = |(channel, account)| telegram(services, channel, account);
        self.of_kind(ChannelKind::Telegram).map(record).collect()
    }

    /// The numbers of WhatsApp among them.
    pub(super) fn whatsapp<'a>(&'a self, services: &'a Services) -> Vec<WhatsappRecord<'a>> {
        let record = |(channel, account)| whatsapp(services, channel, account);
        self.of_kind(ChannelKind::WhatsApp).map(record).collect()
    }

    /// The mailboxes among them.
    pub(super) fn email(&self) -> Vec<EmailRecord<'_>> {
        let record = |(channel, account)| email_record(channel, account);
        self.of_kind(ChannelKind::Email).map(record).collect()
    }

    pub(super) fn all<'a>(&'a self, services: &'a Services) -> Vec<(ChannelKind, AnyRecord<'a>)> {
        let record = |(channel, account): &'a (Channel, ServiceAccount)| {
            let record = match channel.kind {
                ChannelKind::WhatsApp => {
                    AnyRecord::Whatsapp(Box::new(whatsapp(services, channel, account)))
                }
                ChannelKind::Email => AnyRecord::Email(Box::new(email_record(channel, account))),
                _ => AnyRecord::Service(telegram(services, channel, account)),
            };
            (channel.kind, record)
        };
        self.0.iter().map(record).collect()
    }

    fn of_kind(&self, kind: ChannelKind) -> impl Iterator<Item = (&Channel, &ServiceAccount)> {
        self.0.iter().filter(move |(its, _)| its.kind == kind).map(|(its, account)| (its, account))
    }
}

fn telegram<'a>(
    services: &Services,
    channel: &'a Channel,
    account: &'a ServiceAccount,
) -> ServiceRecord<'a> {
    wire::service_record(channel, account, hook_url(services.config(), channel))
}

fn whatsapp<'a>(
    services: &'a Services,
    channel: &'a Channel,
    account: &'a ServiceAccount,
) -> WhatsappRecord<'a> {
    let config = services.config();
    whatsapp_record(channel, account, hook_url(config, channel), &config.whatsapp_api_url)
}
