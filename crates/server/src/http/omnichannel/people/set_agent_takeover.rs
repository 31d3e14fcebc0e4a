//! `POST /api/v1/app/config/agent_takeover` (D-0034)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::service::settings::Settings;
use confab_wire::omnichannel_api::people::configs::{
    Takeover, TakeoverFields, read_takeover, takeover,
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
    path = "/api/v1/app/config/agent_takeover",
    operation_id = "set_agent_takeover",
    tag = "Configuration",
    summary = "Say whether agents may take customers that nobody serves",
    request_body = TakeoverFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Takeover>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_on = read_takeover(body.fields())?;
    data(takeover(
        &actions::set_switch(&services, &caller.app, by, Settings::TAKEOVER, is_on).await?,
    ))
}
