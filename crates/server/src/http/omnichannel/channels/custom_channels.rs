//! `GET|POST /api/v2/custom_channels`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::webhook_api::Data;

use super::check_webhook_url;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    get,
    path = "/api/v2/custom_channels",
    operation_id = "list_custom_channels",
    tag = "Channels",
    summary = "List the custom channels with their keys",
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<wire::ChannelList<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn list(State(services): State<Services>, caller: OmniCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channels = services.store().channels(caller.app.id).await?;
    data(wire::custom_channels(&channels))
}

#[utoipa::path(
    post,
    path = "/api/v2/custom_channels",
    operation_id = "create_custom_channel",
    tag = "Channels",
    summary = "Make a custom channel",
    request_body = wire::CustomChannelFields,
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wire::PutChannel { wanted, .. } = wire::PutChannel::read_new(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    let channel = actions::connect_channel(&services, &caller.app, by, wanted).await?;
    data(wire::custom_channel(&channel))
}
