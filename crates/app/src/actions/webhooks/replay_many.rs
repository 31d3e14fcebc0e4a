//! Replays the deliveries that match a filter, a limited number in each call.

use confab_delivery::finding::{FoundDeliveries, find};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::webhooks::delivering::ReplayDeliveries;
use confab_domain::webhooks::delivery::DeliveryFilter;
use confab_store::{ListEnd, WriteError};

use crate::decide::Decisions;

/// Replays the next matching deliveries, oldest first so that lanes stay in order. Returns their
/// number and the cursor of the next call.
pub async fn replay_many(
    decisions: &Decisions,
    by: &Principal,
    wanted: &DeliveryFilter,
    after: Option<DeliveryId>,
) -> Result<(usize, Option<DeliveryId>), WriteError> {
    let place = (ListEnd::Oldest, after);
    let count_max = limits::REPLAYED_PER_CALL_MAX;
    let FoundDeliveries { deliveries, next } =
        find(decisions.store(), by.app.id, wanted, place, count_max).await?;
    let chosen: Vec<_> = deliveries.iter().map(|it| (it.pending.id, it.pending.lane)).collect();
    let count = chosen.len();
    let rule = ReplayDeliveries { deliveries: chosen };
    decisions.decide(by, rule).await?;
    Ok((count, next))
}
