//! URLs to which callers want webhooks to be sent.

use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use crate::services::Services;

/// Fails if the URL cannot be called, so that the caller gets a helpful error. Each delivery
/// attempt checks it again (D-0010).
pub(super) fn check(services: &Services, field: &str, url: &str) -> Result<(), Refusal> {
    services.outbound().guard().check(url).map(drop).map_err(|blocked| {
        let problem = format!("cannot be called: {}", blocked.with_advice());
        FieldProblem::new(field, problem).into()
    })
}
