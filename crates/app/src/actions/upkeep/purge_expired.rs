//! Deletes expired nonces and the upload counters of past days.

use confab_domain::decision::facts::Facts;
use confab_domain::decision::purging;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AppId;
use confab_store::{Store, WriteError};

/// Deletes expired entries of all apps.
pub(crate) async fn purge_expired(store: &Store) -> Result<(), WriteError> {
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(purging::purge_expired(stamp));
    store.decide(AppId(0), Question::default(), rule).await
}
