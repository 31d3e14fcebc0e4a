//! Deletes messages by unique id.

use confab_domain::app::App;
use confab_domain::decision::{Facts, Stamp};
use confab_domain::deleting;
use confab_domain::message::Message;
use confab_domain::unique_id::UniqueId;
use confab_store::WriteError;

use crate::services::Services;

/// Deletes all of them or none.
pub(crate) async fn delete_messages(
    services: &Services,
    app: &App,
    ids: Vec<UniqueId>,
) -> Result<Vec<Message>, WriteError> {
    let by = App::system_user_id(&app.code);
    let question = deleting::question(&ids, &by);
    let rule =
        move |facts: &Facts, stamp: &Stamp<'_>| deleting::delete(facts, &ids, &by, true, stamp);
    services.store().decide(app.id, question, rule).await
}
