//! Deletes messages by unique id.

use confab_domain::app::App;
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
    let question = deleting::question(&ids);
    services.store().decide(app.id, question, move |facts, _| deleting::delete(facts, &ids)).await
}
