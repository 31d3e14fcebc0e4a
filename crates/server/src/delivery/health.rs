//! Endpoint health: what attempts say about an endpoint is kept, and its owner is told (D-0030).

use confab_domain::app::AppCode;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{ErrorClass, Lane};
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::endpoint_health::{self, HealthChange, Sign};
use confab_domain::webhooks::fan_out::{Place, tell};
use confab_domain::webhooks::notice::{EndpointTurn, EndpointTurned, Notice};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::retry_schedule::{Next, Outcome, Turn};
use confab_wire::webhooks;

use super::addresses::Addressee;
use super::attempting::{Ended, Parts};
use crate::failures::chain;

/// What an attempt says about its endpoint.
pub(super) fn sign(ended: &Ended, turn: Option<Turn>) -> Sign {
    let Outcome::Failed { class, .. } = ended.outcome else { return Sign::Answered };
    match (ended.judged.next, turn) {
        (Next::Disable, _) => Sign::Gone,
        // Whoever refuses is there.
        (Next::GiveUp(ErrorClass::Refused), _) => Sign::Answered,
        (Next::GiveUp(why), _) if why == ErrorClass::Expired || !class.is_final() => {
            Sign::GaveUp(ended.id)
        }
        (_, Some(Turn::Degraded)) => Sign::Degraded,
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
    pub(super) async fn note(&self, addressee: Addressee, sign: Sign) {
        let Addressee { app, endpoint } = addressee;
        let (id, kind, lane) = (endpoint.id, endpoint.kind, Lane(endpoint.id.0));
        let endpoints = Some((lane, vec![kind, NoticeKind::EndpointState]));
        let question = Question { endpoints, ..Question::default() };
        let place = Place { app: app.id, lane, depth_before: 0 };
        let code = app.code.clone();
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let fresh = facts.endpoints.iter().find(|(it, _)| it.id == id);
            let change = fresh.and_then(|(it, _)| endpoint_health::after(it, sign, stamp.now));
            let (Some((fresh, _)), Some(change)) = (fresh, change) else {
                return Ok(Decision::nothing(None));
            };
            let notice = Notice::EndpointTurned(EndpointTurned {
                app: code.clone(),
                kind,
                url: fresh.url.clone(),
                turn: change.turn,
                failing_since: change.failing.or(fresh.failing).map(|failing| failing.since),
                at: stamp.now,
            });
            // Who fails to hear of failures is not told of that.
            let notices = if kind == NoticeKind::EndpointState { &[][..] } else { &[notice][..] };
            let told = tell(facts, stamp, place, notices, webhooks::body)?;
            let HealthChange { failing, is_enabled, turn } = change;
            let mut changes = vec![Change::Webhook(WebhookChange::SetHealth {
                endpoint: id,
                failing,
                is_enabled,
            })];
            changes.extend(told.changes());
            Ok(Decision::new(changes, Some((turn, told.heard))))
        };
        match self.store.decide(app.id, question, rule).await {
            Ok(None) => {}
            Ok(Some((turn, heard))) => {
                say(&app.code, kind, turn);
                self.listeners.publish(&app, &self.brands, &heard);
            }
            Err(error) => tracing::warn!("an endpoint's health is not kept: {}", chain(&error)),
        }
    }
}

/// The operator hears of it, too. The address stays out of the log: it may hold a secret.
fn say(app: &AppCode, kind: NoticeKind, turn: EndpointTurn) {
    metrics::counter!("confab_webhook_turns_total", "turn" => turn.as_str()).increment(1);
    let (app, kind, turn) = (app.as_str(), kind.as_str(), turn.as_str());
    tracing::warn!(app.code = app, "webhook {kind} of app {app}: {turn}");
}
