//! Users with unread messages, found by a bounded scan of an app's users (design/message-api).

use confab_domain::app::App;
use confab_domain::ids::EventId;
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomRef;
use confab_domain::time::Timestamp;
use confab_store::{RoomListing, Store, StoreError, UserColumn, UserListing};
use confab_wire::message_api::unread_users::UnreadUsers;

/// Returns a page of ids of users with unread messages, in the order of their creation.
pub async fn find(
    store: &Store,
    app: &App,
    wanted: UnreadUsers,
) -> Result<Vec<String>, StoreError> {
    let (skipped, size) = (wanted.page.skipped() as usize, wanted.page.size);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    while found.len() < skipped.saturating_add(size) && looked_at < limits::UNREAD_USERS_SCANNED {
        let listing = UserListing {
            shows_all: false,
            order: UserColumn::CreatedAt,
            is_descending: false,
            skipped: looked_at as u64,
            size: limits::PAGE_MAX,
        };
        let (users, _) = store.users(app.id, listing).await?;
        for user in &users {
            if has_unread(store, user, wanted).await? {
                found.push(user.user_id.as_str().to_owned());
            }
        }
        looked_at += users.len();
        if users.len() < limits::PAGE_MAX {
            break;
        }
    }
    Ok(found.into_iter().skip(skipped).take(size).collect())
}

async fn has_unread(store: &Store, user: &User, wanted: UnreadUsers) -> Result<bool, StoreError> {
    if store.unread_in_all(user.key).await? == 0 {
        return Ok(false);
    }
    if wanted.since.is_none() && wanted.until.is_none() {
        return Ok(true);
    }
    let listing = RoomListing { kind: None, skipped: 0, size: limits::SEARCH_ROOMS_MAX };
    let (rooms, _) = store.user_rooms(user.app, user.key, listing).await?;
    let rooms: Vec<_> = rooms.iter().map(|room| RoomRef::Id(room.id)).collect();
    let unread = store.unread(user.app, &user.user_id, &rooms).await?.unwrap_or_default();
    for (room, _) in unread.into_iter().filter(|(_, count)| *count > 0) {
        let newest = store.page(user.app, &RoomRef::Id(room), 0, 1).await?.unwrap_or_default();
        if newest.iter().any(|entry| is_within(entry.key().id.0, wanted.since, wanted.until)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a message with this id was posted within the period. The time of creation is the first
/// part of each id.
fn is_within(id: i64, since: Option<Timestamp>, until: Option<Timestamp>) -> bool {
    let first_at = |time: Timestamp| EventId::first_at(time).0;
    since.is_none_or(|since| id >= first_at(since)) && until.is_none_or(|it| id < first_at(it))
}
