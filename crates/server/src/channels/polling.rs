//! Asks a service for what happened, where it cannot bring it here (channel facts 4.1).
//!
//! What was answered is committed with the cursor, and only then confirmed by the next question: a
//! crash between the two has it answered again, and nothing is received twice.

use std::sync::Arc;
use std::time::Duration;

use confab_domain::channels::receiving_events::StoreInboundEvents;
use confab_domain::webhooks::delivery::Lane;
use confab_wire::channels::telegram::{self, Poll};
use confab_wire::channels::{HealthState, ProviderEvent, Verdict};
use tokio::time::{Instant, sleep_until};

use super::calling::StepAnswer;
use super::linked::{LinkedChannel, told};
use crate::delivery::our_buckets::OurBuckets;
use crate::failures::chain;
use crate::services::Services;

/// The service holds an answer back for 50 seconds.
const ASK_TIMEOUT: Duration = Duration::from_secs(65);
/// Between two empty answers at least.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// So often in a row somebody else asks before that is said: one who ends is heard of, too.
const OTHERS_MAX: u32 = 3;

/// Asks for as long as the channel is ours.
pub(super) async fn keep_asking(
    services: &Services,
    ours: &Arc<OurBuckets>,
    linked: &LinkedChannel,
) {
    let mut asking = Asking { services, linked, pause: PAUSE, others: 0, is_well: false };
    while ours.has(Lane(linked.channel.id.0)) {
        let begun = Instant::now();
        let wait = asking.ask().await;
        sleep_until(begun + wait).await;
    }
}

struct Asking<'a> {
    services: &'a Services,
    linked: &'a LinkedChannel,
    /// The next pause after trouble.
    pause: Duration,
    /// How often in a row somebody else asked.
    others: u32,
    is_well: bool,
}

impl Asking<'_> {
    /// Asks once; gives how long after its beginning the next question comes at the earliest.
    async fn ask(&mut self) -> Duration {
        let id = self.linked.channel.id;
        let cursor = match self.services.store().service_cursor(id).await {
            Ok(cursor) => cursor,
            Err(error) => {
                tracing::warn!("a cursor cannot be read: {}", chain(&error));
                return self.longer();
            }
        };
        let offset = (cursor > 0).then_some(cursor);
        let step = telegram::poll(offset, &self.linked.credentials);
        let report = self.linked.call(self.services, &step, ASK_TIMEOUT).await;
        let answer = StepAnswer::of(&report);
        let Some(status) = answer.status else {
            let why = "Telegram gives no answer. Nothing is lost: it is asked again.";
            return self.trouble(HealthState::Unreachable, why).await;
        };
        match telegram::read_poll(status, &answer.body) {
            Poll::Updates { events, next_offset } => self.keep(events, next_offset).await,
            Poll::HookIsSet => {
                self.linked.remove_hook(self.services).await;
                PAUSE
            }
            Poll::OtherPoller => {
                self.others += 1;
                if self.others < OTHERS_MAX {
                    return PAUSE;
                }
                let why = "Another program asks for this bot's messages and takes some of them. \
                           Stop it, and use one bot for one system only.";
                self.trouble(HealthState::Misconfigured, why).await
            }
            Poll::Failed(Verdict::BadToken { why, .. }) => {
                let why = format!("{why} Replace it; what waits goes out then.");
                self.trouble(HealthState::Unauthorized, &why).await
            }
            Poll::Failed(Verdict::Again { after, .. }) => after.length(0).max(PAUSE),
            Poll::Failed(_) => {
                let why = "Telegram does not say what happened. It is asked again.";
                self.trouble(HealthState::Unreachable, why).await
            }
        }
    }

    /// Commits what was answered.
    async fn keep(&mut self, events: Vec<ProviderEvent>, cursor: Option<i64>) -> Duration {
        self.others = 0;
        if !self.is_well {
            self.linked.note(self.services, HealthState::Ok, "").await;
            self.is_well = true;
        }
        if events.is_empty() {
            self.pause = PAUSE;
            return PAUSE;
        }
        let events = events.into_iter().map(|it| told(self.linked.provider, it)).collect();
        let rule =
            StoreInboundEvents { channel: self.linked.channel.id, events, cursor, noted: None };
        match self.services.decide(&self.linked.app, rule).await {
            Ok(_) => {
                self.pause = PAUSE;
                Duration::ZERO
            }
            Err(error) => {
                tracing::warn!("what a service told is not kept yet: {}", chain(&error));
                self.longer()
            }
        }
    }

    async fn trouble(&mut self, state: HealthState, why: &str) -> Duration {
        self.is_well = false;
        self.linked.note(self.services, state, why).await;
        self.longer()
    }

    fn longer(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(PAUSE_MAX);
        pause
    }
}
