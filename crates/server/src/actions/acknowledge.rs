//! Notes up to where somebody received and read.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::messages::acknowledging::Acknowledge;
use confab_store::WriteError;

use crate::services::Services;

/// Whether they are further than before.
pub(crate) async fn acknowledge(
    services: &Services,
    app: &Arc<App>,
    given: Acknowledge,
) -> Result<bool, WriteError> {
    services.decide(app, given).await
}
