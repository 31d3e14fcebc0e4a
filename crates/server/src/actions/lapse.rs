//! Takes those offline who are signed in nowhere any more.

use confab_domain::agents::signing_in;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::limits;
use confab_store::WriteError;

use crate::services::Services;
use crate::{clock, ids};

/// Some of them at a time.
pub(crate) async fn lapse(services: &Services) -> Result<(), WriteError> {
    let (store, size) = (services.store(), limits::CANDIDATES_MAX);
    for (app, user) in store.lapsed_workers(clock::now(), size).await? {
        let new_sdk_key = ids::secret();
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            Ok(signing_in::lapse(facts, user, &new_sdk_key, stamp))
        };
        store.decide(app, signing_in::question(user), rule).await?;
    }
    Ok(())
}
