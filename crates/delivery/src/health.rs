//! Endpoint health: records what attempts show about an endpoint, and notifies its owner of changes
//! (design/webhooks).

use confab_domain::app::AppCode;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::endpoint_health::{self, RecordEndpointHealth, Sign};
use confab_domain::webhooks::event::EndpointTransition;
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::retry_schedule::{HealthTransition, NextStep, Outcome};
use confab_runtime::failures::chain;

use super::addresses::Destination;
use super::attempting::{AttemptOutcome, Parts};
use crate::committing::commit;

/// Returns what an attempt shows about its endpoint, such as that it answers or fails.
pub(super) fn sign(ended: &AttemptOutcome, turn: Option<HealthTransition>) -> Sign {
    let Outcome::Failed { class, .. } = ended.outcome else { return Sign::Answered };
    match (ended.judged.next, turn) {
        (NextStep::Disable, _) => Sign::Gone,
        // An endpoint that rejects a delivery is reachable.
        (NextStep::GiveUp(ErrorClass::Refused), _) => Sign::Answered,
        (NextStep::GiveUp(why), _) if why == ErrorClass::Expired || !class.is_final() => {
            Sign::GaveUp(ended.id)
        }
        (_, Some(HealthTransition::Degraded)) => Sign::Degraded,
        _ => Sign::Failed,
    }
}

/// Whether the sign would change the cached health of the endpoint.
pub(super) fn changes_something(endpoint: &Endpoint, sign: Sign, now: Timestamp) -> bool {
    endpoint_health::after(endpoint, sign, now).is_some()
}

impl Parts {
    /// Records the endpoint's new health and creates the webhooks that notify its owner. If that
    /// fails, the next attempt that shows the same is recorded.
    pub(super) async fn record_health(&self, addressee: Destination, sign: Sign) {
        let Destination { app, endpoint } = addressee;
        let kind = endpoint.kind;
        let rule = RecordEndpointHealth { endpoint: endpoint.id, kind, sign };
        match commit(&self.store, &self.context(&app), rule).await {
            Ok((None, _)) => {}
            Ok((Some(turn), followed)) => {
                report(&app.code, kind, turn);
                self.listeners.publish(&app, &self.brands, &followed.for_listeners);
            }
            Err(error) => tracing::warn!(
                endpoint.id = endpoint.id.0,
                error = %chain(&error),
                "failed to record endpoint health"
            ),
        }
    }
}

/// Logs the change for the operator and counts it. The URL is not logged, because it may contain a
/// secret.
fn report(app: &AppCode, kind: EventKind, turn: EndpointTransition) {
    metrics::counter!("confab_webhook_endpoint_changes_total", "state" => turn.as_str())
        .increment(1);
    let (app, kind, turn) = (app.as_str(), kind.as_str(), turn.as_str());
    tracing::warn!(app.code = app, kind, state = turn, "endpoint health changed");
}
