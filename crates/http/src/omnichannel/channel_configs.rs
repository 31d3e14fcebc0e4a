//! Automatic replies of one channel (wire facts 5.1, 5.7).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::ChannelId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_replying::SetChannelReplies;
use confab_store::Store;
use confab_wire::omnichannel_api::people::office_hours::{
    ChannelConfigsBox, ChannelConfigsFields, channel_configs, read_channel_configs,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Access, Admins, Office};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Channels";
    /// Get the automatic replies of a channel
    GET "/api/v2/channels/{id}/configs" get_channel_configs = load [403 404];
    /// Set the automatic replies of a channel
    POST "/api/v2/channels/{id}/configs" set_channel_configs = set [403 404];
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let channel = channel_of_path(&id)?;
    let channels = store.channels(caller.app.id).await?;
    if !channels.iter().any(|it| it.id == channel) {
        return Err(Refusal::ChannelNotFound(channel.0).into());
    }
    shown(&store, &caller, channel).await
}

async fn set(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<ChannelConfigsFields>,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let channel = channel_of_path(&id)?;
    let auto_replies = read_channel_configs(body.fields())?;
    let rule = SetChannelReplies { channel, auto_replies };
    decisions.decide(&caller, rule).await?;
    shown(decisions.store(), &caller, channel).await
}

async fn shown(
    store: &Store,
    caller: &By<impl Access>,
    channel: ChannelId,
) -> Answer<Data<ChannelConfigsBox<'static>>> {
    let all = store.auto_replies(caller.app.id).await?;
    data(channel_configs(&all.of(channel)))
}

fn channel_of_path(text: &str) -> Result<ChannelId, Refusal> {
    id_in_path(text, Refusal::ChannelNotFound).map(ChannelId)
}
