//! Who serves whom, and how that ends (wire facts 5.4, 5.5): one file a path.

pub(in crate::http) mod admin;
pub(in crate::http) mod agent;
pub(in crate::http) mod contact_properties;
pub(in crate::http) mod custom_button;
pub(in crate::http) mod custom_buttons;
pub(in crate::http) mod customer_room;
pub(in crate::http) mod customer_rooms;
pub(in crate::http) mod press;
pub(in crate::http) mod room_tag;
pub(in crate::http) mod user_info;

mod inbox;

use std::sync::Arc;

use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::service::customer_room::{AgentRecord, Candidate};
use confab_domain::service::resolving::Ending;
use confab_domain::service::settings::Settings;
use confab_domain::webhooks::notice::AgentProfile;
use confab_store::ListedRoom;
use confab_wire::omnichannel_api::service::requests::WantedAgents;
use confab_wire::omnichannel_api::service::{agents, id_in_path, sessions};

use super::viewer;
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::{Answer, data, paged};
use crate::http::problem::Problem;
use crate::services::Services;

/// Those who act on every room of their app, as the app itself does.
const OFFICE: [Role; 2] = [Role::Admin, Role::Supervisor];

/// A room in a path.
fn room_in_path(text: &str) -> Result<RoomId, Refusal> {
    id_in_path(text, |_| Refusal::NotACustomerRoom(text.to_owned())).map(RoomId)
}

/// A customer's room that the caller may see: an agent those they serve, and those of their
/// channels that nobody serves if agents may take them.
async fn seen_room(
    services: &Services,
    app: &App,
    worker: Option<&AgentRecord>,
    room: RoomId,
) -> Result<(ListedRoom, Vec<AgentProfile>), Problem> {
    let store = services.store();
    let found = store.customer_room(app.id, room).await?;
    let found = found.ok_or_else(|| Refusal::NotACustomerRoom(room.to_string()))?;
    let serving = store.agents_of_room(room).await?;
    if let Some(agent) = worker.filter(|it| it.profile.user.role == Role::Agent) {
        let serves = serving.iter().any(|it| it.user.id == agent.profile.user.id);
        let room = &found.customer_room;
        let is_theirs = room.waits_since.is_some() && agent.serves_channel(room.channel);
        let takes = is_theirs && store.settings(app.id).await?.is_on(Settings::TAKEOVER);
        if !serves && !takes {
            return Err(Refusal::NotYourRoom(room.room.to_string()).into());
        }
    }
    Ok((found, serving))
}

/// In whose name the app acts: its first admin's.
async fn first_admin(services: &Services, app: &App) -> Result<AgentProfile, Problem> {
    let workers = services.store().workers(app.id).await?;
    let admin = workers.into_iter().find(|it| it.profile.user.role == Role::Admin);
    Ok(admin.ok_or(Refusal::NoAdmin)?.profile)
}

/// The caller, or the app's first admin.
async fn actor(
    services: &Services,
    app: &App,
    worker: Option<AgentRecord>,
) -> Result<AgentProfile, Problem> {
    match worker {
        Some(worker) => Ok(worker.profile),
        None => first_admin(services, app).await,
    }
}

/// Who serves now, and what.
async fn added(
    services: &Services,
    app: &App,
    worker: Option<&AgentRecord>,
    (room, agent): (RoomId, AgentId),
) -> Answer {
    let store = services.store();
    let (workers, channels) = (store.workers(app.id).await?, store.channels(app.id).await?);
    let added = workers.iter().find(|it| it.profile.user.id == agent);
    let added = added.ok_or(Refusal::AgentNotFound(agent.0))?;
    let found = store.customer_room(app.id, room).await?;
    let session = found.as_ref().and_then(|it| it.customer_room.session.as_ref());
    data(sessions::added_agent(added, &channels, session, viewer(worker)))
}

/// Resolves a room's session and shows it.
async fn resolved(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    by: AgentProfile,
    ending: Ending,
) -> Answer {
    let session = actions::resolve(services, desk, room, by, ending).await?;
    let room = services.store().room(desk.app().id, &RoomRef::Id(room)).await?;
    data(sessions::resolved(&session, room.as_ref()))
}

/// A page of the agents who may serve the channel of a room and are as wanted.
async fn agents_page(
    services: &Services,
    app: &Arc<App>,
    worker: Option<&AgentRecord>,
    wanted: WantedAgents,
    is_wanted: impl Fn(&Candidate, bool) -> bool,
) -> Answer {
    let (found, serving) = seen_room(services, app, worker, wanted.room).await?;
    let channel = found.customer_room.channel;
    let workers = services.store().workers(app.id).await?;
    let fits = |it: &Candidate| {
        let is_in_room = serving.iter().any(|there| there.user.id == it.profile.user.id);
        it.profile.user.role == Role::Agent
            && it.serves_channel(channel)
            && wanted.is_in_room.is_none_or(|wanted| wanted == is_in_room)
            && is_wanted(it, is_in_room)
    };
    let matching: Vec<_> = workers.into_iter().filter(fits).collect();
    let channels = services.store().channels(app.id).await?;
    paged(agents::agent_page(&matching, &channels, &wanted, viewer(worker)))
}
