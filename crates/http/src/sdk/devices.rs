//! Devices of the caller that receive push notifications (wire facts 4.2).
//!
//! - `POST /set_user_device_token`
//! - `POST /remove_user_device_token`

use axum::extract::State;
use confab_app::actions;
use confab_app::services::Services;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::people::{DeviceChanged, DeviceFields, device_changed, read_device};

use crate::requests::bodies::RequestBody;
use crate::requests::callers::ClientCaller;
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    post,
    path = "/set_user_device_token",
    operation_id = "sdk_set_user_device_token",
    tag = "Clients",
    summary = "Enable push notifications for a device of the caller",
    request_body = DeviceFields,
    responses((status = 200, description = "Done", body = Results<DeviceChanged>)),
)]
pub(crate) async fn put(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    let device = read_device(&body.fields()?)?;
    let user = caller.user.key;
    let changed = actions::put_device(&services, &caller.app, user, device).await?;
    ok(device_changed(changed, services.config().apns.is_some()))
}

#[utoipa::path(
    post,
    path = "/remove_user_device_token",
    operation_id = "sdk_remove_user_device_token",
    tag = "Clients",
    summary = "Disable push notifications for a device of the caller",
    request_body = DeviceFields,
    responses((status = 200, description = "Done", body = Results<DeviceChanged>)),
)]
pub(crate) async fn remove(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    body: RequestBody,
) -> Answer {
    let token = read_device(&body.fields()?)?.token;
    let user = caller.user.key;
    let changed = actions::remove_device(&services, &caller.app, user, token).await?;
    ok(device_changed(changed, services.config().apns.is_some()))
}
