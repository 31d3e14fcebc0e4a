//! Which conversations look different in inboxes after a commit.

use std::collections::HashSet;

use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{AgentId, AppId, RoomId};

/// The conversations that changed, each once however much happened there.
pub(super) fn changed(news: &[(AppId, CommitEvent)]) -> HashSet<(AppId, RoomId)> {
    let room = |(app, news): &(AppId, CommitEvent)| match news {
        CommitEvent::CustomerRoom { room } => Some((*app, *room)),
        CommitEvent::Happened(event) => event.changes_row().then_some((*app, event.room)),
        // What was decided about the room is told beside it.
        CommitEvent::Trail(_)
        | CommitEvent::Audience { .. }
        | CommitEvent::Access { .. }
        | CommitEvent::Tags
        | CommitEvent::Agent { .. }
        | CommitEvent::Seen { .. }
        | CommitEvent::Note { .. }
        | CommitEvent::ChannelState { .. } => None,
    };
    news.iter().filter_map(room).collect()
}

/// Those who work in an app of whom inboxes show something else now: they are others themselves, or
/// came to one of the conversations that changed, or left it. A customer may be among them.
pub(super) fn staff(
    news: &[(AppId, CommitEvent)],
    changed: &HashSet<(AppId, RoomId)>,
) -> HashSet<(AppId, AgentId)> {
    let agent = |(app, news): &(AppId, CommitEvent)| match news {
        CommitEvent::Agent { agent } => Some((*app, *agent)),
        // Whoever works in an app speaks as the user of the same integer.
        CommitEvent::Audience { room, user, .. } if changed.contains(&(*app, *room)) => {
            Some((*app, AgentId(user.0)))
        }
        _ => None,
    };
    news.iter().filter_map(agent).collect()
}
