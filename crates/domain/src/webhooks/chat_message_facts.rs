//! What telling an app of every message needs to know.

use std::sync::Arc;

use crate::ids::{EndpointId, RoomId};
use crate::people::user::User;
use crate::webhooks::endpoint::Endpoint;

/// What is known for it, if the question asked for it.
#[derive(Debug, Default)]
pub struct ChatMessageFacts {
    /// The app's endpoints that hear every message, switched off ones included.
    pub endpoints: Vec<Arc<Endpoint>>,
    /// How far the lane of each room asked for is; those that have none are missing.
    pub sequences: Vec<(RoomId, EndpointId, u64)>,
    /// Who is in each room asked for, as many as notices show.
    pub people: Vec<(RoomId, Arc<User>)>,
}

impl ChatMessageFacts {
    /// The endpoints, each with how far it is in the lane of this room.
    pub fn of_room(&self, room: RoomId) -> Vec<(Arc<Endpoint>, u64)> {
        let last = |endpoint: &Endpoint| {
            let of_it = |it: &&(RoomId, EndpointId, u64)| (it.0, it.1) == (room, endpoint.id);
            self.sequences.iter().find(of_it).map_or(0, |it| it.2)
        };
        self.endpoints.iter().map(|endpoint| (endpoint.clone(), last(endpoint))).collect()
    }
}
