//! `POST /api/v1/admin/service/allocate_agent`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;
use confab_domain::service::allocating;
use confab_domain::service::customer_room::Candidate;
use confab_wire::omnichannel_api::service::agents::{ChosenBox, chosen};
use confab_wire::omnichannel_api::service::requests::{AllocateAgent, AllocateAgentFields};
use confab_wire::webhook_api::Data;

use super::super::{OFFICE, viewer};
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/allocate_agent",
    operation_id = "admin_allocate_agent",
    tag = "Service",
    summary = "Have an agent chosen, and assign nobody",
    request_body = AllocateAgentFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ChosenBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    caller.must_be(&OFFICE)?;
    let asked = AllocateAgent::read(body.fields())?;
    let (store, app) = (services.store(), caller.app.id);
    let channels = store.channels(app).await?;
    if !channels.iter().any(|channel| channel.id == asked.channel) {
        let problem = FieldProblem::new("channel_id", "names no channel of this app");
        return Err(Refusal::from(problem).into());
    }
    let (workers, settings) = (store.workers(app).await?, store.settings(app).await?);
    let may_be = |it: &Candidate| {
        let is_agent = it.profile.user.role == Role::Agent;
        is_agent && (asked.ignores_availability || it.takes_customers())
    };
    let agents: Vec<_> = workers.into_iter().filter(may_be).collect();
    let cap = settings.agent_customers_max();
    let freest = allocating::freest(&agents, asked.channel, cap, &[]);
    let freest = freest.ok_or(Refusal::NobodyFree)?;
    data(chosen(freest, viewer(caller.worker.as_ref())))
}
