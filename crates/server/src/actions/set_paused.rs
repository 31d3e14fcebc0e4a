//! Pauses or resumes an endpoint.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::subscribing::PauseEndpoint;
use confab_store::WriteError;

use crate::services::Services;

/// The endpoint as it is now.
pub(crate) async fn set_paused(
    services: &Services,
    app: &Arc<App>,
    kind: NoticeKind,
    is_paused: bool,
) -> Result<Endpoint, WriteError> {
    services.decide(app, PauseEndpoint { kind, is_paused }).await
}
