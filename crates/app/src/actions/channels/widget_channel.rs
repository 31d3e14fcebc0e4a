//! The app's widget channel.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::ConnectWidget;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

/// Returns the app's widget channel, which is created on first use.
pub async fn widget_channel(services: &Services, app: &Arc<App>) -> Result<Channel, WriteError> {
    let known = services.store().channels(app.id).await.map_err(WriteError::Failed)?;
    if let Some(known) = known.into_iter().find(|it| it.kind == ChannelKind::Widget) {
        return Ok(known);
    }
    services.decide(app, ConnectWidget { new_key: ids::secret() }).await
}
