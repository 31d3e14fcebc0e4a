//! `GET /api/v1/admin/get_profile` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::signing_in::{UserShape, user};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::http::answer::{Answer, data};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v1/admin/get_profile",
    operation_id = "get_profile",
    tag = "People",
    summary = "Show who you are, and your app",
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<UserShape<'static>>), OmniFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: AgentCaller) -> Answer {
    let is_admin = caller.worker.profile.user.role == Role::Admin;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(user(&caller.worker, None, set.shown(&caller.app, is_admin)))
}
