//! Lists an app's deliveries by a filter, with bounded work per call.

use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::limits;
use confab_domain::webhooks::delivery::{DeliveryFilter, ListedDelivery};
use confab_store::{DeliveryListing, ListEnd, Store, StoreError};

/// One page of deliveries.
pub struct FoundDeliveries {
    pub deliveries: Vec<ListedDelivery>,
    /// Cursor of the next page; `None` on the last page.
    pub next: Option<DeliveryId>,
}

/// Finds at most `count_max` deliveries that match the filter beyond the cursor, starting at the
/// oldest or the newest. A call that reaches its scan limit may return fewer and still have a
/// `next` cursor.
pub async fn find(
    store: &Store,
    app: AppId,
    wanted: &DeliveryFilter,
    (from_end, cursor): (ListEnd, Option<DeliveryId>),
    count_max: usize,
) -> Result<FoundDeliveries, StoreError> {
    let mut ids = wanted.ids();
    if let Some(cursor) = cursor {
        ids = beyond(ids, from_end, cursor);
    }
    let (mut deliveries, mut scanned, mut seen) = (Vec::new(), 0, cursor);
    // Most calls match any delivery and need a page and one more.
    let mut size = limits::DELIVERIES_PER_SCAN.min(count_max + 1);
    while scanned < limits::DELIVERIES_SCANNED_MAX {
        let rows = store.listed_deliveries(app, DeliveryListing { ids, from_end, size }).await?;
        for row in &rows {
            let is_wanted = wanted.has(row);
            if is_wanted && deliveries.len() == count_max {
                return Ok(FoundDeliveries { deliveries, next: seen });
            }
            deliveries.extend(is_wanted.then(|| row.clone()));
            seen = Some(row.pending.id);
        }
        let Some(last) = rows.last().filter(|_| rows.len() == size) else {
            return Ok(FoundDeliveries { deliveries, next: None });
        };
        ids = beyond(ids, from_end, last.pending.id);
        scanned += rows.len();
        size = limits::DELIVERIES_PER_SCAN.min(limits::DELIVERIES_SCANNED_MAX - scanned).max(1);
    }
    Ok(FoundDeliveries { deliveries, next: seen })
}

fn beyond(
    (least, end): (DeliveryId, DeliveryId),
    from_end: ListEnd,
    cursor: DeliveryId,
) -> (DeliveryId, DeliveryId) {
    match from_end {
        ListEnd::Newest => (least, end.min(cursor)),
        ListEnd::Oldest => (least.max(DeliveryId(cursor.0 + 1)), end),
    }
}
