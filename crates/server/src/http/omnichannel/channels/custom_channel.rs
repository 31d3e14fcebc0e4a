//! `PUT|DELETE /api/v2/custom_channels/{id}`

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::webhook_api::Data;

use super::{channel_of_path, check_webhook_url};
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;
use crate::{actions, ids};

#[utoipa::path(
    put,
    path = "/api/v2/custom_channels/{id}",
    operation_id = "change_custom_channel",
    tag = "Channels",
    summary = "Change a channel, switch it off or on, rotate its key",
    params(("id" = String, Path, description = "The channel's integer")),
    request_body = wire::CustomChannelFields,
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let id = channel_of_path(&id)?;
    let wire::PutChannel { mut wanted, rotates_key } = wire::PutChannel::read(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    if rotates_key {
        wanted.identifier_key = Some(ids::secret());
    }
    let channel = actions::change_channel(&services, &caller.app, by, id, wanted).await?;
    data(wire::custom_channel(&channel))
}

#[utoipa::path(
    delete,
    path = "/api/v2/custom_channels/{id}",
    operation_id = "delete_custom_channel",
    tag = "Channels",
    summary = "Delete a custom channel; its rooms stay",
    params(("id" = String, Path, description = "The channel's integer")),
    security(("app_code" = [], "secret_key" = []), ("token" = [])),
    responses(
        (status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>),
        OmniFailures
    ),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let id = channel_of_path(&id)?;
    let channel = actions::disconnect_channel(&services, &caller.app, by, id).await?;
    data(wire::custom_channel(&channel))
}
