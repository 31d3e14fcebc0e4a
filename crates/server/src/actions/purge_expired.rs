//! Forgets what is over: nonces that nobody used, and what users uploaded on days before this one.

use confab_domain::decision::facts::Facts;
use confab_domain::decision::forgetting;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AppId;
use confab_store::WriteError;

use crate::services::Services;

/// Of all apps at once.
pub(crate) async fn purge_expired(services: &Services) -> Result<(), WriteError> {
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(forgetting::purge_expired(stamp));
    services.store().decide(AppId(0), Question::default(), rule).await
}
