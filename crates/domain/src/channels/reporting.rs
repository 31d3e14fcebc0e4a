//! Reporting: a service says how far something is that was said to a customer.

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

/// It is so far, if that is news: states only rise, in whichever order a service tells them.
pub struct ReportState {
    pub state: PartState,
    /// What the service calls it, if that may not be known yet.
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

/// Something that was sent beside all rooms is so far, if that is news: the service's answer and
/// what it reports later come in any order.
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
