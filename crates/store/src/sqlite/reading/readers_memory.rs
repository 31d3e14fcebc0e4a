//! In-memory caches that readers check before they read from disk.

use std::sync::Arc;

use super::first_pages::FirstPages;
use crate::reading::room_names::RoomNames;
use crate::sqlite::message_index::places::MessagePlaces;

#[derive(Default)]
pub(crate) struct ReadersMemory {
    pub(crate) places: Arc<MessagePlaces>,
    pub(crate) first_pages: Arc<FirstPages>,
    pub(crate) room_names: RoomNames,
}
