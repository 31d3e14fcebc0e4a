//! Determines which inbox rows and which agents change with a commit.

use std::collections::HashSet;

use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{AgentId, AppId, RoomId};

/// Returns the conversations whose inbox rows changed, each once.
pub(super) fn changed(news: &[(AppId, CommitEvent)]) -> HashSet<(AppId, RoomId)> {
    let room = |(app, news): &(AppId, CommitEvent)| match news {
        CommitEvent::CustomerRoom { room } => Some((*app, *room)),
        CommitEvent::Happened(event) => event.changes_row().then_some((*app, event.room)),
        // A change of the room itself has its own `CustomerRoom` event.
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

/// Returns the agents whose load or status changed: their own record changed, or they joined or
/// left a changed conversation. The result may contain ids of customers, which no inbox shows.
pub(super) fn staff(
    news: &[(AppId, CommitEvent)],
    changed: &HashSet<(AppId, RoomId)>,
) -> HashSet<(AppId, AgentId)> {
    let agent = |(app, news): &(AppId, CommitEvent)| match news {
        CommitEvent::Agent { agent } => Some((*app, *agent)),
        // An agent's speaker is the user with the same integer as the agent.
        CommitEvent::Audience { room, user, .. } if changed.contains(&(*app, *room)) => {
            Some((*app, AgentId(user.0)))
        }
        _ => None,
    };
    news.iter().filter_map(agent).collect()
}
