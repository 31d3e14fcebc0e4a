//! `POST /api/v2/app/config/agent_allocation` (D-0034)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::configs::{
    AllocationFields, Configs, allocation_configs, read_allocation,
};
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/app/config/agent_allocation",
    operation_id = "set_agent_allocation",
    tag = "Configuration",
    summary = "Set the built-in agent allocation and its limits",
    request_body = AllocationFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Configs>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wanted = read_allocation(body.fields())?;
    data(allocation_configs(&actions::set_settings(&services, &caller.app, by, wanted).await?))
}
