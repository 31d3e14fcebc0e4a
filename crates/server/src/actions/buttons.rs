//! Custom buttons: made, changed, removed, pressed.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{DeliveryId, EndpointId, RoomId};
use confab_domain::service::buttons::{Button, PressButton, PutButton, RemoveButton, WantedButton};
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
    services.decide(app, PutButton { button, wanted }.on_right(by)).await
}

/// The button is there no more.
pub(crate) async fn remove_button(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    button: EndpointId,
) -> Result<(), WriteError> {
    services.decide(app, RemoveButton { button }.on_right(by)).await
}

/// Presses it: the delivery that tells its endpoint.
pub(crate) async fn press_button(
    services: &Services,
    desk: &OwnedDesk,
    button: EndpointId,
    room: RoomId,
    by: AgentProfile,
) -> Result<Option<DeliveryId>, WriteError> {
    let depth_before = desk.desk().depth_before;
    services.decide_after(depth_before, desk.app(), PressButton { room, button, by }).await
}
