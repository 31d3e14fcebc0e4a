//! Messages: posts, broadcasts, deletions.

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::json_text::JsonText;
use confab_domain::messages::deleting::{DeleteMessages, DeleteOwnMessages};
use confab_domain::messages::incomplete_payload::Incomplete;
use confab_domain::messages::message::{Draft, Message, MessageRef, PostedMessage};
use confab_domain::messages::payload::Payload;
use confab_domain::messages::posting::{Broadcast, PostSystemEvent};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::speaking::{PostMessage, PostOutcome};
use confab_domain::webhooks::event::MessageSource;
use confab_store::WriteError;

use super::{World, room_ref, side_by_side, user_id};

/// Returns a draft of a text message.
pub fn draft_by(sender: &str, text: &str) -> Draft {
    Draft {
        sender: user_id(sender).into(),
        text: text.to_owned(),
        payload: Payload::Text,
        extras: None,
        unique_id: None,
    }
}

impl World {
    pub async fn post(&self, room: &str, sender: &str, text: &str) -> Message {
        self.try_post(room, draft_by(sender, text)).await.expect("posted").message
    }

    /// Posts a text with a client's unique id.
    pub async fn post_once(
        &self,
        room: &str,
        sender: &str,
        text: &str,
        unique_id: &UniqueId,
    ) -> Result<PostedMessage, WriteError> {
        let unique_id = Some(unique_id.clone());
        self.try_post(room, Draft { unique_id, ..draft_by(sender, text) }).await
    }

    pub async fn try_post(&self, room: &str, draft: Draft) -> Result<PostedMessage, WriteError> {
        self.try_post_into(room_ref(room), draft).await
    }

    pub async fn try_post_into(
        &self,
        room: RoomRef,
        draft: Draft,
    ) -> Result<PostedMessage, WriteError> {
        let rule = PostMessage { room, draft, message_source: MessageSource::MessageApi };
        let posted = self.decide_without_pushes(rule).await?;
        let PostOutcome::Stored(said) = posted else {
            panic!("messages of customers have a rule of their own")
        };
        Ok(*said)
    }

    /// Posts texts concurrently, and returns them in the order of the room.
    pub async fn post_many(&self, room: &str, sender: &str, count: usize) -> Vec<Message> {
        let (room, sender) = (room_ref(room), sender.to_owned());
        let posts = (1..=count).map(|text| {
            let (world, room, sender) = (self.clone(), room.clone(), sender.clone());
            async move { world.try_post_into(room, draft_by(&sender, &text.to_string())).await }
        });
        let said = side_by_side(posts).await.into_iter();
        let mut messages: Vec<_> = said.map(|said| said.expect("posted").message).collect();
        messages.sort_by_key(|message| message.number);
        messages
    }

    /// Posts a system event as the System user.
    pub async fn post_system_event(&self, room: &str, json: &str) -> PostedMessage {
        let room = room_ref(room);
        let payload = Payload::SystemEvent(JsonText::from_checked(json));
        let system = format!("system@{}", self.code.as_str());
        let draft = Draft { payload, ..draft_by(&system, "something happened") };
        self.decide_without_pushes(PostSystemEvent { room, draft }).await.expect("posted")
    }

    /// Posts a text to each target, in the single room of sender and target.
    pub async fn broadcast(
        &self,
        sender: &str,
        targets: &[&str],
        text: &str,
    ) -> Vec<PostedMessage> {
        let to = |target: &&str| (self.pair_room(sender, target), draft_by(sender, text));
        let drafts = targets.iter().map(to).collect();
        self.decide(Broadcast { drafts }).await.expect("posted")
    }

    /// Deletes messages by their unique ids.
    pub async fn delete(&self, messages: &[&Message]) {
        let ids: Vec<_> = messages.iter().map(|message| message.unique_id()).collect();
        self.try_delete(ids).await.expect("deleted");
    }

    /// Deletes a user's own message.
    pub async fn delete_own(&self, by: &str, message: &Message) {
        let (rooms, ids) = (vec![message.room], vec![message.unique_id()]);
        let rule = DeleteOwnMessages { rooms, ids, by: user_id(by).into(), is_hard: true };
        self.decide(rule).await.expect("deleted");
    }

    pub async fn try_delete(&self, ids: Vec<UniqueId>) -> Result<Vec<Message>, WriteError> {
        self.decide(DeleteMessages { ids }).await
    }

    /// Returns the numbers of rooms, users and messages that a rule finds for these references.
    pub async fn facts_found(
        &self,
        rooms: Vec<RoomRef>,
        users: &[&str],
        messages: Vec<MessageRef>,
    ) -> (usize, usize, usize) {
        let users = super::user_ids(users);
        let question = Question {
            rooms,
            users,
            messages,
            finds_members: true,
            counts_participants: true,
            ..Question::default()
        };
        let rule = |facts: &Facts, _: &Stamp<'_>| {
            let found = (facts.rooms.len(), facts.users.len(), facts.messages.len());
            Ok(confab_domain::decision::rule::Decision::nothing(found))
        };
        self.store.decide(self.app, question, rule).await.expect("decided")
    }
}

/// Renders the facts of an incomplete payload, in place of the renderer in `wire`.
pub fn completed(incomplete: Incomplete<'_>) -> JsonText {
    JsonText::from_checked(match incomplete {
        Incomplete::Reply { text, replied, .. } => {
            format!(r#"["{text}","{}"]"#, replied.message.text)
        }
        Incomplete::SystemEvent { json, room_name } => {
            format!(r#"[{},"{room_name}"]"#, json.as_str())
        }
        Incomplete::Conversation { event, room_name } => {
            format!(r#"["{}","{room_name}"]"#, event.what.as_str())
        }
        Incomplete::RatingQuestion(question) => format!(r#"["{}"]"#, question.text),
    })
}
