//! Tests of webhook registration and settings.

use std::sync::Arc;

use super::*;
use crate::decision::change::WebhookChange;
use crate::example::decided;
use crate::webhooks::endpoint::Endpoint;

const KIND: EventKind = EventKind::Resolved;

fn update(url: Option<&str>, is_enabled: Option<bool>) -> WebhookUpdate {
    WebhookUpdate { kind: KIND, url: url.map(str::to_owned), is_enabled, url_field: "url" }
}

/// Returns the endpoint that this update stores.
fn stored_endpoint(
    before: Option<&Endpoint>,
    update: &WebhookUpdate,
) -> Result<Option<Endpoint>, Refusal> {
    let endpoints = before.iter().map(|it| (Arc::new((*it).clone()), 0)).collect();
    let facts = Facts { endpoints, ..Facts::default() };
    let decision = decided(&facts, &RegisterHook { wish: update.clone() })?;
    let put = |change: &Change| match change {
        Change::Webhook(WebhookChange::PutEndpoint(endpoint)) => Some(endpoint.clone()),
        _ => None,
    };
    Ok(decision.changes.iter().find_map(put))
}

#[track_caller]
fn check(
    before: Option<&Endpoint>,
    update: &WebhookUpdate,
    url: &str,
    is_enabled: bool,
) -> Endpoint {
    let endpoint = stored_endpoint(before, update).expect("registered").expect("one endpoint");
    assert_eq!((endpoint.url.as_str(), endpoint.is_enabled), (url, is_enabled));
    endpoint
}

#[test]
fn a_disabled_webhook_keeps_its_url_and_policy() {
    let mut first = check(None, &update(Some("a"), Some(true)), "a", true);
    first.policy.timeout_ms = 1234;
    let off = check(Some(&first), &update(None, Some(false)), "a", false);
    assert_eq!((off.id, off.policy.timeout_ms), (first.id, 1234));
    check(Some(&off), &update(None, Some(true)), "a", true);
    check(Some(&off), &update(Some("b"), None), "b", true);
    check(None, &update(Some("a"), None), "a", true);
    check(None, &update(Some("a"), Some(false)), "a", false);
}

#[test]
fn a_webhook_needs_a_url() {
    for is_enabled in [None, Some(true)] {
        let refused = stored_endpoint(None, &update(None, is_enabled)).err();
        assert_eq!(refused, Some(FieldProblem::new("url", "is required").into()));
    }
    let before = check(None, &update(Some("a"), None), "a", true);
    let refused = stored_endpoint(Some(&before), &update(None, None)).err();
    assert_eq!(
        refused,
        Some(FieldProblem::new("url", "is required").into()),
        "the update is empty"
    );
    assert_eq!(stored_endpoint(None, &update(None, Some(false))), Ok(None), "no webhook exists");
}

#[test]
fn only_a_registered_webhook_can_be_switched() {
    let refused = decided(&Facts::default(), &SwitchHook { kind: KIND, is_enabled: true }).err();
    assert_eq!(refused, Some(Refusal::EndpointNotFound("mark_as_resolved")));
}

#[test]
fn changed_settings_are_merged_with_the_stored_ones() {
    let mut facts = Facts::default();
    facts.omni.settings = Settings::default().with(Settings::TAKEOVER, "true");
    let wanted = vec![(Settings::AGENT_CUSTOMERS_MAX, "3".to_owned())];
    let decision = decided(&facts, &SetSettings { wanted }).expect("stored");
    assert_eq!(decision.outcome.agent_customers_max(), 3);
    assert!(decision.outcome.is_on(Settings::TAKEOVER));
    assert_eq!(decision.changes.len(), 2, "the setting and the audit entry");
}
