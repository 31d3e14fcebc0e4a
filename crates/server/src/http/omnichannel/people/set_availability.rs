//! `POST /api/v1/agent/set_availability` (D-0033)

use axum::extract::State;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::agents::{
    AgentBox, AvailabilityFields, Viewer, agent, read_availability,
};
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/agent/set_availability",
    operation_id = "set_availability",
    tag = "People",
    summary = "Say whether you take customers",
    request_body = AvailabilityFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    body: OmniBody,
) -> Answer {
    let is_available = read_availability(body.fields())?;
    let (user, by) = (caller.worker.profile.user.id, caller.right()?);
    actions::set_available(&services, &caller.app, by, is_available).await?;
    let store = services.store();
    let found = store.worker(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    let channels = store.channels(caller.app.id).await?;
    let viewer = Viewer { sees_keys: false, own: Some(user) };
    data(AgentBox { agent: agent(&found, &channels, viewer) })
}
