//! Sends deliveries again, from the beginning of their plan.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::ids::DeliveryId;
use confab_domain::webhooks::delivering::ReplayDeliveries;
use confab_domain::webhooks::delivery::Lane;
use confab_store::WriteError;

use crate::services::Services;

/// All of them or none, due now, in this order. Those that wait are only made due.
pub(crate) async fn replay(
    services: &Services,
    app: &Arc<App>,
    deliveries: Vec<(DeliveryId, Lane)>,
) -> Result<(), WriteError> {
    if deliveries.is_empty() {
        return Ok(());
    }
    services.decide(app, ReplayDeliveries { deliveries }).await?;
    Ok(())
}
