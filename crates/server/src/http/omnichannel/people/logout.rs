//! `POST /api/v1/auth/logout` (D-0033)

use axum::extract::State;
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::WebhookDepth;
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/auth/logout",
    operation_id = "sign_out",
    tag = "People",
    summary = "Sign out: the token ends, and the logout webhook is sent",
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<Done>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
) -> Answer {
    let user = caller.worker.profile.user.id;
    actions::sign_out(&services, &caller.app, user, caller.token_hash, depth.0).await?;
    data(Done { message: "You are signed out." })
}
