//! Speaking: somebody says something in a room, through whichever door.
//!
//! What a customer says in their own room is received, with all that follows from it (D-0008); what
//! somebody who works in the app says there as a client is an answer (`answering`, D-0088); what
//! anybody else says is only posted. Who is a customer is seen by their name where a client speaks
//! for itself. A server names its users without saying which are customers: then a first look finds
//! out, so that a message in any other room costs nothing more.

use crate::app::App;
use crate::decision::change::SupportChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::messages::message::{Draft, PostedMessage};
use crate::messages::posting;
use crate::people::user::{Realm, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::rooms::seeing::not_in;
use crate::support::receiving::ReceiveMessage;
use crate::support::tally::Tallies;
use crate::webhooks::event::MessageSource;

/// What becomes of a message.
#[derive(Debug)]
pub enum PostOutcome {
    /// It is in its room.
    Stored(Box<PostedMessage>),
    /// It is what a customer says in their room, and too little was asked to decide what follows:
    /// nothing is stored, and [`ReceiveMessage`] is to decide.
    ByCustomer(RoomId),
    /// Somebody who works in the app says it in a customer's room, and too little was asked to
    /// count it: nothing is stored, and [`PostAsAgent`] is to decide.
    ByAgent(RoomId),
}

/// Posts a message into a room on behalf of one of its participants (D-0005). A unique id that
/// was posted before gives the first message, unchanged (D-0002).
pub struct PostMessage {
    pub room: RoomRef,
    pub draft: Draft,
    pub message_source: MessageSource,
}

impl PostMessage {
    /// The same as a customer's message, if it is known to be one before anything is asked.
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
            // A client that may not see a room does not learn that there is one.
            (Refusal::NotAParticipant { .. }, Some(it))
                if *message_source == MessageSource::Client =>
            {
                not_in(room, &it.room, &draft.sender)
            }
            (refusal, _) => refusal,
        })?;
        Ok(posted.map(|said| PostOutcome::Stored(Box::new(said))))
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
                .map(|received| PostOutcome::Stored(Box::new(received.said))),
        })
    }

    fn message_source(&self) -> MessageSource {
        self.message_source
    }
}

/// The same of somebody who works in the app, through a server and in a customer's room: it is only
/// posted, and counted (D-0140).
pub struct PostAsAgent {
    pub post: PostMessage,
    pub room: RoomId,
}

impl Rule for PostAsAgent {
    type Outcome = PostedMessage;

    fn question(&self, _: &App) -> Question {
        let mut question = posting::question(&self.post.room, &self.post.draft);
        question.omni = Some(OmniQuestion { finds_support: true, ..OmniQuestion::default() });
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

/// The customer's room that somebody who works in the app speaks in.
fn counted_room(facts: &Facts, post: &PostMessage) -> Option<RoomId> {
    let room = facts.found_room(&post.room)?;
    let sender = facts.found_user_in(room, &post.draft.sender)?;
    let is_counted = room.room.customer.is_some() && sender.works_as().is_some();
    is_counted.then_some(room.room.id)
}

/// The customer's room that the draft is for, if it is its customer who speaks (D-0008).
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
    fn a_client_that_is_not_in_a_room_cannot_post_and_does_not_learn_of_it() {
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
        example::make_channel(&mut facts);
        assert_eq!(try_post(&facts, "bob", MessageSource::Client), None);
    }

    /// The room of ana, who is a customer of a channel, and what she says there.
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
    fn what_a_customer_says_as_such_is_received_by_one_decision() {
        let (mut facts, draft) = customers();
        facts.omni.services[0].customer_room.session = None;
        let rule = PostMessage {
            room: RoomRef::Id(RoomId(10)),
            draft,
            message_source: MessageSource::Client,
        };
        let asked = rule.question(&example::app());
        assert!(asked.omni.is_some_and(|omni| omni.finds_support), "all that receiving needs");
        let decision = example::decided(&facts, &rule).expect("received");
        assert!(matches!(decision.outcome, PostOutcome::Stored(_)));
        let room = example::written(&decision.changes).expect("a session begins");
        assert!(room.is_open());
    }

    #[test]
    fn a_customer_whom_a_server_names_is_found_out_first() {
        let (facts, draft) = customers();
        let sender = UserRef::from(draft.sender.user_id().clone());
        let draft = Draft { sender, ..draft };
        let rule = PostMessage {
            room: RoomRef::Id(RoomId(10)),
            draft,
            message_source: MessageSource::MessageApi,
        };
        assert!(rule.question(&example::app()).omni.is_none(), "others pay nothing for it");
        let decision = example::decided(&facts, &rule).expect("looked at");
        assert!(matches!(decision.outcome, PostOutcome::ByCustomer(RoomId(10))));
        assert!(decision.changes.is_empty());
    }
}
