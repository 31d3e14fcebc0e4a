//! Which conversations look different in inboxes after a commit.

use std::collections::HashSet;

use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{AppId, RoomId};
use confab_domain::messages::room_event::{RoomEvent, RoomEventKind};

/// The conversations that changed, each once however much happened there.
pub(super) fn changed(news: &[(AppId, CommitEvent)]) -> HashSet<(AppId, RoomId)> {
    let room = |(app, news): &(AppId, CommitEvent)| match news {
        CommitEvent::CustomerRoom { room } => Some((*app, *room)),
        CommitEvent::Happened(event) => said_to_or_by_customer(event).map(|room| (*app, room)),
        CommitEvent::Audience { .. }
        | CommitEvent::Access { .. }
        | CommitEvent::Agent { .. }
        | CommitEvent::Note { .. } => None,
    };
    news.iter().filter_map(room).collect()
}

/// Rows show what was said last.
fn said_to_or_by_customer(event: &RoomEvent) -> Option<RoomId> {
    // Whether it is a customer's room is not known here: whoever looks finds out.
    if matches!(event.what, RoomEventKind::Deleted { .. }) {
        return Some(event.room);
    }
    let shows = !matches!(event.what, RoomEventKind::Cleared { .. });
    event.room_then().filter(|room| shows && room.customer.is_some()).map(|room| room.id)
}
