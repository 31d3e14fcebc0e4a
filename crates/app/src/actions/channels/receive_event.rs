//! Processes one event from a provider: loads its channel, parses the event and applies its
//! effects, such as a message in the customer's room (D-0150).
//!
//! An event may be processed again, also by another node; its effects are applied once. No event is
//! lost: if a rule rejects it, a reduced message is posted, or the event is given up and its
//! delivery shows the reason (design/channels). Each kind of event has a file: [`messages`],
//! [`changes`] (edits and deletions), [`reactions`], [`echoes`], [`statuses`], [`receipts`] and
//! [`groups`]. They share [`customers`], [`files`] and [`replies`].

mod changes;
mod customers;
mod echoes;
mod files;
mod groups;
mod messages;
mod reactions;
mod receipts;
mod replies;
mod statuses;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use confab_delivery::carriers::AttemptInput;
use confab_delivery::task::YieldSlot;
use confab_domain::channels::channel_message::ExternalRef;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::ChannelId;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_providers::{self as providers, Contact, EventContent, IgnoredReason, ProviderEvent};
use confab_runtime::clock;
use confab_runtime::failures::chain;
use confab_store::{StoreError, WriteError};

use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// Name of the channel setting that determines whether customers see that their messages were read.
const READ_ENABLED: &str = "read_enabled";

/// Time limit of requests to the provider whose failure does not matter.
const COURTESY: Duration = Duration::from_secs(5);

/// Reason why an event was not processed.
#[derive(Debug)]
pub(super) enum EventFailure {
    /// A temporary failure; the event is retried.
    NotNow(String),
    /// The event is a status of a message whose send is not recorded yet. It is retried without
    /// blocking the customer's lane.
    TooEarly,
    /// A permanent failure; the event is given up.
    Never(String),
}

impl From<StoreError> for EventFailure {
    fn from(error: StoreError) -> Self {
        Self::NotNow(chain(&error))
    }
}

impl From<WriteError> for EventFailure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(refusal) => Self::Never(refusal.to_string()),
            WriteError::Failed(error) => error.into(),
        }
    }
}

fn never(why: &str) -> EventFailure {
    EventFailure::Never(why.to_owned())
}

/// Processes the event of a delivery attempt. `ends` is the record of the attempt if it succeeds.
/// Returns whether it was committed in the same transaction as the event's effects.
pub(super) async fn receive_event(
    services: &Services,
    channel: ChannelId,
    input: &AttemptInput<'_>,
    ends: RecordAttempt,
) -> Result<bool, EventFailure> {
    let linked = LinkedChannel::load(services, channel).await?;
    let linked = linked.filter(|it| it.channel.app == input.addressee.app.id);
    let linked = linked.ok_or_else(|| never("The channel no longer exists."))?;
    let read = providers::read(linked.provider, input.delivery.body.as_bytes());
    let mut events = read.map_err(|why| never(why.0))?;
    let event = events.pop().ok_or_else(|| never("The event is empty."))?;
    keep_reply_token(&linked, &event);
    let handling = Handling {
        services,
        linked: &linked,
        ends,
        has_ended: AtomicBool::new(false),
        said_at: event.at,
        yield_slot: input.yield_slot,
    };
    handling.dispatch(&event).await?;
    handling.acknowledge_to_provider(&event).await;
    Ok(handling.has_ended.into_inner())
}

/// Caches LINE's token with which the next answer is sent free of charge.
fn keep_reply_token(linked: &LinkedChannel, event: &ProviderEvent) {
    let replied_to = event.customer.as_ref().and_then(Contact::address);
    if let (Some(token), Some(to)) = (&event.reply_token, replied_to) {
        let now = clock::now();
        let (channel, at) = (linked.channel.id, event.at.unwrap_or(now));
        linked.client.reply_tokens.put(channel, &to.value, &token.0, at, now);
    }
}

/// The event that is being processed, with its channel and its attempt.
struct Handling<'a> {
    services: &'a Services,
    linked: &'a LinkedChannel,
    /// Record of the delivery attempt, to be committed together with the event's last message.
    ends: RecordAttempt,
    /// Whether `ends` was committed.
    has_ended: AtomicBool,
    /// Time of the event by the provider's clock.
    said_at: Option<Timestamp>,
    /// Releases the attempt's slot before the action waits for the provider, such as for a file.
    yield_slot: &'a YieldSlot,
}

impl Handling<'_> {
    /// Commits the decision of a rule about the provider's event.
    async fn decide<R: Rule>(&self, rule: R) -> Result<R::Outcome, WriteError> {
        self.services.decisions().decide(&self.linked.principal(), rule).await
    }

    async fn dispatch(&self, event: &ProviderEvent) -> Result<(), EventFailure> {
        let by = event.customer.as_ref();
        match &event.content {
            EventContent::Posted(utterance) => self.post(customer(by)?, utterance).await,
            EventContent::Pressed(press) => self.press(customer(by)?, press).await,
            EventContent::Edited(utterance) => {
                self.edit(customer(by)?, &event.key, utterance).await
            }
            EventContent::Deleted(name) => self.delete(name).await,
            EventContent::Reacted(reaction) => self.react(customer(by)?, event, reaction).await,
            EventContent::Status(status) => self.report(by, status).await,
            EventContent::Echoed(echo) => self.echo(customer(by)?, echo).await,
            EventContent::Moved { old, new } => self.move_ids(old, new).await,
            EventContent::Ignored(IgnoredReason::Group) => self.record_group_hint().await,
            EventContent::Refused(why) => Err(EventFailure::Never(why.clone())),
            // Messages to customers who left fail with a status of their own.
            EventContent::Left(_) | EventContent::Ignored(_) => Ok(()),
        }
    }

    /// Sends read receipts and answers to button presses. Failures do not matter: the customer only
    /// sees no confirmation.
    async fn acknowledge_to_provider(&self, event: &ProviderEvent) {
        let linked = self.linked;
        let shows_read = linked.account.setting(READ_ENABLED) == "true";
        for step in providers::acknowledge(linked.provider, event, &linked.credentials, shows_read)
        {
            if !linked.is_printed() {
                self.yield_slot.now();
                drop(linked.call(&step, COURTESY).await);
            }
        }
    }

    /// Returns the reference to one part of a message at the provider.
    fn external(&self, external_id: &str, part: u32) -> ExternalRef {
        let (channel, external_id) = (self.linked.channel.id, external_id.to_owned());
        ExternalRef { channel, external_id, part }
    }
}

fn customer(contact: Option<&Contact>) -> Result<&Contact, EventFailure> {
    contact.ok_or_else(|| never("The event does not identify the customer."))
}
