//! Changes what somebody said.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::UserKey;
use confab_domain::messages::editing::EditMessage;
use confab_domain::messages::message::{Draft, Message, MessageRef, Said};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_store::WriteError;

use crate::services::Services;

/// Changes a message to what `draft` makes of it. The type of a message never changes, so that it
/// can be looked at before the room is locked.
pub(crate) async fn edit_message(
    services: &Services,
    app: &Arc<App>,
    by: UserKey,
    id: UniqueId,
    draft: impl FnOnce(&Message) -> Result<Draft, Refusal>,
) -> Result<Said, WriteError> {
    let found = found_messages(services, app, std::slice::from_ref(&id)).await?.pop();
    let found = found.filter(|said| !said.message.is_deleted);
    let unknown = || Refusal::MessageNotFound(id.to_string());
    let Said { message, sender } = found.ok_or_else(unknown)?;
    // What is wrong with a draft tells of what type the message is: only who said it is told.
    let draft = draft(&message);
    let draft = draft.map_err(|wrong| if sender.key == by { wrong } else { unknown() })?;
    let room = message.room;
    services.decide(app, EditMessage { room, message: id, draft }).await
}

/// Those of the messages that the app has, deleted ones included.
pub(super) async fn found_messages(
    services: &Services,
    app: &App,
    ids: &[UniqueId],
) -> Result<Vec<Said>, WriteError> {
    let messages = ids.iter().cloned().map(MessageRef::Unique).collect();
    let question = Question { messages, ..Question::default() };
    let rule = |facts: &Facts, _: &Stamp<'_>| {
        Ok(Decision::nothing(facts.messages.iter().map(|(_, said)| said.clone()).collect()))
    };
    services.store().decide(app.id, question, rule).await
}
