//! Posting: the checks and changes that all posted messages share, system events and broadcasts
//! included.
//!
//! This module cannot create a delivery to a channel: a message posted through the message API
//! stays in its room (spec 1).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, MessageChange};
use crate::decision::context::Context;
use crate::decision::facts::{Facts, RoomFacts};
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::MessageId;
use crate::json_text::JsonText;
use crate::messages::incomplete_payload::Incomplete;
use crate::messages::message::{Draft, Message, MessageRef, PostedMessage};
use crate::messages::payload::Payload;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::rooms::opening::{self, PairRoom};
use crate::rooms::room::{LastMessage, Room, RoomRef};
use crate::rooms::seeing::may_see;
use crate::webhooks::event::MessageSource;

/// Returns the facts that a rule needs to post a draft in a room.
pub(crate) fn question(room: &RoomRef, draft: &Draft) -> Question {
    let mut messages = Vec::new();
    messages.extend(draft.unique_id.clone().map(MessageRef::Unique));
    if let Payload::Reply { to, .. } = draft.payload {
        messages.push(MessageRef::Id(to));
    }
    Question {
        rooms: vec![room.clone()],
        users: vec![draft.sender.user_id().clone()],
        finds_members: true,
        messages,
        finds_devices: true,
        ..Question::default()
    }
}

/// Posts a message of a user who may see the room. If the draft repeats an earlier message with the
/// same unique id, returns the earlier message instead.
pub(crate) fn post(
    context: &Context,
    facts: &Facts,
    room: &RoomRef,
    draft: &Draft,
    stamp: &Stamp<'_>,
) -> Result<Decision<PostedMessage>, Refusal> {
    if let Some(first) = first_post(context, facts, facts.found_room(room), draft)? {
        return Ok(Decision::nothing(first));
    }
    let room = facts.room(room)?;
    let sender = sender(context, facts, Some(room), draft)?;
    if !may_see(&room.room, sender.realm, room.members.contains(&sender.key)) {
        return Err(Refusal::NotAParticipant {
            user: draft.sender.as_str().to_owned(),
            room: room.room.id.to_string(),
        });
    }
    let posted = create_message(context, facts, &room.room, room.last, sender, draft, stamp)?;
    Ok(stored_in(room.room.clone(), posted))
}

/// Posts a system event by the app's System user, in any room of the app (spec 2.4).
pub struct PostSystemEvent {
    pub room: RoomRef,
    pub draft: Draft,
}

impl Rule for PostSystemEvent {
    type Outcome = PostedMessage;

    fn question(&self, _: &App) -> Question {
        question(&self.room, &self.draft)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<PostedMessage>, Refusal> {
        speak(context, facts, &self.room, &self.draft, stamp)
    }

    fn message_source(&self) -> MessageSource {
        MessageSource::MessageApi
    }
}

/// Posts a message of a sender who need not be in the room. The caller checks whether the sender
/// may.
pub(crate) fn speak(
    context: &Context,
    facts: &Facts,
    room: &RoomRef,
    draft: &Draft,
    stamp: &Stamp<'_>,
) -> Result<Decision<PostedMessage>, Refusal> {
    if let Some(first) = first_post(context, facts, facts.found_room(room), draft)? {
        return Ok(Decision::nothing(first));
    }
    let found = facts.room(room)?;
    let (RoomFacts { room, last, .. }, sender) = (found, facts.user_in(found, &draft.sender)?);
    let posted = create_message(context, facts, room, *last, sender, draft, stamp)?;
    Ok(stored_in(room.clone(), posted))
}

/// Posts one message per target, in the single room of sender and target. Creates missing rooms.
pub struct Broadcast {
    /// The single room of each target, and the message for the target.
    pub drafts: Vec<(PairRoom, Draft)>,
}

impl Rule for Broadcast {
    type Outcome = Vec<PostedMessage>;

    fn question(&self, _: &App) -> Question {
        let drafts = &self.drafts;
        let unique_ids = drafts.iter().filter_map(|(_, draft)| draft.unique_id.clone());
        let users = drafts.iter().flat_map(|(to, _)| to.pair.users());
        let mut users: Vec<_> = users.map(|user| user.user_id().clone()).collect();
        users.sort();
        users.dedup();
        let mut question = Question {
            rooms: drafts.iter().map(|(to, _)| to.room_ref()).collect(),
            users,
            messages: unique_ids.map(MessageRef::Unique).collect(),
            finds_devices: true,
            ..Question::default()
        };
        // All drafts reply to one message.
        if let Some(Payload::Reply { to, .. }) = drafts.first().map(|(_, draft)| &draft.payload) {
            question.messages.push(MessageRef::Id(*to));
        }
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Vec<PostedMessage>>, Refusal> {
        let drafts = &self.drafts;
        let users: Vec<_> = drafts.iter().flat_map(|(to, _)| to.pair.users()).cloned().collect();
        facts.all_users(None, &users)?;
        let mut decision = Decision::nothing(Vec::new());
        for (to, draft) in drafts {
            let room = facts.found_room(&to.room_ref());
            if let Some(first) = first_post(context, facts, room, draft)? {
                decision.outcome.push(first);
                continue;
            }
            let sender = sender(context, facts, None, draft)?;
            let opened = opening::pair(facts, to, context.app.system_user, stamp)?;
            let last = room.and_then(|room| room.last);
            let posted =
                create_message(context, facts, &opened.outcome, last, sender, draft, stamp)?;
            decision.changes.extend(opened.changes);
            let room = opened.outcome;
            decision.changes.push(Change::Message(MessageChange::Insert {
                posted: Arc::new(posted.clone()),
                room,
            }));
            decision.outcome.push(posted);
        }
        Ok(decision)
    }

    fn message_source(&self) -> MessageSource {
        MessageSource::MessageApi
    }
}

fn stored_in(room: Arc<Room>, posted: PostedMessage) -> Decision<PostedMessage> {
    let changes =
        vec![Change::Message(MessageChange::Insert { posted: Arc::new(posted.clone()), room })];
    Decision::new(changes, posted)
}

/// Returns the earlier message that the draft repeats, if there is one: a message with the same
/// unique id, sender, room and content. The content of an edited message need not match. Fails if
/// the unique id belongs to a deleted or a different message (D-0002).
fn first_post(
    context: &Context,
    facts: &Facts,
    room: Option<&RoomFacts>,
    draft: &Draft,
) -> Result<Option<PostedMessage>, Refusal> {
    let Some(unique_id) = &draft.unique_id else { return Ok(None) };
    let Some(first) = facts.message(&MessageRef::Unique(unique_id.clone())) else {
        return Ok(None);
    };
    if first.message.is_deleted {
        return Err(Refusal::MessageDeleted(unique_id.to_string()));
    }
    let differs = differences(context, facts, room, draft, first);
    if !differs.is_empty() {
        return Err(Refusal::UniqueIdTaken { unique_id: unique_id.to_string(), differs });
    }
    Ok(Some(first.clone()))
}

/// Returns the names of the parts in which a draft differs from a message. If the sender or the
/// room differs, the content is not compared, because the response would reveal it.
fn differences(
    context: &Context,
    facts: &Facts,
    room: Option<&RoomFacts>,
    draft: &Draft,
    first: &PostedMessage,
) -> Vec<&'static str> {
    let PostedMessage { message, sender: posted_by } = first;
    let sender = match room {
        Some(room) => facts.found_user_in(room, &draft.sender),
        None => facts.found_user(&draft.sender),
    };
    let is_same_room = room.is_some_and(|it| it.room.id == message.room);
    let is_same_sender = sender.is_some_and(|it| it.key == posted_by.key);
    let is_edited = facts.edited.contains(&message.id);
    let is_same_text = || draft.payload.shown_text(&draft.text) == message.text;
    let is_same_payload =
        || (context.renderers.is_same_payload)(&draft.payload, message.payload.as_ref());
    let of_place = [(!is_same_room, "room"), (!is_same_sender, "sender")];
    let named = |parts: &[(bool, &'static str)]| -> Vec<&'static str> {
        parts.iter().filter(|(differs, _)| *differs).map(|(_, name)| *name).collect()
    };
    match is_same_room && is_same_sender {
        false => named(&of_place),
        true if draft.payload.kind() != message.kind => vec!["type"],
        true if is_edited => Vec::new(),
        true => named(&[(!is_same_text(), "text"), (!is_same_payload(), "payload")]),
    }
}

/// Returns the sender, resolved in the room if one is given. Fails for deactivated users and the
/// System user.
pub(crate) fn sender<'a>(
    context: &Context,
    facts: &'a Facts,
    room: Option<&RoomFacts>,
    draft: &Draft,
) -> Result<&'a Arc<User>, Refusal> {
    let sender = match room {
        Some(room) => facts.user_in(room, &draft.sender)?,
        None => facts.user(&draft.sender)?,
    };
    let named = || draft.sender.as_str().to_owned();
    if sender.key == context.app.system_user {
        return Err(Refusal::SystemUser(named()));
    }
    if !sender.is_active {
        return Err(Refusal::UserDeactivated(named()));
    }
    Ok(sender)
}

/// Creates the message of a draft, next after the last one of its room.
pub(crate) fn create_message(
    context: &Context,
    facts: &Facts,
    room: &Room,
    last: Option<LastMessage>,
    sender: &Arc<User>,
    draft: &Draft,
    stamp: &Stamp<'_>,
) -> Result<PostedMessage, Refusal> {
    let message = Message {
        id: MessageId(stamp.next_id()),
        room: room.id,
        number: last.map_or(0, |last| last.number) + 1,
        before: last.map(|last| last.id),
        sender: sender.key,
        kind: draft.payload.kind(),
        text: draft.payload.shown_text(&draft.text),
        payload: whole_payload(context, facts, room, &draft.payload)?,
        extras: draft.extras.clone(),
        client_unique_id: draft.unique_id.clone(),
        posted_at: stamp.now,
        is_deleted: false,
    };
    Ok(PostedMessage { message, sender: sender.clone() })
}

pub(crate) fn whole_payload(
    context: &Context,
    facts: &Facts,
    room: &Room,
    payload: &Payload,
) -> Result<Option<JsonText>, Refusal> {
    let complete = context.renderers.complete_payload;
    Ok(Some(match payload {
        Payload::Reply { text, to, json } => {
            let replied = facts
                .message(&MessageRef::Id(*to))
                .filter(|posted| posted.message.room == room.id && !posted.message.is_deleted)
                .ok_or(Refusal::RepliedMessageNotInRoom(to.0))?;
            complete(Incomplete::Reply { json, text, replied })
        }
        Payload::SystemEvent(json) => {
            complete(Incomplete::SystemEvent { json, room_name: &room.name })
        }
        Payload::Conversation(event) => {
            complete(Incomplete::Conversation { event, room_name: &room.name })
        }
        Payload::RatingQuestion(question) => complete(Incomplete::RatingQuestion(question)),
        other => return Ok(other.json().cloned()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self, CountingStamps};
    use crate::messages::unique_id::UniqueId;
    use crate::people::user::UserId;

    fn draft(sender: &str) -> Draft {
        Draft {
            sender: UserId::parse("user_id", sender).expect("valid").into(),
            text: "hello".to_owned(),
            payload: Payload::Text,
            extras: None,
            unique_id: None,
        }
    }

    fn try_post(facts: &Facts, draft: &Draft) -> Result<Decision<PostedMessage>, Refusal> {
        let stamps = CountingStamps::default();
        let stamp = Stamp::new(&stamps, facts);
        post(&example::context(), facts, &example::room_ref(), draft, &stamp)
    }

    #[test]
    fn a_message_follows_the_last_one_of_its_room() {
        let facts = example::facts();
        let posted = try_post(&facts, &draft("ana")).expect("posted").outcome;
        assert_eq!(posted.message.before, Some(MessageId(41)));
        assert_eq!(posted.message.number, 8);
        assert!(posted.message.id > MessageId(41));
    }

    #[test]
    fn the_same_facts_and_stamps_give_the_same_decision() {
        let facts = example::facts();
        let first = try_post(&facts, &draft("ana")).expect("posted").outcome;
        assert_eq!(first, try_post(&facts, &draft("ana")).expect("posted").outcome);
    }

    #[test]
    fn only_participants_may_post_unless_the_room_is_public() {
        let mut facts = example::facts();
        let refused = try_post(&facts, &draft("bob")).err();
        assert!(matches!(refused, Some(Refusal::NotAParticipant { .. })), "{refused:?}");
        example::make_public(&mut facts);
        assert!(try_post(&facts, &draft("bob")).is_ok());
    }

    #[test]
    fn unknown_deactivated_and_system_senders_are_refused() {
        let facts = example::facts();
        let refused = |sender: &str| try_post(&facts, &draft(sender)).err();
        assert_eq!(refused("eve"), Some(Refusal::UsersNotFound(vec!["eve".to_owned()])));
        assert_eq!(refused("gone"), Some(Refusal::UserDeactivated("gone".to_owned())));
        assert_eq!(refused("system@app"), Some(Refusal::SystemUser("system@app".to_owned())));
    }

    #[test]
    fn posting_a_unique_id_again_returns_the_first_message_and_changes_nothing() {
        let mut facts = example::facts();
        let unique_id = UniqueId::parse("unique_temp_id", "once").expect("valid");
        let first = example::posted_message(5);
        facts.messages.push((MessageRef::Unique(unique_id.clone()), first.clone()));
        let again = Draft { unique_id: Some(unique_id.clone()), ..draft("ana") };
        let again = Draft { text: first.message.text.clone(), ..again };
        let decision = try_post(&facts, &again).expect("posted before");
        assert!(decision.changes.is_empty());
        assert_eq!(decision.outcome, first);
        let taken = |differs| {
            let unique_id = unique_id.to_string();
            Some(Refusal::UniqueIdTaken { unique_id, differs })
        };
        let other = Draft { text: "another".to_owned(), ..again.clone() };
        assert_eq!(try_post(&facts, &other).err(), taken(vec!["text"]));
        let other = Draft { sender: draft("bob").sender, ..other };
        assert_eq!(
            try_post(&facts, &other).err(),
            taken(vec!["sender"]),
            "the text is not compared"
        );
        facts.edited.push(first.message.id);
        let original = Draft { text: "before the edit".to_owned(), ..again };
        assert_eq!(try_post(&facts, &original).expect("posted before").outcome, first);
    }

    #[test]
    fn a_unique_id_of_a_deleted_message_is_refused() {
        let mut facts = example::facts();
        let unique_id = UniqueId::parse("unique_temp_id", "once").expect("valid");
        let mut first = example::posted_message(5);
        first.message.is_deleted = true;
        facts.messages.push((MessageRef::Unique(unique_id.clone()), first));
        let again = Draft { unique_id: Some(unique_id), ..draft("ana") };
        let refused = try_post(&facts, &again).err();
        assert_eq!(refused, Some(Refusal::MessageDeleted("once".to_owned())));
    }

    #[test]
    fn a_reply_needs_a_message_of_the_same_room_that_is_not_deleted() {
        let json = JsonText::empty_object();
        let payload = Payload::Reply { text: "yes".to_owned(), to: MessageId(5), json };
        let reply = Draft { payload, ..draft("ana") };
        let mut facts = example::facts();
        let refused = Some(Refusal::RepliedMessageNotInRoom(5));
        assert_eq!(try_post(&facts, &reply).err(), refused);
        facts.messages.push((MessageRef::Id(MessageId(5)), example::posted_message(5)));
        assert_eq!(try_post(&facts, &reply).expect("posted").outcome.message.text, "yes");
        facts.messages[0].1.message.is_deleted = true;
        assert_eq!(try_post(&facts, &reply).err(), refused);
        facts.messages[0].1.message.is_deleted = false;
        facts.messages[0].1.message.room = crate::ids::RoomId(99);
        assert_eq!(try_post(&facts, &reply).err(), refused);
    }
}
