//! Decides something that may say something in rooms, and has it pushed to phones (D-0051).

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AppId;
use confab_domain::push::pushing;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;
use confab_wire::push;

use crate::services::Services;

/// What the store decides. If this server pushes, every message among the changes is pushed, and
/// the pushes are committed together with it; if not, nothing more is asked or done.
pub(super) async fn say<Outcome, Rule>(
    services: &Services,
    app: AppId,
    question: Question,
    rule: Rule,
) -> Result<Outcome, WriteError>
where
    Outcome: Send + 'static,
    Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> + Send + 'static,
{
    let Some(apns) = services.config().apns.clone() else {
        return services.store().decide(app, question, rule).await;
    };
    let question = Question { finds_devices: true, ..question };
    let brands = services.config().brands.clone();
    let pushing = move |facts: &Facts, stamp: &Stamp<'_>| {
        let Decision { mut changes, outcome } = rule(facts, stamp)?;
        let body = |pushed: &pushing::Push<'_>| push::body(pushed, &brands);
        let pushes = pushing::push(facts, stamp, app, apns.url(), &changes, body);
        let is_pushed = !pushes.is_empty();
        changes.extend(pushes);
        Ok(Decision { changes, outcome: (outcome, is_pushed) })
    };
    let (outcome, is_pushed) = services.store().decide(app, question, pushing).await?;
    if is_pushed {
        services.wake_delivery();
    }
    Ok(outcome)
}
