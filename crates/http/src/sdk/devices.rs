//! Devices of the caller that receive push notifications (wire facts 4.2).

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{DeviceChanged, DeviceFields, device_changed, read_device};

use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Enable push notifications for a device of the caller
    POST "/set_user_device_token" sdk_set_user_device_token = put;
    /// Disable push notifications for a device of the caller
    POST "/remove_user_device_token" sdk_remove_user_device_token = remove;
}

async fn put(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<DeviceFields>,
) -> Answer<Results<DeviceChanged>> {
    let device = read_device(&body.fields()?)?;
    let user = caller.user.key;
    let changed = actions::put_device(services.decisions(), &caller, user, device).await?;
    ok(device_changed(changed, services.config().apns.is_some()))
}

async fn remove(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody<DeviceFields>,
) -> Answer<Results<DeviceChanged>> {
    let token = read_device(&body.fields()?)?.token;
    let user = caller.user.key;
    let changed = actions::remove_device(services.decisions(), &caller, user, token).await?;
    ok(device_changed(changed, services.config().apns.is_some()))
}
