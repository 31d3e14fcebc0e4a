//! Rules that store the delivery states that a provider reports.

use crate::app::App;
use crate::channels::channel_message::{ChannelMessage, PartState};
use crate::channels::direct_send::DirectSend;
use crate::decision::change::ChannelChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::refusal::Refusal;

/// Advances the delivery state of a message. Reports may arrive in any order, because a less
/// advanced state is ignored.
pub struct ReportState {
    pub state: PartState,
    /// Link between the message and the provider's id of it, if it may not be stored yet.
    pub named: Option<ChannelMessage>,
}

impl Rule for ReportState {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        let (state, is_again) = (self.state.clone(), false);
        let named = self.named.clone().map(|it| ChannelChange::AddMessage(it).into());
        Ok(Decision::new(vec![ChannelChange::SetState { state, is_again }.into()], ()).also(named))
    }
}

/// Advances the delivery state of a direct send. The provider's response and its later reports can
/// arrive in any order.
pub struct RecordDirectSend(pub DirectSend);

impl Rule for RecordDirectSend {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(&self, _: &Context, _: &Facts, _: &Stamp<'_>) -> Result<Decision<()>, Refusal> {
        Ok(Decision::new(vec![ChannelChange::SetDirectSend(self.0.clone()).into()], ()))
    }
}
