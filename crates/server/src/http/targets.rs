//! Addresses that callers want webhooks to be posted to.

use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use crate::outbound::BlockedTarget;
use crate::services::Services;

/// Also says who may change it, where somebody can.
fn problem(blocked: &BlockedTarget) -> String {
    match blocked.can_be_allowed() {
        true => format!(
            "cannot be called: {blocked}; whoever runs the server can allow it with --webhook-allow"
        ),
        false => format!("cannot be called: {blocked}"),
    }
}

/// Refuses an address that cannot be called. For a friendly answer; it is vetted again at every
/// attempt (D-0010).
pub(super) fn check(services: &Services, field: &str, url: &str) -> Result<(), Refusal> {
    services
        .outbound()
        .guard()
        .check(url)
        .map(drop)
        .map_err(|blocked| FieldProblem::new(field, problem(&blocked)).into())
}
