//! Checks the URLs that callers configure as receivers of webhooks.

use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;

use confab_app::services::Services;

/// Fails if this server may not send requests to the URL, so that the caller gets a helpful error
/// early. Each delivery attempt checks the URL again (D-0010).
pub(crate) fn check(services: &Services, field: &str, url: &str) -> Result<(), Refusal> {
    services.outbound().guard().check(url).map(drop).map_err(|blocked| {
        let problem = format!("cannot be called: {}", blocked.with_advice());
        FieldProblem::new(field, problem).into()
    })
}
