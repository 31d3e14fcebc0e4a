//! Channels, through which customers write (wire facts 5.3, 5.4).
//!
//! - `GET` and `POST /api/v2/custom_channels`
//! - `PUT` and `DELETE /api/v2/custom_channels/{id}`
//! - `GET /api/v2/channels`, `GET /api/v2/channel_names`

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_app::{actions, ids};
use confab_domain::agents::role::Role;
use confab_domain::channels::connecting::ChangeChannel;
use confab_domain::channels::connecting::ConnectChannel;
use confab_domain::channels::connecting::DisconnectChannel;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{ChannelId, ID_END};
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::webhook_api::Data;

use crate::omnichannel::providers::provider_accounts::Accounts;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::OmnichannelCaller;
use crate::requests::targets;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/api/v2/custom_channels",
    operation_id = "list_custom_channels",
    tag = "Channels",
    summary = "List custom channels with their keys",
    responses((status = 200, description = "Done", body = Data<wire::CustomChannelList<'static>>)),
)]
pub(crate) async fn list(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channels = services.store().channels(caller.app.id).await?;
    data(wire::custom_channels(&channels))
}

#[utoipa::path(
    post,
    path = "/api/v2/custom_channels",
    operation_id = "create_custom_channel",
    tag = "Channels",
    summary = "Create a custom channel",
    request_body = wire::CustomChannelFields,
    responses((status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wire::PutChannel { wanted, .. } = wire::PutChannel::read_new(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    let rule = ConnectChannel { wanted, new_key: ids::secret() };
    let channel = services.decide(&caller.app, rule.on_right(by)).await?;
    data(wire::custom_channel(&channel))
}

#[utoipa::path(
    put,
    path = "/api/v2/custom_channels/{id}",
    operation_id = "change_custom_channel",
    tag = "Channels",
    summary = "Change a custom channel, switch it on or off, or rotate its key",
    params(("id" = String, Path, description = "Channel id")),
    request_body = wire::CustomChannelFields,
    responses((status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let id = channel_of_path(&id)?;
    let wire::PutChannel { mut wanted, rotates_key } = wire::PutChannel::read(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    if rotates_key {
        wanted.identifier_key = Some(ids::secret());
    }
    let rule = ChangeChannel { channel: id, wanted };
    let channel = services.decide(&caller.app, rule.on_right(by)).await?;
    data(wire::custom_channel(&channel))
}

#[utoipa::path(
    delete,
    path = "/api/v2/custom_channels/{id}",
    operation_id = "delete_custom_channel",
    tag = "Channels",
    summary = "Delete a custom channel; its rooms are kept",
    params(("id" = String, Path, description = "Channel id")),
    responses((status = 200, description = "Done", body = Data<wire::ChannelBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let id = channel_of_path(&id)?;
    let rule = DisconnectChannel { channel: id };
    let channel = services.decide(&caller.app, rule.on_right(by)).await?;
    data(wire::custom_channel(&channel))
}

#[utoipa::path(
    get,
    path = "/api/v2/channels",
    operation_id = "list_channels",
    tag = "Channels",
    summary = "List all channels, grouped by kind",
    responses((status = 200, description = "Done", body = Data<wire::ChannelMap<'static>>)),
)]
pub(crate) async fn list_by_kind(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    // The widget's channel must be listed even if no visitor has used it.
    actions::widget_channel(&services, &caller.app).await?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(&services, &channels).await?;
    let of_services = accounts.all(&services);
    data(wire::channel_map(&channels, of_services, &services.config().brands))
}

#[utoipa::path(
    get,
    path = "/api/v2/channel_names",
    operation_id = "channel_names",
    tag = "Dashboard",
    summary = "List the names of channels, for all agents",
    responses((status = 200, description = "Done", body = Data<wire::ChannelNames<'static>>)),
)]
pub(crate) async fn list_names(
    State(services): State<Services>,
    caller: OmnichannelCaller,
) -> Answer {
    let channels = services.store().channels(caller.app.id).await?;
    data(wire::channel_names(&channels, &services.widget_source()))
}

/// Fails if webhooks cannot be sent to the URL. An empty URL is valid and means that there is none.
fn check_webhook_url(services: &Services, url: Option<&str>) -> Result<(), Refusal> {
    let url = url.filter(|url| !url.is_empty());
    url.map_or(Ok(()), |url| targets::check(services, "webhook_url", url))
}

/// Parses the channel id in a path.
pub(super) fn channel_of_path(text: &str) -> Result<ChannelId, Problem> {
    let id = text.parse().ok().filter(|id| (1..ID_END).contains(id));
    id.map(ChannelId).ok_or_else(|| Refusal::ChannelNotFound(0).into())
}
