//! Pauses or resumes an endpoint.

use confab_domain::app::App;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::subscribing;
use confab_store::WriteError;

use crate::services::Services;

/// The endpoint as it is now.
pub(crate) async fn set_paused(
    services: &Services,
    app: &App,
    kind: NoticeKind,
    is_paused: bool,
) -> Result<Endpoint, WriteError> {
    let question = subscribing::question(app, kind);
    let endpoint = services
        .store()
        .decide(app.id, question, move |facts, _| subscribing::set_paused(facts, kind, is_paused))
        .await?;
    services.wake_delivery();
    Ok(endpoint)
}
