//! Processes events from providers: a customer's message is posted in their room (D-0150).
//!
//! An event may be processed again, also by another node; its effects are applied once. No event is
//! lost: if a rule rejects it, a reduced message is posted, or the event is given up and its
//! delivery shows the reason (design/channels). [`changes`] processes edits and deletions,
//! [`replies`] finds the messages that a customer refers to, and [`receipts`] processes echoes of
//! sent messages and read receipts.

mod changes;
mod receipts;
mod replies;

use std::sync::atomic::{AtomicBool, Ordering};

use confab_domain::channels::channel_message::{
    ChannelMessage, ExternalRef, MessageState, PartState,
};
use confab_domain::channels::direct_send::DirectSend;
use confab_domain::channels::identity::Identity;
use confab_domain::channels::receiving_events::{IdentifyCustomer, RecordAccountHint};
use confab_domain::channels::reporting::{RecordDirectSend, ReportState};
use confab_domain::channels::window::{self, SendLater};
use confab_domain::ids::{ChannelId, DeliveryId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::messages::message::{Draft, Message};
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::echoing::EchoMessage;
use confab_domain::support::conversations::initiating::{
    AdmitVisitor, AdmittedCustomer, NewCustomerIds, Visitor,
};
use confab_domain::support::conversations::receiving::{FromChannel, ReceiveFromChannel};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_providers::{
    self as providers, Contact, CustomerProfile, DraftContent, Echo, EventContent, ExternalId,
    IgnoredReason, InboundMessage, Part, Press, PressedButton, Provider, ProviderEvent, Reaction,
    ReplyReference, SendTag, State, Status, StatusOf, StoredMedia, Utterance,
};
use confab_store::{StoreError, WriteError};
use confab_wire::omnichannel_api::channels::instagram::STORY_MENTION_ENABLED;
use serde_json::json;

use crate::actions::messages::store_file::store_file;
use crate::channels::calling::StepAnswer;
use crate::channels::linked::{GROUP_NOTE, LinkedChannel};
use crate::channels::mail::kept::{delete, is_kept};
use crate::channels::media::NoFile;
use crate::delivery::carriers::AttemptInput;
use crate::delivery::carriers::provider::LOOKED;
use crate::delivery::task::YieldSlot;
use crate::failures::chain;
use crate::files::{WholeFile, media_type, served_url};
use crate::services::Services;
use crate::{clock, ids};

/// Maximum number of attempts to fetch a file. Afterwards the message states that the file is not
/// available.
const FILE_TRIES: u32 = 3;
/// Maximum number of attempts to fetch a file that the provider is still preparing. They take about
/// 80 seconds in total.
const PREPARED_TRIES: u32 = 5;
/// Maximum number of one customer's mails within an hour that may open a session.
const MAILS_AN_HOUR_MAX: usize = 20;
const IN_GROUP: &str = "The account is in a group or a public channel. Only private chats are \
                         served; messages from elsewhere are not received.";

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
    let mut events = read.map_err(|why| EventFailure::Never(why.0.to_owned()))?;
    let event = events.pop().ok_or_else(|| never("The event is empty."))?;
    let said_at = event.at;
    let replied_to = event.customer.as_ref().and_then(Contact::address);
    if let (Some(token), Some(to)) = (&event.reply_token, replied_to) {
        let now = clock::now();
        services.reply_tokens().put(channel, &to.value, &token.0, said_at.unwrap_or(now), now);
    }
    let has_ended = AtomicBool::new(false);
    let yield_slot = input.yield_slot;
    let handling = Handling { services, linked: &linked, ends, has_ended, said_at, yield_slot };
    handling.handle(&event).await?;
    let shows_read = linked.account.setting(READ_ENABLED) == "true";
    for step in providers::acknowledge(linked.provider, &event, &linked.credentials, shows_read) {
        if !linked.is_printed() {
            handling.yield_slot.now();
            // Failures do not matter: the customer only sees no confirmation.
            drop(linked.call(services, &step, COURTESY).await);
        }
    }
    Ok(handling.has_ended.into_inner())
}

/// Name of the channel setting that determines whether customers see that their messages were read.
const READ_ENABLED: &str = "read_enabled";

const COURTESY: std::time::Duration = std::time::Duration::from_secs(5);

fn never(why: &str) -> EventFailure {
    EventFailure::Never(why.to_owned())
}

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
    async fn handle(&self, event: &ProviderEvent) -> Result<(), EventFailure> {
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

    async fn post(&self, by: &Contact, utterance: &Utterance) -> Result<(), EventFailure> {
        for (part, inbound) in (0_u32..).zip(&utterance.inbound_messages) {
            let external = self.external(&utterance.id, part);
            let replied = self.message_named(inbound.reply_to.as_deref()).await?;
            let is_last = part as usize + 1 == utterance.inbound_messages.len();
            self.post_part(by, inbound, external, replied, is_last).await?;
        }
        Ok(())
    }

    /// Posts one message of the customer, as a reply to `replied` if the customer's room may refer
    /// to that message.
    async fn post_part(
        &self,
        by: &Contact,
        inbound: &InboundMessage,
        external: ExternalRef,
        replied: Option<ChannelMessage>,
        is_last: bool,
    ) -> Result<(), EventFailure> {
        let is_unwanted = inbound.is_story_mention() && !self.wants_stories();
        if is_unwanted || self.is_known(&external).await? {
            return Ok(());
        }
        let has_file = inbound.media().is_some() || inbound.long_text().is_some();
        let in_any_room = replied
            .as_ref()
            .map_or(ReplyReference::Nothing, |it| ReplyReference::Message(it.message));
        let words = (!has_file).then(|| inbound.posted(&in_any_room, None));
        let admitted = self.admit(by, words.as_ref()).await?;
        let customer = admitted.customer.key;
        let replied = self.replied(replied, admitted.customer_room.room, customer).await?;
        let content = self.content(inbound, customer, &replied).await?;
        let is_quiet = self.is_too_much(&admitted).await?;
        let names = (external, inbound.also_known_as.clone());
        self.receive(by, admitted, content, names, is_quiet, is_last).await
    }

    /// Returns the reference to one part of a message at the provider.
    fn external(&self, external_id: &str, part: u32) -> ExternalRef {
        let (channel, external_id) = (self.linked.channel.id, external_id.to_owned());
        ExternalRef { channel, external_id, part }
    }

    /// Returns the number of this attempt, counted from 1.
    fn attempt(&self) -> u32 {
        self.ends.attempt.number
    }

    /// Whether story mentions of the business are posted as messages (channel facts 4.2).
    fn wants_stories(&self) -> bool {
        self.linked.account.setting(STORY_MENTION_ENABLED) != "false"
    }

    /// Whether the customer has sent so many mails within an hour that this one must not open a
    /// session or notify a bot, because it may be an automatic reply. The mail is still posted.
    async fn is_too_much(&self, admitted: &AdmittedCustomer) -> Result<bool, EventFailure> {
        if self.linked.provider != Provider::Email {
            return Ok(false);
        }
        let (store, app) = (self.services.store(), self.linked.app.id);
        let room = RoomRef::Id(admitted.customer_room.room);
        let page = store.page(app, &room, 0, 2 * MAILS_AN_HOUR_MAX).await?;
        let posted = store.loaded(page.unwrap_or_default()).await?;
        let since = clock::now().0 - 3_600_000_000;
        let is_theirs = |it: &Message| it.sender == admitted.customer.key && it.posted_at.0 > since;
        let count = posted.iter().filter(|it| is_theirs(&it.message)).count();
        Ok(count >= MAILS_AN_HOUR_MAX)
    }

    /// Posts a message that the business sent with another tool. An echo of a message of this
    /// server only confirms that the message was sent.
    async fn echo(&self, to: &Contact, echo: &Echo) -> Result<(), EventFailure> {
        if self.confirm(to, echo).await? {
            return Ok(());
        }
        for (part, inbound) in (0_u32..).zip(&echo.utterance.inbound_messages) {
            let external = self.external(&echo.utterance.id, part);
            if self.is_known(&external).await? {
                continue;
            }
            let admitted = self.admit(to, None).await?;
            let replied = self.message_named(inbound.reply_to.as_deref()).await?;
            let (room, customer) = (admitted.customer_room.room, admitted.customer.key);
            let replied = self.replied(replied, room, customer).await?;
            let content = self.content(inbound, customer, &replied).await?;
            let echoed = |content| EchoMessage {
                room,
                draft: self.draft(admitted.customer.user_id.clone(), content),
                external: external.clone(),
            };
            self.decide_reply(content, echoed).await?;
        }
        Ok(())
    }

    /// Whether the provider's message is already posted. This check only avoids that a repeated
    /// event fetches a file again; duplicates are prevented by a unique key in the store.
    async fn is_known(&self, external: &ExternalRef) -> Result<bool, EventFailure> {
        let ExternalRef { channel, external_id, part } = external;
        let named = self.services.store().messages_named(*channel, external_id).await?;
        Ok(named.iter().any(|it| it.external.part == *part))
    }

    /// Returns the content of a message. Fetches and stores its file first; if the file is not
    /// available, the content states so.
    async fn content(
        &self,
        inbound: &InboundMessage,
        customer: UserKey,
        replied: &ReplyReference,
    ) -> Result<DraftContent, EventFailure> {
        let whole = match (inbound.media(), inbound.long_text()) {
            (Some(media), _) => {
                let fetched = match self.linked.is_printed() {
                    true => Err(NoFile::Never("is not fetched, because this channel only prints")),
                    false => {
                        self.yield_slot.now();
                        self.linked.fetch(self.services, media).await
                    }
                };
                fetched.map(|whole| (whole, media.file_name.clone()))
            }
            (None, Some(text)) => {
                let written = write_text(self.services, text).await;
                written.map(|whole| (whole, "message.txt".to_owned()))
            }
            (None, None) => return Ok(inbound.posted(replied, None)),
        };
        let (whole, name) = match whole {
            Ok(whole) => whole,
            Err(NoFile::Never(why)) => return Ok(inbound.posted_without_file(why)),
            Err(NoFile::NotNow(why)) if self.attempt() < FILE_TRIES => {
                return Err(EventFailure::NotNow(why));
            }
            Err(NoFile::NotYet) if self.attempt() < PREPARED_TRIES => {
                return Err(EventFailure::NotNow(
                    "The provider is still preparing the file.".to_owned(),
                ));
            }
            Err(NoFile::NotNow(_) | NoFile::NotYet) => {
                return Ok(inbound.posted_without_file("could not be fetched from the provider"));
            }
        };
        let is_kept = inbound.media().is_some_and(is_kept);
        match self.store_media(whole, &name, customer, is_kept).await {
            Ok(kept) => Ok(inbound.posted(replied, Some(&kept))),
            Err(EventFailure::Never(_)) => {
                Ok(inbound.posted_without_file("exceeds the app's storage quota"))
            }
            Err(later) => Err(later),
        }
    }

    async fn store_media(
        &self,
        whole: WholeFile,
        name: &str,
        customer: UserKey,
        is_kept: bool,
    ) -> Result<StoredMedia, EventFailure> {
        let (services, app) = (self.services, &self.linked.app);
        let kind = (name, media_type(name).name);
        let noted = store_file(services, app, customer, kind, &whole.kept).await;
        if let Err(error @ WriteError::Refused(_)) = noted {
            // A mail server has already handed over the file, so it would stay forever.
            if is_kept && let Err(error) = delete(services, self.linked, whole).await {
                tracing::warn!(
                    channel.id = self.linked.channel.id.0,
                    %error,
                    "failed to remove a file of a rejected mail"
                );
            }
            return Err(error.into());
        }
        noted?;
        let not_stored = |error: std::io::Error| EventFailure::NotNow(error.to_string());
        let kept = services.files().keep(whole, app.id).await.map_err(not_stored)?;
        let url = served_url(&services.config().public_url, &app.code, &kept.hash, name);
        let url = url.ok_or_else(|| never("This server has no public URL."))?;
        Ok(StoredMedia { url, bytes: kept.size })
    }

    /// Returns the customer and their room, creating both if necessary. An existing customer is
    /// identified by any of the contact's ids.
    async fn admit(
        &self,
        by: &Contact,
        content: Option<&DraftContent>,
    ) -> Result<AdmittedCustomer, EventFailure> {
        let (services, linked) = (self.services, self.linked);
        let (user_id, unknown) = self.identified(by).await?;
        let draft = content.map(|content| self.draft(user_id.clone(), content.clone()));
        let name = by.name.clone().or_else(|| by.username.clone());
        let is_new = unknown.len() == by.ids.len();
        let profile = if is_new && name.is_none() { self.profile(by).await } else { None };
        let (asked, avatar_url) = profile.map(|it| (it.name, it.picture_url)).unzip();
        let visitor = Visitor {
            user_id,
            name: name.or(asked),
            avatar_url: avatar_url.flatten(),
            extras: None,
            room_extras: None,
            infos: Vec::new(),
            brand: None,
        };
        let new = NewCustomerIds { token: ids::secret(), unique_id: ids::room_unique_id() };
        let channel = linked.channel.clone();
        let admit = AdmitVisitor { channel, visitor, new, draft, identities: unknown };
        Ok(services.decide(&linked.app, admit).await?)
    }

    /// Asks the provider for the profile of a new customer. Without an answer they are admitted
    /// without a name.
    async fn profile(&self, by: &Contact) -> Option<CustomerProfile> {
        let linked = self.linked;
        let mut steps = providers::profile(linked.provider, by, &linked.credentials);
        let step = steps.pop().filter(|_| !linked.is_printed())?;
        self.yield_slot.now();
        let answer = StepAnswer::of(&linked.call(self.services, &step, COURTESY).await);
        let profile = match answer.status? {
            200 => providers::read_profile(linked.provider, &answer.body)?,
            _ => return None,
        };
        let is_kept = |url: &String| {
            url.starts_with("https://") && url.chars().count() <= limits::URL_CHARS_MAX
        };
        Some(CustomerProfile { picture_url: profile.picture_url.filter(is_kept), ..profile })
    }

    /// Returns the user that any of the contact's ids identifies, and the ids that are not stored
    /// yet.
    async fn identified(&self, by: &Contact) -> Result<(UserId, Vec<Identity>), EventFailure> {
        let (store, channel) = (self.services.store(), self.linked.channel.id);
        let (mut known, mut unknown) = (None, Vec::new());
        for id in &by.ids {
            match store.user_id_of(channel, &id.value).await? {
                Some(user_id) => known = known.or(Some(user_id)),
                None => unknown.push(identity(id)),
            }
        }
        let new = || UserId::parse("user_id", &by.user_id);
        let user_id = known.map_or_else(new, Ok);
        Ok((user_id.map_err(|it| EventFailure::Never(it.to_string()))?, unknown))
    }

    async fn receive(
        &self,
        by: &Contact,
        mut admitted: AdmittedCustomer,
        content: DraftContent,
        (external, also_known_as): (ExternalRef, Option<String>),
        is_quiet: bool,
        is_last: bool,
    ) -> Result<(), EventFailure> {
        let (services, app) = (self.services, &self.linked.app);
        let quota = services.quotas().count_message(app.id, None);
        quota.map_err(|_| {
            EventFailure::NotNow("The app has reached its daily message quota.".to_owned())
        })?;
        for attempt in 1..=limits::ROOM_TRIES_MAX {
            let receive = |content| ReceiveFromChannel {
                room: admitted.customer_room.room,
                draft: self.draft(admitted.customer.user_id.clone(), content),
                takes_any: attempt == limits::ROOM_TRIES_MAX,
                external: Some(external.clone()),
                also_known_as: also_known_as.clone(),
                said_at: self.said_at,
                heard_in: admitted.room_before.unwrap_or(admitted.customer_room.room),
                is_quiet,
                ends: is_last.then(|| self.ends.clone()),
            };
            match self.decide_reply(content.clone(), receive).await? {
                FromChannel::LeftBehind => admitted = self.admit(by, Some(&content)).await?,
                FromChannel::Known(_) | FromChannel::Received(_) => {
                    self.has_ended.store(is_last, Ordering::Relaxed);
                    break;
                }
            }
        }
        Ok(())
    }

    fn draft(&self, customer: UserId, content: DraftContent) -> Draft {
        let DraftContent { text, payload, extras } = content;
        let sender = UserRef::Of(Realm::Channel(self.linked.channel.id), customer);
        Draft { sender, text, payload, extras, unique_id: None }
    }

    async fn press(&self, by: &Contact, press: &Press) -> Result<(), EventFailure> {
        let message = match press.button {
            PressedButton::Ours { message, .. } => self.message_to(by, message).await?,
            PressedButton::Foreign(_) => None,
        };
        // Telegram clients may send arbitrary button data (channel facts 4.1).
        if self.linked.provider == Provider::Telegram && !press.is_of_button(message.as_ref()) {
            return Err(never("The pressed button was never sent."));
        }
        let content = providers::pressed(press, message.as_ref(), confab_wire::rating_in_button);
        let admitted = self.admit(by, Some(&content)).await?;
        let names = (self.external(&press.id, 0), None);
        self.receive(by, admitted, content, names, false, true).await
    }

    /// Returns the message with this id if it is in the customer's newest room. A customer may
    /// press a button of a message even after the room's session has ended.
    async fn message_to(
        &self,
        by: &Contact,
        id: MessageId,
    ) -> Result<Option<Message>, EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        match store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await? {
            Some(room) => self.message(room.room, id).await,
            None => Ok(None),
        }
    }

    /// Returns the message with this id, if it is in this room.
    async fn message(&self, room: RoomId, id: MessageId) -> Result<Option<Message>, EventFailure> {
        let store = self.services.store();
        let page = store.range(self.linked.app.id, &RoomRef::Id(room), (id, id), 1).await?;
        let posted = store.loaded(page.unwrap_or_default()).await?;
        Ok(posted
            .first()
            .filter(|posted| posted.message.id == id)
            .map(|posted| posted.message.clone()))
    }

    /// Posts a reaction without opening a session.
    async fn react(
        &self,
        by: &Contact,
        event: &ProviderEvent,
        reaction: &Reaction,
    ) -> Result<(), EventFailure> {
        let Some(emoji) = &reaction.emoji else { return Ok(()) };
        let admitted = self.admit(by, None).await?;
        let room = admitted.customer_room.room;
        let to = self.message_named(Some(&reaction.to)).await?.filter(|it| it.room == room);
        let to = to.map(|it| it.message.0);
        let content = json!({"emoji": emoji, "replied_comment_id": to});
        let json = json!({"type": "reaction", "content": content}).to_string();
        let payload = Payload::Custom(JsonText::from_checked(json));
        let content = DraftContent { text: emoji.clone(), payload, extras: None };
        let external = self.external(&event.key, 0);
        self.receive(by, admitted, content, (external, None), true, true).await
    }

    async fn report(&self, by: Option<&Contact>, status: &Status) -> Result<(), EventFailure> {
        if let Some(part) = self.tagged(status.tag).await? {
            if self.sends_again(status, &part).await? {
                return Ok(());
            }
            let state = reported(status, &part);
            let named = self.named(status, &part, state.at);
            self.services.decide(&self.linked.app, ReportState { state, named }).await?;
            return self.acknowledge(status, &part).await;
        }
        let names = match &status.of {
            StatusOf::Messages(names) => names,
            StatusOf::SentTo { messages, addresses } => {
                return self.report_sent_to(messages, addresses, status).await;
            }
            StatusOf::Until(until) => {
                return self.report_until(customer(by)?, status, *until).await;
            }
        };
        // Check this first: a send that is recorded in between is then found by its name.
        let is_any_unrecorded = match by {
            Some(by) => self.has_unrecorded(by, Timestamp(i64::MAX)).await?,
            None => false,
        };
        let mut is_early = false;
        for name in names {
            let is_known = self.report_named(name, status).await?;
            is_early |= !is_known && is_any_unrecorded;
        }
        if is_early { Err(EventFailure::TooEarly) } else { Ok(()) }
    }

    /// Applies a status to the room message that has this id at the provider. Returns whether there
    /// is such a message.
    async fn report_named(&self, name: &str, status: &Status) -> Result<bool, EventFailure> {
        let channel = self.linked.channel.id;
        let named = self.services.store().messages_named(channel, name).await?;
        if named.is_empty() {
            self.report_direct(name, status).await?;
            return Ok(false);
        }
        for it in named.iter().filter(|it| it.is_outgoing) {
            let part = ReportedPart { room: it.room, message: it.message, part: it.external.part };
            let state = reported(status, &part);
            let rule = ReportState { state, named: None };
            self.services.decide(&self.linked.app, rule).await?;
            self.acknowledge(status, &part).await?;
            // Instagram reports only the last message that was read.
            if self.linked.provider == Provider::Instagram {
                self.raise_until(status, it.room, it.at).await?;
            }
        }
        Ok(true)
    }

    /// Applies the status to each of the messages that was sent to one of the addresses. Fails if a
    /// message was sent to another address, because the report may be forged; the message keeps its
    /// status.
    async fn report_sent_to(
        &self,
        messages: &[String],
        addresses: &[String],
        status: &Status,
    ) -> Result<(), EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let mut is_about_another = false;
        for name in messages {
            let named = store.messages_named(linked.channel.id, name).await?;
            for it in named.iter().filter(|it| it.is_outgoing) {
                let customer = store.customer_of_room(linked.app.id, it.room).await?;
                let Some((customer, _)) = customer else { continue };
                let known = store.identities(linked.channel.id, customer.key).await?;
                if !known.iter().any(|it| addresses.contains(&it.external_id)) {
                    is_about_another = true;
                    continue;
                }
                let part =
                    ReportedPart { room: it.room, message: it.message, part: it.external.part };
                let rule = ReportState { state: reported(status, &part), named: None };
                self.services.decide(&linked.app, rule).await?;
            }
        }
        match is_about_another {
            true => Err(never("The report is about an address to which the message was not sent.")),
            false => Ok(()),
        }
    }

    /// Advances the customer's delivered and read positions in the room according to the status.
    async fn acknowledge(&self, status: &Status, of: &ReportedPart) -> Result<(), EventFailure> {
        let message = Some(of.message);
        let (read, received) = match status.state {
            State::Read => (message, message),
            State::Delivered => (None, message),
            State::Sent | State::Failed => return Ok(()),
        };
        let (store, app) = (self.services.store(), &self.linked.app);
        let Some((customer, _)) = store.customer_of_room(app.id, of.room).await? else {
            return Ok(());
        };
        let by = UserRef::Of(Realm::Channel(self.linked.channel.id), customer.user_id.clone());
        let rule = Acknowledge { room: RoomRef::Id(of.room), by, read, received };
        match self.services.decide(app, rule).await {
            // Customers who left and messages that were deleted need no receipt.
            Ok(_) | Err(WriteError::Refused(_)) => Ok(()),
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }

    /// Resends a message part that WhatsApp rejected because the customer service window was
    /// closed, if the window is open according to the messages that this server received (channel
    /// facts 3.5). Returns whether the part will be resent or is already waiting. Fails with
    /// `TooEarly` while the first send is not recorded.
    async fn sends_again(
        &self,
        status: &Status,
        part: &ReportedPart,
    ) -> Result<bool, EventFailure> {
        let (store, app) = (self.services.store(), &self.linked.app);
        let says_closed = status.failure.as_ref().is_some_and(|it| it.is_window_closed);
        let Some(tag) = status.tag.filter(|_| says_closed) else { return Ok(false) };
        let last_inbound_at = store.last_inbound_at(part.room).await?;
        if !window::is_open(self.linked.channel.kind, last_inbound_at, clock::now()) {
            return Ok(false);
        }
        let id = part.message;
        let states = store.message_states(part.room, (id, id)).await?;
        // A part that arrived or failed is not resent.
        if states.iter().any(|it| it.part == part.part && it.state > MessageState::Sent) {
            return Ok(false);
        }
        let found = store.delivery(app.id, DeliveryId(tag.delivery)).await?;
        let Some((delivery, progress, attempts)) = found else { return Ok(false) };
        if progress.standing.is_waiting() {
            let is_recorded = attempts.iter().any(|it| it.error.is_none() || it.answer == LOOKED);
            return if is_recorded { Ok(true) } else { Err(EventFailure::TooEarly) };
        }
        if attempts.iter().filter(|it| it.error.is_none()).count() != 1 {
            return Ok(false);
        }
        let (delivery, lane) = (delivery.id, delivery.lane);
        self.services.decide(app, SendLater { delivery, lane }).await?;
        Ok(true)
    }

    /// Records the status of a message that is in no room, because the app sent it directly or with
    /// another tool (D-0155).
    async fn report_direct(&self, name: &str, status: &Status) -> Result<(), EventFailure> {
        if self.linked.provider != Provider::Whatsapp {
            return Ok(());
        }
        let sent = DirectSend {
            channel: self.linked.channel.id,
            external_id: name.to_owned(),
            state: state_of(status),
            code: status.failure.as_ref().map(|it| it.code.clone()),
            reason: status.failure.as_ref().map(|it| it.why.clone()),
            at: clock::now(),
        };
        Ok(self.services.decide(&self.linked.app, RecordDirectSend(sent)).await?)
    }

    /// Returns the message part that a tag identifies. A tag contains this server's own ids, so it
    /// works even before the provider's id of the part is recorded.
    async fn tagged(&self, tag: Option<SendTag>) -> Result<Option<ReportedPart>, EventFailure> {
        let Some(SendTag { delivery, room, message }) = tag else { return Ok(None) };
        let (store, app) = (self.services.store(), self.linked.app.id);
        let Some((sent, ..)) = store.delivery(app, DeliveryId(delivery)).await? else {
            return Ok(None);
        };
        let part = Part::open(&sent.body).filter(|it| (it.room, it.message) == (room, message));
        Ok(part.map(|it| ReportedPart {
            room: RoomId(room),
            message: MessageId(message),
            part: it.place,
        }))
    }

    /// Returns the mapping from the provider's message id in the status to the part. It must be
    /// stored with the status, because the provider's answer to the send may have been lost.
    fn named(&self, status: &Status, of: &ReportedPart, at: Timestamp) -> Option<ChannelMessage> {
        let StatusOf::Messages(names) = &status.of else { return None };
        let external = self.external(names.first()?, of.part);
        let (room, message) = (of.room, of.message);
        Some(ChannelMessage { external, room, message, is_outgoing: true, at })
    }

    async fn move_ids(&self, old: &[ExternalId], new: &[ExternalId]) -> Result<(), EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        for id in old {
            let Some(user_id) = store.user_id_of(linked.channel.id, &id.value).await? else {
                continue;
            };
            let room = store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await?;
            let Some(room) = room else { continue };
            let (channel, customer) = (linked.channel.id, room.customer);
            let identities = new.iter().map(identity).collect();
            let rule = IdentifyCustomer { channel, customer, identities };
            self.services.decide(&linked.app, rule).await?;
            break;
        }
        Ok(())
    }

    async fn record_group_hint(&self) -> Result<(), EventFailure> {
        if self.linked.account.setting(GROUP_NOTE).is_empty() {
            let (channel, value) = (self.linked.channel.id, IN_GROUP.to_owned());
            let rule = RecordAccountHint { channel, name: GROUP_NOTE, value };
            self.services.decide(&self.linked.app, rule).await?;
        }
        Ok(())
    }
}

fn customer(contact: Option<&Contact>) -> Result<&Contact, EventFailure> {
    contact.ok_or_else(|| never("The event does not identify the customer."))
}

fn identity(id: &ExternalId) -> Identity {
    Identity { kind: id.kind.as_str().to_owned(), external_id: id.value.clone() }
}

/// A part of a message, to which a status refers.
struct ReportedPart {
    room: RoomId,
    message: MessageId,
    part: u32,
}

fn state_of(status: &Status) -> MessageState {
    match status.state {
        State::Sent => MessageState::Sent,
        State::Delivered => MessageState::Delivered,
        State::Read => MessageState::Read,
        State::Failed => MessageState::Failed,
    }
}

fn reported(status: &Status, of: &ReportedPart) -> PartState {
    PartState {
        room: of.room,
        message: of.message,
        part: of.part,
        state: state_of(status),
        code: status.failure.as_ref().map(|it| it.code.clone()),
        reason: status.failure.as_ref().map(|it| it.why.clone()),
        at: clock::now(),
    }
}

async fn write_text(services: &Services, text: &str) -> Result<WholeFile, NoFile> {
    let unwritten = |error: std::io::Error| NoFile::NotNow(error.to_string());
    let incoming = services.files().begin().await.map_err(unwritten)?;
    let incoming = incoming.write(text.as_bytes()).await.map_err(unwritten)?;
    incoming.finish().await.map_err(unwritten)
}
