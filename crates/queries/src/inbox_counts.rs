//! Numbers of conversations in each list of the inbox that the caller may see.

use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_store::{Store, StoreError, WaitingCount, WhichRooms};
use confab_wire::omnichannel_api::support::assignment::counts::InboxCounts;

use super::inbox::Sight;

const MAX: usize = limits::ROOMS_COUNTED_MAX;

/// Counts the conversations of each list. `agent` is `None` for calls of the app itself.
pub async fn count(
    store: &Store,
    app: AppId,
    agent: Option<&AgentRecord>,
) -> Result<InboxCounts, StoreError> {
    let own = agent.map(|it| it.profile.user.id);
    let sight = Sight::of(store, app, agent).await?;
    let mine = match own {
        Some(own) => store.count_rooms(app, &WhichRooms::ServedBy(own), MAX).await?,
        None => 0,
    };
    let waiting = match sight.as_ref().is_some_and(|sight| !sight.takes_over()) {
        true => Vec::new(),
        false => store.count_waiting(app, MAX).await?,
    };
    let serves = |it: &&WaitingCount| {
        sight.as_ref().is_none_or(|sight| sight.agent.serves_channel(it.channel))
    };
    let waiting: Vec<_> = waiting.iter().filter(serves).copied().collect();
    let (open, resolved) = match (&sight, own) {
        (Some(sight), Some(own)) => {
            // An agent with selected channels gets the count of rooms that the agent served:
            // counting by channel would read every resolved conversation.
            let is_plain = sight.agent.channels.is_empty();
            let resolved = match sight.shows_all_resolved() && is_plain {
                true => WhichRooms::Resolved(true),
                false => WhichRooms::OnceServedBy(own),
            };
            let waits = waiting.iter().map(|it| it.count).sum::<usize>();
            (mine + waits, store.count_rooms(app, &resolved, MAX).await?)
        }
        _ => all(store, app).await?,
    };
    Ok(InboxCounts { mine, ..shown(&waiting, (open, resolved)) })
}

/// Returns the counts for a caller who may see every room, given the numbers of waiting rooms.
pub(super) async fn of_all(
    store: &Store,
    app: AppId,
    waiting: &[WaitingCount],
) -> Result<InboxCounts, StoreError> {
    Ok(shown(waiting, all(store, app).await?))
}

/// Returns the numbers of open and of resolved conversations of an app.
async fn all(store: &Store, app: AppId) -> Result<(usize, usize), StoreError> {
    let open = store.count_rooms(app, &WhichRooms::Resolved(false), MAX).await?;
    Ok((open, store.count_rooms(app, &WhichRooms::Resolved(true), MAX).await?))
}

fn shown(waiting: &[WaitingCount], (open, resolved): (usize, usize)) -> InboxCounts {
    let sum = |is_bot| {
        let counted = waiting.iter().filter(|it| it.is_handled_by_bot == is_bot);
        counted.map(|it| it.count).sum::<usize>()
    };
    let waiting_for_people = waiting.iter().filter(|it| !it.is_handled_by_bot);
    InboxCounts {
        mine: 0,
        unassigned: sum(false),
        bot: sum(true),
        open: open.min(MAX),
        resolved,
        longest_wait_since: waiting_for_people.map(|it| it.longest_since).min(),
    }
}
