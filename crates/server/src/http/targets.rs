//! Addresses that callers want webhooks to be posted to.

use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use crate::services::Services;

/// Refuses an address that cannot be called. For a friendly answer; it is vetted again at every
/// attempt (D-0010).
pub(super) fn check(services: &Services, field: &str, url: &str) -> Result<(), Refusal> {
    services.outbound().guard().check(url).map(drop).map_err(|blocked| {
        let problem = format!("cannot be called: {}", blocked.with_advice());
        FieldProblem::new(field, problem).into()
    })
}
