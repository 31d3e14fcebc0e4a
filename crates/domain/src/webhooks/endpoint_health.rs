//! Failing: what an endpoint's owner is told when it stops to answer, and when it is switched off.
//!
//! Nothing of this is silent: the owner hears of it when it begins, after a day, after three, when
//! the endpoint is switched off, and when it answers again.

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
use crate::webhooks::endpoint::{Endpoint, Failing};
use crate::webhooks::event::{EndpointStateChanged, EndpointTransition, Event};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::fan_out::{self, EventContext};

const HOUR_US: i64 = 3600 * 1_000_000;
/// When the owner is told again.
const TOLD_AFTER_US: [i64; 2] = [24 * HOUR_US, 72 * HOUR_US];
/// When the endpoint is switched off.
const DISABLED_AFTER_US: i64 = 5 * 24 * HOUR_US;

/// What an attempt says about its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// There were nothing but failures for long enough to leave it in peace.
    Degraded,
    /// One more failure.
    Failed,
    /// It answered as it should.
    Answered,
    /// It wants nothing any more (status 410).
    Gone,
    /// A delivery was given up.
    GaveUp(DeliveryId),
}

/// What changes for an endpoint, and what its owner is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HealthChange {
    /// Since when it fails.
    pub failing: Option<Failing>,
    /// Whether it is switched on.
    pub is_enabled: bool,
    /// What its owner is told.
    pub turn: EndpointTransition,
}

/// What a sign changes is kept, and the owner is told.
pub struct RecordEndpointHealth {
    pub endpoint: EndpointId,
    /// What the endpoint is told of.
    pub kind: EventKind,
    pub sign: Sign,
}

impl Rule for RecordEndpointHealth {
    /// How the endpoint turned, if it did.
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
        let notice = Event::EndpointStateChanged(EndpointStateChanged {
            app: context.app.code.clone(),
            kind: self.kind,
            url: endpoint.url.clone(),
            turn,
            failing_since: failing.or(endpoint.failing).map(|failing| failing.since),
            at: stamp.now,
        });
        // Who fails to hear of failures is not told of that.
        let is_told = self.kind != EventKind::EndpointState;
        let notices = if is_told { vec![notice] } else { Vec::new() };
        let (app, depth_before) = (context.app.id, context.depth_before);
        let place = EventContext { app, lane: self.lane(), depth_before };
        let told = fan_out::tell(facts, stamp, place, &notices, context.renderers.webhook_body)?;
        let kept = WebhookChange::SetHealth { endpoint: self.endpoint, failing, is_enabled };
        Ok(Decision::new(vec![kept.into()], Some(turn)).telling(told))
    }
}

impl RecordEndpointHealth {
    fn lane(&self) -> Lane {
        Lane(self.endpoint.0)
    }
}

/// What follows from a sign; mostly nothing.
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
            change(Some(Failing { since: now, told: 1 }), EndpointTransition::Degraded)
        }
        (Sign::Degraded | Sign::Failed, Some(failing)) => still_failing(failing, now),
    }
}

fn still_failing(failing: Failing, now: Timestamp) -> Option<HealthChange> {
    let Failing { since, told } = failing;
    let for_us = now.0.saturating_sub(since.0);
    if for_us >= DISABLED_AFTER_US {
        let turn = EndpointTransition::Disabled;
        return Some(HealthChange { failing: Some(failing), is_enabled: false, turn });
    }
    let due = 1 + TOLD_AFTER_US.iter().filter(|after| for_us >= **after).count() as u32;
    (due > told).then_some(HealthChange {
        failing: Some(Failing { since, told: due }),
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

    /// What the owner of an endpoint hears if it fails every hour for so long.
    fn heard(until_h: i64) -> Vec<(i64, EndpointTransition)> {
        let (mut endpoint, mut heard) = (endpoint(), Vec::new());
        for hour in 0..=until_h {
            let sign = if hour == 0 { Sign::Degraded } else { Sign::Failed };
            if let Some(change) = after(&endpoint, sign, hours(hour)) {
                (endpoint.failing, endpoint.is_enabled) = (change.failing, change.is_enabled);
                heard.push((hour, change.turn));
            }
        }
        heard
    }

    #[test]
    fn an_owner_hears_at_once_after_a_day_after_three_and_when_it_is_switched_off() {
        use EndpointTransition::{Degraded, Disabled, StillFailing};
        let expected = [(0, Degraded), (24, StillFailing), (72, StillFailing), (120, Disabled)];
        assert_eq!(heard(500), expected);
    }

    #[test]
    fn an_endpoint_that_answers_again_is_well_and_says_so_once() {
        let failing = Some(Failing { since: hours(0), told: 2 });
        let change = after(&Endpoint { failing, ..endpoint() }, Sign::Answered, hours(30));
        let change = change.expect("a change");
        assert_eq!((change.failing, change.turn), (None, EndpointTransition::Recovered));
        assert_eq!(after(&endpoint(), Sign::Answered, hours(30)), None);
        assert_eq!(after(&endpoint(), Sign::Failed, hours(30)), None, "once is nothing");
    }

    #[test]
    fn gone_switches_off_and_nothing_more_is_said_of_it() {
        let change = after(&endpoint(), Sign::Gone, hours(1)).expect("a change");
        assert_eq!((change.is_enabled, change.turn), (false, EndpointTransition::Disabled));
        let off = Endpoint { is_enabled: false, ..endpoint() };
        for sign in [Sign::Gone, Sign::Degraded, Sign::Answered, Sign::GaveUp(DeliveryId(1))] {
            assert_eq!(after(&off, sign, hours(1)), None);
        }
    }

    #[test]
    fn a_delivery_that_was_given_up_changes_nothing_but_is_told() {
        let change = after(&endpoint(), Sign::GaveUp(DeliveryId(7)), hours(1)).expect("a change");
        assert_eq!(change.turn, EndpointTransition::Exhausted(DeliveryId(7)));
        assert_eq!((change.failing, change.is_enabled), (None, true));
    }
}
