//! Availability of agents for customers.
//!
//! - `POST /api/v1/agent/set_availability`, also as `POST /api/v1/set_availability`
//! - `POST /api/v2/admin/agent/{id}/set_force_offline`

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::agents::availability::ForceOffline;
use confab_domain::agents::availability::SetAvailable;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::agents::{
    AgentBox, AvailabilityFields, ForceOfflineFields, Viewer, agent, read_availability,
    read_force_offline,
};
use confab_wire::webhook_api::Data;

use crate::omnichannel::Place;
use crate::omnichannel::people::agents::{agent_of, one_agent};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::{ActingAgent, OmnichannelCaller};
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    post,
    path = "/api/v1/agent/set_availability",
    operation_id = "set_availability",
    tag = "People",
    summary = "Set whether the caller accepts customers",
    request_body = AvailabilityFields,
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>)),
)]
pub(crate) async fn set(
    State(services): State<Services>,
    caller: ActingAgent,
    body: OmnichannelBody,
) -> Answer {
    let is_available = read_availability(body.fields())?;
    let (user, by) = (caller.agent.profile.user.id, caller.must_be(&Role::ALL)?);
    let rule = SetAvailable { user, is_available };
    services.decide(&caller.app, rule.on_right(by)).await?;
    let store = services.store();
    let found = store.agent(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    let place = Place::load(&services, caller.app.id).await?;
    let viewer = Viewer { sees_keys: false, own: Some(user) };
    data(AgentBox { agent: agent(&found, place.shown(), viewer), sign_in_link: None })
}

#[utoipa::path(
    post,
    path = "/api/v1/set_availability",
    operation_id = "set_availability_by_older_path",
    tag = "People",
    summary = "Set whether the caller accepts customers, under another path",
    request_body = AvailabilityFields,
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>)),
)]
pub(crate) async fn set_by_older_path(
    services: State<Services>,
    caller: ActingAgent,
    body: OmnichannelBody,
) -> Answer {
    set(services, caller, body).await
}

#[utoipa::path(
    post,
    path = "/api/v2/admin/agent/{id}/set_force_offline",
    operation_id = "set_force_offline",
    tag = "People",
    summary = "Set an agent offline, or allow them to be online again",
    params(("id" = i64, Path, description = "Agent id")),
    request_body = ForceOfflineFields,
    responses((status = 200, description = "Done", body = Data<AgentBox<'static>>)),
)]
pub(crate) async fn force_offline(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let (user, is_forced) = (agent_of(&id)?, read_force_offline(body.fields())?);
    let rule = ForceOffline { user, is_forced };
    services.decide(&caller.app, rule.on_right(by)).await?;
    one_agent(&services, &caller, user).await
}
