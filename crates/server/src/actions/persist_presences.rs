//! Keeps who is there, and when the others were last seen (D-0043).

use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::presence;
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use crate::services::Services;

/// Users of all apps at once: nothing is looked up by the app.
const NO_APP: AppId = AppId(0);

/// Writes what this node saw of these users.
pub(crate) async fn persist_presences(
    services: &Services,
    seen: Vec<(UserKey, bool, Timestamp)>,
) -> Result<(), WriteError> {
    let rule = move |_: &Facts, stamp: &Stamp<'_>| Ok(presence::note(&seen, stamp));
    services.store().decide(NO_APP, presence::question(), rule).await
}

/// Nobody is connected to a node that starts.
pub(crate) async fn begin_presences(services: &Services) -> Result<(), WriteError> {
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(presence::begin(stamp));
    services.store().decide(NO_APP, presence::question(), rule).await
}
