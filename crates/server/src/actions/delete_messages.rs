//! Deletes messages by unique id.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::messages::deleting;
use confab_domain::messages::message::Message;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::Room;
use confab_store::WriteError;

use super::edit_message::found_messages;
use crate::services::Services;

/// Deletes all of them or none.
pub(crate) async fn delete_messages(
    services: &Services,
    app: &App,
    ids: Vec<UniqueId>,
) -> Result<Vec<Message>, WriteError> {
    let by = UserRef::own(App::system_user_id(&app.code));
    let question = deleting::question(&ids, &by);
    let rule =
        move |facts: &Facts, stamp: &Stamp<'_>| deleting::delete(facts, &ids, &by, true, stamp);
    services.store().decide(app.id, question, rule).await
}

/// Deletes what somebody said themselves: all of it or none.
pub(crate) async fn delete_own_messages(
    services: &Services,
    app: &App,
    by: UserRef,
    ids: Vec<UniqueId>,
    is_hard: bool,
) -> Result<Vec<(Message, Arc<Room>)>, WriteError> {
    // Only the messages tell which rooms are to be locked; they never change rooms.
    let found = found_messages(services, app, &ids).await?;
    let mut rooms: Vec<_> = found.iter().map(|said| said.message.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let question = deleting::own_question(&rooms, &ids, &by);
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        deleting::delete_own(facts, &ids, &by, is_hard, stamp)
    };
    services.store().decide(app.id, question, rule).await
}
