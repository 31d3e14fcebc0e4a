//! Makes, changes and deletes channels.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting::{self, WantedChannel};
use confab_domain::decision::context::Context;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::ChannelId;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use crate::ids;
use crate::services::Services;

/// A new custom channel.
pub(crate) async fn connect_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    wanted: WantedChannel,
) -> Result<Channel, WriteError> {
    let key = ids::secret();
    decide(services, app, by, move |desk, facts, stamp| {
        connecting::connect(desk, facts, &wanted, &key, stamp)
    })
    .await
}

/// A channel as it is wanted.
pub(crate) async fn change_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    channel: ChannelId,
    wanted: WantedChannel,
) -> Result<Channel, WriteError> {
    decide(services, app, by, move |desk, facts, stamp| {
        connecting::change(desk, facts, channel, &wanted, stamp)
    })
    .await
}

/// The channel that was deleted.
pub(crate) async fn disconnect_channel(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    channel: ChannelId,
) -> Result<Channel, WriteError> {
    decide(services, app, by, move |desk, facts, stamp| {
        connecting::disconnect(desk, facts, channel, stamp)
    })
    .await
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
    let key = ids::secret();
    decide(services, app, None, move |desk, facts, stamp| {
        connecting::widget(desk, facts, &key, stamp)
    })
    .await
}

async fn decide<Rule>(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    rule: Rule,
) -> Result<Channel, WriteError>
where
    Rule: Fn(&Context, &Facts, &Stamp<'_>) -> Result<Decision<Channel>, Refusal> + Send + 'static,
{
    let desk = OwnedDesk::new(services, app, 0);
    let question = connecting::question(&desk.desk()).on_right(by);
    let channel = services
        .store()
        .decide(app.id, question, move |facts, stamp| rule(desk.desk(), facts, stamp))
        .await?;
    services.wake_delivery();
    Ok(channel)
}
