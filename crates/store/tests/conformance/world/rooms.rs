//! Rooms: opening, changes, joining and leaving.

use std::sync::Arc;

use confab_domain::people::user::User;
use confab_domain::rooms::joining::{AddParticipants, RemoveParticipants};
use confab_domain::rooms::opening::{NewRoom, OpenChannel, OpenRoom, PairRoom};
use confab_domain::rooms::room::{Pair, Room, RoomUniqueId};
use confab_domain::rooms::updating::{RoomEdit, UpdateRoom};
use confab_store::WriteError;

use super::{World, room_ref, user_id, user_refs};

impl World {
    pub async fn open_group(&self, room: &str, participants: &[&str]) -> Arc<Room> {
        self.try_open_group(room, participants).await.expect("opened")
    }

    pub async fn try_open_group(
        &self,
        room: &str,
        participants: &[&str],
    ) -> Result<Arc<Room>, WriteError> {
        let new = self.new_room(room, participants);
        self.decide(OpenRoom { new, creator: None }).await
    }

    /// Opens a public room, or adds missing participants to an existing one. Returns whether
    /// anything changed.
    pub async fn open_channel(&self, room: &str, participants: &[&str]) -> (bool, Arc<Room>) {
        let new = self.new_room(room, participants);
        self.decide(OpenChannel { new }).await.expect("opened")
    }

    /// Returns the single room of two users, whether or not it exists.
    pub fn pair_room(&self, a: &str, b: &str) -> PairRoom {
        let pair = Pair::new(user_id(a), user_id(b)).expect("two users");
        let unique_id = format!("single-{}", pair.seed().replace('\n', "-"));
        PairRoom::new(self.app, pair, RoomUniqueId::from_trusted(unique_id), String::new())
    }

    pub async fn rename_room(
        &self,
        room: &str,
        name: &str,
    ) -> Result<(bool, Arc<Room>), WriteError> {
        let room = room_ref(room);
        let edit = RoomEdit { name: Some(name.to_owned()), ..RoomEdit::default() };
        self.decide(UpdateRoom { room, edit }).await
    }

    /// Adds users to a room, and returns the users that joined.
    pub async fn add(&self, room: &str, users: &[&str]) -> Result<Vec<Arc<User>>, WriteError> {
        self.decide(AddParticipants { room: room_ref(room), users: user_refs(users) }).await
    }

    /// Removes users from a room, and returns the users that left.
    pub async fn remove(&self, room: &str, users: &[&str]) -> Result<Vec<Arc<User>>, WriteError> {
        self.decide(RemoveParticipants { room: room_ref(room), users: user_refs(users) }).await
    }

    fn new_room(&self, room: &str, participants: &[&str]) -> NewRoom {
        NewRoom {
            app: self.app,
            unique_id: RoomUniqueId::parse("unique_id", room).expect("a valid unique id"),
            name: format!("The room {room}"),
            avatar_url: "https://example.com/room.png".to_owned(),
            options: r#"{"b":1,"a":1.0}"#.to_owned(),
            participants: user_refs(participants),
        }
    }
}
