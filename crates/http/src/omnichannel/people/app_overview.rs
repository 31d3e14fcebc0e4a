//! Overview of an app: its details and features (wire facts 5.7).
//!
//! - `GET /api/v2/app/details`, `GET /api/v2/features`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::people::apps::AppBox;
use confab_wire::omnichannel_api::people::features::{FeatureList, features};
use confab_wire::webhook_api::Data;

use crate::omnichannel::people::settings::AppSettings;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v2/app/details",
    operation_id = "get_app_details",
    tag = "Configuration",
    summary = "Get the app; only admins and the app itself see its secret key",
    responses((status = 200, description = "Done", body = Data<AppBox<'static>>)),
)]
pub(crate) async fn load_details(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    let shows_key = caller.must_be(&[Role::Admin]).is_ok();
    let set = AppSettings::load(&services, &caller.app).await?;
    let mut app = set.shown(&caller.app, shows_key).shape();
    if caller.must_be(&crate::omnichannel::OFFICE).is_err() {
        app = app.without_addresses();
    }
    data(AppBox { app })
}

#[utoipa::path(
    get,
    path = "/api/v2/features",
    operation_id = "list_features",
    tag = "Configuration",
    summary = "List the app's features",
    responses((status = 200, description = "Done", body = Data<FeatureList>)),
)]
pub(crate) async fn list_features(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    let set = AppSettings::load(&services, &caller.app).await?;
    data(features(set.shown(&caller.app, false)))
}
