//! Broadcasts: one message to each of several users.

use confab_domain::decision::principal::Principal;
use confab_domain::messages::message::{Draft, PostedMessage};
use confab_domain::messages::posting::Broadcast;
use confab_domain::rooms::room::Pair;
use confab_store::WriteError;

use crate::actions::messages::open_pair::pair_room;
use crate::decide::Decisions;

/// Posts all messages or none, each in the single room of its sender and target.
pub async fn broadcast(
    decisions: &Decisions,
    by: &Principal,
    messages: Vec<(Pair, Draft)>,
    depth_before: u32,
) -> Result<Vec<PostedMessage>, WriteError> {
    let in_room = |(pair, draft): (Pair, Draft)| (pair_room(&by.app, pair, String::new()), draft);
    let drafts = messages.into_iter().map(in_room).collect();
    decisions.decide_after(depth_before, by, Broadcast { drafts }).await
}
