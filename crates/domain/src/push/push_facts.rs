//! Facts for push notifications.

use std::fmt;
use std::sync::Arc;

use crate::ids::{RoomId, UserKey};
use crate::webhooks::endpoint::Endpoint;

/// The facts for pushes, loaded if `finds_devices` is set in the question.
#[derive(Debug, Default)]
pub struct PushFacts {
    /// The endpoint of the app's pushes; `None` before the first push.
    pub endpoint: Option<Arc<Endpoint>>,
    /// Devices of the participants of the rooms that the question names, each with its room.
    pub in_rooms: Vec<(RoomId, PushDevice)>,
    /// Devices of the users that the question names.
    pub of_users: Vec<PushDevice>,
}

/// A device that shows push notifications.
#[derive(Clone, PartialEq, Eq)]
pub struct PushDevice {
    pub user: UserKey,
    /// Push token of the device.
    pub token: String,
    /// Whether the device runs a development build of the client, which uses another push service.
    pub is_development: bool,
}

impl fmt::Debug for PushDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token must not reach a log.
        write!(f, "Device of {}", self.user)
    }
}
