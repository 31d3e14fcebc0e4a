//! What a user may look at: the rooms they are in, and public channels.

use confab_domain::refusal::Refusal;
use confab_domain::room::{Room, RoomKind, RoomRef};
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
    match cleared {
        Some(cleared_number) => Ok(Visible { room, cleared_number }),
        None if room.kind == RoomKind::Channel => Ok(Visible { room, cleared_number: 0 }),
        None => {
            let user = caller.user.user_id.as_str().to_owned();
            Err(Refusal::NotAParticipant { user, room: room.id.to_string() }.into())
        }
    }
}

/// How far somebody is, as answers count it.
pub(super) fn reached(mark: &ReadMark) -> Reached {
    let ReadMark { user, read_number, received_number } = *mark;
    Reached { user, read_number, received_number }
}
