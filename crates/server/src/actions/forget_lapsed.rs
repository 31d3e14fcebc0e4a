//! Forgets what is over: nonces that nobody used, what users uploaded on days before this one, and
//! who changed what too long ago.

use confab_domain::decision::facts::Facts;
use confab_domain::decision::forgetting;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AppId;
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use crate::services::Services;

/// Of all apps at once.
pub(crate) async fn forget_lapsed(services: &Services) -> Result<(), WriteError> {
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(forgetting::forget_lapsed(stamp));
    services.store().decide(AppId(0), Question::default(), rule).await
}

/// Who changed what before this time, in all apps at once.
pub(crate) async fn forget_audit(services: &Services, before: Timestamp) -> Result<(), WriteError> {
    let rule = move |_: &Facts, _: &Stamp<'_>| Ok(forgetting::forget_audit(before));
    services.store().decide(AppId(0), Question::default(), rule).await
}
