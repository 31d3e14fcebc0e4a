//! Makes, changes and deletes channels.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::{
    ChangeChannel, ConnectChannel, ConnectWidget, DisconnectChannel, WantedChannel,
};
use confab_domain::decision::rule::Rule;
use confab_domain::ids::ChannelId;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// A new custom channel.
pub(crate) async fn connect_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    wanted: WantedChannel,
) -> Result<Channel, WriteError> {
    let rule = ConnectChannel { wanted, new_key: ids::secret() };
    services.decide(app, rule.on_right(by)).await
}

/// A channel as it is wanted.
pub(crate) async fn change_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    channel: ChannelId,
    wanted: WantedChannel,
) -> Result<Channel, WriteError> {
    services.decide(app, ChangeChannel { channel, wanted }.on_right(by)).await
}

/// The channel that was deleted.
pub(crate) async fn disconnect_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    channel: ChannelId,
) -> Result<Channel, WriteError> {
    services.decide(app, DisconnectChannel { channel }.on_right(by)).await
}

/// The app's widget channel; it is made when it is first needed.
pub(crate) async fn widget_channel(
    services: &Services,
    app: &Arc<App>,
) -> Result<Channel, WriteError> {
    let known = services.store().channels(app.id).await.map_err(WriteError::Failed)?;
    if let Some(known) = known.into_iter().find(|it| it.kind == ChannelKind::Widget) {
        return Ok(known);
    }
    services.decide(app, ConnectWidget { new_key: ids::secret() }).await
}
