//! Availability of agents for customers.

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::agents::availability::ForceOffline;
use confab_domain::agents::availability::SetAvailable;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::agents::{
    AgentBox, AvailabilityFields, ForceOfflineFields, Viewer, agent, read_availability,
    read_force_offline,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::Place;
use crate::omnichannel::people::agents::{agent_of, one_agent};
use crate::requests::access::{Admins, Everyone};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::{ActingAgent, By};
use crate::responses::answer::{Answer, data};

calls! {
    "People";
    /// Set whether the caller accepts customers
    POST "/api/v1/agent/set_availability" set_availability = set [403 404];
    /// Set whether the caller accepts customers, under another path
    POST "/api/v1/set_availability" set_availability_by_older_path = set_by_older_path [403 404];
    /// Set an agent offline, or allow them to be online again
    POST "/api/v2/admin/agent/{id}/set_force_offline" set_force_offline = force_offline [403 404];
}

async fn set(
    State(services): State<Services>,
    caller: ActingAgent<Everyone>,
    body: OmnichannelBody<AvailabilityFields>,
) -> Answer<Data<AgentBox<'static>>> {
    let is_available = read_availability(body.fields())?;
    let user = caller.agent.profile.user.id;
    let rule = SetAvailable { user, is_available };
    services.decisions().decide(&caller, rule).await?;
    let store = services.store();
    let found = store.agent(caller.app.id, user).await?.ok_or(Refusal::AgentNotFound(user.0))?;
    let place = Place::load(store, caller.app.id).await?;
    let viewer = Viewer { sees_keys: false, own: Some(user) };
    data(AgentBox { agent: agent(&found, place.shown(), viewer), sign_in_link: None })
}

async fn set_by_older_path(
    services: State<Services>,
    caller: ActingAgent<Everyone>,
    body: OmnichannelBody<AvailabilityFields>,
) -> Answer<Data<AgentBox<'static>>> {
    set(services, caller, body).await
}

async fn force_offline(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<ForceOfflineFields>,
) -> Answer<Data<AgentBox<'static>>> {
    let (user, is_forced) = (agent_of(&id)?, read_force_offline(body.fields())?);
    let rule = ForceOffline { user, is_forced };
    services.decisions().decide(&caller, rule).await?;
    one_agent(&services, &caller, user).await
}
