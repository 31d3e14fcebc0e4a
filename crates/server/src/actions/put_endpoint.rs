//! Registers where an app wants to be told of a kind of notice.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::subscribing::{self, WantedEndpoint};
use confab_store::WriteError;

use crate::services::Services;

/// The endpoint as it is now; it may be new.
pub(crate) async fn put_endpoint(
    services: &Services,
    app: &Arc<App>,
    wanted: WantedEndpoint,
) -> Result<Endpoint, WriteError> {
    let (question, its_app) = (subscribing::question(app, wanted.kind), app.clone());
    let endpoint = services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            subscribing::put(facts, &its_app, &wanted, stamp)
        })
        .await?;
    services.wake_delivery();
    Ok(endpoint)
}
