//! Decides something that may say something in rooms, and has it pushed to phones (D-0051).

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use crate::services::Services;

/// What the store decides.
pub(super) async fn say<Outcome, Rule>(
    services: &Services,
    app: &Arc<App>,
    question: Question,
    rule: Rule,
) -> Result<Outcome, WriteError>
where
    Outcome: Send + 'static,
    Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> + Send + 'static,
{
    let question = Question { finds_devices: true, ..question };
    let context = services.context(app, 0);
    let rule = move |_: &_, facts: &Facts, stamp: &Stamp<'_>| rule(facts, stamp);
    Ok(services.decide_by(&context, question, rule).await?.0)
}
