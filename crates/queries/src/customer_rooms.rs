//! Visibility of customers' rooms for agents, both in the dashboard and in client APIs (D-0090).

use confab_domain::app::App;
use confab_domain::ids::{AgentId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Room;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate, CustomerRoom};
use confab_domain::support::conversations::seeing::{self, AgentAccess};
use confab_domain::webhooks::event::AgentProfile;
use confab_store::{ListedRoom, Store, StoreError};

use super::QueryError;

/// Returns the agent if the agent may see only some of the app's rooms; `None` if the caller may
/// see every room.
pub(super) fn limited(agent: Option<&AgentRecord>) -> Option<&AgentRecord> {
    agent.filter(|it| seeing::limited(Some(&it.profile.user)).is_some())
}

/// Returns a customer's room with its agents, or a refusal if the caller may not see it. `agent` is
/// `None` for calls of the app itself.
pub async fn seen_room(
    store: &Store,
    app: &App,
    agent: Option<&AgentRecord>,
    room: RoomId,
) -> Result<(ListedRoom, Vec<AgentProfile>), QueryError> {
    let found = store.customer_room(app.id, room).await?;
    let found = found.ok_or_else(|| Refusal::NotACustomerRoom(room.to_string()))?;
    let serving = store.agents_of_room(room).await?;
    if let Some(agent) = limited(agent) {
        let (room, id) = (&found.customer_room, agent.profile.user.id);
        let standing = standing(id, agent.serves_channel(room.channel), &serving);
        if !is_seen_by(store, id, standing, room).await? {
            return Err(Refusal::NotYourRoom(room.room.to_string()).into());
        }
    }
    Ok((found, serving))
}

/// Whether an agent posts as this user who may see the room without being a participant.
pub async fn is_seen_as_staff(store: &Store, user: &User, room: &Room) -> Result<bool, StoreError> {
    let Some(agent) = staff(store, user, room).await? else { return Ok(false) };
    if seeing::limited(Some(&agent.profile.user)).is_none() {
        return Ok(true);
    }
    let Some(found) = store.customer_room(user.app, room.id).await? else { return Ok(false) };
    let (room, id) = (&found.customer_room, agent.profile.user.id);
    let serving = store.agents_of_room(room.room).await?;
    let standing = standing(id, agent.serves_channel(room.channel), &serving);
    is_seen_by(store, id, standing, room).await
}

/// Whether an agent posts as this user who may see the room permanently. A room that the agent sees
/// only while it waits for an agent is not included: when another agent takes it over, a
/// subscription of this user would not be removed.
pub async fn is_seen_permanently(
    store: &Store,
    user: &User,
    room: RoomId,
) -> Result<bool, StoreError> {
    let Some(agent) = user.works_as() else { return Ok(false) };
    let Some(room) = store.customer_room(user.app, room).await? else {
        return Ok(false);
    };
    let Some(found) = store.agent(user.app, agent).await? else { return Ok(false) };
    match seeing::limited(Some(&found.profile.user)) {
        None => Ok(true),
        Some(_) => store.has_served(room.customer_room.room, agent).await,
    }
}

/// Returns the agent who posts as this user, if there is one and the room is that of a customer.
async fn staff(store: &Store, user: &User, room: &Room) -> Result<Option<Candidate>, StoreError> {
    match user.works_as().filter(|_| room.customer.is_some()) {
        Some(agent) => store.agent(user.app, agent).await,
        None => Ok(None),
    }
}

fn standing(agent: AgentId, serves_channel: bool, serving: &[AgentProfile]) -> AgentAccess {
    AgentAccess { is_serving: serving.iter().any(|it| it.user.id == agent), serves_channel }
}

async fn is_seen_by(
    store: &Store,
    agent: AgentId,
    standing: AgentAccess,
    room: &CustomerRoom,
) -> Result<bool, StoreError> {
    let (settings, has_served) =
        (store.settings(room.app).await?, store.has_served(room.room, agent).await?);
    Ok(seeing::may_see(standing, has_served, room, &settings))
}

/// A customer, and the newest of the customer's rooms that the caller may see.
pub struct SeenContact {
    pub customer: User,
    pub room: RoomId,
}

/// Returns a customer if the caller may see one of their newest rooms. Otherwise the customer
/// counts as not found.
pub async fn seen_contact(
    store: &Store,
    app: &App,
    agent: Option<&AgentRecord>,
    contact: UserKey,
) -> Result<SeenContact, QueryError> {
    let rooms = store.rooms_of_contact(app.id, contact, limits::CONTACT_ROOMS_SCANNED).await?;
    for room in rooms {
        match seen_room(store, app, agent, room).await {
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
