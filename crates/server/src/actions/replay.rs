//! Sends deliveries again, from the beginning of their plan.

use confab_domain::app::App;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::ids::DeliveryId;
use confab_domain::webhooks::delivery::Lane;
use confab_store::WriteError;

use crate::services::Services;

/// All of them or none, due now, in this order. Those that wait are only made due.
pub(crate) async fn replay(
    services: &Services,
    app: &App,
    deliveries: Vec<(DeliveryId, Lane)>,
) -> Result<(), WriteError> {
    if deliveries.is_empty() {
        return Ok(());
    }
    services
        .store()
        .decide(app.id, Question::default(), move |_, stamp| {
            let again = |&(delivery, lane): &(DeliveryId, Lane)| {
                Change::Webhook(WebhookChange::Replay {
                    delivery,
                    lane,
                    at: stamp.now,
                    mark: stamp.next_id(),
                })
            };
            Ok(Decision::new(deliveries.iter().map(again).collect(), ()))
        })
        .await?;
    services.wake_delivery();
    Ok(())
}
