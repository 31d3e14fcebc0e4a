//! Devices that receive push notifications.

/// A device that receives pushes.
#[derive(Clone)]
pub struct Device {
    /// Push token from the manufacturer of the device.
    pub token: String,
    /// Platform, such as `ios` or `android`.
    pub platform: String,
    /// Whether the client is a development build.
    pub is_development: bool,
}
