//! Facts for push notifications.

use std::fmt;
use std::sync::Arc;

use crate::ids::{RoomId, UserKey};
use crate::webhooks::endpoint::Endpoint;

/// The facts for pushes, loaded if the question asks for them.
#[derive(Debug, Default)]
pub struct PushFacts {
    /// The endpoint of the app's pushes; `None` before the first push.
    pub endpoint: Option<Arc<Endpoint>>,
    /// The devices of users in the question's rooms.
    pub in_rooms: Vec<(RoomId, PushDevice)>,
    /// The devices of the question's users.
    pub of_users: Vec<PushDevice>,
}

/// A device that shows push notifications.
#[derive(Clone, PartialEq, Eq)]
pub struct PushDevice {
    pub user: UserKey,
    /// Push token of the device.
    pub token: String,
    /// Whether it runs a development build, which uses another push service.
    pub is_development: bool,
}

impl fmt::Debug for PushDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token must not reach a log.
        write!(f, "Device of {}", self.user)
    }
}
