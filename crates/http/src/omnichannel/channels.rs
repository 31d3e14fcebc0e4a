//! Channels, through which customers write (wire facts 5.3, 5.4).

use axum::extract::{Path, State};
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::channels::connecting::ChangeChannel;
use confab_domain::channels::connecting::ConnectChannel;
use confab_domain::channels::connecting::DisconnectChannel;
use confab_domain::ids::{ChannelId, ID_END};
use confab_domain::refusal::Refusal;
use confab_runtime::ids;
use confab_store::Store;
use confab_wire::omnichannel_api::channels as wire;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::providers::provider_accounts::Accounts;
use crate::requests::access::{Admins, Everyone};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::requests::targets;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// List custom channels with their keys
    GET "/api/v2/custom_channels" list_custom_channels = list [403];
    /// Create a custom channel
    POST "/api/v2/custom_channels" create_custom_channel = create [403 409];
    /// Change a custom channel, switch it on or off, or rotate its key
    PUT "/api/v2/custom_channels/{id}" change_custom_channel = change [403 404 409];
    /// Delete a custom channel; its rooms are kept
    DELETE "/api/v2/custom_channels/{id}" delete_custom_channel = delete [403 404 409];
    /// List all channels, grouped by kind
    GET "/api/v2/channels" list_channels = list_by_kind [403];

    "Dashboard";
    /// List the names of channels, for all agents
    GET "/api/v2/channel_names" channel_names = list_names;
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Admins>,
) -> Answer<Data<wire::CustomChannelList<'static>>> {
    let channels = store.channels(caller.app.id).await?;
    data(wire::custom_channels(&channels))
}

async fn create(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<wire::CustomChannelFields>,
) -> Answer<Data<wire::ChannelBox<'static>>> {
    let wire::PutChannel { wanted, .. } = wire::PutChannel::read_new(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    let rule = ConnectChannel { wanted, new_key: ids::secret() };
    let channel = services.decisions().decide(&caller, rule).await?;
    data(wire::custom_channel(&channel))
}

async fn change(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<wire::CustomChannelFields>,
) -> Answer<Data<wire::ChannelBox<'static>>> {
    let id = channel_of_path(&id)?;
    let wire::PutChannel { mut wanted, rotates_key } = wire::PutChannel::read(body.fields())?;
    check_webhook_url(&services, wanted.webhook_url.as_deref())?;
    if rotates_key {
        wanted.identifier_key = Some(ids::secret());
    }
    let rule = ChangeChannel { channel: id, wanted };
    let channel = services.decisions().decide(&caller, rule).await?;
    data(wire::custom_channel(&channel))
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<wire::ChannelBox<'static>>> {
    let id = channel_of_path(&id)?;
    let rule = DisconnectChannel { channel: id };
    let channel = decisions.decide(&caller, rule).await?;
    data(wire::custom_channel(&channel))
}

async fn list_by_kind(
    State(services): State<Services>,
    caller: By<Admins>,
) -> Answer<Data<wire::ChannelMap<'static>>> {
    // The widget's channel must be listed even if no visitor has used it.
    actions::widget_channel(services.decisions(), &caller).await?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(services.store(), &channels).await?;
    let of_services = accounts.all(&services);
    data(wire::channel_map(&channels, of_services, &services.config().brands))
}

async fn list_names(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
) -> Answer<Data<wire::ChannelNames<'static>>> {
    let channels = decisions.store().channels(caller.app.id).await?;
    data(wire::channel_names(&channels, decisions.widget_source()))
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
