//! Handles what a service told of a customer: their message is in their room then (D-0150).
//!
//! It may be called again for the same event, by another node too: what was done is not done twice.
//! No event is lost: if a rule refuses it, a reduced message is posted, or the event is given up
//! and its delivery shows why (D-0195). [`changes`] are edits and deletions, [`replies`] the
//! messages that a customer refers to. [`receipts`] are echoes of what we sent ourselves, and what
//! a customer read up to some time.

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
use confab_domain::ids::{DeliveryId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_domain::messages::message::{Draft, Message};
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::echoing::EchoMessage;
use confab_domain::support::initiating::{AdmitVisitor, Admitted, NewCustomerIds, Visitor};
use confab_domain::support::receiving::{FromChannel, ReceiveFromChannel};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivering::RecordAttempt;
use confab_store::{StoreError, WriteError};
use confab_wire::channels::{
    self as wire, Contact, DraftContent, Echo, EventContent, ExternalId, IgnoredReason,
    InboundMessage, Part, Press, PressedButton, Profile, Provider, ProviderEvent, Reaction,
    ReplyReference, SendTag, State, Status, StatusOf, StoredMedia, Utterance,
};
use confab_wire::omnichannel_api::channels::instagram::STORY_MENTION_ENABLED;
use serde_json::json;

use super::store_file::store_file;
use crate::channels::calling::StepAnswer;
use crate::channels::linked::{GROUP_NOTE, LinkedChannel};
use crate::channels::mail::kept::{forget, is_kept};
use crate::channels::media::NoFile;
use crate::delivery::carriers::provider::{EventToReceive, LOOKED, NotReceived};
use crate::delivery::task::YieldSlot;
use crate::failures::chain;
use crate::files::{WholeFile, media_type, served_url};
use crate::services::Services;
use crate::{clock, ids};

/// How often a file is asked for before the message says that it could not be had.
const FILE_TRIES: u32 = 3;
/// The same while its service prepares it: about 80 seconds.
const PREPARED_TRIES: u32 = 5;
/// So many mails of one customer may open something within an hour.
const MAILS_AN_HOUR_MAX: usize = 20;
const IN_GROUP: &str = "It is in a group or a public channel. Only private chats are served; what \
                        is said elsewhere is not brought here.";

impl From<StoreError> for NotReceived {
    fn from(error: StoreError) -> Self {
        Self::NotNow(chain(&error))
    }
}

impl From<WriteError> for NotReceived {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(refusal) => Self::Never(refusal.to_string()),
            WriteError::Failed(error) => error.into(),
        }
    }
}

/// Handles one event, as the service wrote it. Whether the attempt is written down with it.
pub(crate) async fn receive_event(
    services: Services,
    event: EventToReceive,
) -> Result<bool, NotReceived> {
    let EventToReceive { app, channel, ends, body, yield_slot } = event;
    let linked = LinkedChannel::load(&services, channel).await?;
    let linked = linked.filter(|it| it.channel.app == app.id);
    let linked = linked.ok_or_else(|| never("the channel is not there any more"))?;
    let read = wire::read(linked.provider, body.as_bytes());
    let mut events = read.map_err(|why| NotReceived::Never(why.0.to_owned()))?;
    let event = events.pop().ok_or_else(|| never("there is nothing in it"))?;
    let said_at = event.at;
    let replied_to = event.customer.as_ref().and_then(Contact::address);
    if let (Some(token), Some(to)) = (&event.reply_token, replied_to) {
        let now = clock::now();
        services.reply_tokens().put(channel, &to.value, &token.0, said_at.unwrap_or(now), now);
    }
    let has_ended = AtomicBool::new(false);
    let handling =
        Handling { services: &services, linked: &linked, ends, has_ended, said_at, yield_slot };
    handling.handle(&event).await?;
    let shows_read = linked.account.setting(READ_ENABLED) == "true";
    for step in wire::acknowledge(linked.provider, &event, &linked.credentials, shows_read) {
        if !linked.is_printed() {
            handling.yield_slot.now();
            // A courtesy: nobody minds if it fails.
            drop(linked.call(&services, &step, COURTESY).await);
        }
    }
    Ok(handling.has_ended.into_inner())
}

/// Whether customers are to see that their messages were read.
const READ_ENABLED: &str = "read_enabled";

const COURTESY: std::time::Duration = std::time::Duration::from_secs(5);

fn never(why: &str) -> NotReceived {
    NotReceived::Never(why.to_owned())
}

struct Handling<'a> {
    services: &'a Services,
    linked: &'a LinkedChannel,
    /// How the attempt is written down if it is all done.
    ends: RecordAttempt,
    /// It is, with what was done last.
    has_ended: AtomicBool,
    /// When it happened, by the service's clock.
    said_at: Option<Timestamp>,
    /// Others go on while a file is waited for.
    yield_slot: YieldSlot,
}

impl Handling<'_> {
    async fn handle(&self, event: &ProviderEvent) -> Result<(), NotReceived> {
        let by = event.customer.as_ref();
        match &event.heard {
            EventContent::PostedMessage(told) => self.say(customer(by)?, told).await,
            EventContent::Pressed(press) => self.press(customer(by)?, press).await,
            EventContent::Edited(told) => self.edit(customer(by)?, &event.key, told).await,
            EventContent::Deleted(name) => self.delete(name).await,
            EventContent::Reacted(reaction) => self.react(customer(by)?, event, reaction).await,
            EventContent::Status(status) => self.report(by, status).await,
            EventContent::Echoed(echo) => self.echo(customer(by)?, echo).await,
            EventContent::Moved { old, new } => self.move_ids(old, new).await,
            EventContent::IgnoredReason(IgnoredReason::Group) => self.note_group().await,
            EventContent::Refused(why) => Err(NotReceived::Never(why.clone())),
            // Who leaves is told of when something does not reach them.
            EventContent::Left(_) | EventContent::IgnoredReason(_) => Ok(()),
        }
    }

    async fn say(&self, by: &Contact, told: &Utterance) -> Result<(), NotReceived> {
        for (part, saying) in (0_u32..).zip(&told.inbound_messages) {
            let external = self.external(&told.id, part);
            let replied = self.message_named(saying.reply_to.as_deref()).await?;
            let is_last = part as usize + 1 == told.inbound_messages.len();
            self.say_part(by, saying, external, replied, is_last).await?;
        }
        Ok(())
    }

    /// Posts one message of the customer, as a reply to `replied` if their room may show it.
    async fn say_part(
        &self,
        by: &Contact,
        saying: &InboundMessage,
        external: ExternalRef,
        replied: Option<ChannelMessage>,
        is_last: bool,
    ) -> Result<(), NotReceived> {
        let is_unwanted = saying.is_story_mention() && !self.wants_stories();
        if is_unwanted || self.is_known(&external).await? {
            return Ok(());
        }
        let has_file = saying.media().is_some() || saying.long_text().is_some();
        let in_any_room = replied
            .as_ref()
            .map_or(ReplyReference::Nothing, |it| ReplyReference::Message(it.message));
        let words = (!has_file).then(|| saying.posted(&in_any_room, None));
        let greeted = self.greet(by, words.as_ref()).await?;
        let customer = greeted.customer.key;
        let replied = self.replied(replied, greeted.customer_room.room, customer).await?;
        let content = self.content(saying, customer, &replied).await?;
        let is_quiet = self.is_too_much(&greeted).await?;
        let names = (external, saying.also_known_as.clone());
        self.receive(by, greeted, content, names, is_quiet, is_last).await
    }

    /// The name of one part of a message at the service of this channel.
    fn external(&self, external_id: &str, part: u32) -> ExternalRef {
        let (channel, external_id) = (self.linked.channel.id, external_id.to_owned());
        ExternalRef { channel, external_id, part }
    }

    /// Which attempt it is; the first is 1.
    fn attempt(&self) -> u32 {
        self.ends.attempt.number
    }

    /// Whether stories that name the business become messages (channel facts 4.2).
    fn wants_stories(&self) -> bool {
        self.linked.account.setting(STORY_MENTION_ENABLED) != "false"
    }

    /// Programs answer mails, and some do not say that they are none of us: who writes so much is
    /// seen in the room, but opens nothing and wakes no bot (D-0162).
    async fn is_too_much(&self, greeted: &Admitted) -> Result<bool, NotReceived> {
        if self.linked.provider != Provider::Email {
            return Ok(false);
        }
        let (store, app) = (self.services.store(), self.linked.app.id);
        let room = RoomRef::Id(greeted.customer_room.room);
        let page = store.page(app, &room, 0, 2 * MAILS_AN_HOUR_MAX).await?;
        let said = store.loaded(page.unwrap_or_default()).await?;
        let since = clock::now().0 - 3_600_000_000;
        let is_theirs = |it: &Message| it.sender == greeted.customer.key && it.posted_at.0 > since;
        let count = said.iter().filter(|it| is_theirs(&it.message)).count();
        Ok(count >= MAILS_AN_HOUR_MAX)
    }

    /// What the business said with another tool is seen in the room. What we said ourselves is
    /// there already, and is sent (D-0143).
    async fn echo(&self, to: &Contact, echo: &Echo) -> Result<(), NotReceived> {
        if self.confirm(to, echo).await? {
            return Ok(());
        }
        for (part, saying) in (0_u32..).zip(&echo.told.inbound_messages) {
            let external = self.external(&echo.told.id, part);
            if self.is_known(&external).await? {
                continue;
            }
            let greeted = self.greet(to, None).await?;
            let replied = self.message_named(saying.reply_to.as_deref()).await?;
            let (room, customer) = (greeted.customer_room.room, greeted.customer.key);
            let replied = self.replied(replied, room, customer).await?;
            let content = self.content(saying, customer, &replied).await?;
            let echoed = |content| EchoMessage {
                room,
                draft: self.draft(greeted.customer.user_id.clone(), content),
                external: external.clone(),
            };
            self.decide_reply(content, echoed).await?;
        }
        Ok(())
    }

    /// Asked first, so that a repetition fetches no file again. The key in the store decides.
    async fn is_known(&self, external: &ExternalRef) -> Result<bool, NotReceived> {
        let ExternalRef { channel, external_id, part } = external;
        let named = self.services.store().messages_named(*channel, external_id).await?;
        Ok(named.iter().any(|it| it.external.part == *part))
    }

    /// The content of a message. Files are fetched and stored first; of a file that is not
    /// available the message says so.
    async fn content(
        &self,
        saying: &InboundMessage,
        customer: UserKey,
        replied: &ReplyReference,
    ) -> Result<DraftContent, NotReceived> {
        let whole = match (saying.media(), saying.long_text()) {
            (Some(media), _) => {
                let fetched = match self.linked.is_printed() {
                    true => Err(NoFile::Never("is not fetched by a channel that only prints")),
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
            (None, None) => return Ok(saying.posted(replied, None)),
        };
        let (whole, name) = match whole {
            Ok(whole) => whole,
            Err(NoFile::Never(why)) => return Ok(saying.posted_without_file(why)),
            Err(NoFile::NotNow(why)) if self.attempt() < FILE_TRIES => {
                return Err(NotReceived::NotNow(why));
            }
            Err(NoFile::NotYet) if self.attempt() < PREPARED_TRIES => {
                return Err(NotReceived::NotNow("the service still prepares the file".to_owned()));
            }
            Err(NoFile::NotNow(_) | NoFile::NotYet) => {
                return Ok(saying.posted_without_file("could not be had from the service"));
            }
        };
        let is_kept = saying.media().is_some_and(is_kept);
        match self.keep(whole, &name, customer, is_kept).await {
            Ok(kept) => Ok(saying.posted(replied, Some(&kept))),
            Err(NotReceived::Never(_)) => {
                Ok(saying.posted_without_file("does not fit into what this app may keep"))
            }
            Err(later) => Err(later),
        }
    }

    async fn keep(
        &self,
        whole: WholeFile,
        name: &str,
        customer: UserKey,
        is_kept: bool,
    ) -> Result<StoredMedia, NotReceived> {
        let (services, app) = (self.services, &self.linked.app);
        let kind = (name, media_type(name).name);
        let noted = store_file(services, app, customer, kind, &whole.kept).await;
        if let Err(error @ WriteError::Refused(_)) = noted {
            // What a mail server handed over is here already, and would stay for ever.
            if is_kept && let Err(error) = forget(services, self.linked, whole).await {
                tracing::warn!("a file of a mail is not removed: {error}");
            }
            return Err(error.into());
        }
        noted?;
        let unkept = |error: std::io::Error| NotReceived::NotNow(error.to_string());
        let kept = services.files().keep(whole, app.id).await.map_err(unkept)?;
        let url = served_url(&services.config().public_url, &app.code, &kept.hash, name);
        let url = url.ok_or_else(|| never("this server has no public address"))?;
        Ok(StoredMedia { url, bytes: kept.size })
    }

    /// The customer has a room for what they say, as far as that is known. They are whoever any of
    /// their ids leads to (D-0151).
    async fn greet(
        &self,
        by: &Contact,
        content: Option<&DraftContent>,
    ) -> Result<Admitted, NotReceived> {
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
        let greet = AdmitVisitor { channel, visitor, new, draft, identities: unknown };
        Ok(services.decide(&linked.app, greet).await?)
    }

    /// What the service tells of somebody new when it is asked. They are taken in without a name
    /// if it does not.
    async fn profile(&self, by: &Contact) -> Option<Profile> {
        let linked = self.linked;
        let mut steps = wire::profile(linked.provider, by, &linked.credentials);
        let step = steps.pop().filter(|_| !linked.is_printed())?;
        self.yield_slot.now();
        let answer = StepAnswer::of(&linked.call(self.services, &step, COURTESY).await);
        let profile = match answer.status? {
            200 => wire::read_profile(linked.provider, &answer.body)?,
            _ => return None,
        };
        let is_kept = |url: &String| {
            url.starts_with("https://") && url.chars().count() <= limits::URL_CHARS_MAX
        };
        Some(Profile { picture_url: profile.picture_url.filter(is_kept), ..profile })
    }

    /// Whom any of their ids leads to, and the ids that were not known.
    async fn identified(&self, by: &Contact) -> Result<(UserId, Vec<Identity>), NotReceived> {
        let (store, channel) = (self.services.store(), self.linked.channel.id);
        let (mut known, mut unknown) = (None, Vec::new());
        for id in &by.ids {
            match store.known_as(channel, &id.value).await? {
                Some(user_id) => known = known.or(Some(user_id)),
                None => unknown.push(identity(id)),
            }
        }
        let new = || UserId::parse("user_id", &by.user_id);
        let user_id = known.map_or_else(new, Ok);
        Ok((user_id.map_err(|it| NotReceived::Never(it.to_string()))?, unknown))
    }

    async fn receive(
        &self,
        by: &Contact,
        mut greeted: Admitted,
        content: DraftContent,
        (external, also_known_as): (ExternalRef, Option<String>),
        is_quiet: bool,
        is_last: bool,
    ) -> Result<(), NotReceived> {
        let (services, app) = (self.services, &self.linked.app);
        let quota = services.quotas().count_message(app.id, None);
        quota.map_err(|_| NotReceived::NotNow("the app said all it may today".to_owned()))?;
        for attempt in 1..=limits::ROOM_TRIES_MAX {
            let receive = |content| ReceiveFromChannel {
                room: greeted.customer_room.room,
                draft: self.draft(greeted.customer.user_id.clone(), content),
                takes_any: attempt == limits::ROOM_TRIES_MAX,
                external: Some(external.clone()),
                also_known_as: also_known_as.clone(),
                said_at: self.said_at,
                heard_in: greeted.room_before.unwrap_or(greeted.customer_room.room),
                is_quiet,
                ends: is_last.then(|| self.ends.clone()),
            };
            match self.decide_reply(content.clone(), receive).await? {
                FromChannel::LeftBehind => greeted = self.greet(by, Some(&content)).await?,
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

    async fn press(&self, by: &Contact, press: &Press) -> Result<(), NotReceived> {
        let message = match press.button {
            PressedButton::Ours { message, .. } => self.message_to(by, message).await?,
            PressedButton::Foreign(_) => None,
        };
        // The press of a Telegram client may carry anything (channel facts 4.1).
        if self.linked.provider == Provider::Telegram && !press.is_of_button(message.as_ref()) {
            return Err(never("it is a press of a button that was never sent"));
        }
        let content = wire::pressed(press, message.as_ref());
        let greeted = self.greet(by, Some(&content)).await?;
        let names = (self.external(&press.id, 0), None);
        self.receive(by, greeted, content, names, false, true).await
    }

    /// A message of the customer's newest room: a press may answer it there, also after its end.
    async fn message_to(
        &self,
        by: &Contact,
        id: MessageId,
    ) -> Result<Option<Message>, NotReceived> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        match store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await? {
            Some(room) => self.message(room.room, id).await,
            None => Ok(None),
        }
    }

    /// A message of the customer's own room, and of no other.
    async fn message(&self, room: RoomId, id: MessageId) -> Result<Option<Message>, NotReceived> {
        let store = self.services.store();
        let page = store.range(self.linked.app.id, &RoomRef::Id(room), (id, id), 1).await?;
        let said = store.loaded(page.unwrap_or_default()).await?;
        Ok(said.first().filter(|said| said.message.id == id).map(|said| said.message.clone()))
    }

    /// Said in the room without opening anything.
    async fn react(
        &self,
        by: &Contact,
        event: &ProviderEvent,
        reaction: &Reaction,
    ) -> Result<(), NotReceived> {
        let Some(emoji) = &reaction.emoji else { return Ok(()) };
        let greeted = self.greet(by, None).await?;
        let room = greeted.customer_room.room;
        let to = self.message_named(Some(&reaction.to)).await?.filter(|it| it.room == room);
        let to = to.map(|it| it.message.0);
        let content = json!({"emoji": emoji, "replied_comment_id": to});
        let json = json!({"type": "reaction", "content": content}).to_string();
        let payload = Payload::Custom(JsonText::from_checked(json));
        let content = DraftContent { text: emoji.clone(), payload, extras: None };
        let external = self.external(&event.key, 0);
        self.receive(by, greeted, content, (external, None), true, true).await
    }

    async fn report(&self, by: Option<&Contact>, status: &Status) -> Result<(), NotReceived> {
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
        // Asked before the names are read: a send that is recorded in between is found by its name.
        let is_any_unrecorded = match by {
            Some(by) => self.has_unrecorded(by, Timestamp(i64::MAX)).await?,
            None => false,
        };
        let mut is_early = false;
        for name in names {
            let is_known = self.report_named(name, status).await?;
            is_early |= !is_known && is_any_unrecorded;
        }
        if is_early { Err(NotReceived::TooEarly) } else { Ok(()) }
    }

    /// Applies a status to the message that the provider calls by this name. Whether there is one.
    async fn report_named(&self, name: &str, status: &Status) -> Result<bool, NotReceived> {
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
            // Instagram names only the last message that was read.
            if self.linked.provider == Provider::Instagram {
                self.raise_until(status, it.room, it.at).await?;
            }
        }
        Ok(true)
    }

    /// Reports the state of each message that was sent to one of the addresses. A report about
    /// other addresses may be forged, so it changes nothing and stays visible.
    async fn report_sent_to(
        &self,
        messages: &[String],
        addresses: &[String],
        status: &Status,
    ) -> Result<(), NotReceived> {
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
            true => Err(never("it reports on an address that the message was not sent to")),
            false => Ok(()),
        }
    }

    /// The customer has it, or read it: those in the room see that as they do with anybody.
    async fn acknowledge(&self, status: &Status, of: &ReportedPart) -> Result<(), NotReceived> {
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
            // Who left, and what was deleted, needs none.
            Ok(_) | Err(WriteError::Refused(_)) => Ok(()),
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }

    /// Sends a part once more that WhatsApp refused for a closed window which is open by all that
    /// is known here (channel facts 3.5). Whether it will be sent again, or waits for that
    /// already. Fails with `TooEarly` while the first send is not recorded.
    async fn sends_again(&self, status: &Status, part: &ReportedPart) -> Result<bool, NotReceived> {
        let (store, app) = (self.services.store(), &self.linked.app);
        let says_closed = status.failure.as_ref().is_some_and(|it| it.is_window_closed);
        let Some(tag) = status.tag.filter(|_| says_closed) else { return Ok(false) };
        let heard_at = store.last_heard(part.room).await?;
        if !window::is_open(self.linked.channel.kind, heard_at, clock::now()) {
            return Ok(false);
        }
        let id = part.message;
        let states = store.message_states(part.room, (id, id)).await?;
        // What arrived does not fail, and what failed has.
        if states.iter().any(|it| it.part == part.part && it.state > MessageState::Sent) {
            return Ok(false);
        }
        let found = store.delivery(app.id, DeliveryId(tag.delivery)).await?;
        let Some((delivery, progress, attempts)) = found else { return Ok(false) };
        if progress.standing.is_waiting() {
            let is_recorded = attempts.iter().any(|it| it.error.is_none() || it.answer == LOOKED);
            return if is_recorded { Ok(true) } else { Err(NotReceived::TooEarly) };
        }
        if attempts.iter().filter(|it| it.error.is_none()).count() != 1 {
            return Ok(false);
        }
        let (delivery, lane) = (delivery.id, delivery.lane);
        self.services.decide(app, SendLater { delivery, lane }).await?;
        Ok(true)
    }

    /// What was said in no room was sent by the app itself, or with another tool (D-0155).
    async fn report_direct(&self, name: &str, status: &Status) -> Result<(), NotReceived> {
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

    /// The part that a service gives back our own name of: nobody needs to know yet what the
    /// service calls it.
    async fn tagged(&self, tag: Option<SendTag>) -> Result<Option<ReportedPart>, NotReceived> {
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

    /// What the service calls the part, as the status says: our own answer may be lost.
    fn named(&self, status: &Status, of: &ReportedPart, at: Timestamp) -> Option<ChannelMessage> {
        let StatusOf::Messages(names) = &status.of else { return None };
        let external = self.external(names.first()?, of.part);
        let (room, message) = (of.room, of.message);
        Some(ChannelMessage { external, room, message, is_outgoing: true, at })
    }

    async fn move_ids(&self, old: &[ExternalId], new: &[ExternalId]) -> Result<(), NotReceived> {
        let (store, linked) = (self.services.store(), self.linked);
        for id in old {
            let Some(user_id) = store.known_as(linked.channel.id, &id.value).await? else {
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

    async fn note_group(&self) -> Result<(), NotReceived> {
        if self.linked.account.setting(GROUP_NOTE).is_empty() {
            let (channel, value) = (self.linked.channel.id, IN_GROUP.to_owned());
            let rule = RecordAccountHint { channel, name: GROUP_NOTE, value };
            self.services.decide(&self.linked.app, rule).await?;
        }
        Ok(())
    }
}

fn customer(contact: Option<&Contact>) -> Result<&Contact, NotReceived> {
    contact.ok_or_else(|| never("it does not say who"))
}

fn identity(id: &ExternalId) -> Identity {
    Identity { kind: id.kind.as_str().to_owned(), external_id: id.value.clone() }
}

/// What a status is about.
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
