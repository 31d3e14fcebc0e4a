//! Automatic replies of one channel (wire facts 5.1, 5.7).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::ids::ChannelId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_replying::SetChannelReplies;
use confab_wire::omnichannel_api::people::office_hours::{
    ChannelConfigsBox, ChannelConfigsFields, channel_configs, read_channel_configs,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Access, Admins, Office};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::responses::answer::{Answer, data};

calls! {
    "Channels";
    /// Get the automatic replies of a channel
    GET "/api/v2/channels/{id}/configs" get_channel_configs = load [403 404];
    /// Set the automatic replies of a channel
    POST "/api/v2/channels/{id}/configs" set_channel_configs = set [403 404];
}

async fn load(
    State(services): State<Services>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let channel = channel_of_path(&id)?;
    let channels = services.store().channels(caller.app.id).await?;
    if !channels.iter().any(|it| it.id == channel) {
        return Err(Refusal::ChannelNotFound(channel.0).into());
    }
    shown(&services, &caller, channel).await
}

async fn set(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<ChannelConfigsFields>,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let channel = channel_of_path(&id)?;
    let auto_replies = read_channel_configs(body.fields())?;
    let rule = SetChannelReplies { channel, auto_replies };
    services.decisions().decide(&caller, rule).await?;
    shown(&services, &caller, channel).await
}

async fn shown(
    services: &Services,
    caller: &By<impl Access>,
    channel: ChannelId,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let all = services.store().auto_replies(caller.app.id).await?;
    data(channel_configs(&all.of(channel)))
}

fn channel_of_path(text: &str) -> Result<ChannelId, Refusal> {
    id_in_path(text, Refusal::ChannelNotFound).map(ChannelId)
}
