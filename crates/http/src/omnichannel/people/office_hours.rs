//! Office hours and automatic replies of an app (wire facts 5.7).

use std::sync::Arc;

use confab_app::decide::Decisions;
use confab_domain::app::App;
use confab_runtime::clock;
use confab_store::Store;
use confab_wire::omnichannel_api::people::office_hours::{
    OfficeHoursFields, OfficeHoursShape, office_hours, read_office_hours,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Admins, Office};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Get the office hours and automatic replies
    GET "/api/v1/admin/office_hours" get_office_hours = load [403];
    /// Set the office hours and automatic replies
    POST "/api/v1/admin/office_hours" set_office_hours = set [403];
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Office>,
) -> Answer<Data<OfficeHoursShape<'static>>> {
    shown(&store, &caller.app).await
}

async fn set(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<OfficeHoursFields>,
) -> Answer<Data<OfficeHoursShape<'static>>> {
    let rule = read_office_hours(body.fields())?;
    decisions.decide(&caller, rule).await?;
    shown(decisions.store(), &caller.app).await
}

async fn shown(store: &Store, app: &Arc<App>) -> Answer<Data<OfficeHoursShape<'static>>> {
    let settings = store.settings(app.id).await?;
    let said = store.auto_replies(app.id).await?.of_app;
    data(office_hours(app, &settings, &said, clock::now()))
}
