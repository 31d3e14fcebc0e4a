//! In-memory caches that readers check before they read from disk.

use std::sync::Arc;

use super::first_pages::FirstPages;
use super::places::MessagePlaces;
use crate::room_names::RoomNames;

#[derive(Default)]
pub(crate) struct ReadersMemory {
    pub(super) places: Arc<MessagePlaces>,
    pub(super) first_pages: Arc<FirstPages>,
    pub(super) room_names: RoomNames,
}
