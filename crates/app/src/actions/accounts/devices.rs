//! Devices that receive a user's pushes.

use confab_domain::decision::principal::Principal;
use confab_domain::ids::UserKey;
use confab_domain::people::device::Device;
use confab_domain::people::registering_devices::{PutDevice, RemoveDevice};
use confab_store::WriteError;

use crate::decide::Decisions;

/// Registers a device for the user's pushes. Returns whether it is new or changed.
pub async fn put_device(
    decisions: &Decisions,
    by: &Principal,
    user: UserKey,
    device: Device,
) -> Result<bool, WriteError> {
    let before = decisions.store().device(user, &device.token).await?;
    let as_wanted = (device.platform.clone(), device.is_development);
    if before == Some(as_wanted) {
        return Ok(false);
    }
    decisions.decide(by, PutDevice { user, device }).await?;
    Ok(true)
}

/// Unregisters a device. Returns whether it was registered.
pub async fn remove_device(
    decisions: &Decisions,
    by: &Principal,
    user: UserKey,
    token: String,
) -> Result<bool, WriteError> {
    if decisions.store().device(user, &token).await?.is_none() {
        return Ok(false);
    }
    decisions.decide(by, RemoveDevice { user, token }).await?;
    Ok(true)
}
