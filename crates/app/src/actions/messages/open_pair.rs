//! Opens the single room of two users.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::rooms::opening::{OpenPair, PairRoom};
use confab_domain::rooms::room::{Pair, Room};
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Returns the room of two users, creating it if necessary. The order of the users does not matter.
pub async fn open_pair(
    decisions: &Decisions,
    by: &Principal,
    pair: Pair,
    options: String,
) -> Result<Arc<Room>, WriteError> {
    let wanted = pair_room(&by.app, pair, options);
    decisions.decide(by, OpenPair { wanted }).await
}

/// Returns the single room of two users as a value, whether it exists or not.
pub(crate) fn pair_room(app: &App, pair: Pair, options: String) -> PairRoom {
    let unique_id = ids::pair_unique_id(&pair);
    PairRoom::new(app.id, pair, unique_id, options)
}
