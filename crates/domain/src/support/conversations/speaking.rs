//! Posting of messages, from any source.
//!
//! A message from a room's customer is received by `receiving`, with all its effects (D-0008). A
//! message from a staff member's own client in a customer room is a reply, handled by `answering`
//! (design/support). All other messages are only posted.
//!
//! A client's realm identifies it as a customer. The message API names users without their realm,
//! so `PostMessage` reports who the sender turned out to be, and the caller runs the matching rule
//! as a second decision. As a result, posts into other rooms load no additional facts.

use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::posting;
use crate::people::user::{Realm, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::rooms::seeing::not_in;
use crate::support::assignment::tally::Tallies;
use crate::support::conversations::receiving::ReceiveMessage;
use crate::webhooks::event::MessageSource;

/// Outcome of [`PostMessage`].
#[derive(Debug)]
pub enum PostOutcome {
    /// The message was stored, now or by an earlier request with this unique id.
    Stored(Box<PostedMessage>),
    /// The sender is the room's customer. Nothing was stored; the caller must run
    /// [`ReceiveMessage`].
    ByCustomer(RoomId),
    /// The sender is a staff member in a customer room. Nothing was stored; the caller must run
    /// [`PostAsAgent`].
    ByAgent(RoomId),
}

/// Posts a message into a room on behalf of a participant. If the unique id was posted before, the
/// outcome is the earlier message, unchanged (D-0002).
pub struct PostMessage {
    pub room: RoomRef,
    pub draft: Draft,
    pub message_source: MessageSource,
}

impl PostMessage {
    /// Returns the rule that receives this message from a customer, if the draft alone identifies
    /// its sender as one.
    fn as_customers(&self) -> Option<ReceiveMessage> {
        let is_customer = matches!(self.draft.sender, UserRef::Of(Realm::Channel(_), _));
        let RoomRef::Id(room) = self.room else { return None };
        let receive = || ReceiveMessage {
            room,
            draft: self.draft.clone(),
            message_source: self.message_source,
        };
        is_customer.then(receive)
    }

    fn posted(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostOutcome>, Refusal> {
        let Self { room, draft, message_source } = self;
        let posted = posting::post(context, facts, room, draft, stamp);
        let posted = posted.map_err(|refusal| match (refusal, facts.found_room(room)) {
            // Hide the existence of the room from clients that may not see it.
            (Refusal::NotAParticipant { .. }, Some(it))
                if *message_source == MessageSource::Client =>
            {
                not_in(room, &it.room, &draft.sender)
            }
            (refusal, _) => refusal,
        })?;
        Ok(posted.map(|posted| PostOutcome::Stored(Box::new(posted))))
    }
}

impl Rule for PostMessage {
    type Outcome = PostOutcome;

    fn question(&self, app: &App) -> Question {
        match self.as_customers() {
            Some(receive) => receive.question(app),
            None => posting::question(&self.room, &self.draft),
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostOutcome>, Refusal> {
        let theirs = customers_room(facts, &self.room, &self.draft);
        Ok(match (theirs, self.as_customers()) {
            (None, _) => {
                let posted = self.posted(context, facts, stamp)?;
                match counted_room(facts, self).filter(|_| !posted.changes.is_empty()) {
                    Some(room) => Decision::nothing(PostOutcome::ByAgent(room)),
                    None => posted,
                }
            }
            (Some(room), None) => Decision::nothing(PostOutcome::ByCustomer(room)),
            (Some(_), Some(receive)) => receive
                .decide(context, facts, stamp)?
                .map(|received| PostOutcome::Stored(Box::new(received.posted))),
        })
    }

    fn message_source(&self) -> MessageSource {
        self.message_source
    }
}

/// Posts a staff member's message, sent by a server into a customer room, and counts it in the
/// analytics (D-0140). The message is not sent to the channel.
pub struct PostAsAgent {
    pub post: PostMessage,
    pub room: RoomId,
}

impl Rule for PostAsAgent {
    type Outcome = PostedMessage;

    fn question(&self, _: &App) -> Question {
        let mut question = posting::question(&self.post.room, &self.post.draft);
        question.omni =
            Some(OmnichannelQuestion { finds_support: true, ..OmnichannelQuestion::default() });
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let PostMessage { room, draft, .. } = &self.post;
        let mut decision = posting::post(context, facts, room, draft, stamp)?;
        if let Some(service) = facts.service(self.room).filter(|_| !decision.changes.is_empty()) {
            let mut tallies = Tallies::default();
            tallies.add_message(service.customer_room.channel, &decision.outcome, false);
            let tallies = tallies.into_changed();
            decision.changes.extend(tallies.map(|tally| SupportChange::Tally(tally).into()));
        }
        Ok(decision)
    }

    fn message_source(&self) -> MessageSource {
        self.post.message_source
    }
}

/// Returns the id of the room if it is a customer's room and the sender is a staff member.
fn counted_room(facts: &Facts, post: &PostMessage) -> Option<RoomId> {
    let room = facts.found_room(&post.room)?;
    let sender = facts.found_user_in(room, &post.draft.sender)?;
    let is_counted = room.room.customer.is_some() && sender.works_as().is_some();
    is_counted.then_some(room.room.id)
}

/// Returns the id of the room if the sender is its customer (D-0008).
fn customers_room(facts: &Facts, room: &RoomRef, draft: &Draft) -> Option<RoomId> {
    let room = facts.found_room(room)?;
    let sender = facts.found_user_in(room, &draft.sender)?;
    (room.room.customer == Some(sender.key)).then_some(room.room.id)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::example::{self, draft};
    use crate::ids::{ChannelId, UserKey};

    #[test]
    fn posting_to_a_private_room_reports_room_not_found_to_clients_outside_it() {
        let mut facts = example::facts();
        let room = example::room_ref();
        let try_post = |facts: &Facts, by: &str, message_source: MessageSource| {
            let rule = PostMessage { room: room.clone(), draft: draft(by), message_source };
            example::decided(facts, &rule).err()
        };
        assert_eq!(try_post(&facts, "ana", MessageSource::Client), None);
        let refused = try_post(&facts, "bob", MessageSource::Client);
        assert_eq!(refused, Some(Refusal::RoomNotFound(room.shown())));
        let refused = try_post(&facts, "bob", MessageSource::MessageApi);
        assert!(matches!(refused, Some(Refusal::NotAParticipant { .. })), "{refused:?}");
        example::make_public(&mut facts);
        assert_eq!(try_post(&facts, "bob", MessageSource::Client), None);
    }

    /// Returns facts in which ana is the room's customer, and a message from her.
    fn customers() -> (Facts, Draft) {
        let mut facts = example::customer_facts();
        for (_, found) in &mut facts.rooms {
            let mut room = (*found.room).clone();
            room.customer = Some(UserKey(2));
            found.room = Arc::new(room);
        }
        let realm = Realm::Channel(ChannelId(30));
        for user in facts.users.iter_mut().filter(|it| it.key == UserKey(2)) {
            let mut ana = (**user).clone();
            ana.realm = realm;
            *user = Arc::new(ana);
        }
        let mut draft = draft("ana");
        draft.sender = UserRef::Of(realm, draft.sender.user_id().clone());
        (facts, draft)
    }

    #[test]
    fn a_message_of_a_customer_named_with_their_channel_takes_one_decision() {
        let (mut facts, draft) = customers();
        facts.omni.services[0].customer_room.session = None;
        let rule = PostMessage {
            room: RoomRef::Id(RoomId(10)),
            draft,
            message_source: MessageSource::Client,
        };
        let asked = rule.question(&example::app());
        assert!(asked.omni.is_some_and(|omni| omni.finds_support), "loads the facts of receiving");
        let decision = example::decided(&facts, &rule).expect("received");
        assert!(matches!(decision.outcome, PostOutcome::Stored(_)));
        let room = example::stored_customer_room(&decision.changes).expect("a session begins");
        assert!(room.is_open());
    }

    #[test]
    fn a_message_of_a_customer_named_without_their_channel_takes_two_decisions() {
        let (facts, draft) = customers();
        let sender = UserRef::from(draft.sender.user_id().clone());
        let draft = Draft { sender, ..draft };
        let rule = PostMessage {
            room: RoomRef::Id(RoomId(10)),
            draft,
            message_source: MessageSource::MessageApi,
        };
        assert!(rule.question(&example::app()).omni.is_none(), "no additional facts");
        let decision = example::decided(&facts, &rule).expect("not refused");
        assert!(matches!(decision.outcome, PostOutcome::ByCustomer(RoomId(10))));
        assert!(decision.changes.is_empty());
    }
}
