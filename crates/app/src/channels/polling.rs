//! Polls a provider for events if it cannot call a webhook (channel facts 4.1).
//!
//! Received events are committed together with the cursor of the next poll, which confirms them to
//! the provider, so that a crash loses none of them.

use std::sync::Arc;
use std::time::Duration;

use confab_delivery::channels::calling::StepAnswer;
use confab_delivery::our_buckets::OurBuckets;
use confab_domain::channels::receiving_events::StoreInboundEvents;
use confab_domain::webhooks::delivery::Lane;
use confab_providers::telegram::{self, Poll};
use confab_providers::{HealthState, ProviderEvent, Verdict};
use confab_runtime::failures::chain;
use tokio::time::{Instant, sleep_until};

use super::linked::{LinkedChannel, told};
use crate::services::Services;

/// Time limit of a long poll, which the provider keeps open for up to 50 seconds.
const POLL_TIMEOUT: Duration = Duration::from_secs(65);
/// Minimum interval between the starts of two polls if the first returned no events, and the first
/// delay after a failure.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Number of consecutive polls that must conflict with another poller before a problem is reported:
/// a poller that is stopping also causes a few conflicts.
const OTHERS_MAX: u32 = 3;

/// Polls for as long as this node has leased the channel.
pub(super) async fn keep_polling(
    services: &Services,
    ours: &Arc<OurBuckets>,
    linked: &LinkedChannel,
) {
    let mut poller = Poller { services, linked, pause: PAUSE, others: 0, is_well: false };
    while ours.has(Lane(linked.channel.id.0)) {
        let begun = Instant::now();
        let wait = poller.poll().await;
        sleep_until(begun + wait).await;
    }
}

struct Poller<'a> {
    services: &'a Services,
    linked: &'a LinkedChannel,
    /// Delay after the next failure.
    pause: Duration,
    /// Number of polls in a row that conflicted with another poller.
    others: u32,
    is_well: bool,
}

impl Poller<'_> {
    /// Polls once. Returns the minimum interval between the starts of this poll and the next one.
    async fn poll(&mut self) -> Duration {
        let id = self.linked.channel.id;
        let cursor = match self.services.store().service_cursor(id).await {
            Ok(cursor) => cursor,
            Err(error) => {
                tracing::warn!(
                    channel.id = id.0,
                    error = %chain(&error),
                    "failed to read poll cursor"
                );
                return self.longer();
            }
        };
        let offset = (cursor > 0).then_some(cursor);
        let step = telegram::poll(offset, &self.linked.credentials);
        let report = self.linked.call(&step, POLL_TIMEOUT).await;
        let answer = StepAnswer::of(&report);
        let Some(status) = answer.status else {
            let why = "Telegram does not answer. Nothing is lost; polling continues.";
            return self.trouble(HealthState::Unreachable, why).await;
        };
        match telegram::read_poll(status, &answer.body) {
            Poll::Updates { events, next_offset } => self.keep(events, next_offset).await,
            Poll::HookIsSet => {
                self.linked.remove_hook().await;
                PAUSE
            }
            Poll::OtherPoller => {
                self.others += 1;
                if self.others < OTHERS_MAX {
                    return PAUSE;
                }
                let why = "Another program polls this bot and receives some of its messages. Stop \
                           that program, and use one bot for one system only.";
                self.trouble(HealthState::Misconfigured, why).await
            }
            Poll::Failed(Verdict::BadToken { why, .. }) => {
                let why = format!("{why} Replace it. Waiting messages are sent then.");
                self.trouble(HealthState::Unauthorized, &why).await
            }
            Poll::Failed(Verdict::Again { after, .. }) => after.length(0).max(PAUSE),
            Poll::Failed(_) => {
                let why = "Telegram returned no events. Polling continues.";
                self.trouble(HealthState::Unreachable, why).await
            }
        }
    }

    /// Commits the received events and the cursor of the next poll. Returns the minimum interval
    /// between the starts of this poll and the next one.
    async fn keep(&mut self, events: Vec<ProviderEvent>, cursor: Option<i64>) -> Duration {
        self.others = 0;
        if !self.is_well {
            self.linked.note(self.services.decisions(), HealthState::Ok, "").await;
            self.is_well = true;
        }
        if events.is_empty() {
            self.pause = PAUSE;
            return PAUSE;
        }
        let events = events.into_iter().map(|it| told(self.linked.provider, it)).collect();
        let rule =
            StoreInboundEvents { channel: self.linked.channel.id, events, cursor, noted: None };
        match self.services.decisions().decide(&self.linked.principal(), rule).await {
            Ok(_) => {
                self.pause = PAUSE;
                Duration::ZERO
            }
            Err(error) => {
                tracing::warn!(
                    channel.id = self.linked.channel.id.0,
                    error = %chain(&error),
                    "failed to store polled events"
                );
                self.longer()
            }
        }
    }

    async fn trouble(&mut self, state: HealthState, why: &str) -> Duration {
        self.is_well = false;
        self.linked.note(self.services.decisions(), state, why).await;
        self.longer()
    }

    fn longer(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(PAUSE_MAX);
        pause
    }
}
