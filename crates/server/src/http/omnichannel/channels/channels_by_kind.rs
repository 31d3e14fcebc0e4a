//! `GET /api/v2/channels` (wire facts 5.4)

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::webhook_api::Data;

use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/channels",
    operation_id = "list_channels",
    tag = "Channels",
    summary = "List every channel by its kind",
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<wire::ChannelMap<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: OmniCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    // The widget's is there from the first look on.
    actions::widget_channel(&services, &caller.app).await?;
    let channels = services.store().channels(caller.app.id).await?;
    data(wire::channel_map(&channels, &services.widget_source()))
}
