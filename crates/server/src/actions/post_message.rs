//! Posts a message on behalf of a user.

use confab_domain::app::App;
use confab_domain::message::{Draft, Said};
use confab_domain::posting;
use confab_domain::room::RoomRef;
use confab_store::WriteError;
use confab_wire::complete_payload;

use crate::services::Services;

/// Stores the message at the end of its room. Posting a unique id again gives the first message.
pub(crate) async fn post_message(
    services: &Services,
    app: &App,
    room: RoomRef,
    draft: Draft,
) -> Result<Said, WriteError> {
    let (question, system_user) = (posting::question(&room, &draft), app.system_user);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            posting::post(facts, &room, &draft, system_user, stamp, complete_payload)
        })
        .await
}
