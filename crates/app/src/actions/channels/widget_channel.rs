//! The app's widget channel.

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::ConnectWidget;
use confab_domain::decision::principal::Principal;
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Returns the app's widget channel, which is created on first use.
pub async fn widget_channel(decisions: &Decisions, by: &Principal) -> Result<Channel, WriteError> {
    let known = decisions.store().channels(by.app.id).await.map_err(WriteError::Failed)?;
    if let Some(known) = known.into_iter().find(|it| it.kind == ChannelKind::Widget) {
        return Ok(known);
    }
    decisions.decide(by, ConnectWidget { new_key: ids::secret() }).await
}
