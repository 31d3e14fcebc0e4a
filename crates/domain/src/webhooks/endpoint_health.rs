//! Endpoint health: when the owner of a failing endpoint is notified, and when the endpoint is
//! disabled.
//!
//! The owner is notified when failures begin, after one day, after three days, when the endpoint is
//! disabled, when it recovers, and when a delivery is given up.

use crate::app::App;
use crate::decision::change::WebhookChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{DeliveryId, EndpointId};
use crate::refusal::Refusal;
use crate::time::Timestamp;
use crate::webhooks::delivery::Lane;
use crate::webhooks::endpoint::{Endpoint, EndpointFailures};
use crate::webhooks::event::{EndpointStateChanged, EndpointTransition, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::fan_out::{self, EventContext};

const HOUR_US: i64 = 3600 * 1_000_000;
/// Durations of failure, in microseconds, after which the owner is notified again.
const NOTIFIED_AFTER_US: [i64; 2] = [24 * HOUR_US, 72 * HOUR_US];
/// Duration of failure, in microseconds, after which the endpoint is disabled.
const DISABLED_AFTER_US: i64 = 5 * 24 * HOUR_US;

/// The endpoint's condition according to the outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The attempt failed, and the circuit breaker opened.
    Degraded,
    /// The attempt failed without opening the circuit breaker.
    Failed,
    /// The receiver is reachable: it accepted, postponed or permanently rejected the delivery.
    Answered,
    /// The receiver refuses further deliveries (status 410).
    Gone,
    /// The delivery was given up.
    GaveUp(DeliveryId),
}

/// A change of an endpoint's health, with the notification to its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthChange {
    /// The endpoint's failures after the change; `None` if it recovered.
    pub failing: Option<EndpointFailures>,
    /// Whether the endpoint stays enabled.
    pub is_enabled: bool,
    /// The transition that the owner is notified of.
    pub turn: EndpointTransition,
}

/// Stores a change of an endpoint's health and notifies its owner.
pub struct RecordEndpointHealth {
    pub endpoint: EndpointId,
    /// Kind of the endpoint.
    pub kind: EventKind,
    pub sign: Sign,
}

impl Rule for RecordEndpointHealth {
    /// The change of the endpoint's health; `None` if it did not change.
    type Outcome = Option<EndpointTransition>;

    fn question(&self, _: &App) -> Question {
        let kinds = vec![self.kind, EventKind::EndpointState];
        Question { endpoints: Some((self.lane(), kinds)), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Option<EndpointTransition>>, Refusal> {
        let found = facts.endpoints.iter().find(|(it, _)| it.id == self.endpoint);
        let change = found.and_then(|(it, _)| after(it, self.sign, stamp.now));
        let (Some((endpoint, _)), Some(change)) = (found, change) else {
            return Ok(Decision::nothing(None));
        };
        let HealthChange { failing, is_enabled, turn } = change;
        let event = Event::EndpointStateChanged(EndpointStateChanged {
            app: context.app.code.clone(),
            kind: self.kind,
            url: endpoint.url.clone(),
            turn,
            failing_since: failing.or(endpoint.failing).map(|failing| failing.since),
            at: stamp.now,
        });
        // Failures of the endpoint that receives these notifications cannot be reported to it.
        let is_notified = self.kind != EventKind::EndpointState;
        let events = if is_notified { vec![event] } else { Vec::new() };
        let (app, depth_before) = (context.app.id, context.depth_before);
        let place = EventContext { app, lane: self.lane(), depth_before };
        let told = fan_out::fan_out(facts, stamp, place, &events, context.renderers.webhook_body)?;
        let stored = WebhookChange::SetHealth { endpoint: self.endpoint, failing, is_enabled };
        Ok(Decision::new(vec![stored.into()], Some(turn)).with_deliveries(told))
    }
}

impl RecordEndpointHealth {
    fn lane(&self) -> Lane {
        Lane(self.endpoint.0)
    }
}

/// Returns the change of an endpoint's health that the outcome of an attempt causes; usually
/// `None`.
pub fn after(endpoint: &Endpoint, sign: Sign, now: Timestamp) -> Option<HealthChange> {
    let Endpoint { failing, is_enabled, .. } = *endpoint;
    if !is_enabled {
        return None;
    }
    let change = |failing, turn| Some(HealthChange { failing, is_enabled, turn });
    match (sign, failing) {
        (Sign::Gone, _) => {
            let turn = EndpointTransition::Disabled;
            Some(HealthChange { failing, is_enabled: false, turn })
        }
        (Sign::GaveUp(delivery), _) => change(failing, EndpointTransition::Exhausted(delivery)),
        (Sign::Answered, None) | (Sign::Failed, None) => None,
        (Sign::Answered, Some(_)) => change(None, EndpointTransition::Recovered),
        (Sign::Degraded, None) => {
            change(Some(EndpointFailures { since: now, told: 1 }), EndpointTransition::Degraded)
        }
        (Sign::Degraded | Sign::Failed, Some(failing)) => still_failing(failing, now),
    }
}

fn still_failing(failing: EndpointFailures, now: Timestamp) -> Option<HealthChange> {
    let EndpointFailures { since, told } = failing;
    let for_us = now.0.saturating_sub(since.0);
    if for_us >= DISABLED_AFTER_US {
        let turn = EndpointTransition::Disabled;
        return Some(HealthChange { failing: Some(failing), is_enabled: false, turn });
    }
    let due = 1 + NOTIFIED_AFTER_US.iter().filter(|after| for_us >= **after).count() as u32;
    (due > told).then_some(HealthChange {
        failing: Some(EndpointFailures { since, told: due }),
        is_enabled: true,
        turn: EndpointTransition::StillFailing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AppId;
    use crate::webhooks::endpoint::DeliveryPolicy;

    fn endpoint() -> Endpoint {
        Endpoint {
            id: EndpointId(1),
            app: AppId(1),
            kind: EventKind::Bot,
            name: String::new(),
            url: "https://bot.example/".to_owned(),
            is_enabled: true,
            is_paused: false,
            failing: None,
            policy: DeliveryPolicy::default(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    fn hours(hours: i64) -> Timestamp {
        Timestamp(hours * HOUR_US)
    }

    /// Returns the notifications about an endpoint that fails every hour until `until_h`, each with
    /// its hour.
    fn notified(until_h: i64) -> Vec<(i64, EndpointTransition)> {
        let (mut endpoint, mut notified) = (endpoint(), Vec::new());
        for hour in 0..=until_h {
            let sign = if hour == 0 { Sign::Degraded } else { Sign::Failed };
            if let Some(change) = after(&endpoint, sign, hours(hour)) {
                (endpoint.failing, endpoint.is_enabled) = (change.failing, change.is_enabled);
                notified.push((hour, change.turn));
            }
        }
        notified
    }

    #[test]
    fn owners_are_notified_at_once_after_one_and_three_days_and_when_disabled() {
        use EndpointTransition::{Degraded, Disabled, StillFailing};
        let expected = [(0, Degraded), (24, StillFailing), (72, StillFailing), (120, Disabled)];
        assert_eq!(notified(500), expected);
    }

    #[test]
    fn a_recovery_is_reported_once() {
        let failing = Some(EndpointFailures { since: hours(0), told: 2 });
        let change = after(&Endpoint { failing, ..endpoint() }, Sign::Answered, hours(30));
        let change = change.expect("a change");
        assert_eq!((change.failing, change.turn), (None, EndpointTransition::Recovered));
        assert_eq!(after(&endpoint(), Sign::Answered, hours(30)), None);
        assert_eq!(
            after(&endpoint(), Sign::Failed, hours(30)),
            None,
            "one failure changes nothing"
        );
    }

    #[test]
    fn status_410_disables_an_endpoint_without_further_notifications() {
        let change = after(&endpoint(), Sign::Gone, hours(1)).expect("a change");
        assert_eq!((change.is_enabled, change.turn), (false, EndpointTransition::Disabled));
        let off = Endpoint { is_enabled: false, ..endpoint() };
        for sign in [Sign::Gone, Sign::Degraded, Sign::Answered, Sign::GaveUp(DeliveryId(1))] {
            assert_eq!(after(&off, sign, hours(1)), None);
        }
    }

    #[test]
    fn a_delivery_given_up_is_reported_and_changes_no_health() {
        let change = after(&endpoint(), Sign::GaveUp(DeliveryId(7)), hours(1)).expect("a change");
        assert_eq!(change.turn, EndpointTransition::Exhausted(DeliveryId(7)));
        assert_eq!((change.failing, change.is_enabled), (None, true));
    }
}
