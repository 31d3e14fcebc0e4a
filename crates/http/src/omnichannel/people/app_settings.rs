//! All settings of an app in one resource (D-0090).
//!
//! - `GET` and `PATCH /api/v2/settings`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::people::app_settings::{
    ChangeSettingsFields, SettingsBox, app_settings, read_change_of_settings,
};
use confab_wire::webhook_api::Data;

use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v2/settings",
    operation_id = "get_settings",
    tag = "Configuration",
    summary = "Get the app's settings; agents see a part of them",
    responses((status = 200, description = "Done", body = Data<SettingsBox<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    let (store, app) = (services.store(), caller.app.id);
    let found = store.app_by_id(app).await?.ok_or(Refusal::SignedOut)?;
    let role = caller.agent.as_ref().map(|it| it.profile.user.role);
    let settings = store.settings(app).await?;
    data(app_settings(&found.name, &settings, role != Some(Role::Agent)))
}

#[utoipa::path(
    patch,
    path = "/api/v2/settings",
    operation_id = "change_settings",
    tag = "Configuration",
    summary = "Change the app's settings; absent fields keep their values",
    request_body = ChangeSettingsFields,
    responses((status = 200, description = "Done", body = Data<SettingsBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let rule = read_change_of_settings(body.fields())?;
    let (name, settings) = services.decide(&caller.app, rule.on_right(by)).await?;
    data(app_settings(&name, &settings, true))
}
