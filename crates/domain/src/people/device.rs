//! Where pushes go.

/// Where pushes go.
#[derive(Clone)]
pub struct Device {
    /// What the maker of the device knows it by.
    pub token: String,
    /// Such as `ios` or `android`.
    pub platform: String,
    /// Whether the client is one that is being developed.
    pub is_development: bool,
}
