//! The search for messages by their unique ids, which precedes decisions that must lock the
//! messages' rooms. The result cannot become outdated, because a message never changes its room or
//! its type.

use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::messages::message::{MessageRef, PostedMessage};
use crate::messages::unique_id::UniqueId;
use crate::refusal::Refusal;

/// Finds messages of the app, including deleted ones; changes nothing.
pub struct FindMessages {
    pub ids: Vec<UniqueId>,
}

impl Rule for FindMessages {
    type Outcome = Vec<PostedMessage>;

    fn question(&self, _: &App) -> Question {
        let messages = self.ids.iter().cloned().map(MessageRef::Unique).collect();
        Question { messages, ..Question::default() }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Vec<PostedMessage>>, Refusal> {
        Ok(Decision::nothing(facts.messages.iter().map(|(_, posted)| posted.clone()).collect()))
    }
}
