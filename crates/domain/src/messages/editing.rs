//! Editing a message.

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::{EventId, RoomId};
use crate::messages::message::{Draft, MessageRef, PostedMessage};
use crate::messages::payload::Payload;
use crate::messages::posting::whole_payload;
use crate::messages::room_event::{RoomEvent, RoomEventKind};
use crate::messages::unique_id::UniqueId;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::rooms::seeing::may_see;

/// Edits the caller's own message: its text, payload and extras. The type stays. Fails if the
/// caller may no longer see the room.
pub struct EditMessage {
    pub room: RoomId,
    pub message: UniqueId,
    /// The editing user, and the new content.
    pub draft: Draft,
}

impl Rule for EditMessage {
    type Outcome = PostedMessage;

    fn question(&self, _: &App) -> Question {
        let mut messages = vec![MessageRef::Unique(self.message.clone())];
        if let Payload::Reply { to, .. } = self.draft.payload {
            messages.push(MessageRef::Id(to));
        }
        Question {
            rooms: vec![RoomRef::Id(self.room)],
            users: vec![self.draft.sender.user_id().clone()],
            finds_members: true,
            messages,
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        let Self { room, ref message, ref draft } = *self;
        let found = facts.room(&RoomRef::Id(room))?;
        let by = facts.user_in(found, &draft.sender)?;
        // Hide the existence of the message from users who may not see the room.
        let sees = may_see(&found.room, by.realm, found.members.contains(&by.key));
        let posted = facts
            .message(&MessageRef::Unique(message.clone()))
            .filter(|posted| sees && posted.message.room == room && !posted.message.is_deleted)
            .ok_or_else(|| Refusal::MessageNotFound(message.to_string()))?;
        if posted.message.sender != by.key {
            return Err(Refusal::NotYourMessage(message.to_string()));
        }
        if posted.message.kind != draft.payload.kind() {
            let stays = format!("must still be {}", posted.message.kind.as_str());
            return Err(FieldProblem::new("type", stays).into());
        }
        let mut edited = posted.clone();
        edited.sender = by.clone();
        edited.message.text = draft.payload.shown_text(&draft.text);
        edited.message.payload = whole_payload(context, facts, &found.room, &draft.payload)?;
        edited.message.extras = draft.extras.clone();
        let what =
            RoomEventKind::Edited { posted: Arc::new(edited.clone()), room: found.room.clone() };
        let event = RoomEvent { id: EventId(stamp.next_id()), room, what };
        Ok(Decision::new(vec![Change::Message(MessageChange::InsertEvent(event))], edited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self};
    use crate::json_text::JsonText;
    use crate::people::user::UserId;

    fn try_edit(by: &str, payload: Payload, is_deleted: bool) -> Result<String, Refusal> {
        let mut facts = example::facts();
        let id = UniqueId::parse("unique_id", "first").expect("valid");
        let mut posted = example::posted_message(41);
        posted.message.is_deleted = is_deleted;
        facts.messages.push((MessageRef::Unique(id.clone()), posted));
        let room = facts.rooms[0].1.clone();
        let place = room.room.id;
        facts.rooms.push((RoomRef::Id(place), room));
        let draft = Draft {
            sender: UserId::parse("user_id", by).expect("valid").into(),
            text: "second".to_owned(),
            payload,
            extras: None,
            unique_id: None,
        };
        let rule = EditMessage { room: place, message: id, draft };
        let decision = example::decided(&facts, &rule)?;
        let Change::Message(MessageChange::InsertEvent(event)) = &decision.changes[0] else {
            panic!("the change is an event")
        };
        assert!(
            matches!(&event.what, RoomEventKind::Edited { posted, .. } if posted.message.id.0 == 41)
        );
        Ok(decision.outcome.message.text)
    }

    #[test]
    fn senders_edit_their_own_messages_and_the_type_stays() {
        assert_eq!(try_edit("ana", Payload::Text, false), Ok("second".to_owned()));
        let by_others = |by| try_edit(by, Payload::Text, false).err();
        assert_eq!(by_others("gone"), Some(Refusal::NotYourMessage("first".to_owned())));
        assert_eq!(by_others("bob"), Some(Refusal::MessageNotFound("first".to_owned())));
        let gone = try_edit("ana", Payload::Text, true).err();
        assert_eq!(gone, Some(Refusal::MessageNotFound("first".to_owned())));
        let card = Payload::Custom(JsonText::empty_object());
        assert!(matches!(try_edit("ana", card, false), Err(Refusal::Invalid(_))));
    }
}
