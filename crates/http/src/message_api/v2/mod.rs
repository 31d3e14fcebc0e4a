//! The older message API, one file for each resource (wire facts 3.9). It has the rules of v2.1
//! with other names and formats.

pub(crate) mod messages;
pub(crate) mod participants;
pub(crate) mod rooms;
pub(crate) mod users;

use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::UserRef;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Room;
use confab_domain::rooms::room_view::RoomForClient;
use confab_store::Store;

use super::{addressed, addressed_pair};
use crate::responses::problem::Problem;
use crate::sdk::room_list::participants_shown;

/// Key that no user has, for calls that name no user: the user with this key has read nothing and
/// is in no room.
const NOBODY: UserKey = UserKey(0);

/// Returns the key of the user whose unread messages and participation a room is shown with, or
/// [`NOBODY`] if the call names no user.
async fn viewer(store: &Store, app: AppId, user: Option<&UserRef>) -> Result<UserKey, Problem> {
    let Some(user) = user else { return Ok(NOBODY) };
    Ok(addressed(store, app, user).await?.key)
}

/// Reads the viewer's view of a room that was just opened or changed, with its participants.
async fn seen(store: &Store, viewer: UserKey, room: Room) -> Result<RoomForClient, Problem> {
    let name = room.id.to_string();
    let seen = store.seen_rooms(viewer, vec![room], participants_shown(true)).await?;
    Ok(seen.into_iter().next().ok_or(Refusal::RoomNotFound(name))?)
}
