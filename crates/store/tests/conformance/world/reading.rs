//! Reads, and a check that a room's chain is unbroken.

use confab_domain::ids::MessageId;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::people::user::User;
use confab_domain::rooms::room::Room;
use confab_store::{RoomListing, UserColumn, UserListing};

use super::{World, room_ref, user_id};

impl World {
    pub async fn room(&self, room: &str) -> Room {
        self.store.room(self.app, &room_ref(room)).await.expect("read").expect("the room exists")
    }

    pub async fn user(&self, user: &str) -> User {
        self.store.user(self.app, &user_id(user)).await.expect("read").expect("the user exists")
    }

    pub async fn token(&self, user: &str) -> String {
        self.store.token(self.app, &user_id(user)).await.expect("read").expect("the user exists")
    }

    /// Returns a page, counted from 1 as callers do.
    pub async fn page(&self, room: &str, page: u64, limit: usize) -> Vec<PostedMessage> {
        let skipped = (page - 1) * limit as u64;
        let page = self.store.page(self.app, &room_ref(room), skipped, limit).await;
        let page = page.expect("read").expect("the room exists");
        let page = self.store.loaded(page).await.expect("read");
        page.into_iter().map(|posted| PostedMessage::clone(&posted)).collect()
    }

    pub async fn texts(&self, room: &str, page: u64, limit: usize) -> Vec<String> {
        texts(&self.page(room, page, limit).await)
    }

    pub async fn range(&self, room: &str, from: i64, to: i64, limit: usize) -> Vec<PostedMessage> {
        let ids = (MessageId(from), MessageId(to));
        let range = self.store.range(self.app, &room_ref(room), ids, limit).await;
        let range = range.expect("read").expect("the room exists");
        let range = self.store.loaded(range).await.expect("read");
        range.into_iter().map(|posted| PostedMessage::clone(&posted)).collect()
    }

    /// Returns all messages the room ever had, oldest first, after checking every link of their
    /// chain.
    pub async fn chain(&self, room: &str) -> Vec<Message> {
        let room = self.room(room).await.id;
        let chain = self.store.chain(room).await.expect("read");
        let mut before = None;
        for (message, number) in chain.iter().zip(1..) {
            assert_eq!(message.room, room);
            assert_eq!(message.number, number, "numbers have no gap");
            assert_eq!(message.before, before, "message {number} references the previous one");
            assert!(Some(message.id) > before, "ids rise");
            before = Some(message.id);
        }
        chain
    }

    /// Returns user ids of the participants of a room.
    pub async fn participants(&self, room: &str) -> Vec<String> {
        let all = self.store.participants(self.app, &room_ref(room), 0, 1000).await;
        let all = all.expect("read").expect("the room exists");
        all.into_iter().map(|user| user.user_id.as_str().to_owned()).collect()
    }

    /// Returns a user's number of unread messages in a room; `None` if they are not in it.
    pub async fn unread(&self, user: &str, room: &str) -> Option<u64> {
        let counts = self.store.unread(self.app, &user_id(user), &[room_ref(room)]).await;
        let counts = counts.expect("read").expect("the user exists");
        assert!(counts.len() <= 1, "one count for one room");
        counts.first().map(|(_, unread)| *unread)
    }

    pub async fn unread_in_all(&self, user: &str) -> u64 {
        let key = self.user(user).await.key;
        self.store.unread_in_all(key).await.expect("read")
    }

    /// Returns unique ids of a user's rooms, newest message first, and their total number.
    pub async fn rooms_of(&self, user: &str, listing: RoomListing) -> (Vec<String>, u64) {
        let key = self.user(user).await.key;
        let (rooms, total) = self.store.user_rooms(self.app, key, listing).await.expect("read");
        (rooms.into_iter().map(|room| room.unique_id.as_str().to_owned()).collect(), total)
    }

    /// Returns user ids of the app's users, and their total number.
    pub async fn users(&self, listing: UserListing) -> (Vec<String>, u64) {
        let (users, total) = self.store.users(self.app, listing).await.expect("read");
        (users.into_iter().map(|user| user.user_id.as_str().to_owned()).collect(), total)
    }
}

pub fn texts(page: &[PostedMessage]) -> Vec<String> {
    page.iter().map(|posted| posted.message.text.clone()).collect()
}

pub const EVERY_ROOM: RoomListing = RoomListing { kind: None, skipped: 0, size: 1000 };

/// All active users, by user id.
pub const EVERY_USER: UserListing = UserListing {
    order: UserColumn::UserId,
    is_descending: false,
    shows_all: false,
    skipped: 0,
    size: 1000,
};
