//! Channels of services with their accounts, as records show them.

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::service_account::ServiceAccount;
use confab_store::StoreError;
use confab_wire::omnichannel_api::channels::services::{self as wire, ServiceRecord};

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

    /// Those of one kind.
    pub(super) fn records(&self, services: &Services, kind: ChannelKind) -> Vec<ServiceRecord<'_>> {
        let all = self.all(services).into_iter();
        all.filter(|(its, _)| *its == kind).map(|(_, record)| record).collect()
    }

    pub(super) fn all(&self, services: &Services) -> Vec<(ChannelKind, ServiceRecord<'_>)> {
        let mut records = Vec::new();
        for (channel, account) in &self.0 {
            let hook_url = hook_url(services.config(), channel);
            records.push((channel.kind, wire::service_record(channel, account, hook_url)));
        }
        records
    }
}
