//! Tests an endpoint with one example delivery that is neither stored nor repeated.

use std::time::Duration;

use confab_delivery::carriers::webhook::{SigningKeys, WebhookRequest, send};
use confab_domain::decision::principal::Principal;
use confab_domain::limits;
use confab_domain::webhooks::delivery::Attempt;
use confab_domain::webhooks::subscribing::WhichEndpoint;
use confab_domain::webhooks::trying::TryEndpoint;
use confab_runtime::origin;
use confab_store::WriteError;

use crate::services::Services;

/// Sends the example and returns the attempt. The endpoint may be paused or disabled.
pub async fn try_endpoint(
    services: &Services,
    by: &Principal,
    which: WhichEndpoint,
    depth_before: u32,
) -> Result<Attempt, WriteError> {
    let rule = TryEndpoint { which };
    let (endpoint, delivery) = services.decisions().decide_after(depth_before, by, rule).await?;
    let timeout_ms = endpoint.policy.timeout_ms.min(limits::ENDPOINT_TRY_MAX_MS);
    let webhook = WebhookRequest {
        delivery: &delivery,
        number: 1,
        url: &endpoint.url,
        timeout: Duration::from_millis(timeout_ms.into()),
        keys: SigningKeys::current_of(&by.app),
        brands: &services.config().brands,
        sent_at: delivery.created_at,
        is_after_gap: false,
        trace: origin::trace(),
    };
    Ok(send(&services.outbound(), webhook).await.1)
}
