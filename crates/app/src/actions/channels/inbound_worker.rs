//! The worker for events from providers: processes each event, and determines when a failed one is
//! processed again (D-0150).

use confab_delivery::carriers::{AttemptInput, AttemptResult, NO_CHANNEL, ResultFuture, Worker};
use confab_domain::limits;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{PostponedScope, RetrySchedule};

use super::receive_event::{EventFailure, receive_event};
use crate::services::Services;

/// Processes events from providers.
pub(crate) struct InboundWorker {
    pub(crate) services: Services,
}

impl Worker for InboundWorker {
    fn process<'a>(&'a self, input: &'a AttemptInput<'_>) -> ResultFuture<'a> {
        Box::pin(self.receive(input))
    }
}

impl InboundWorker {
    async fn receive(&self, input: &AttemptInput<'_>) -> AttemptResult {
        let Some(channel) = input.channel() else {
            return input.unsent(ErrorClass::Disabled, NO_CHANNEL);
        };
        let done = input.delivered("");
        let ends = RecordAttempt {
            delivery: input.delivery.id,
            lane: input.delivery.lane,
            attempt: done.attempt.clone(),
            progress: input.if_delivered,
            also: Vec::new(),
        };
        match receive_event(&self.services, channel, input, ends).await {
            Ok(is_recorded) => AttemptResult { is_recorded, ..done },
            // Block only this customer's lane: other customers are unaffected.
            Err(EventFailure::NotNow(why)) => {
                let mut later = input.unsent(ErrorClass::Write, &why);
                later.postpone(ErrorClass::Write, pause_s(input.number), PostponedScope::Lane);
                later
            }
            Err(EventFailure::TooEarly) => early(input),
            Err(EventFailure::Never(why)) => input.unsent(ErrorClass::Refused, &why),
        }
    }
}

/// Postpones a status of a message whose send is not recorded yet. Drops the status after
/// [`limits::EARLY_STATUS_MAX_S`].
fn early(input: &AttemptInput<'_>) -> AttemptResult {
    let waited_s = u64::try_from((input.sent_at.0 - input.since.0) / 1_000_000).unwrap_or(0);
    if waited_s >= limits::EARLY_STATUS_MAX_S {
        return input.delivered("No send was recorded for this status.");
    }
    let mut later = input.unsent(ErrorClass::Write, "The send is not recorded yet.");
    let pause = (waited_s / 2).clamp(1, limits::EARLY_STATUS_PAUSE_MAX_S);
    later.postpone(ErrorClass::Write, pause, PostponedScope::Nothing);
    later
}

/// Returns the seconds until an event is retried after this number of attempts.
fn pause_s(attempts: u32) -> u64 {
    let pauses = RetrySchedule::of(EventKind::ChannelEvent).waits_s;
    let place = (attempts.max(1) - 1) as usize;
    pauses.get(place).or(pauses.last()).copied().unwrap_or(1)
}
