//! Custom buttons: made, changed, removed, pressed.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{DeliveryId, EndpointId, RoomId};
use confab_domain::service::buttons::{self, Button, WantedButton};
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// The button as it is now; without an integer it is new.
pub(crate) async fn put_button(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    button: Option<EndpointId>,
    wanted: WantedButton,
) -> Result<Button, WriteError> {
    let (question, its_app) = (buttons::question(app).on_right(by), app.clone());
    let button = services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            buttons::put(facts, &its_app, button, &wanted, stamp)
        })
        .await?;
    services.wake_delivery();
    Ok(button)
}

/// The button is there no more.
pub(crate) async fn remove_button(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    button: EndpointId,
) -> Result<(), WriteError> {
    let question = buttons::question(app).on_right(by);
    let rule = move |facts: &Facts, _: &Stamp<'_>| buttons::remove(facts, button);
    services.store().decide(app.id, question, rule).await?;
    services.wake_delivery();
    Ok(())
}

/// Presses it: the delivery that tells its endpoint.
pub(crate) async fn press_button(
    services: &Services,
    desk: &OwnedDesk,
    button: EndpointId,
    room: RoomId,
    by: AgentProfile,
) -> Result<Option<DeliveryId>, WriteError> {
    let question = buttons::press_question(&desk.desk(), room, &by.user);
    let its = desk.clone();
    let pressed = services.decide_by(desk.desk(), question, move |_, facts, stamp| {
        buttons::press(its.desk(), facts, room, button, &by, stamp)
    });
    Ok(pressed.await?.0)
}
