//! Editing and deleting of messages in customers' rooms by agents (design/support). Connected
//! clients receive the same events as for a change by a client.

use std::slice;
use std::sync::Arc;

use crate::app::App;
use crate::channels::outgoing::OutgoingKind;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::{EventId, RoomId};
use crate::messages::deleting;
use crate::messages::message::{Message, MessageRef, PostedMessage};
use crate::messages::message_kind::MessageKind;
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::messages::unique_id::UniqueId;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::support::assignment::allocating;
use crate::support::conversations::seeing;
use crate::support::conversations::support_room::SupportRoom;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::AgentProfile;
use crate::webhooks::event_kind::EventKind;

/// Edits the caller's own text message.
pub struct CorrectText {
    pub room: RoomId,
    pub message: UniqueId,
    pub text: String,
    pub by: AgentProfile,
}

impl Rule for CorrectText {
    type Outcome = PostedMessage;

    fn question(&self, app: &App) -> Question {
        question(app, self.room, &self.message, &self.by)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let Self { room, ref message, ref text, ref by } = *self;
        let (mut serving, posted) = found(context, facts, stamp, room, message, by)?;
        if posted.message.sender != by.speaker() {
            return Err(Refusal::NotYourMessage(message.to_string()));
        }
        if posted.message.kind != MessageKind::Text {
            return Err(FieldProblem::new("message", "must be a text message to be edited").into());
        }
        let mut edited = posted.clone();
        edited.message.text = text.clone();
        let place = facts.room(&RoomRef::Id(room))?.room.clone();
        let what = RoomEventKind::Edited { posted: Arc::new(edited.clone()), room: place };
        let event = RoomEvent { id: EventId(stamp.next_id()), room, what };
        serving.change(Change::Message(MessageChange::InsertEvent(event)));
        if serving.before.channel.kind.is_service() {
            serving.carry_out(&edited.message, OutgoingKind::Corrected);
        }
        serving.end(edited)
    }
}

/// Deletes the caller's own message, or any message if the caller is an admin or supervisor. The
/// outcome is the deleted message, which remains without its content.
pub struct DeletePosted {
    pub room: RoomId,
    pub message: UniqueId,
    pub by: AgentProfile,
}

impl Rule for DeletePosted {
    type Outcome = PostedMessage;

    fn question(&self, app: &App) -> Question {
        question(app, self.room, &self.message, &self.by)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let Self { room, ref message, ref by } = *self;
        let (mut serving, posted) = found(context, facts, stamp, room, message, by)?;
        let is_own = posted.message.sender == by.speaker();
        if !is_own && seeing::limited(Some(&by.user)).is_some() {
            return Err(Refusal::NotYourMessage(message.to_string()));
        }
        let (text, payload, extras, is_deleted) = (String::new(), None, None, true);
        let trace = Message { text, payload, extras, is_deleted, ..posted.message.clone() };
        let trace = PostedMessage { message: trace, sender: posted.sender.clone() };
        let by = UserRef::own(by.sdk_user.clone());
        let deleted = deleting::delete(facts, slice::from_ref(message), &by, false, stamp)?;
        let is_customers = posted.message.sender == serving.now.customer;
        if serving.before.channel.kind.is_service() && !is_customers {
            serving.carry_out(&posted.message, OutgoingKind::Deleted);
        }
        Ok(serving.end(trace)?.also(deleted.changes))
    }
}

fn question(app: &App, room: RoomId, message: &UniqueId, by: &AgentProfile) -> Question {
    let mut question = allocating::question_of(app, room, Some(&by.user));
    question.messages = vec![MessageRef::Unique(message.clone())];
    question.users.push(by.sdk_user.clone());
    question.endpoints = Some((Lane(room.0), vec![EventKind::ChannelSend]));
    question
}

/// Returns the room and the message if `by` may act there. Deleted messages count as unknown.
fn found<'a>(
    context: &'a Context,
    facts: &'a Facts,
    stamp: &'a Stamp<'a>,
    room: RoomId,
    message: &UniqueId,
    by: &AgentProfile,
) -> Result<(SupportRoom<'a>, &'a PostedMessage), Refusal> {
    let serving = SupportRoom::of(context, facts, room, stamp)?;
    serving.must_be_open_to_role(Some(&by.user))?;
    let posted = facts.message(&MessageRef::Unique(message.clone()));
    let posted = posted.filter(|posted| posted.message.room == room && !posted.message.is_deleted);
    let posted = posted.ok_or_else(|| Refusal::MessageNotFound(message.to_string()))?;
    Ok((serving, posted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{self, candidate, customer_facts, decided};
    use crate::ids::UserKey;

    const ROOM: RoomId = RoomId(10);

    fn id() -> UniqueId {
        UniqueId::from_stored("a".to_owned())
    }

    fn with_message(sender: UserKey) -> Facts {
        let mut facts = customer_facts();
        let mut posted = example::posted_message(41);
        posted.message.room = ROOM;
        posted.message.sender = sender;
        facts.messages.push((MessageRef::Unique(id()), posted));
        facts.omni.services[0].agents.push(candidate(Role::Agent).profile);
        facts
    }

    fn correct(facts: &Facts, role: Role) -> Result<String, Refusal> {
        let by = candidate(role).profile;
        let rule = CorrectText { room: ROOM, message: id(), text: "better".to_owned(), by };
        decided(facts, &rule).map(|it| it.outcome.message.text)
    }

    #[test]
    fn only_the_sender_edits_a_text() {
        let agent = candidate(Role::Agent).profile;
        let mut own = with_message(agent.speaker());
        assert_eq!(correct(&own, Role::Agent), Ok("better".to_owned()));
        own.messages[0].1.message.kind = MessageKind::FileAttachment;
        assert!(matches!(correct(&own, Role::Agent), Err(Refusal::Invalid(_))));
        let theirs = with_message(UserKey(999));
        for role in [Role::Agent, Role::Admin] {
            assert_eq!(correct(&theirs, role), Err(Refusal::NotYourMessage("a".to_owned())));
        }
        let mut elsewhere = with_message(agent.speaker());
        elsewhere.messages[0].1.message.room = RoomId(11);
        let unknown = Err(Refusal::MessageNotFound("a".to_owned()));
        assert_eq!(correct(&elsewhere, Role::Agent), unknown);
        own.omni.services[0].agents.clear();
        let refused = Err(Refusal::NotYourRoom("10".to_owned()));
        assert_eq!(correct(&own, Role::Agent), refused);
    }

    #[test]
    fn agents_cannot_delete_messages_of_others() {
        let theirs = with_message(UserKey(999));
        let by = candidate(Role::Agent).profile;
        let refused = decided(&theirs, &DeletePosted { room: ROOM, message: id(), by }).err();
        assert_eq!(refused, Some(Refusal::NotYourMessage("a".to_owned())));
    }
}
