//! Echoes: messages that the business sent to a customer outside of Confab, for example from its
//! phone, and that are stored in the customer's room too.
//!
//! The app's System user is their sender. The provider has sent them already, so no delivery is
//! created; no session is opened and no bot is notified.

use crate::app::App;
use crate::channels::channel_message::{ChannelMessage, ExternalRef, MessageState, PartState};
use crate::decision::change::ChannelChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::messages::message::Draft;
use crate::messages::posting;
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::room::RoomRef;
use crate::support::conversations::support_room::SupportRoom;

/// Stores a message that was sent to the room's customer outside of Confab. The app's System user
/// posts it; the draft's own sender is ignored. The outcome is whether the message is new.
pub struct EchoMessage {
    pub room: RoomId,
    pub draft: Draft,
    /// The provider's id of the message.
    pub external: ExternalRef,
}

impl Rule for EchoMessage {
    type Outcome = bool;

    fn question(&self, app: &App) -> Question {
        let sender = UserRef::own(App::system_user_id(&app.code));
        let draft = Draft { sender, ..self.draft.clone() };
        let mut question = posting::question(&RoomRef::Id(self.room), &draft);
        question.users.push(App::system_user_id(&app.code));
        question.omni = Some(OmnichannelQuestion {
            finds_support: true,
            finds_people: true,
            external_message: Some(self.external.clone()),
            ..OmnichannelQuestion::default()
        });
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<bool>, Refusal> {
        if facts.omni.external_message.is_some() {
            return Ok(Decision::nothing(false));
        }
        let mut serving = SupportRoom::of(context, facts, self.room, stamp)?;
        let Draft { text, payload, extras, .. } = self.draft.clone();
        let posted = serving.post_as_system(text, payload, extras)?;
        let (room, message, at) = (self.room, posted.message.id, stamp.now);
        let external = self.external.clone();
        let named = ChannelMessage { external, room, message, is_outgoing: true, at };
        let (state, code, reason) = (MessageState::Sent, None, None);
        let state = PartState { room, message, part: 0, state, code, reason, at };
        serving.change(ChannelChange::AddMessage(named).into());
        serving.change(ChannelChange::AddState(state).into());
        serving.end(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{customer_facts, decided, delivered_kinds, draft};
    use crate::ids::{ChannelId, MessageId};

    #[test]
    fn an_echo_is_stored_once_and_creates_no_delivery() {
        let external =
            ExternalRef { channel: ChannelId(30), external_id: "wamid.1".to_owned(), part: 0 };
        let rule = EchoMessage { room: RoomId(10), draft: draft("ana"), external };
        let mut facts = customer_facts();
        let Ok(echoed) = decided(&facts, &rule) else { panic!("the echo is stored") };
        assert!(echoed.outcome && delivered_kinds(&echoed).is_empty());
        let (external, room) = (rule.external.clone(), rule.room);
        let (message, at) = (MessageId(5), crate::time::Timestamp(1));
        facts.omni.external_message =
            Some(ChannelMessage { external, room, message, is_outgoing: true, at });
        let Ok(again) = decided(&facts, &rule) else { panic!("a repeated echo is not refused") };
        assert!(!again.outcome && again.changes.is_empty());
    }
}
