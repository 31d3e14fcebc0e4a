//! Registers where an app wants to be told of a kind of notice.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::subscribing::{PutEndpoint, WantedEndpoint};
use confab_store::WriteError;

use crate::services::Services;

/// The endpoint as it is now; it may be new.
pub(crate) async fn put_endpoint(
    services: &Services,
    app: &Arc<App>,
    wanted: WantedEndpoint,
) -> Result<Endpoint, WriteError> {
    services.decide(app, PutEndpoint { wanted }).await
}
