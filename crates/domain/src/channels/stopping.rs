//! The rule that pauses a channel whose token the provider rejects. Its messages wait until the
//! token is replaced (design/channels).

use crate::app::App;
use crate::channels::connecting_providers::send_endpoint;
use crate::channels::provider_health::{ProviderHealth, ProviderState};
use crate::decision::change::{Change, ChannelChange, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Lane;
use crate::webhooks::event::{EndpointStateChanged, EndpointTransition, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::fan_out::{self, EventContext};

/// Records the health of a channel. A rejected token pauses sending, and a working one resumes it;
/// the app is notified of both. The outcome is whether anything changed.
pub struct RecordChannelHealth {
    pub channel: ChannelId,
    pub state: ProviderState,
    /// Description of the problem; empty if there is none.
    pub reason: String,
}

impl Rule for RecordChannelHealth {
    type Outcome = bool;

    fn question(&self, _: &App) -> Question {
        let kinds = vec![EventKind::ChannelSend, EventKind::EndpointState];
        let health_of = Some(self.channel);
        Question {
            endpoints: Some((self.lane(), kinds)),
            omni: Some(OmnichannelQuestion { health_of, ..OmnichannelQuestion::default() }),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<bool>, Refusal> {
        let before = facts.omni.channel_health.as_ref();
        let was = before.map_or(ProviderState::Ok, |it| it.state);
        if before.is_some_and(|it| it.state == self.state && it.reason == self.reason) {
            return Ok(Decision::nothing(false));
        }
        // An unreachable provider does not prove that the token works again.
        if was == ProviderState::Unauthorized && self.state == ProviderState::Unreachable {
            return Ok(Decision::nothing(false));
        }
        let since = before.filter(|it| it.state == self.state).map_or(stamp.now, |it| it.since);
        let (channel, reason) = (self.channel, self.reason.clone());
        let health = ProviderHealth { state: self.state, reason, since };
        let mut changes: Vec<Change> = vec![ChannelChange::SetHealth { channel, health }.into()];
        let turn = match (was, self.state) {
            (was, ProviderState::Unauthorized) if was != ProviderState::Unauthorized => {
                Some((true, EndpointTransition::Disabled))
            }
            (ProviderState::Unauthorized, ProviderState::Ok | ProviderState::Limited) => {
                Some((false, EndpointTransition::Recovered))
            }
            _ => None,
        };
        let (Some((is_paused, turn)), Some(endpoint)) = (turn, send_endpoint(facts, channel))
        else {
            return Ok(Decision::new(changes, true));
        };
        changes.push(WebhookChange::SetPaused { endpoint: endpoint.id, is_paused }.into());
        let notice = Event::EndpointStateChanged(EndpointStateChanged {
            app: context.app.code.clone(),
            kind: EventKind::ChannelSend,
            url: endpoint.url.clone(),
            turn,
            failing_since: Some(since),
            at: stamp.now,
        });
        let (app, depth_before) = (context.app.id, context.depth_before);
        let place = EventContext { app, lane: self.lane(), depth_before };
        let body = context.renderers.webhook_body;
        let told = fan_out::fan_out(facts, stamp, place, &[notice], body)?;
        Ok(Decision::new(changes, true).with_deliveries(told))
    }
}

impl RecordChannelHealth {
    fn lane(&self) -> Lane {
        Lane(self.channel.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{add_endpoint, decided, delivered_kinds};

    fn recorded(facts: &Facts, state: ProviderState) -> Decision<bool> {
        let rule = RecordChannelHealth { channel: ChannelId(30), state, reason: String::new() };
        decided(facts, &rule).unwrap_or_else(|refused| panic!("{refused}"))
    }

    fn pauses(decision: &Decision<bool>) -> Option<bool> {
        decision.changes.iter().find_map(|change| match change {
            Change::Webhook(WebhookChange::SetPaused { is_paused, .. }) => Some(*is_paused),
            _ => None,
        })
    }

    #[test]
    fn a_rejected_token_pauses_the_channel_once_and_a_working_one_resumes_it() {
        let mut facts = Facts::default();
        add_endpoint(&mut facts, EventKind::ChannelSend, "30");
        add_endpoint(&mut facts, EventKind::EndpointState, "");
        let stopped = recorded(&facts, ProviderState::Unauthorized);
        assert_eq!((pauses(&stopped), delivered_kinds(&stopped).len()), (Some(true), 1));
        let health = |state| {
            Some(ProviderHealth { state, reason: String::new(), since: crate::time::Timestamp(1) })
        };
        facts.omni.channel_health = health(ProviderState::Unauthorized);
        assert!(recorded(&facts, ProviderState::Unauthorized).changes.is_empty());
        let unreachable = recorded(&facts, ProviderState::Unreachable);
        assert!(unreachable.changes.is_empty(), "unreachable is no new state of the token");
        let resumed = recorded(&facts, ProviderState::Ok);
        assert_eq!((pauses(&resumed), delivered_kinds(&resumed).len()), (Some(false), 1));
        facts.omni.channel_health = health(ProviderState::Ok);
        assert_eq!(pauses(&recorded(&facts, ProviderState::Limited)), None);
    }
}
