//! Services of channels: what one told is handled, and a part of what is said to a customer is sent
//! (D-0150).
//!
//! What was told goes to the action that `background` hands in. A part goes out by the steps of its
//! channel's adapter; what the answer means is the adapter's verdict, and what follows from it (the
//! names of the message there, its state) is written with the attempt.

use std::pin::Pin;
use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel_message::{
    ChannelMessage, ExternalRef, MessageState, PartState,
};
use confab_domain::channels::identity::Identity;
use confab_domain::channels::provider_health::ProviderState;
use confab_domain::channels::window;
use confab_domain::decision::change::{Change, ChannelChange};
use confab_domain::ids::{ChannelId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass, Progress};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{Outcome, PostponedScope, RetrySchedule};
use confab_store::{Store, StoreError, WriteError};
use confab_wire::channels::{
    self as wire, Destination, ExternalId, FileFacts, HealthState, IdKind, Instead, Part, Provider,
    Purpose, QUOTA_SPENT, Say, Step, Verdict,
};

use super::webhook::remembered;
use super::{AttemptInput, AttemptResult, Carrier, Unwanted};
use crate::channels::calling::{self, StepAnswer};
use crate::channels::linked::LinkedChannel;
use crate::delivery::task::YieldSlot;
use crate::failures::chain;
use crate::files::{media_type, served_hash};
use crate::outbound::AttemptReport;
use crate::services::Services;

/// How what a service told is handled.
pub(crate) type ReceiveEvent = fn(Services, EventToReceive) -> Receiving;

/// What a service told, to be handled.
pub(crate) struct EventToReceive {
    pub(crate) app: Arc<App>,
    pub(crate) channel: ChannelId,
    /// How the attempt is written down if all is done.
    pub(crate) ends: RecordAttempt,
    /// As the service wrote it.
    pub(crate) body: Arc<str>,
    /// Called before a file is waited for.
    pub(crate) aside: YieldSlot,
}

/// It is being handled. Whether the attempt is written down with what follows from it.
pub(crate) type Receiving = Pin<Box<dyn Future<Output = Result<bool, NotReceived>> + Send>>;

/// Why what a service told is not done.
#[derive(Debug)]
pub(crate) enum NotReceived {
    /// It may be later.
    NotNow(String),
    /// A status of a send that is not recorded yet. Its retries do not hold up the customer's lane.
    TooEarly,
    /// It never will be.
    Never(String),
}

/// What channels of services work with.
pub(crate) struct ProviderLink {
    pub(crate) services: Services,
    pub(crate) hear: ReceiveEvent,
}

/// Why nothing was sent, or what the service said.
struct Sent {
    verdict: Verdict,
    /// The last request, if one was made.
    report: Option<(AttemptReport, String)>,
}

impl Sent {
    fn unsent(verdict: Verdict) -> Self {
        Self { verdict, report: None }
    }
}

/// Everything that sending a part needs to know.
struct Posted {
    linked: LinkedChannel,
    part: Part,
    customer: UserKey,
    address: ExternalId,
    reply_to: Option<String>,
    /// What the service calls what is corrected or taken back.
    targets: Vec<String>,
    /// Whether the service takes any answer now, by all that is known.
    is_window_open: bool,
    /// Whether it takes one that is marked as a person's (D-0137).
    may_tag_person: bool,
}

impl Carrier for ProviderLink {
    /// What waited for a new token is not too old for that.
    async fn unwanted(&self, _: &AttemptInput<'_>) -> Option<Unwanted> {
        None
    }

    async fn carry(&self, parcel: &AttemptInput<'_>) -> AttemptResult {
        let Ok(channel) = parcel.addressee.endpoint.name.parse().map(ChannelId) else {
            return parcel.unsent(ErrorClass::Disabled, "the endpoint is no channel's");
        };
        match parcel.delivery.kind {
            EventKind::ChannelEvent => self.hear(parcel, channel).await,
            _ => self.send(parcel, channel).await,
        }
    }
}

impl ProviderLink {
    async fn hear(&self, parcel: &AttemptInput<'_>, channel: ChannelId) -> AttemptResult {
        let mut done = parcel.unsent(ErrorClass::Write, "");
        done.attempt.error = None;
        let ends = RecordAttempt {
            delivery: parcel.delivery.id,
            lane: parcel.delivery.lane,
            attempt: done.attempt.clone(),
            progress: parcel.if_delivered,
            also: Vec::new(),
        };
        let event = EventToReceive {
            app: parcel.addressee.app.clone(),
            channel,
            ends,
            body: parcel.delivery.body.clone(),
            aside: parcel.aside.clone(),
        };
        let heard = (self.hear)(self.services.clone(), event).await;
        match heard {
            Ok(is_recorded) => AttemptResult { outcome: Outcome::Delivered, is_recorded, ..done },
            // What holds one customer up says nothing about the others.
            Err(NotReceived::NotNow(why)) => {
                let mut later = parcel.unsent(ErrorClass::Write, &why);
                later.postpone(ErrorClass::Write, pause_s(parcel.number), PostponedScope::Lane);
                later
            }
            Err(NotReceived::TooEarly) => early(parcel),
            Err(NotReceived::Never(why)) => parcel.unsent(ErrorClass::Refused, &why),
        }
    }

    async fn send(&self, parcel: &AttemptInput<'_>, channel: ChannelId) -> AttemptResult {
        let posted = match self.posted(parcel, channel).await {
            Ok(Ok(posted)) => posted,
            Ok(Err(why)) => {
                let never = Verdict::Never { code: "unsent".to_owned(), why: why.to_owned() };
                return self.judged(parcel, channel, None, Sent::unsent(never)).await;
            }
            Err(error) => {
                let why = format!("the store cannot be asked: {error}");
                return parcel.unsent(ErrorClass::Write, &why);
            }
        };
        if posted.linked.provider.tells_later() {
            if let Some(carried) = self.told_later(parcel, &posted.part).await {
                return carried;
            }
            if let Err(error) = self.begin(parcel).await {
                return parcel.unsent(ErrorClass::Write, &format!("not begun: {}", chain(&error)));
            }
        }
        let sent = self.sent(parcel, &posted).await;
        self.judged(parcel, channel, Some(&posted), sent).await
    }

    /// Where the part goes, or why it goes nowhere.
    async fn posted(
        &self,
        parcel: &AttemptInput<'_>,
        channel: ChannelId,
    ) -> Result<Result<Posted, &'static str>, StoreError> {
        let store = self.services.store();
        let Some(part) = Part::open(&parcel.delivery.body) else {
            return Ok(Err("it is nothing that this server made"));
        };
        let Some(linked) = LinkedChannel::load(&self.services, channel).await? else {
            return Ok(Err("the channel is not there any more"));
        };
        let room = RoomId(part.room);
        let Some((customer, _)) = store.customer_of_room(parcel.delivery.app, room).await? else {
            return Ok(Err("the room serves no customer"));
        };
        let identities = store.identities(channel, customer.key).await?;
        let Some(address) = identities.first().and_then(external_id) else {
            return Ok(Err("nothing is known of where the customer is"));
        };
        let reply_to = match part.reply_to {
            Some(message) => names(store, room, MessageId(message)).await?.into_iter().next(),
            None => None,
        };
        let is_change = matches!(part.say, Say::Edit { .. } | Say::Delete);
        let targets = match is_change {
            true => names(store, room, MessageId(part.message)).await?,
            false => Vec::new(),
        };
        if is_change && targets.is_empty() {
            return Ok(Err("it was never sent, so there is nothing to change"));
        }
        let (customer, kind) = (customer.key, linked.channel.kind);
        let heard_at = store.last_heard(room).await?;
        // Judged by the clock of now: it may have waited for long (D-0156).
        let is_window_open = window::is_open(kind, heard_at, parcel.sent_at);
        let may_tag_person =
            linked.tags_people() && window::is_open_to_people(kind, heard_at, parcel.sent_at);
        Ok(Ok(Posted {
            linked,
            part,
            customer,
            address,
            reply_to,
            targets,
            is_window_open,
            may_tag_person,
        }))
    }

    /// Sends it: what is taken back, by each of its names.
    async fn sent(&self, parcel: &AttemptInput<'_>, posted: &Posted) -> Sent {
        if posted.linked.provider == Provider::Email {
            let Posted { linked, part, address, .. } = posted;
            let mailed = linked.mail(&self.services, part, address, parcel.timeout()).await;
            let url = format!("smtp://{}", linked.account.setting("smtp_host"));
            let report = mailed.report.map(|report| (report, url));
            return Sent { verdict: mailed.verdict, report };
        }
        let facts = self.file_facts(posted).await;
        let targets: Vec<_> = match posted.part.say {
            Say::Delete => posted.targets.iter().map(|it| Some(it.as_str())).collect(),
            _ => vec![posted.targets.first().map(String::as_str)],
        };
        let (channel, customer) = (posted.linked.channel.id, posted.address.value.as_str());
        let tokens = self.services.reply_tokens();
        let attempt = (parcel.delivery.id, parcel.number == 1);
        let token = tokens.take(channel, customer, attempt, parcel.sent_at);
        let mut last = Sent::unsent(Verdict::Uncertain);
        for target in targets {
            let mut destination = Destination {
                address: &posted.address,
                delivery: parcel.delivery.id.0,
                reply_to: posted.reply_to.as_deref(),
                target,
                file: facts.as_ref().map(FileKnown::facts),
                reply_token: token.as_deref(),
                is_window_open: posted.is_window_open,
                may_tag_person: posted.may_tag_person,
            };
            last = self.sent_to(parcel, posted, &destination).await;
            if matches!(last.verdict, Verdict::Again { instead: Some(Instead::Push), .. }) {
                tokens.forget(channel, customer);
                // Nobody knew whether the token was used: now it is known that it was.
                if self.has_answered(parcel, UNCERTAIN).await {
                    last.verdict = Verdict::Sent { ids: Vec::new(), also_known_as: Vec::new() };
                } else {
                    destination.reply_token = None;
                    last = self.sent_to(parcel, posted, &destination).await;
                }
            }
            if !matches!(last.verdict, Verdict::Sent { .. }) {
                break;
            }
        }
        last
    }

    async fn sent_to(
        &self,
        parcel: &AttemptInput<'_>,
        posted: &Posted,
        destination: &Destination<'_>,
    ) -> Sent {
        let linked = &posted.linked;
        match wire::steps(linked.provider, &posted.part, destination, &linked.credentials) {
            Ok(steps) => self.run(parcel, linked, steps).await,
            Err(verdict) => Sent::unsent(verdict),
        }
    }

    async fn run(
        &self,
        parcel: &AttemptInput<'_>,
        linked: &LinkedChannel,
        steps: Vec<Step>,
    ) -> Sent {
        let mut given: Option<String> = None;
        let mut report = None;
        for step in steps {
            let step = match given.take() {
                Some(given) => step.taken(&given),
                None => step,
            };
            if linked.is_printed() {
                calling::print(linked, &step);
                continue;
            }
            let called = linked.call(&self.services, &step, parcel.timeout()).await;
            let answer = StepAnswer::of(&called);
            let is_say = step.purpose == Purpose::Say;
            let verdict = match answer.status {
                Some(status) => wire::verdict(linked.provider, status, &answer.body),
                None => Verdict::Uncertain,
            };
            given = step.given(&answer.body);
            report = Some((called, format!("{}{}", linked.base(), step.shown_path())));
            if is_say || !matches!(verdict, Verdict::Sent { .. }) {
                return Sent { verdict, report };
            }
        }
        let ids = vec![format!("printed:{}", parcel.delivery.id)];
        let verdict = match linked.is_printed() {
            true => Verdict::Sent { ids, also_known_as: Vec::new() },
            false => Verdict::Uncertain,
        };
        Sent { verdict, report }
    }

    async fn file_facts(&self, posted: &Posted) -> Option<FileKnown> {
        let url = posted.part.file_url()?;
        let (app, config) = (&posted.linked.app, self.services.config());
        let Some(hash) = served_hash(&config.public_url, &app.code, url) else {
            return Some(FileKnown { is_ours: false, bytes: None, mime_type: None });
        };
        let file = self.services.store().file(app.id, hash).await.ok().flatten()?;
        let mime_type = Some(media_type(&file.name).name);
        Some(FileKnown { is_ours: true, bytes: Some(file.size), mime_type })
    }

    /// The attempt, and what follows from the verdict.
    async fn judged(
        &self,
        parcel: &AttemptInput<'_>,
        channel: ChannelId,
        posted: Option<&Posted>,
        sent: Sent,
    ) -> AttemptResult {
        let Sent { verdict, report } = sent;
        let mut carried = match report {
            Some((report, url)) => {
                let (outcome, attempt) = remembered(parcel.number, parcel.sent_at, &url, report);
                AttemptResult::of(outcome, attempt, Vec::new())
            }
            None => parcel.unsent(ErrorClass::Refused, ""),
        };
        // A service repeats what was said to it; only what it refuses is of use to anybody.
        let kept = if carried.attempt.error.is_none() { 0 } else { REFUSAL_CHARS_MAX };
        carried.attempt.answer = carried.attempt.answer.chars().take(kept).collect();
        let (at, unanswered) = (parcel.sent_at, carried.attempt.status.is_none());
        match verdict {
            Verdict::Sent { ids, also_known_as } => {
                carried.outcome = Outcome::Delivered;
                carried.attempt.error = None;
                if let Some(posted) = posted {
                    let named = Named { channel, posted, at };
                    carried.changes = named.sent(ids, &also_known_as);
                }
            }
            Verdict::Again { after, whole_channel, instead } => {
                let after_s = after.length(parcel.number.saturating_sub(1)).as_secs_f64().ceil();
                let class = class_of(&carried.attempt, ErrorClass::Status429);
                let holds =
                    if whole_channel { PostponedScope::Endpoint } else { PostponedScope::Lane };
                carried.postpone(class, after_s as u64, holds);
                if let (Some(Instead::Address(value)), Some(posted)) = (instead, posted) {
                    let id = ExternalId { kind: posted.address.kind, value };
                    carried.changes = vec![identify(channel, posted.customer, &id, at)];
                }
            }
            Verdict::Never { code, why } => {
                carried.give_up(parcel.delivery, at, &code, &why);
                if code == QUOTA_SPENT {
                    carried.stops = Some((ProviderState::Limited, why));
                }
            }
            Verdict::WindowClosed
                if posted.is_some_and(|it| it.is_window_open)
                    && !self.has_answered(parcel, WINDOW_SAID).await =>
            {
                carried.attempt.answer = WINDOW_SAID.to_owned();
                let class = class_of(&carried.attempt, ErrorClass::Status4xx);
                carried.postpone(class, limits::WINDOW_AGAIN_S, PostponedScope::Lane);
            }
            Verdict::WindowClosed => {
                let why = "The customer must write again before they can be answered.";
                carried.give_up(parcel.delivery, at, "window_closed", why);
            }
            Verdict::BadToken { health, why, .. } => {
                let class = class_of(&carried.attempt, ErrorClass::Status4xx);
                // A blocked account is not helped by another token: it is tried again.
                let is_blocked = health != HealthState::Unauthorized;
                carried.postpone(
                    class,
                    if is_blocked { BLOCKED_S } else { STOPPED_S },
                    PostponedScope::Endpoint,
                );
                let why = match posted {
                    Some(posted) => posted.linked.masked(&why),
                    None => why,
                };
                carried.attempt.answer = why.clone();
                if self.is_as_before(channel, posted).await {
                    let state = match health {
                        HealthState::Unauthorized => ProviderState::Unauthorized,
                        HealthState::Limited => ProviderState::Limited,
                        _ => ProviderState::Misconfigured,
                    };
                    carried.stops = Some((state, why));
                }
            }
            // Nothing was written: it is a failure like any other.
            Verdict::Uncertain
                if unanswered && !calling::may_have_arrived(carried.attempt.error) =>
            {
                if carried.attempt.error.is_some_and(ErrorClass::is_final) {
                    let why = carried.attempt.answer.clone();
                    carried.give_up(parcel.delivery, at, "unsent", &why);
                }
            }
            Verdict::Uncertain if posted.is_some_and(|it| it.linked.provider.tells_later()) => {
                carried.attempt.answer = UNCERTAIN.to_owned();
                let class = class_of(&carried.attempt, ErrorClass::HeaderTimeout);
                carried.postpone(class, LOOKS_S[0], PostponedScope::Lane);
            }
            Verdict::Uncertain
                if posted.is_some_and(|it| it.linked.provider.knows_repetitions()) =>
            {
                carried.fail_uncertain();
            }
            Verdict::Uncertain => self.uncertain(parcel, &mut carried).await,
        }
        carried
    }

    /// Whether the token is still the one that was refused.
    async fn is_as_before(&self, channel: ChannelId, posted: Option<&Posted>) -> bool {
        let now = self.services.store().service_account(channel).await;
        let before = posted.map(|posted| &posted.linked.account.secrets);
        now.is_ok_and(|now| before.is_some_and(|before| *before == now.secrets))
    }

    /// Records that an attempt begins, for providers without idempotency keys: if this process dies
    /// before it records the outcome, the next attempt knows that the customer may have the part
    /// (D-0197).
    async fn begin(&self, parcel: &AttemptInput<'_>) -> Result<(), WriteError> {
        let Delivery { id: delivery, lane, .. } = *parcel.delivery;
        let attempt = parcel.unsent(ErrorClass::HeaderTimeout, Attempt::BEGUN).attempt;
        let progress = Progress { attempts: parcel.number - 1, ..parcel.if_delivered };
        let begun = RecordAttempt { delivery, lane, attempt, progress, also: Vec::new() };
        self.services.decide(&parcel.addressee.app, begun).await
    }

    /// After an attempt of unknown outcome, checks whether a status or an echo confirmed it; only
    /// after a minute without one is the part sent again (D-0152). An attempt that was begun by a
    /// process that died has an unknown outcome, too (D-0197). `None` if the part is to be sent
    /// now.
    async fn told_later(&self, parcel: &AttemptInput<'_>, part: &Part) -> Option<AttemptResult> {
        let (store, delivery) = (self.services.store(), parcel.delivery);
        let (_, _, attempts) = store.delivery(delivery.app, delivery.id).await.ok().flatten()?;
        let is_look = |it: &&Attempt| it.answer == LOOKED;
        let looks = attempts.iter().rev().take_while(is_look).count();
        let last = attempts.iter().rev().nth(looks)?;
        // It was accepted and is sent again: the provider found the window closed (D-0156).
        let passed_s = u64::try_from((parcel.sent_at.0 - last.at.0) / 1_000_000).unwrap_or(0);
        if last.error.is_none() && passed_s < limits::WINDOW_AGAIN_S {
            let mut later = parcel.unsent(ErrorClass::Status4xx, WINDOW_SAID);
            let pause = limits::WINDOW_AGAIN_S - passed_s;
            later.postpone(ErrorClass::Status4xx, pause, PostponedScope::Lane);
            return Some(later);
        }
        let (answer, pause) = match last.answer.as_str() {
            UNCERTAIN => (LOOKED, LOOKS_S.get(looks + 1)),
            Attempt::BEGUN => (UNCERTAIN, LOOKS_S.first()),
            _ => return None,
        };
        let id = MessageId(part.message);
        let states = store.message_states(RoomId(part.room), (id, id)).await.ok()?;
        let state = states.iter().find(|it| it.part == part.place);
        let mut looked = parcel.unsent(ErrorClass::HeaderTimeout, answer);
        if answer == UNCERTAIN {
            looked.attempt.at = last.at;
        }
        // An older state is that of an earlier send. Another node may have written it.
        let is_of_this_send = |it: &&PartState| it.at.0 + CLOCKS_APART_US >= last.at.0;
        let state = state.filter(is_of_this_send).map(|it| it.state);
        if state.is_some_and(|it| it != MessageState::Queued) {
            looked.attempt.error = None;
            return Some(AttemptResult { outcome: Outcome::Delivered, ..looked });
        }
        looked.postpone(ErrorClass::HeaderTimeout, *pause?, PostponedScope::Lane);
        Some(looked)
    }

    /// Whether an attempt before this one ended so.
    async fn has_answered(&self, parcel: &AttemptInput<'_>, answer: &str) -> bool {
        let Delivery { app, id, .. } = *parcel.delivery;
        let before = self.services.store().delivery(app, id).await.ok().flatten();
        before.is_some_and(|(_, _, attempts)| attempts.iter().any(|it| it.answer == answer))
    }

    /// Nobody can say whether the customer has it. Where the service cannot tell us later, it is
    /// sent once more, and then it is said that nobody knows (D-0152).
    async fn uncertain(&self, parcel: &AttemptInput<'_>, carried: &mut AttemptResult) {
        let id = parcel.delivery.id;
        let was_uncertain = self.has_answered(parcel, UNCERTAIN).await;
        carried.fail_uncertain();
        tracing::warn!(delivery.id = id.0, "delivery {id}: nobody can say whether it arrived");
        if was_uncertain {
            let why = "The service gave no answer, twice: it may have arrived.";
            carried.give_up(parcel.delivery, parcel.sent_at, "uncertain", why);
        }
    }
}

/// How long a channel waits at least that its token stopped.
const STOPPED_S: u64 = 2;
/// How long one waits whose account is blocked, unpaid or not registered.
const BLOCKED_S: u64 = 60;
const UNCERTAIN: &str = "uncertain";
/// What stands in the log when a service finds a window closed that is open by all that is known.
const WINDOW_SAID: &str = "the service says that the window is closed";
/// The log entry of a check whether a status or an echo confirmed a send of unknown outcome.
pub(crate) const LOOKED: &str = "looked whether the service has it";
/// How far the clocks of two nodes may be apart when a state is compared with an attempt.
const CLOCKS_APART_US: i64 = 10_000_000;
/// The pauses before these looks: a minute in all.
const LOOKS_S: [u64; 4] = [5, 10, 15, 30];
/// What is kept of a refusal.
const REFUSAL_CHARS_MAX: usize = 1_000;

/// Postpones a status whose send is not recorded yet, and drops it after
/// [`limits::EARLY_STATUS_MAX_S`] (D-0196).
fn early(parcel: &AttemptInput<'_>) -> AttemptResult {
    let waited_s = u64::try_from((parcel.sent_at.0 - parcel.since.0) / 1_000_000).unwrap_or(0);
    if waited_s >= limits::EARLY_STATUS_MAX_S {
        let mut dropped = parcel.unsent(ErrorClass::Write, "no send was recorded for this status");
        dropped.attempt.error = None;
        return AttemptResult { outcome: Outcome::Delivered, ..dropped };
    }
    let mut later = parcel.unsent(ErrorClass::Write, "the send is not recorded yet");
    let pause = (waited_s / 2).clamp(1, limits::EARLY_STATUS_PAUSE_MAX_S);
    later.postpone(ErrorClass::Write, pause, PostponedScope::Nothing);
    later
}

/// The pause after so many attempts of an event.
fn pause_s(attempts: u32) -> u64 {
    let pauses = RetrySchedule::of(EventKind::ChannelEvent).waits_s;
    let place = (attempts.max(1) - 1) as usize;
    pauses.get(place).or(pauses.last()).copied().unwrap_or(1)
}

impl AttemptResult {
    fn postpone(&mut self, class: ErrorClass, after_s: u64, holds: PostponedScope) {
        self.attempt.error = Some(class);
        self.outcome = Outcome::Postponed { class, after_s, holds };
    }

    /// Nobody can say whether it arrived: it is tried again, later.
    fn fail_uncertain(&mut self) {
        self.attempt.answer = UNCERTAIN.to_owned();
        let class = class_of(&self.attempt, ErrorClass::HeaderTimeout);
        self.attempt.error = Some(class);
        self.outcome = Outcome::Failed { class, retry_after_s: None };
    }

    fn give_up(&mut self, delivery: &Delivery, at: Timestamp, code: &str, why: &str) {
        let class = ErrorClass::Refused;
        (self.attempt.error, self.attempt.answer) = (Some(class), why.to_owned());
        self.outcome = Outcome::Failed { class, retry_after_s: None };
        self.changes.extend(failed(delivery, at, code, why));
    }
}

/// What is written of a part that will not reach the customer. What was to be corrected stays as
/// it was.
pub(in crate::delivery) fn failed(
    delivery: &Delivery,
    at: Timestamp,
    code: &str,
    why: &str,
) -> Option<Change> {
    if delivery.kind != EventKind::ChannelSend {
        return None;
    }
    let part = Part::open(&delivery.body)?;
    if matches!(part.say, Say::Edit { .. } | Say::Delete) {
        return None;
    }
    let state = state_of(&part, MessageState::Failed, at);
    let state = PartState { code: Some(code.to_owned()), reason: Some(why.to_owned()), ..state };
    Some(ChannelChange::SetState { state, is_again: false }.into())
}

fn state_of(part: &Part, state: MessageState, at: Timestamp) -> PartState {
    let (room, message) = (RoomId(part.room), MessageId(part.message));
    PartState { room, message, part: part.place, state, code: None, reason: None, at }
}

/// A part that the service took.
struct Named<'a> {
    channel: ChannelId,
    posted: &'a Posted,
    at: Timestamp,
}

impl Named<'_> {
    fn sent(&self, ids: Vec<String>, also_known_as: &[ExternalId]) -> Vec<Change> {
        let Self { channel, posted, at } = *self;
        let part = &posted.part;
        // They did not write from there: they are found by it, and answered elsewhere (D-0151).
        let never = Timestamp(0);
        let known = also_known_as.iter().map(|id| identify(channel, posted.customer, id, never));
        let mut changes: Vec<_> = known.collect();
        if matches!(part.say, Say::Edit { .. } | Say::Delete) {
            return changes;
        }
        changes.extend(ids.into_iter().map(|external_id| {
            let external = ExternalRef { channel, external_id, part: part.place };
            let (room, message) = (RoomId(part.room), MessageId(part.message));
            let named = ChannelMessage { external, room, message, is_outgoing: true, at };
            ChannelChange::AddMessage(named).into()
        }));
        let state = state_of(part, MessageState::Sent, at);
        changes.push(ChannelChange::SetState { state, is_again: true }.into());
        changes
    }
}

fn identify(channel: ChannelId, customer: UserKey, id: &ExternalId, at: Timestamp) -> Change {
    let (kind, external_id) = (id.kind.as_str().to_owned(), id.value.clone());
    let identity = Identity { kind, external_id };
    ChannelChange::Identify { channel, identity, customer, at }.into()
}

fn external_id(identity: &Identity) -> Option<ExternalId> {
    let kind = IdKind::parse(&identity.kind)?;
    Some(ExternalId { kind, value: identity.external_id.clone() })
}

/// By which names a service knows a message.
async fn names(store: &Store, room: RoomId, message: MessageId) -> Result<Vec<String>, StoreError> {
    let names = store.names_of_message(room, message).await?;
    Ok(names.into_iter().map(|it| it.external.external_id).collect())
}

fn class_of(attempt: &Attempt, otherwise: ErrorClass) -> ErrorClass {
    attempt.error.unwrap_or(otherwise)
}

/// What is known of a file that is to be sent.
struct FileKnown {
    is_ours: bool,
    bytes: Option<u64>,
    mime_type: Option<&'static str>,
}

impl FileKnown {
    fn facts(&self) -> FileFacts<'_> {
        let Self { is_ours, bytes, mime_type } = *self;
        FileFacts { is_ours, bytes, mime_type }
    }
}
