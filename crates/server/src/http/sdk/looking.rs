//! What a user may look at (D-0045).

use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_domain::rooms::seeing;
use confab_store::ReadMark;
use confab_wire::sdk_api::messages::Reached;

use crate::http::callers::UserCaller;
use crate::http::problem::Problem;
use crate::services::Services;

/// A room that the caller may look into, and up to which number they cleared it.
pub(super) struct Visible {
    pub(super) room: Room,
    pub(super) cleared_number: u64,
}

/// The room, if the caller may look into it.
pub(super) async fn visible(
    services: &Services,
    caller: &UserCaller,
    asked: &RoomRef,
) -> Result<Visible, Problem> {
    let found = services.store().room(caller.app.id, asked).await?;
    let room = found.ok_or_else(|| Refusal::RoomNotFound(asked.shown()))?;
    let cleared = services.store().cleared_number(room.id, caller.user.key).await?;
    if !seeing::may_see(&room, cleared.is_some()) {
        return Err(seeing::not_in(asked, &room, &caller.user.user_id).into());
    }
    Ok(Visible { room, cleared_number: cleared.unwrap_or(0) })
}

/// How far somebody is, as answers count it.
pub(super) fn reached(mark: &ReadMark) -> Reached {
    let ReadMark { user, read_number, received_number } = *mark;
    Reached { user, read_number, received_number }
}
