//! Provider attempts: sends message parts to customers (D-0150).
//!
//! The provider's adapter in `providers` describes the requests and classifies the response. The
//! resulting changes (the message's ids at the provider, its state) are recorded with the attempt.

use std::ops::ControlFlow;
use std::sync::Arc;

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
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{Outcome, PostponedScope};
use confab_outbound::AttemptReport;
use confab_providers::{
    self as providers, Destination, ExternalId, FileFacts, HealthState, IdKind, Instead, Part,
    PartContent, Provider, Purpose, QUOTA_SPENT, Step, Verdict,
};
use confab_runtime::files::{media_type, served_hash};
use confab_store::{Store, StoreError};

use super::webhook::attempt_record;
use super::{AttemptInput, AttemptResult, Carrier, NO_CHANNEL};
use crate::channels::calling::{self, StepAnswer};
use crate::channels::client::ChannelClient;
use crate::channels::sender::ChannelSender;

/// Sends message parts to providers.
pub struct ProviderCarrier {
    pub client: Arc<ChannelClient>,
}

/// Result of sending a message part to the provider.
struct Sent {
    verdict: Verdict,
    /// The last request with its URL, if one was made.
    report: Option<(AttemptReport, String)>,
}

impl Sent {
    fn unsent(verdict: Verdict) -> Self {
        Self { verdict, report: None }
    }
}

/// A message part with everything needed to send it.
pub(crate) struct OutgoingPart {
    linked: ChannelSender,
    part: Part,
    customer: UserKey,
    address: ExternalId,
    reply_to: Option<String>,
    /// The provider's ids of the message to edit or delete.
    targets: Vec<String>,
    /// Whether the provider's messaging window for replies is open, according to the messages that
    /// this server received.
    is_window_open: bool,
    /// Whether a message that is marked as written by a person may be sent although the messaging
    /// window is closed.
    may_tag_person: bool,
}

impl Carrier for ProviderCarrier {
    type Loaded = OutgoingPart;

    /// Message parts do not expire, because they may have waited until an admin replaced the
    /// channel's token.
    async fn load(&self, input: &AttemptInput<'_>) -> ControlFlow<AttemptResult, OutgoingPart> {
        let Some(channel) = input.channel() else {
            return ControlFlow::Break(input.unsent(ErrorClass::Disabled, NO_CHANNEL));
        };
        let outgoing = match self.outgoing(input, channel).await {
            Ok(Ok(outgoing)) => outgoing,
            Ok(Err(why)) => {
                let mut result = input.unsent(ErrorClass::Refused, "");
                result.give_up(input.delivery, input.sent_at, "unsent", why);
                return ControlFlow::Break(result);
            }
            Err(error) => {
                let why = format!("Failed to read from the store: {error}");
                return ControlFlow::Break(input.unsent(ErrorClass::Write, &why));
            }
        };
        if self.records_start(&outgoing)
            && let Some(result) = self.check_uncertain(input, &outgoing.part).await
        {
            return ControlFlow::Break(result);
        }
        ControlFlow::Continue(outgoing)
    }

    /// Whether the provider later confirms what it accepted, so that the next attempt can find out
    /// whether the customer has the part (D-0152).
    fn records_start(&self, outgoing: &OutgoingPart) -> bool {
        outgoing.linked.provider.reports_later()
    }

    async fn carry(&self, input: &AttemptInput<'_>, outgoing: OutgoingPart) -> AttemptResult {
        let sent = self.sent(input, &outgoing).await;
        self.judged(input, &outgoing, sent).await
    }
}

impl ProviderCarrier {
    /// Loads everything needed to send the part, or returns the reason why it cannot be sent.
    async fn outgoing(
        &self,
        input: &AttemptInput<'_>,
        channel: ChannelId,
    ) -> Result<Result<OutgoingPart, &'static str>, StoreError> {
        let store = &self.client.store;
        let Some(part) = Part::open(&input.delivery.body) else {
            return Ok(Err("The body is not a valid message part."));
        };
        let Some(linked) = ChannelSender::load(&self.client, channel).await? else {
            return Ok(Err("The channel no longer exists."));
        };
        let room = RoomId(part.room);
        let Some((customer, _)) = store.customer_of_room(input.delivery.app, room).await? else {
            return Ok(Err("The room has no customer."));
        };
        let identities = store.identities(channel, customer.key).await?;
        let Some(address) = identities.first().and_then(external_id) else {
            return Ok(Err("The customer has no known address in this channel."));
        };
        let reply_to = match part.reply_to {
            Some(message) => names(store, room, MessageId(message)).await?.into_iter().next(),
            None => None,
        };
        let is_change = matches!(part.say, PartContent::Edit { .. } | PartContent::Delete);
        let targets = match is_change {
            true => names(store, room, MessageId(part.message)).await?,
            false => Vec::new(),
        };
        if is_change && targets.is_empty() {
            return Ok(Err("The message was never sent, so it cannot be changed."));
        }
        let (customer, kind) = (customer.key, linked.channel.kind);
        let last_message_at = store.last_inbound_at(room).await?;
        // Use the current time, because the delivery may have waited for long.
        let is_window_open = window::is_open(kind, last_message_at, input.sent_at);
        let may_tag_person =
            linked.tags_people() && window::is_open_to_people(kind, last_message_at, input.sent_at);
        Ok(Ok(OutgoingPart {
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

    /// Sends the part. A deletion is sent once for each id that the message has at the provider.
    async fn sent(&self, input: &AttemptInput<'_>, outgoing: &OutgoingPart) -> Sent {
        if outgoing.linked.provider == Provider::Email {
            let OutgoingPart { linked, part, address, .. } = outgoing;
            let mailed = linked.mail(part, address, input.timeout()).await;
            let url = format!("smtp://{}", linked.account.setting("smtp_host"));
            let report = mailed.report.map(|report| (report, url));
            return Sent { verdict: mailed.verdict, report };
        }
        let facts = self.file_facts(outgoing).await;
        let targets: Vec<_> = match outgoing.part.say {
            PartContent::Delete => outgoing.targets.iter().map(|it| Some(it.as_str())).collect(),
            _ => vec![outgoing.targets.first().map(String::as_str)],
        };
        let (channel, customer) = (outgoing.linked.channel.id, outgoing.address.value.as_str());
        let tokens = &self.client.reply_tokens;
        let attempt = (input.delivery.id, input.number == 1);
        let token = tokens.take(channel, customer, attempt, input.sent_at);
        let mut last = Sent::unsent(Verdict::Uncertain);
        for target in targets {
            let mut destination = Destination {
                address: &outgoing.address,
                delivery: input.delivery.id.0,
                reply_to: outgoing.reply_to.as_deref(),
                target,
                file: facts.as_ref().map(FileKnown::facts),
                reply_token: token.as_deref(),
                is_window_open: outgoing.is_window_open,
                may_tag_person: outgoing.may_tag_person,
            };
            last = self.sent_to(input, outgoing, &destination).await;
            if matches!(last.verdict, Verdict::Again { instead: Some(Instead::Push), .. }) {
                tokens.delete(channel, customer);
                // An earlier attempt of unknown outcome used the token: it is now certain that it
                // arrived.
                if self.has_answered(input, UNCERTAIN).await {
                    last.verdict = Verdict::Sent { ids: Vec::new(), also_known_as: Vec::new() };
                } else {
                    destination.reply_token = None;
                    last = self.sent_to(input, outgoing, &destination).await;
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
        input: &AttemptInput<'_>,
        outgoing: &OutgoingPart,
        destination: &Destination<'_>,
    ) -> Sent {
        let linked = &outgoing.linked;
        match providers::steps(linked.provider, &outgoing.part, destination, &linked.credentials) {
            Ok(steps) => self.run(input, linked, steps).await,
            Err(verdict) => Sent::unsent(verdict),
        }
    }

    async fn run(
        &self,
        input: &AttemptInput<'_>,
        linked: &ChannelSender,
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
            let called = linked.call(&step, input.timeout()).await;
            let answer = StepAnswer::of(&called);
            let is_say = step.purpose == Purpose::Say;
            let verdict = match answer.status {
                Some(status) => providers::verdict(linked.provider, status, &answer.body),
                None => Verdict::Uncertain,
            };
            given = step.given(&answer.body);
            report = Some((called, format!("{}{}", linked.base(), step.shown_path())));
            if is_say || !matches!(verdict, Verdict::Sent { .. }) {
                return Sent { verdict, report };
            }
        }
        let ids = vec![format!("printed:{}", input.delivery.id)];
        let verdict = match linked.is_printed() {
            true => Verdict::Sent { ids, also_known_as: Vec::new() },
            false => Verdict::Uncertain,
        };
        Sent { verdict, report }
    }

    async fn file_facts(&self, outgoing: &OutgoingPart) -> Option<FileKnown> {
        let url = outgoing.part.file_url()?;
        let (app, config) = (&outgoing.linked.app, &self.client.config);
        let Some(hash) = served_hash(&config.public_url, &app.code, url) else {
            return Some(FileKnown { is_ours: false, bytes: None, mime_type: None });
        };
        let file = self.client.store.file(app.id, hash).await.ok().flatten()?;
        let mime_type = Some(media_type(&file.name).name);
        Some(FileKnown { is_ours: true, bytes: Some(file.size), mime_type })
    }

    /// Converts the provider's verdict about a part to the result of the attempt, including the
    /// changes to store.
    async fn judged(
        &self,
        input: &AttemptInput<'_>,
        outgoing: &OutgoingPart,
        sent: Sent,
    ) -> AttemptResult {
        let Sent { verdict, report } = sent;
        let mut result = match report {
            Some((report, url)) => {
                let (outcome, attempt) = attempt_record(input.number, input.sent_at, &url, report);
                AttemptResult::of(outcome, attempt, Vec::new())
            }
            None => input.unsent(ErrorClass::Refused, ""),
        };
        // Successful answers repeat the message's text, so only refusals are stored.
        let kept = if result.attempt.error.is_none() { 0 } else { REFUSAL_CHARS_MAX };
        result.attempt.answer = result.attempt.answer.chars().take(kept).collect();
        let (at, unanswered) = (input.sent_at, result.attempt.status.is_none());
        let (linked, provider) = (&outgoing.linked, outgoing.linked.provider);
        match verdict {
            Verdict::Sent { ids, also_known_as } => {
                result.outcome = Outcome::Delivered;
                result.attempt.error = None;
                result.changes = AcceptedPart { outgoing, at }.sent(ids, &also_known_as);
            }
            Verdict::Again { after, whole_channel, instead } => {
                let after_s = after.length(input.number.saturating_sub(1)).as_secs_f64().ceil();
                let class = class_of(&result.attempt, ErrorClass::Status429);
                let holds =
                    if whole_channel { PostponedScope::Endpoint } else { PostponedScope::Lane };
                result.postpone(class, after_s as u64, holds);
                if let Some(Instead::Address(value)) = instead {
                    let id = ExternalId { kind: outgoing.address.kind, value };
                    result.changes = vec![identify(linked.channel.id, outgoing.customer, &id, at)];
                }
            }
            Verdict::Never { code, why } => {
                result.give_up(input.delivery, at, &code, &why);
                if code == QUOTA_SPENT {
                    result.stops = Some((ProviderState::Limited, why));
                }
            }
            Verdict::WindowClosed
                if outgoing.is_window_open && !self.has_answered(input, WINDOW_CLOSED).await =>
            {
                result.attempt.answer = WINDOW_CLOSED.to_owned();
                let class = class_of(&result.attempt, ErrorClass::Status4xx);
                result.postpone(class, limits::WINDOW_AGAIN_S, PostponedScope::Lane);
            }
            Verdict::WindowClosed => {
                let why = "The customer must write again before they can be answered.";
                result.give_up(input.delivery, at, "window_closed", why);
            }
            Verdict::BadToken { health, why, .. } => {
                let class = class_of(&result.attempt, ErrorClass::Status4xx);
                // Another token does not help a blocked account, so the delivery is retried.
                let is_blocked = health != HealthState::Unauthorized;
                result.postpone(
                    class,
                    if is_blocked { BLOCKED_S } else { STOPPED_S },
                    PostponedScope::Endpoint,
                );
                let why = linked.masked(&why);
                result.attempt.answer = why.clone();
                if self.is_same_token(linked).await {
                    let state = match health {
                        HealthState::Unauthorized => ProviderState::Unauthorized,
                        HealthState::Limited => ProviderState::Limited,
                        _ => ProviderState::Misconfigured,
                    };
                    result.stops = Some((state, why));
                }
            }
            // The request did not reach the provider: this is an ordinary failure.
            Verdict::Uncertain
                if unanswered && !calling::may_have_arrived(result.attempt.error) =>
            {
                if result.attempt.error.is_some_and(ErrorClass::is_final) {
                    let why = result.attempt.answer.clone();
                    result.give_up(input.delivery, at, "unsent", &why);
                }
            }
            Verdict::Uncertain if provider.reports_later() => {
                result.attempt.answer = UNCERTAIN.to_owned();
                let class = class_of(&result.attempt, ErrorClass::HeaderTimeout);
                result.postpone(class, CHECK_PAUSES_S[0], PostponedScope::Lane);
            }
            Verdict::Uncertain if provider.recognizes_repetitions() => result.fail_uncertain(),
            Verdict::Uncertain => self.uncertain(input, &mut result).await,
        }
        result
    }

    /// Whether the channel still has the token that the provider rejected.
    async fn is_same_token(&self, linked: &ChannelSender) -> bool {
        let now = self.client.store.service_account(linked.channel.id).await;
        now.is_ok_and(|now| now.secrets == linked.account.secrets)
    }

    /// Handles a part whose last attempt has an unknown outcome, also because the process died
    /// during it: checks whether a status or an echo has confirmed it since. Returns `None` if the
    /// part must be sent now: if no attempt has an unknown outcome, or after a minute without a
    /// confirmation (D-0152).
    async fn check_uncertain(
        &self,
        input: &AttemptInput<'_>,
        part: &Part,
    ) -> Option<AttemptResult> {
        let (store, delivery) = (&self.client.store, input.delivery);
        let (_, _, attempts) = store.delivery(delivery.app, delivery.id).await.ok().flatten()?;
        let is_check = |it: &&Attempt| it.answer == LOOKED;
        let checks = attempts.iter().rev().take_while(is_check).count();
        let last = attempts.iter().rev().nth(checks)?;
        // The part was accepted but the provider found the window closed, so it is sent again.
        let passed_s = u64::try_from((input.sent_at.0 - last.at.0) / 1_000_000).unwrap_or(0);
        if last.error.is_none() && passed_s < limits::WINDOW_AGAIN_S {
            let mut later = input.unsent(ErrorClass::Status4xx, WINDOW_CLOSED);
            let pause = limits::WINDOW_AGAIN_S - passed_s;
            later.postpone(ErrorClass::Status4xx, pause, PostponedScope::Lane);
            return Some(later);
        }
        let (answer, pause) = match last.answer.as_str() {
            UNCERTAIN => (LOOKED, CHECK_PAUSES_S.get(checks + 1)),
            Attempt::BEGUN => (UNCERTAIN, CHECK_PAUSES_S.first()),
            _ => return None,
        };
        let id = MessageId(part.message);
        let states = store.message_states(RoomId(part.room), (id, id)).await.ok()?;
        let state = states.iter().find(|it| it.part == part.place);
        let mut checked = input.unsent(ErrorClass::HeaderTimeout, answer);
        if answer == UNCERTAIN {
            checked.attempt.at = last.at;
        }
        // An older state belongs to an earlier send. Another node may have written it.
        let is_of_this_send = |it: &&PartState| it.at.0 + CLOCKS_APART_US >= last.at.0;
        let state = state.filter(is_of_this_send).map(|it| it.state);
        if state.is_some_and(|it| it != MessageState::Queued) {
            checked.attempt.error = None;
            return Some(AttemptResult { outcome: Outcome::Delivered, ..checked });
        }
        checked.postpone(ErrorClass::HeaderTimeout, *pause?, PostponedScope::Lane);
        Some(checked)
    }

    /// Whether the log of the delivery contains an attempt with this answer.
    async fn has_answered(&self, input: &AttemptInput<'_>, answer: &str) -> bool {
        let Delivery { app, id, .. } = *input.delivery;
        let before = self.client.store.delivery(app, id).await.ok().flatten();
        before.is_some_and(|(_, _, attempts)| attempts.iter().any(|it| it.answer == answer))
    }

    /// Handles an attempt of unknown outcome, for providers that never confirm a send. The part is
    /// sent once more, then given up as uncertain (D-0152).
    async fn uncertain(&self, input: &AttemptInput<'_>, result: &mut AttemptResult) {
        let id = input.delivery.id;
        let was_uncertain = self.has_answered(input, UNCERTAIN).await;
        result.fail_uncertain();
        tracing::warn!(
            delivery.id = id.0,
            "provider did not answer; the message may have been sent"
        );
        if was_uncertain {
            let why = "The provider did not answer two attempts. The message may have arrived.";
            result.give_up(input.delivery, input.sent_at, "uncertain", why);
        }
    }
}

/// Seconds until the next attempt after the provider rejected a channel's token.
const STOPPED_S: u64 = 2;
/// Seconds until the next attempt if the provider's account is blocked, unpaid or not registered.
const BLOCKED_S: u64 = 60;
const UNCERTAIN: &str = "uncertain";
/// Recorded answer of an attempt if the provider reported a closed messaging window that is open
/// according to this server.
const WINDOW_CLOSED: &str = "the service says that the window is closed";
/// Recorded answer of an attempt that only checked whether a status or an echo confirmed an earlier
/// send.
pub const LOOKED: &str = "checked whether the service has it";
/// Maximum assumed difference in microseconds between the clocks of two nodes. A part's state may
/// be older than the send that it confirms by at most this time.
const CLOCKS_APART_US: i64 = 10_000_000;
/// Seconds before each check for a confirmation of a send with unknown outcome: a minute in total.
const CHECK_PAUSES_S: [u64; 4] = [5, 10, 15, 30];
/// Maximum number of characters that are stored of a provider's error response.
const REFUSAL_CHARS_MAX: usize = 1_000;

impl AttemptResult {
    /// Records an unknown outcome as a failure that is retried.
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

/// Returns the change that marks a message part as failed. Returns `None` for other deliveries, and
/// for edits and deletions, because their message keeps its state.
pub(crate) fn failed(delivery: &Delivery, at: Timestamp, code: &str, why: &str) -> Option<Change> {
    if delivery.kind != EventKind::ChannelSend {
        return None;
    }
    let part = Part::open(&delivery.body)?;
    if matches!(part.say, PartContent::Edit { .. } | PartContent::Delete) {
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

/// A part that the provider accepted.
struct AcceptedPart<'a> {
    outgoing: &'a OutgoingPart,
    at: Timestamp,
}

impl AcceptedPart<'_> {
    fn sent(&self, ids: Vec<String>, also_known_as: &[ExternalId]) -> Vec<Change> {
        let Self { outgoing, at } = *self;
        let (channel, part) = (outgoing.linked.channel.id, &outgoing.part);
        // The customer did not write from this id: it identifies them, and replies go elsewhere.
        let never = Timestamp(0);
        let known = also_known_as.iter().map(|id| identify(channel, outgoing.customer, id, never));
        let mut changes: Vec<_> = known.collect();
        if matches!(part.say, PartContent::Edit { .. } | PartContent::Delete) {
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

/// Returns the provider's ids of a message.
async fn names(store: &Store, room: RoomId, message: MessageId) -> Result<Vec<String>, StoreError> {
    let names = store.names_of_message(room, message).await?;
    Ok(names.into_iter().map(|it| it.external.external_id).collect())
}

fn class_of(attempt: &Attempt, otherwise: ErrorClass) -> ErrorClass {
    attempt.error.unwrap_or(otherwise)
}

/// Properties of a file to send, as far as this server knows them.
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
