//! Office hours and automatic replies of an app (wire facts 5.7).
//!
//! - `GET` and `POST /api/v1/admin/office_hours`

use std::sync::Arc;

use axum::extract::State;
use confab_app::clock;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_wire::omnichannel_api::people::office_hours::{
    OfficeHoursFields, OfficeHoursShape, office_hours, read_office_hours,
};
use confab_wire::webhook_api::Data;

use crate::omnichannel::OFFICE;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v1/admin/office_hours",
    operation_id = "get_office_hours",
    tag = "Configuration",
    summary = "Get the office hours and automatic replies",
    responses((status = 200, description = "Done", body = Data<OfficeHoursShape<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    caller.must_be(&OFFICE)?;
    shown(&services, &caller.app).await
}

#[utoipa::path(
    post,
    path = "/api/v1/admin/office_hours",
    operation_id = "set_office_hours",
    tag = "Configuration",
    summary = "Set the office hours and automatic replies",
    request_body = OfficeHoursFields,
    responses((status = 200, description = "Done", body = Data<OfficeHoursShape<'static>>)),
)]
pub(crate) async fn set(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let rule = read_office_hours(body.fields())?;
    services.decide(&caller.app, rule.on_right(by)).await?;
    shown(&services, &caller.app).await
}

async fn shown(services: &Services, app: &Arc<App>) -> Answer {
    let store = services.store();
    let settings = store.settings(app.id).await?;
    let said = store.auto_replies(app.id).await?.of_app;
    data(office_hours(app, &settings, &said, clock::now()))
}
