//! `GET /api/v2/admin/agent/{id}/channels` (wire facts 5.4)

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::divisions::{AgentChannels, agent_channels};
use confab_wire::webhook_api::Data;

use super::agent_of;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/admin/agent/{id}/channels",
    operation_id = "get_agent_channels",
    tag = "People",
    summary = "List the channels whose customers somebody may serve",
    params(("id" = i64, Path, description = "Who")),
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses(
        (status = 200, description = "Done", body = Data<AgentChannels<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin, Role::Supervisor])?;
    let (store, app, user) = (services.store(), caller.app.id, agent_of(&id)?);
    let found = store.worker(app, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    data(agent_channels(&found, &store.channels(app).await?))
}
