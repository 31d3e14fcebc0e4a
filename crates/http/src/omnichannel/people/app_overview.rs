//! Overview of an app: its details and features (wire facts 5.7).

use axum::extract::State;
use confab_app::services::Services;
use confab_wire::omnichannel_api::people::apps::AppBox;
use confab_wire::omnichannel_api::people::features::{FeatureList, features};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::people::settings::AppSettings;
use crate::requests::access::{Access, Admins, Everyone, Office};
use crate::requests::callers::By;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Get the app; only admins and the app itself see its secret key
    GET "/api/v2/app/details" get_app_details = load_details [403];
    /// List the app's features
    GET "/api/v2/features" list_features = list_features;
}

async fn load_details(
    State(services): State<Services>,
    caller: By<Everyone>,
) -> Answer<Data<AppBox<'static>>> {
    let shows_key = caller.has_role(Admins::ROLES);
    let set = AppSettings::load(&services, &caller.app).await?;
    let mut app = set.shown(&caller.app, shows_key).shape();
    if !caller.has_role(Office::ROLES) {
        app = app.without_addresses();
    }
    data(AppBox { app })
}

async fn list_features(
    State(services): State<Services>,
    caller: By<Everyone>,
) -> Answer<Data<FeatureList>> {
    let set = AppSettings::load(&services, &caller.app).await?;
    data(features(set.shown(&caller.app, false)))
}
