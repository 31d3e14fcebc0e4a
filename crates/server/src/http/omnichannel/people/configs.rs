//! `GET /api/v2/app/configs` (spec 4.2)

use axum::extract::State;
use confab_wire::omnichannel_api::people::configs::{
    Configs, ConfigsFields, all_configs, read_configs,
};
use confab_wire::webhook_api::Data;

use super::AppSettings;
use crate::http::answer::{Answer, data};
use crate::http::bodies::RequestQuery;
use crate::http::callers::KeyCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/app/configs",
    operation_id = "get_configs",
    tag = "Configuration",
    summary = "Show what the app is set to",
    params(ConfigsFields),
    security(("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<Configs>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: KeyCaller,
    query: RequestQuery,
) -> Answer {
    let shows_all = read_configs(&query.fields()?)?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(all_configs(set.shown(&caller.app, false), shows_all))
}
