//! `POST /api/v2/sdk/auth/nonce` (wire facts 4.1)

use axum::extract::State;
use confab_domain::limits;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::channels as wire;

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::callers::ClientApp;
use crate::http::docs::Failures;
use crate::peer::Peer;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/auth/nonce",
    operation_id = "auth_nonce",
    tag = "Clients",
    summary = "A text that may be used once, within ten minutes",
    security(("app_id" = [])),
    responses((status = 200, description = "Done", body = Results<wire::Nonce>), Failures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: ClientApp,
    peer: Peer,
) -> Answer {
    services.quotas().count_nonce(caller.app.id, peer)?;
    let (nonce, until) = actions::make_nonce(&services, &caller.app, limits::NONCE_GOOD_S).await?;
    ok(wire::nonce(nonce, until))
}
