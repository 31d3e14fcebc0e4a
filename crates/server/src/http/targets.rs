//! Addresses that callers want webhooks to be posted to.

use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use crate::services::Services;

/// Refuses an address that cannot be called. For a friendly answer; it is vetted again at every
/// attempt (D-0010).
pub(super) fn check(services: &Services, field: &str, url: &str) -> Result<(), Refusal> {
    services
        .outbound()
        .guard()
        .check(url)
        .map(drop)
        .map_err(|blocked| FieldProblem::new(field, format!("cannot be called: {blocked}")).into())
}
