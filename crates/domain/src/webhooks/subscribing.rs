//! Rules by which an app registers, pauses and deletes its endpoints.

use std::sync::Arc;

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{Change, WebhookChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::EndpointId;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Lane;
use crate::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use crate::webhooks::event_kind::EventKind;

/// The fields of a request to register an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointInput {
    /// Kind of event to receive.
    pub kind: EventKind,
    /// The URL, already checked.
    pub url: String,
    /// Whether deliveries are created for it.
    pub is_enabled: bool,
    pub policy: DeliveryPolicy,
}

/// Registers or replaces an endpoint. A replaced endpoint remains paused if it was paused. Its
/// failures are cleared if its URL changes or if it is enabled again.
pub struct PutEndpoint {
    pub wanted: EndpointInput,
}

impl Rule for PutEndpoint {
    type Outcome = Endpoint;

    fn question(&self, app: &App) -> Question {
        question(app, self.wanted.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Endpoint>, Refusal> {
        let mut wanted = self.wanted.clone();
        if wanted.kind.is_of_channel() {
            // These endpoints exist as long as their channel.
            return Err(Refusal::EndpointInUse(wanted.kind.as_str()));
        }
        if wanted.kind == EventKind::Push {
            // The operator chooses the URL for pushes; the endpoint exists after the first push.
            wanted.url = registered(facts, wanted.kind)?.url.clone();
        }
        let before = found(facts, wanted.kind, "");
        let decision = put_named(facts, &context.app, &wanted, "", stamp);
        let (after, bot) = (&decision.outcome, EventKind::Bot);
        let deed =
            if after.kind == bot { AuditAction::BotChanged } else { AuditAction::EndpointChanged };
        let differences = differences(before.as_deref(), after);
        let entry = context.audited_change(stamp, deed, target(after), differences);
        Ok(decision.also(entry))
    }
}

/// A reference to an endpoint: its kind, and its name if an app may have several of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhichEndpoint {
    pub kind: EventKind,
    /// Name of the endpoint; empty for kinds of which an app has only one.
    pub name: String,
}

impl WhichEndpoint {
    /// Refers to the endpoint of a kind that has no name.
    pub fn only(kind: EventKind) -> Self {
        Self { kind, name: String::new() }
    }

    pub(crate) fn registered(&self, facts: &Facts) -> Result<Arc<Endpoint>, Refusal> {
        let found = found(facts, self.kind, &self.name);
        found.ok_or(Refusal::EndpointNotFound(self.kind.as_str()))
    }
}

/// Deletes an endpoint. Its unfinished deliveries are given up; finished ones stay listed.
pub struct RemoveEndpoint {
    pub which: WhichEndpoint,
    /// Whether the endpoint belongs to a button or a channel and can only be deleted together with
    /// it.
    pub has_owner: bool,
}

impl Rule for RemoveEndpoint {
    type Outcome = Endpoint;

    fn question(&self, app: &App) -> Question {
        question(app, self.which.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Endpoint>, Refusal> {
        let before = self.which.registered(facts)?;
        if self.has_owner || !before.is_deletable_alone() {
            return Err(Refusal::EndpointInUse(self.which.kind.as_str()));
        }
        let change = Change::Webhook(WebhookChange::RemoveEndpoint { endpoint: before.id });
        let outcome = Endpoint { is_enabled: false, ..(*before).clone() };
        let gone = Differences::default();
        let entry = context.audited(stamp, AuditAction::EndpointDeleted, target(&before), gone);
        Ok(Decision::new(vec![change], outcome).also(Some(entry)))
    }
}

/// Pauses or resumes the deliveries of an endpoint.
pub struct PauseEndpoint {
    pub which: WhichEndpoint,
    pub is_paused: bool,
}

impl Rule for PauseEndpoint {
    type Outcome = Endpoint;

    fn question(&self, app: &App) -> Question {
        question(app, self.which.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Endpoint>, Refusal> {
        let (before, is_paused) = (self.which.registered(facts)?, self.is_paused);
        let change = Change::Webhook(WebhookChange::SetPaused { endpoint: before.id, is_paused });
        let outcome = Endpoint { is_paused, ..(*before).clone() };
        let deed =
            if is_paused { AuditAction::EndpointPaused } else { AuditAction::EndpointResumed };
        let differences = Differences::default().of("is_paused", before.is_paused, is_paused);
        let entry = context.audited_change(stamp, deed, target(&before), differences);
        Ok(Decision::new(vec![change], outcome).also(entry))
    }
}

fn target(endpoint: &Endpoint) -> AuditTarget {
    AuditTarget::new("endpoint", endpoint.id, endpoint.kind.as_str())
}

/// Returns the differences for the audit log. Changed limits are recorded without their values.
pub(crate) fn differences(before: Option<&Endpoint>, after: &Endpoint) -> Differences {
    let differences = Differences::default()
        .address("url", before.map(|it| it.url.as_str()), Some(&after.url))
        .of("is_enabled", before.map(|it| it.is_enabled), Some(after.is_enabled));
    differences.secret("limits", before.is_some_and(|it| it.policy != after.policy))
}

/// Returns the query for the app's endpoints of a kind. It uses the app's own lane, so that
/// endpoints of an app are changed one after the other.
pub(crate) fn question(app: &App, kind: EventKind) -> Question {
    Question { endpoints: Some((Lane(app.id.0), vec![kind])), ..Question::default() }
}

/// Registers or replaces the endpoint with this name.
pub(crate) fn put_named(
    facts: &Facts,
    app: &App,
    wanted: &EndpointInput,
    name: &str,
    stamp: &Stamp<'_>,
) -> Decision<Endpoint> {
    let before = found(facts, wanted.kind, name);
    let endpoint = wanted_endpoint(before.as_deref(), app, wanted, stamp);
    let endpoint = Endpoint { name: name.to_owned(), ..endpoint };
    Decision::new(vec![Change::Webhook(WebhookChange::PutEndpoint(endpoint.clone()))], endpoint)
}

/// Creates the endpoint from the input, with the id, name, pause and creation time of the earlier
/// one. Its failures are preserved unless the URL changes or the endpoint is enabled again.
pub(crate) fn wanted_endpoint(
    before: Option<&Endpoint>,
    app: &App,
    wanted: &EndpointInput,
    stamp: &Stamp<'_>,
) -> Endpoint {
    let EndpointInput { kind, url, is_enabled, policy } = wanted.clone();
    let failing = before.and_then(|it| it.failing.filter(|_| it.url == url));
    let is_switched_on = is_enabled && before.is_some_and(|it| !it.is_enabled);
    Endpoint {
        id: before.map_or_else(|| EndpointId(stamp.next_id()), |it| it.id),
        app: app.id,
        kind,
        name: before.map_or_else(String::new, |it| it.name.clone()),
        url,
        is_enabled,
        is_paused: before.is_some_and(|it| it.is_paused),
        failing: failing.filter(|_| !is_switched_on),
        policy,
        created_at: before.map_or(stamp.now, |it| it.created_at),
        updated_at: stamp.now,
    }
}

/// Returns the endpoint of this kind that has no name. Fails if there is none.
pub(crate) fn registered(facts: &Facts, kind: EventKind) -> Result<Arc<Endpoint>, Refusal> {
    found(facts, kind, "").ok_or(Refusal::EndpointNotFound(kind.as_str()))
}

/// Returns the endpoint of this kind and name.
pub(crate) fn found(facts: &Facts, kind: EventKind, name: &str) -> Option<Arc<Endpoint>> {
    let is_it = |it: &&(Arc<Endpoint>, u64)| it.0.kind == kind && it.0.name == name;
    facts.endpoints.iter().find(is_it).map(|(endpoint, _)| endpoint.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::decided;
    use crate::time::Timestamp;
    use crate::webhooks::endpoint::EndpointFailures;

    fn wanted(url: &str, is_enabled: bool) -> EndpointInput {
        let policy = DeliveryPolicy::default();
        EndpointInput { kind: EventKind::Bot, url: url.to_owned(), is_enabled, policy }
    }

    fn put_over(before: Option<Endpoint>, wanted: &EndpointInput) -> Endpoint {
        let endpoints = before.into_iter().map(|it| (Arc::new(it), 0)).collect();
        let facts = Facts { endpoints, ..Facts::default() };
        decided(&facts, &PutEndpoint { wanted: wanted.clone() }).expect("stored").outcome
    }

    #[test]
    fn a_new_endpoint_is_healthy_and_a_changed_one_keeps_its_identity() {
        let new = put_over(None, &wanted("https://a.example/", true));
        assert_eq!((new.id, new.state().as_str()), (EndpointId(1001), "healthy"));
        let paused = Endpoint { is_paused: true, created_at: Timestamp(5), ..new };
        let changed = put_over(Some(paused.clone()), &wanted("https://b.example/", true));
        assert_eq!((changed.id, changed.created_at), (paused.id, paused.created_at));
        assert!(changed.is_paused && changed.updated_at > changed.created_at);
        assert_eq!(changed.url, "https://b.example/");
    }

    #[test]
    fn failures_are_cleared_only_by_another_url_or_by_enabling() {
        let failing = Some(EndpointFailures { since: Timestamp(7), told: 2 });
        let before = put_over(None, &wanted("https://a.example/", true));
        let before = Endpoint { failing, ..before };
        let same = wanted("https://a.example/", true);
        assert_eq!(put_over(Some(before.clone()), &same).failing, failing);
        let elsewhere = wanted("https://b.example/", true);
        assert_eq!(put_over(Some(before.clone()), &elsewhere).failing, None);
        let off = Endpoint { is_enabled: false, ..before };
        assert_eq!(put_over(Some(off.clone()), &same).failing, None);
        let still_off = wanted("https://a.example/", false);
        assert_eq!(put_over(Some(off), &still_off).failing, failing);
    }

    #[test]
    fn only_registered_endpoints_can_be_paused_and_only_unowned_ones_deleted() {
        let which = WhichEndpoint::only(EventKind::Bot);
        let pause = PauseEndpoint { which: which.clone(), is_paused: true };
        let refused = decided(&Facts::default(), &pause).err();
        assert_eq!(refused, Some(Refusal::EndpointNotFound("bot")));
        let before = Arc::new(put_over(None, &wanted("https://a.example/", true)));
        let facts = Facts { endpoints: vec![(before, 0)], ..Facts::default() };
        let paused = decided(&facts, &pause).expect("paused");
        assert!(paused.outcome.is_paused && paused.changes.len() == 2);
        let remove = |has_owner| RemoveEndpoint { which: which.clone(), has_owner };
        assert_eq!(decided(&facts, &remove(true)).err(), Some(Refusal::EndpointInUse("bot")));
        assert!(decided(&facts, &remove(false)).is_ok());
    }
}
