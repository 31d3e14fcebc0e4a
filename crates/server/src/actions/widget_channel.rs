//! Finds the widget's channel, which every app has once it is needed.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::ConnectWidget;
use confab_store::WriteError;

use crate::ids;
use crate::services::Services;

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
