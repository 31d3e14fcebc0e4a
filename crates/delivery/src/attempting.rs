//! Attempts: read a delivery from the store, send it, judge the result and record it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::audit::entry::Actor;
use confab_domain::channels::provider_health::ProviderState;
use confab_domain::channels::stopping::RecordChannelHealth;
use confab_domain::decision::change::Change;
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{ChannelId, DeliveryId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Lane, Progress};
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{NextStep, Outcome};
use confab_outbound::OutboundClient;
use confab_runtime::failures::chain;
use confab_runtime::traces::{Span, Tracer};
use confab_runtime::{ids, origin};
use confab_store::{Store, WriteError};

use super::addresses::{AddressCache, Addresses, Destination};
use super::attempt_span;
use super::carriers::apns::{ApnsCarrier, PushContext};
use super::carriers::provider::{ProviderCarrier, failed};
use super::carriers::webhook::WebhookCarrier;
use super::carriers::{AttemptInput, AttemptResult, Carrier, Worker};
use super::cause_order::CauseTurn;
use super::lanes::{AttemptVerdict, PendingDelivery, judge};
use super::listeners::Listeners;
use super::monotonic_clock::MonotonicClock;
use super::our_buckets::OurBuckets;
use super::persistence::until_answered;
use crate::committing::commit;
use crate::task::{Task, YieldSlot};

const NO_CHANNELS: &str = "This server has no provider channels.";

/// The shared dependencies of delivery attempts.
pub struct Parts {
    pub store: Store,
    pub client: Arc<OutboundClient>,
    pub brands: Vec<String>,
    pub stamps: Arc<dyn Stamps>,
    pub renderers: Arc<Renderers>,
    pub listeners: Arc<Listeners>,
    /// The APNs client; `None` if push is not configured.
    pub pushing: Option<PushContext>,
    /// Sends messages to providers; `None` if this server has no channels.
    pub provider: Option<ProviderCarrier>,
    /// Processes events from providers; `None` if this server has no channels.
    pub inbound: Option<Box<dyn Worker>>,
    /// Buckets that this node has leased, for other tasks that must run on one node per lane.
    pub ours: Arc<OurBuckets>,
    /// Exports trace spans; `None` if tracing is disabled.
    pub tracer: Option<Tracer>,
}

/// Deliveries that were read, and the ids of those that another node has attempted or finished
/// since this node found them.
pub(super) struct ReadDeliveries {
    pub(super) read: Vec<(Task, Delivery)>,
    pub(super) gone: Vec<DeliveryId>,
}

/// Result of a finished attempt, from which the engine updates its lanes and the endpoint's health.
pub(super) struct AttemptOutcome {
    pub(super) id: DeliveryId,
    pub(super) addressee: Option<Destination>,
    pub(super) outcome: Outcome,
    pub(super) judged: AttemptVerdict,
    pub(super) at: Timestamp,
}

fn key(task: &Task) -> (Lane, DeliveryId) {
    (task.waiting.lane.lane, task.waiting.id)
}

fn as_known(tasks: Vec<Task>, found: Vec<(Delivery, Progress)>) -> ReadDeliveries {
    let by_id = |(delivery, progress): (Delivery, Progress)| (delivery.id, (delivery, progress));
    let mut found: HashMap<_, _> = found.into_iter().map(by_id).collect();
    let (mut read, mut gone) = (Vec::with_capacity(tasks.len()), Vec::new());
    for task in tasks {
        let waiting = &task.waiting;
        let as_known = found.remove(&waiting.id).filter(|(_, progress)| {
            progress.standing.is_waiting() && progress.attempts == waiting.attempts
        });
        match as_known {
            Some((delivery, _)) => read.push((task, delivery)),
            None => gone.push(waiting.id),
        }
    }
    ReadDeliveries { read, gone }
}

impl Parts {
    /// Reads deliveries in one query. If the query fails, returns the tasks, so that the caller can
    /// read each alone: a single unreadable delivery may be the cause.
    pub(super) async fn read(&self, tasks: Vec<Task>) -> Result<ReadDeliveries, Vec<Task>> {
        let keys: Vec<_> = tasks.iter().map(key).collect();
        match self.store.deliveries(&keys).await {
            Ok(found) => Ok(as_known(tasks, found)),
            Err(error) => {
                let count = tasks.len();
                tracing::warn!(count, error = %chain(&error), "failed to read due deliveries");
                Err(tasks)
            }
        }
    }

    /// Reads one delivery, repeating the query until it succeeds.
    pub(super) async fn read_alone(&self, task: Task) -> ReadDeliveries {
        let keys = [key(&task)];
        let read = || self.store.deliveries(&keys);
        as_known(vec![task], until_answered("read delivery", read).await)
    }

    /// Waits for the delivery's turn among the deliveries of its cause, makes the attempt and
    /// records it.
    pub(super) async fn attempt(
        &self,
        task: Task,
        delivery: Delivery,
        mut turn: CauseTurn,
        clock: MonotonicClock,
        yield_slot: YieldSlot,
    ) -> AttemptOutcome {
        turn.comes().await;
        let Task { waiting, addressee, allowed, is_after_gap } = task;
        let (app, addressee) = match addressee {
            None => self.addressee_now(&waiting).await,
            Some(known) => (Some(known.app.clone()), Some(known)),
        };
        let (number, sent_at) = (waiting.attempts + 1, self.stamps.now());
        let result = match &addressee {
            None => {
                let why = "The endpoint is disabled.";
                AttemptResult::unsent(number, sent_at, ErrorClass::Disabled, why)
            }
            Some(addressee) => {
                let (delivery, since) = (&delivery, waiting.since);
                let is_expired = allowed.plan.is_over(since, sent_at);
                let if_delivered =
                    judge(&allowed, &waiting, Outcome::Delivered, clock.now(), ids::jitter());
                let span = self.tracer.as_ref().and_then(|tracer| tracer.attempt(delivery.id));
                let trace = span.as_ref().map(Span::context);
                let input = AttemptInput {
                    delivery,
                    addressee,
                    number,
                    since,
                    is_expired,
                    is_after_gap,
                    sent_at,
                    if_delivered: if_delivered.progress,
                    yield_slot: &yield_slot,
                    trace,
                };
                let result = origin::in_trace(trace, self.carry(&input)).await;
                if let Some(span) = span {
                    attempt_span::end(span, delivery, addressee, &result.attempt);
                }
                result
            }
        };
        drop(turn);
        let AttemptResult { outcome, attempt, mut changes, stops, is_recorded } = result;
        count(&delivery, &attempt);
        let at = clock.now();
        let judged = judge(&allowed, &waiting, outcome, at, ids::jitter());
        // Apps are never deleted. Without the app its deliveries would not exist either.
        if let Some(app) = &app {
            if let NextStep::GiveUp(class) = judged.next {
                let why = "All attempts failed. See the log of the delivery.";
                changes.extend(failed(&delivery, sent_at, class.as_str(), why));
            }
            if !is_recorded {
                self.record(app, &delivery, attempt, judged, changes).await;
            }
            if let (Some(stops), Some(addressee)) = (stops, &addressee) {
                self.stop_channel(app, &addressee.endpoint, stops).await;
            }
        }
        AttemptOutcome { id: waiting.id, addressee, outcome, judged, at }
    }

    async fn carry(&self, input: &AttemptInput<'_>) -> AttemptResult {
        let (store, client) = (&self.store, self.client.as_ref());
        match (input.delivery.kind, &self.pushing) {
            (EventKind::Push, Some(pushing)) => {
                self.carry_with(&ApnsCarrier { store, client, pushing }, input).await
            }
            (EventKind::Push, None) => {
                input.unsent(ErrorClass::Disabled, "Push is not configured on this server.")
            }
            (EventKind::ChannelSend, _) => match &self.provider {
                Some(provider) => self.carry_with(provider, input).await,
                None => input.unsent(ErrorClass::Disabled, NO_CHANNELS),
            },
            (EventKind::ChannelEvent, _) => match &self.inbound {
                Some(inbound) => inbound.process(input).await,
                None => input.unsent(ErrorClass::Disabled, NO_CHANNELS),
            },
            _ => {
                let webhook = WebhookCarrier { store, client, brands: &self.brands };
                self.carry_with(&webhook, input).await
            }
        }
    }

    async fn carry_with(
        &self,
        carrier: &(impl Carrier + Sync),
        input: &AttemptInput<'_>,
    ) -> AttemptResult {
        let loaded = match carrier.load(input).await {
            ControlFlow::Continue(loaded) => loaded,
            ControlFlow::Break(result) => return result,
        };
        if carrier.records_start(&loaded)
            && let Err(error) = self.record_start(input).await
        {
            let why = format!("Failed to record the start of the attempt: {}", chain(&error));
            return input.unsent(ErrorClass::Write, &why);
        }
        carrier.carry(input, loaded).await
    }

    /// Records that an attempt begins. If this process dies before it records the outcome, the next
    /// attempt finds that the customer may already have the part (D-0152).
    async fn record_start(&self, input: &AttemptInput<'_>) -> Result<(), WriteError> {
        let Delivery { id: delivery, lane, .. } = *input.delivery;
        let attempt = input.unsent(ErrorClass::HeaderTimeout, Attempt::BEGUN).attempt;
        let progress = Progress { attempts: input.number - 1, ..input.if_delivered };
        let begun = RecordAttempt { delivery, lane, attempt, progress, also: Vec::new() };
        commit(&self.store, &self.context(&input.addressee.app), begun).await.map(drop)
    }

    /// Reads the delivery's app and endpoint from the store instead of the cache: a delivery must
    /// not be given up because the cache does not contain an endpoint that was just created or
    /// enabled.
    async fn addressee_now(
        &self,
        waiting: &PendingDelivery,
    ) -> (Option<Arc<App>>, Option<Destination>) {
        let read = || AddressCache::read(&self.store, waiting.app);
        let known = until_answered("read endpoints", read).await;
        let mut addresses = Addresses::default();
        drop(addresses.update(waiting.app, known));
        (addresses.app(waiting.app), addresses.of(waiting.app, waiting.lane.endpoint))
    }

    /// Records the attempt together with further changes, such as the state of the sent message.
    async fn record(
        &self,
        app: &Arc<App>,
        delivery: &Delivery,
        attempt: Attempt,
        judged: AttemptVerdict,
        also: Vec<Change>,
    ) {
        let (context, progress) = (self.context(app), judged.progress);
        let (delivery, lane) = (delivery.id, delivery.lane);
        let attempted = RecordAttempt { delivery, lane, attempt, progress, also };
        let write = || commit(&self.store, &context, attempted.clone());
        until_answered("record attempt", write).await;
    }

    /// Records that the channel cannot send messages, with the reason. If recording fails, the next
    /// failed attempt through the channel records it.
    async fn stop_channel(
        &self,
        app: &Arc<App>,
        endpoint: &Endpoint,
        (state, reason): (ProviderState, String),
    ) {
        let Ok(channel) = endpoint.name.parse().map(ChannelId) else { return };
        tracing::warn!(
            channel.id = channel.0,
            state = state.as_str(),
            reason,
            "channel stopped by its provider"
        );
        let rule = RecordChannelHealth { channel, state, reason };
        match commit(&self.store, &self.context(app), rule).await {
            Ok((_, followed)) => {
                self.listeners.publish(app, &self.brands, &followed.for_listeners);
            }
            Err(error) => {
                tracing::warn!(
                    channel.id = channel.0,
                    error = %chain(&error),
                    "failed to record that a channel stopped"
                );
            }
        }
    }

    /// Returns the context in which the engine decides rules about deliveries of an app: the server
    /// itself acts, and no webhook caused the decision.
    pub(super) fn context(&self, app: &Arc<App>) -> Context {
        let (app, renderers) = (app.clone(), self.renderers.clone());
        let (actor, address) = (Actor::Server, None);
        Context { app, renderers, depth_before: 0, is_listened_to: false, actor, address }
    }
}

/// Counts the attempt in the metrics. The lag of a delivery is the time from its creation until the
/// connection of its first attempt is established.
fn count(delivery: &Delivery, attempt: &Attempt) {
    let labels = [
        ("kind", delivery.kind.as_str()),
        ("outcome", attempt.error.map_or("delivered", ErrorClass::as_str)),
    ];
    metrics::counter!("confab_webhook_attempts_total", &labels).increment(1);
    if attempt.number == 1 {
        let until_connected: u32 = attempt.phases_us[..3].iter().flatten().sum();
        let waited_us = attempt.at.0.saturating_sub(delivery.created_at.0).max(0);
        let lag_s = (waited_us + i64::from(until_connected)) as f64 / 1e6;
        metrics::histogram!("confab_webhook_lag_seconds").record(lag_s);
    }
}
