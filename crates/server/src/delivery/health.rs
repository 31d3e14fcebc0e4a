//! Endpoint health: what attempts say about an endpoint is kept, and its owner is told (D-0030).

use confab_domain::app::AppCode;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::endpoint_health::{self, RecordEndpointHealth, Sign};
use confab_domain::webhooks::event::EndpointTransition;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{HealthTransition, NextStep, Outcome};

use super::addresses::Destination;
use super::attempting::{Ended, Parts};
use crate::decide::commit;
use crate::failures::chain;

/// What an attempt says about its endpoint.
pub(super) fn sign(ended: &Ended, turn: Option<HealthTransition>) -> Sign {
    let Outcome::Failed { class, .. } = ended.outcome else { return Sign::Answered };
    match (ended.judged.next, turn) {
        (NextStep::Disable, _) => Sign::Gone,
        // Whoever refuses is there.
        (NextStep::GiveUp(ErrorClass::Refused), _) => Sign::Answered,
        (NextStep::GiveUp(why), _) if why == ErrorClass::Expired || !class.is_final() => {
            Sign::GaveUp(ended.id)
        }
        (_, Some(HealthTransition::Degraded)) => Sign::Degraded,
        _ => Sign::Failed,
    }
}

/// Whether the sign changes anything, as far as is known without asking the store.
pub(super) fn changes_something(endpoint: &Endpoint, sign: Sign, now: Timestamp) -> bool {
    endpoint_health::after(endpoint, sign, now).is_some()
}

impl Parts {
    /// Keeps what changed and tells the owner. If the store cannot take it, the next attempt says
    /// the same again.
    pub(super) async fn note(&self, addressee: Destination, sign: Sign) {
        let Destination { app, endpoint } = addressee;
        let kind = endpoint.kind;
        let rule = RecordEndpointHealth { endpoint: endpoint.id, kind, sign };
        match commit(&self.store, &self.context(&app), rule).await {
            Ok((None, _)) => {}
            Ok((Some(turn), followed)) => {
                say(&app.code, kind, turn);
                self.listeners.publish(&app, &self.brands, &followed.heard);
            }
            Err(error) => tracing::warn!("an endpoint's health is not kept: {}", chain(&error)),
        }
    }
}

/// The operator hears of it, too. The address stays out of the log: it may hold a secret.
fn say(app: &AppCode, kind: EventKind, turn: EndpointTransition) {
    metrics::counter!("confab_webhook_turns_total", "turn" => turn.as_str()).increment(1);
    let (app, kind, turn) = (app.as_str(), kind.as_str(), turn.as_str());
    tracing::warn!(app.code = app, "webhook {kind} of app {app}: {turn}");
}
