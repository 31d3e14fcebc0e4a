//! Customers' rooms that somebody who works in the app may see.

use confab_domain::app::App;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::AgentRecord;
use confab_domain::service::seeing::{self, Standing};
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::ListedRoom;

use super::QueryError;
use crate::services::Services;

/// The agent whose sight is limited; nobody if the one who looks sees every room.
pub(super) fn limited(agent: Option<&AgentRecord>) -> Option<&AgentRecord> {
    agent.filter(|it| seeing::limited(Some(&it.profile.user)).is_some())
}

/// A customer's room that the caller may see, and who serves it. `agent` is nobody if the app
/// asks.
pub(crate) async fn seen_room(
    services: &Services,
    app: &App,
    agent: Option<&AgentRecord>,
    room: RoomId,
) -> Result<(ListedRoom, Vec<AgentProfile>), QueryError> {
    let store = services.store();
    let found = store.customer_room(app.id, room).await?;
    let found = found.ok_or_else(|| Refusal::NotACustomerRoom(room.to_string()))?;
    let serving = store.agents_of_room(room).await?;
    if let Some(agent) = limited(agent) {
        let room = &found.customer_room;
        let standing = Standing {
            is_serving: serving.iter().any(|it| it.user.id == agent.profile.user.id),
            serves_channel: agent.serves_channel(room.channel),
        };
        if !seeing::may_see(standing, room, &store.settings(app.id).await?) {
            return Err(Refusal::NotYourRoom(room.room.to_string()).into());
        }
    }
    Ok((found, serving))
}

/// A customer, and the newest of their rooms that the caller may see.
pub(crate) struct SeenContact {
    pub(crate) customer: User,
    pub(crate) room: RoomId,
}

/// A customer of the app, for who may see one of their newest rooms. For others there is nobody.
pub(crate) async fn seen_contact(
    services: &Services,
    app: &App,
    agent: Option<&AgentRecord>,
    contact: UserKey,
) -> Result<SeenContact, QueryError> {
    let store = services.store();
    let rooms = store.rooms_of_contact(app.id, contact, limits::CONTACT_ROOMS_LOOKED_AT).await?;
    for room in rooms {
        match seen_room(services, app, agent, room).await {
            Err(QueryError::Refused(_)) => {}
            Err(error) => return Err(error),
            Ok(_) => {
                let found = store.customer_of_room(app.id, room).await?;
                let found = found.ok_or(Refusal::ContactNotFound(contact.0))?;
                return Ok(SeenContact { customer: found.0, room });
            }
        }
    }
    Err(Refusal::ContactNotFound(contact.0).into())
}
