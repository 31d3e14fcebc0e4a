//! Maintains provider channels, each with a task on one node: the node that leases the bucket of
//! the channel's lane.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use confab_delivery::channels::sender::provider_of;
use confab_delivery::our_buckets::OurBuckets;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::ChannelId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::Lane;
use confab_providers::Provider;
use confab_runtime::failures::chain;
use confab_store::StoreError;
use tokio::task::JoinHandle;

use super::linked::LinkedChannel;
use super::mail;
use super::polling;
use crate::services::Services;

/// Interval at which the channels and the leases of this node are checked.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);

/// The task of one channel, with the version of the channel that it was started for. Dropping it
/// aborts the task.
struct ChannelTask {
    updated_at: Timestamp,
    task: JoinHandle<()>,
}

impl Drop for ChannelTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts and aborts the tasks of the channels that this node has leased, forever.
pub(crate) async fn keep_channels(services: Services, ours: Arc<OurBuckets>) {
    let mut tasks = HashMap::new();
    let mut every = tokio::time::interval(SCAN_INTERVAL);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = services.channels().changed() => {}
        }
        if let Err(error) = update_tasks(&services, &ours, &mut tasks).await {
            tracing::warn!(error = %chain(&error), "failed to update channel tasks");
        }
    }
}

async fn update_tasks(
    services: &Services,
    ours: &Arc<OurBuckets>,
    tasks: &mut HashMap<ChannelId, ChannelTask>,
) -> Result<(), StoreError> {
    let channels = services.store().service_channels().await?;
    let is_wanted =
        |it: &&Channel| it.is_active && provider_of(it.kind).is_some() && ours.has(Lane(it.id.0));
    let wanted: HashMap<_, _> =
        channels.iter().filter(is_wanted).map(|it| (it.id, it.updated_at)).collect();
    tasks.retain(|id, it| {
        !it.task.is_finished() && wanted.get(id).is_some_and(|at| *at == it.updated_at)
    });
    for (id, updated_at) in wanted {
        let (services, ours) = (services.clone(), ours.clone());
        let begin = || ChannelTask { updated_at, task: tokio::spawn(maintain(services, ours, id)) };
        tasks.entry(id).or_insert_with(begin);
    }
    services.channels().set_unwell(services.store().unwell_channels().await?);
    Ok(())
}

/// Runs the task of one channel: registers its webhook, polls its provider or reads its mailbox,
/// and checks its health at intervals.
async fn maintain(services: Services, ours: Arc<OurBuckets>, id: ChannelId) {
    let linked = match LinkedChannel::load(&services, id).await {
        Ok(Some(linked)) => linked,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(
                channel.id = id.0,
                error = %chain(&error),
                "failed to load channel for its task"
            );
            return;
        }
    };
    if linked.is_printed() {
        return std::future::pending().await;
    }
    if linked.provider == Provider::Email && linked.has_mailbox() {
        let reading = mail::mailbox::keep_reading(&services, &ours, &linked);
        tokio::join!(reading, linked.keep_checking(&services, None));
        return;
    }
    match linked.hook_url() {
        Some(url) => {
            linked.set_hook(&url).await;
            linked.keep_checking(&services, Some(&url)).await;
        }
        // Of the providers, only Telegram can be polled; mails may arrive by LMTP.
        None if linked.provider != Provider::Telegram => {
            linked.keep_checking(&services, None).await;
        }
        None => {
            linked.remove_hook().await;
            tokio::join!(
                polling::keep_polling(&services, &ours, &linked),
                linked.keep_checking(&services, None),
            );
        }
    }
}
