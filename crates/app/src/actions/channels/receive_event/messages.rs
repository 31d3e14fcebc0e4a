//! Messages of customers: they are posted in the customer's room, with their files.

use std::sync::atomic::Ordering;

use confab_domain::channels::channel_message::{ChannelMessage, ExternalRef};
use confab_domain::ids::{MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Draft, Message};
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::initiating::AdmittedCustomer;
use confab_domain::support::conversations::receiving::{FromChannel, ReceiveFromChannel};
use confab_providers::{
    Contact, DraftContent, InboundMessage, Provider, ReplyReference, Utterance,
};
use confab_runtime::clock;
use confab_wire::omnichannel_api::channels::instagram::STORY_MENTION_ENABLED;

use super::{EventFailure, Handling};

/// Maximum number of one customer's mails within an hour that may open a session.
const MAILS_AN_HOUR_MAX: usize = 20;

impl Handling<'_> {
    pub(super) async fn post(
        &self,
        by: &Contact,
        utterance: &Utterance,
    ) -> Result<(), EventFailure> {
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
    pub(super) async fn post_part(
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

    /// Whether the provider's message is already posted. This check only avoids that a repeated
    /// event fetches a file again; duplicates are prevented by a unique key in the store.
    pub(super) async fn is_known(&self, external: &ExternalRef) -> Result<bool, EventFailure> {
        let ExternalRef { channel, external_id, part } = external;
        let named = self.services.store().messages_named(*channel, external_id).await?;
        Ok(named.iter().any(|it| it.external.part == *part))
    }

    pub(super) async fn receive(
        &self,
        by: &Contact,
        mut admitted: AdmittedCustomer,
        content: DraftContent,
        (external, also_known_as): (ExternalRef, Option<String>),
        is_quiet: bool,
        is_last: bool,
    ) -> Result<(), EventFailure> {
        let (services, app) = (self.services, &self.linked.app);
        let quota = services.admission().quotas.count_message(app.id, None);
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

    pub(super) fn draft(&self, customer: UserId, content: DraftContent) -> Draft {
        let DraftContent { text, payload, extras } = content;
        let sender = UserRef::Of(Realm::Channel(self.linked.channel.id), customer);
        Draft { sender, text, payload, extras, unique_id: None }
    }

    /// Returns the message with this id, if it is in this room.
    pub(super) async fn message(
        &self,
        room: RoomId,
        id: MessageId,
    ) -> Result<Option<Message>, EventFailure> {
        let store = self.services.store();
        let page = store.range(self.linked.app.id, &RoomRef::Id(room), (id, id), 1).await?;
        let posted = store.loaded(page.unwrap_or_default()).await?;
        Ok(posted
            .first()
            .filter(|posted| posted.message.id == id)
            .map(|posted| posted.message.clone()))
    }
}
