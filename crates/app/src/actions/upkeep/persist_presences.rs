//! Stores which users are connected, and when disconnected users were last seen (design/realtime).

use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::presence;
use confab_domain::time::Timestamp;
use confab_store::{Store, WriteError};

/// Presences are stored for users of all apps together, so no app is needed.
const NO_APP: AppId = AppId(0);

/// Stores the presence of users as seen by this node.
pub(crate) async fn persist_presences(
    store: &Store,
    seen: Vec<(UserKey, bool, Timestamp)>,
) -> Result<(), WriteError> {
    let rule = move |_: &Facts, stamp: &Stamp<'_>| Ok(presence::note(&seen, stamp));
    store.decide(NO_APP, presence::question(), rule).await
}

/// Resets the presences that this node stored before it was restarted, because no user is connected
/// to it yet.
pub(crate) async fn begin_presences(store: &Store) -> Result<(), WriteError> {
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(presence::begin(stamp));
    store.decide(NO_APP, presence::question(), rule).await
}
