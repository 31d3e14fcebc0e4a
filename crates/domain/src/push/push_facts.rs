//! What pushing needs to know.

use std::fmt;
use std::sync::Arc;

use crate::ids::{RoomId, UserKey};
use crate::webhooks::endpoint::Endpoint;

/// What is known for pushing, if the question asked for it.
#[derive(Debug, Default)]
pub struct PushFacts {
    /// Where the app's pushes go; nothing before the first.
    pub endpoint: Option<Arc<Endpoint>>,
    /// The phones of those who are in a room asked for.
    pub in_rooms: Vec<(RoomId, PushDevice)>,
    /// The phones of the users asked for.
    pub of_users: Vec<PushDevice>,
}

/// A phone that shows what is pushed to it.
#[derive(Clone, PartialEq, Eq)]
pub struct PushDevice {
    /// Whose it is.
    pub user: UserKey,
    /// What it is called by those who bring pushes to it.
    pub token: String,
    /// It runs a build that is still being developed, which is reached elsewhere.
    pub is_development: bool,
}

impl fmt::Debug for PushDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token must not reach a log.
        write!(f, "Device of {}", self.user)
    }
}
