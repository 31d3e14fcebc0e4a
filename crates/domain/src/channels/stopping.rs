//! Stopping: a channel whose token is dead stops at once and visibly; nothing is given up for it
//! (D-0153).

use crate::app::App;
use crate::channels::connecting_services::send_endpoint;
use crate::channels::service_health::{ServiceHealth, ServiceState};
use crate::decision::change::{Change, ChannelChange, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Lane;
use crate::webhooks::fan_out::{self, NoticeContext};
use crate::webhooks::notice::{EndpointTurn, EndpointTurned, Notice};
use crate::webhooks::notice_kind::NoticeKind;

/// How a channel was found to be. What is said to its customers waits while its token is dead, and
/// goes on once it is good; the app is told of both. The outcome is whether anything changed.
pub struct NoteChannel {
    pub channel: ChannelId,
    pub state: ServiceState,
    /// In plain words.
    pub reason: String,
}

impl Rule for NoteChannel {
    type Outcome = bool;

    fn question(&self, _: &App) -> Question {
        let kinds = vec![NoticeKind::ChannelSend, NoticeKind::EndpointState];
        let health_of = Some(self.channel);
        Question {
            endpoints: Some((self.lane(), kinds)),
            omni: Some(OmniQuestion { health_of, ..OmniQuestion::default() }),
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
        let was = before.map_or(ServiceState::Ok, |it| it.state);
        if before.is_some_and(|it| it.state == self.state && it.reason == self.reason) {
            return Ok(Decision::nothing(false));
        }
        // Who does not answer says nothing about the token.
        if was == ServiceState::Unauthorized && self.state == ServiceState::Unreachable {
            return Ok(Decision::nothing(false));
        }
        let since = before.filter(|it| it.state == self.state).map_or(stamp.now, |it| it.since);
        let (channel, reason) = (self.channel, self.reason.clone());
        let health = ServiceHealth { state: self.state, reason, since };
        let mut changes: Vec<Change> = vec![ChannelChange::SetHealth { channel, health }.into()];
        let turn = match (was, self.state) {
            (was, ServiceState::Unauthorized) if was != ServiceState::Unauthorized => {
                Some((true, EndpointTurn::Disabled))
            }
            (ServiceState::Unauthorized, ServiceState::Ok | ServiceState::Limited) => {
                Some((false, EndpointTurn::Recovered))
            }
            _ => None,
        };
        let (Some((is_paused, turn)), Some(endpoint)) = (turn, send_endpoint(facts, channel))
        else {
            return Ok(Decision::new(changes, true));
        };
        changes.push(WebhookChange::SetPaused { endpoint: endpoint.id, is_paused }.into());
        let notice = Notice::EndpointTurned(EndpointTurned {
            app: context.app.code.clone(),
            kind: NoticeKind::ChannelSend,
            url: endpoint.url.clone(),
            turn,
            failing_since: Some(since),
            at: stamp.now,
        });
        let (app, depth_before) = (context.app.id, context.depth_before);
        let place = NoticeContext { app, lane: self.lane(), depth_before };
        let body = context.renderers.webhook_body;
        let told = fan_out::tell(facts, stamp, place, &[notice], body)?;
        Ok(Decision::new(changes, true).telling(told))
    }
}

impl NoteChannel {
    fn lane(&self) -> Lane {
        Lane(self.channel.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{add_endpoint, decided, told};

    fn note(facts: &Facts, state: ServiceState) -> Decision<bool> {
        let rule = NoteChannel { channel: ChannelId(30), state, reason: String::new() };
        decided(facts, &rule).unwrap_or_else(|refused| panic!("{refused}"))
    }

    fn pauses(decision: &Decision<bool>) -> Option<bool> {
        decision.changes.iter().find_map(|change| match change {
            Change::Webhook(WebhookChange::SetPaused { is_paused, .. }) => Some(*is_paused),
            _ => None,
        })
    }

    #[test]
    fn a_dead_token_stops_the_channel_once_and_a_good_one_lets_it_go_on() {
        let mut facts = Facts::default();
        add_endpoint(&mut facts, NoticeKind::ChannelSend, "30");
        add_endpoint(&mut facts, NoticeKind::EndpointState, "");
        let stopped = note(&facts, ServiceState::Unauthorized);
        assert_eq!((pauses(&stopped), told(&stopped).len()), (Some(true), 1));
        let health = |state| {
            Some(ServiceHealth { state, reason: String::new(), since: crate::time::Timestamp(1) })
        };
        facts.omni.channel_health = health(ServiceState::Unauthorized);
        assert!(note(&facts, ServiceState::Unauthorized).changes.is_empty());
        let unreachable = note(&facts, ServiceState::Unreachable);
        assert!(unreachable.changes.is_empty(), "that says nothing about the token");
        let resumed = note(&facts, ServiceState::Ok);
        assert_eq!((pauses(&resumed), told(&resumed).len()), (Some(false), 1));
        facts.omni.channel_health = health(ServiceState::Ok);
        assert_eq!(pauses(&note(&facts, ServiceState::Limited)), None);
    }
}
