//! The chore of channels: each channel of a service is tended by one node, the one that holds the
//! bucket of its lane.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::channels::channel::Channel;
use confab_domain::ids::ChannelId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::Lane;
use confab_store::StoreError;
use confab_wire::channels::Provider;
use tokio::task::JoinHandle;

use super::linked::{LinkedChannel, provider_of};
use super::mail;
use super::polling;
use crate::delivery::our_buckets::OurBuckets;
use crate::failures::chain;
use crate::services::Services;

/// How often it is looked which channels there are, and which are ours.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A channel that is tended, as it was when that began. Dropped, it is tended no more.
struct Tended {
    updated_at: Timestamp,
    task: JoinHandle<()>,
}

impl Drop for Tended {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Tends the channels that are ours, for as long as the server runs.
pub(crate) async fn keep_channels(services: Services, ours: Arc<OurBuckets>) {
    let mut tended = HashMap::new();
    let mut every = tokio::time::interval(LOOK_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = every.tick() => {}
            () = services.channels_woken() => {}
        }
        if let Err(error) = look(&services, &ours, &mut tended).await {
            tracing::warn!("channels cannot be looked at: {}", chain(&error));
        }
    }
}

async fn look(
    services: &Services,
    ours: &Arc<OurBuckets>,
    tended: &mut HashMap<ChannelId, Tended>,
) -> Result<(), StoreError> {
    let channels = services.store().service_channels().await?;
    let is_wanted =
        |it: &&Channel| it.is_active && provider_of(it.kind).is_some() && ours.has(Lane(it.id.0));
    let wanted: HashMap<_, _> =
        channels.iter().filter(is_wanted).map(|it| (it.id, it.updated_at)).collect();
    tended.retain(|id, it| {
        !it.task.is_finished() && wanted.get(id).is_some_and(|at| *at == it.updated_at)
    });
    for (id, updated_at) in wanted {
        let (services, ours) = (services.clone(), ours.clone());
        let begin = || Tended { updated_at, task: tokio::spawn(tend(services, ours, id)) };
        tended.entry(id).or_insert_with(begin);
    }
    services.note_unwell_channels(services.store().unwell_channels().await?);
    Ok(())
}

/// What happens comes in by the hook, or is asked for; and somebody looks whether all is well.
async fn tend(services: Services, ours: Arc<OurBuckets>, id: ChannelId) {
    let linked = match LinkedChannel::load(&services, id).await {
        Ok(Some(linked)) => linked,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(channel.id = id.0, "channel {id} cannot be read: {}", chain(&error));
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
    match linked.hook_url(services.config()) {
        Some(url) => {
            linked.set_hook(&services, &url).await;
            linked.keep_checking(&services, Some(&url)).await;
        }
        // Of the services, only Telegram can be asked; mails may be handed over.
        None if linked.provider != Provider::Telegram => {
            linked.keep_checking(&services, None).await;
        }
        None => {
            linked.remove_hook(&services).await;
            tokio::join!(
                polling::keep_asking(&services, &ours, &linked),
                linked.keep_checking(&services, None),
            );
        }
    }
}
