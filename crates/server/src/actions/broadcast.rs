//! Posts one message to each of several users.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::question::Question;
use confab_domain::messages::message::{Draft, MessageRef, Said};
use confab_domain::messages::posting;
use confab_domain::rooms::opening::PairRoom;
use confab_store::WriteError;
use confab_wire::complete_payload;

use super::open_pair::pair_room;
use super::say::say;
use crate::services::Services;

/// Stores all the messages or none, each in the single room of sender and target.
pub(crate) async fn broadcast(
    services: &Services,
    app: &Arc<App>,
    messages: Vec<(confab_domain::rooms::room::Pair, Draft)>,
) -> Result<Vec<Said>, WriteError> {
    let drafts: Vec<(PairRoom, Draft)> = messages
        .into_iter()
        .map(|(pair, draft)| (pair_room(app, pair, String::new()), draft))
        .collect();
    let unique_ids = drafts.iter().filter_map(|(_, draft)| draft.unique_id.clone());
    let users = drafts.iter().flat_map(|(to, _)| to.pair.users());
    let mut users: Vec<_> = users.map(|user| user.user_id().clone()).collect();
    users.sort();
    users.dedup();
    let mut question = Question {
        rooms: drafts.iter().map(|(to, _)| to.room_ref()).collect(),
        users,
        messages: unique_ids.map(MessageRef::Unique).collect(),
        ..Question::default()
    };
    if let Some((_, draft)) = drafts.first() {
        // A reply names one message for all of them.
        question.messages.extend(posting::question(&question.rooms[0], draft).messages);
    }
    let system_user = app.system_user;
    say(services, app, question, move |facts, stamp| {
        posting::broadcast(facts, &drafts, system_user, stamp, complete_payload)
    })
    .await
}
