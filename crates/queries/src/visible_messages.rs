//! Messages of a room without those that a user cleared or hid. Pages are full if possible, because
//! further messages are read in place of the omitted ones.

use confab_domain::ids::MessageId;
use confab_domain::rooms::room::RoomRef;
use confab_store::{PageEntry, Store, StoreError};

use super::client_rooms::VisibleRoom;

/// Reads the newest visible messages before the id `before`, or the newest ones if it is `None`;
/// newest first.
pub async fn newest(
    store: &Store,
    visible: &VisibleRoom,
    before: Option<MessageId>,
    size: usize,
) -> Result<Vec<PageEntry>, StoreError> {
    let room = &visible.room;
    let asked = RoomRef::Id(room.id);
    let (mut shown, mut before) = (Vec::with_capacity(size), before);
    loop {
        let page = match before {
            None => store.page(room.app, &asked, 0, size).await?,
            Some(before) => {
                let ids = (MessageId(0), MessageId(before.0.saturating_sub(1)));
                store.range(room.app, &asked, ids, size).await?
            }
        };
        let page = page.unwrap_or_default();
        let last = page.last().map(PageEntry::key);
        let is_end = page.len() < size || last.is_none_or(|it| it.number <= visible.cleared_number);
        shown.extend(page.into_iter().filter(|entry| visible.shows(entry.key().number)));
        shown.truncate(size);
        if is_end || shown.len() == size {
            return Ok(shown);
        }
        before = last.map(|it| it.id);
    }
}

/// Reads the oldest visible messages after the id `after`, oldest first.
pub async fn following(
    store: &Store,
    visible: &VisibleRoom,
    after: MessageId,
    size: usize,
) -> Result<Vec<PageEntry>, StoreError> {
    let (room, cleared) = (visible.room.id, visible.cleared_number);
    let (mut shown, mut after) = (Vec::with_capacity(size), after);
    loop {
        let page = store.following(room, after, cleared, size).await?;
        let is_end = page.len() < size;
        after = page.last().map_or(after, |entry| entry.key().id);
        shown.extend(page.into_iter().filter(|entry| visible.shows(entry.key().number)));
        shown.truncate(size);
        if is_end || shown.len() == size {
            return Ok(shown);
        }
    }
}
