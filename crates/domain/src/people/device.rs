//! Devices that receive push notifications.

/// A device that receives pushes.
#[derive(Clone)]
pub struct Device {
    /// Token by which the push service of the device's platform addresses the device.
    pub token: String,
    /// Platform, such as `ios` or `android`.
    pub platform: String,
    /// Whether the device runs a development build of the client.
    pub is_development: bool,
}
