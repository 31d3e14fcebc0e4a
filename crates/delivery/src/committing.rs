//! Commits the records of attempts, and of the health of endpoints and channels.

use confab_domain::decision::commit_effects::CommitEffects;
use confab_domain::decision::context::Context;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::rule::Rule;
use confab_domain::decision::stamp::Stamp;
use confab_store::{Store, WriteError};

/// Commits the decision of a rule that posts no messages. The caller performs the effects.
pub(crate) async fn commit<R: Rule>(
    store: &Store,
    context: &Context,
    rule: R,
) -> Result<(R::Outcome, CommitEffects), WriteError> {
    let (context, question) = (context.clone(), rule.question(&context.app));
    let app = context.app.id;
    let deciding = move |facts: &Facts, stamp: &Stamp<'_>| {
        Ok(rule.decide(&context, facts, stamp)?.with_effects())
    };
    store.decide(app, question, deciding).await
}
