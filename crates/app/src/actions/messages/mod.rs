//! Messages and rooms of users.

pub(super) mod block;
pub(super) mod broadcast;
pub(super) mod delete_messages;
pub(super) mod edit_message;
pub(super) mod hide_messages;
pub(super) mod open_chat;
pub(super) mod open_pair;
pub(super) mod open_room;
pub(super) mod post_message;
pub(super) mod store_file;
