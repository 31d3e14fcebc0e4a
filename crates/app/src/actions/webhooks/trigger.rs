//! Sends example events to the app's endpoints and listeners.

use confab_domain::decision::principal::Principal;
use confab_domain::ids::DeliveryId;
use confab_domain::webhooks::trying::TriggerExample;
use confab_store::WriteError;

use crate::decide::Decisions;

/// The deliveries and listeners of a triggered event.
pub struct TriggerOutcome {
    pub deliveries: Vec<DeliveryId>,
    pub listeners: usize,
}

/// Creates an example event and its deliveries like those of a real event, in a real room if one is
/// given.
pub async fn trigger(
    decisions: &Decisions,
    by: &Principal,
    rule: TriggerExample,
    depth_before: u32,
) -> Result<TriggerOutcome, WriteError> {
    let (deliveries, listeners) =
        decisions.decide_and_count_listeners(depth_before, by, rule).await?;
    Ok(TriggerOutcome { deliveries, listeners })
}
