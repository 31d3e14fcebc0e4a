//! Reply times of a user, from a bounded scan of the newest messages in the user's rooms
//! (design/message-api).

use confab_domain::ids::{EventId, MessageId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::time::Timestamp;
use confab_store::{RoomListing, Store, StoreError};
use confab_wire::message_api::reply_times::ReplyDuration;

/// Sender and time of a message.
type Spoken = (UserKey, Timestamp);

/// Computes the average, longest and shortest time in seconds that others waited for the user's
/// replies; all 0 if there are no replies.
pub async fn find(
    store: &Store,
    user: &User,
    system_user: UserKey,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
) -> Result<ReplyDuration, StoreError> {
    let listing = RoomListing { kind: None, skipped: 0, size: limits::SEARCH_ROOMS_MAX };
    let (rooms, _) = store.user_rooms(user.app, user.key, listing).await?;
    let first_at = |time: Timestamp| EventId::first_at(time).0;
    let ids = (since.map_or(0, first_at), until.map_or(i64::MAX, first_at));
    let fair_share = limits::SEARCH_MESSAGES_MAX / rooms.len().max(1);
    let per_room = fair_share.max(limits::SEARCH_ROOM_MESSAGES_MIN);
    let (mut waits, mut left) = (Vec::new(), limits::SEARCH_MESSAGES_MAX);
    for room in &rooms {
        let spoken = newest(store, room, ids, per_room.min(left)).await?;
        left -= spoken.len();
        waits.extend(waits_for(user.key, system_user, spoken.iter().rev()));
        if left == 0 {
            break;
        }
    }
    let count = waits.len().max(1) as i64;
    let seconds = |microseconds: i64| microseconds / 1_000_000;
    Ok(ReplyDuration {
        average: seconds(waits.iter().sum::<i64>() / count),
        longest: seconds(waits.iter().max().copied().unwrap_or(0)),
        shortest: seconds(waits.iter().min().copied().unwrap_or(0)),
    })
}

/// Reads the senders and times of the newest messages from the first id up to, but not including,
/// the second one; newest first.
async fn newest(
    store: &Store,
    room: &Room,
    (first, end): (i64, i64),
    messages_max: usize,
) -> Result<Vec<Spoken>, StoreError> {
    let asked = RoomRef::Id(room.id);
    let (mut spoken, mut end) = (Vec::new(), end);
    while spoken.len() < messages_max {
        // Read small pages, because contents are read as well.
        let size = (messages_max - spoken.len()).min(limits::PAGE_DEFAULT);
        let ids = (MessageId(first), MessageId(end.saturating_sub(1)));
        let page = store.range(room.app, &asked, ids, size).await?.unwrap_or_default();
        let Some(last) = page.last().map(|entry| entry.key().id.0) else { break };
        let is_end = page.len() < size;
        let posted = store.loaded(page).await?;
        spoken
            .extend(posted.iter().map(|posted| (posted.message.sender, posted.message.posted_at)));
        if is_end {
            break;
        }
        end = last;
    }
    Ok(spoken)
}

/// Returns the times in microseconds that others waited for the user. A wait begins with the first
/// message that the user has not answered and ends with the user's next message.
fn waits_for<'a>(
    user: UserKey,
    system_user: UserKey,
    spoken: impl Iterator<Item = &'a Spoken>,
) -> Vec<i64> {
    let (mut waits, mut waiting_since) = (Vec::new(), None);
    for (speaker, at) in spoken {
        if *speaker == user {
            waits.extend(waiting_since.take().map(|since: Timestamp| at.0 - since.0));
        } else if *speaker != system_user {
            waiting_since.get_or_insert(*at);
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_starts_at_the_first_unanswered_message_and_ends_at_the_reply() {
        const ANA: UserKey = UserKey(1);
        let (bob, system) = (UserKey(2), UserKey(9));
        let spoken =
            [(ANA, 1), (bob, 10), (bob, 12), (system, 13), (ANA, 20), (ANA, 21), (bob, 30)];
        let spoken: Vec<Spoken> = spoken.iter().map(|(who, at)| (*who, Timestamp(*at))).collect();
        assert_eq!(waits_for(ANA, system, spoken.iter()), [10]);
        assert_eq!(waits_for(bob, system, spoken.iter()), [9, 10]);
        assert!(waits_for(system, system, [].iter()).is_empty());
    }
}
