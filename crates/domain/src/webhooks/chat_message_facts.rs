//! Facts for `chat_message` webhooks, which are sent for every message (design/webhooks).

use std::sync::Arc;

use crate::ids::{EndpointId, RoomId};
use crate::people::user::User;
use crate::webhooks::endpoint::Endpoint;

/// The facts for chat message webhooks, loaded if the query's `wants_chat_messages` is set.
#[derive(Debug, Default)]
pub struct ChatMessageFacts {
    /// The app's endpoints that receive every message, including disabled ones.
    pub endpoints: Vec<Arc<Endpoint>>,
    /// Sequence of the last delivery of each room to each endpoint. Rooms without deliveries are
    /// missing.
    pub sequences: Vec<(RoomId, EndpointId, u64)>,
    /// The users in the rooms that the query names, up to the number that events list.
    pub people: Vec<(RoomId, Arc<User>)>,
}

impl ChatMessageFacts {
    /// Returns the endpoints, each with its last sequence in the lane of this room.
    pub fn of_room(&self, room: RoomId) -> Vec<(Arc<Endpoint>, u64)> {
        let last = |endpoint: &Endpoint| {
            let of_it = |it: &&(RoomId, EndpointId, u64)| (it.0, it.1) == (room, endpoint.id);
            self.sequences.iter().find(of_it).map_or(0, |it| it.2)
        };
        self.endpoints.iter().map(|endpoint| (endpoint.clone(), last(endpoint))).collect()
    }
}
