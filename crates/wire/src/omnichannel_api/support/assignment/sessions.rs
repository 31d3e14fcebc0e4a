//! Sessions in responses to calls about assignment and resolution (wire facts 5.4).

use confab_domain::rooms::room::Room;
use confab_domain::support::conversations::customer_room::Candidate;
use confab_domain::webhooks::event::Session;
use serde::Serialize;
use utoipa::ToSchema;

use crate::message_api::rooms::RoomShape;
use crate::omnichannel_api::people::agents::{AgentShape, Viewer, Workplace, agent};
use crate::webhooks::ServiceShape;

/// Response data of an assignment: the assigned agent and the session.
#[derive(Serialize, ToSchema)]
pub struct AddedAgent<'a> {
    added_agent: AgentShape<'a>,
    service: Option<ServiceShape<'a>>,
}

/// Returns the assigned agent and the session.
pub fn added_agent<'a>(
    added: &'a Candidate,
    place: Workplace<'a>,
    session: Option<&'a Session>,
    viewer: Viewer,
) -> AddedAgent<'a> {
    let added_agent = agent(added, place, viewer);
    AddedAgent { added_agent, service: session.map(ServiceShape::from) }
}

/// Response data with a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionBox<'a> {
    service: Option<ServiceShape<'a>>,
}

/// Returns response data with a session.
pub fn service(session: Option<&Session>) -> SessionBox<'_> {
    SessionBox { service: session.map(ServiceShape::from) }
}

/// Response data of a resolution: the resolved session and its room.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedService<'a> {
    service: ServiceShape<'a>,
    room_info: ResolvedRoom<'a>,
}

/// The room of a resolved session; null if it no longer exists.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedRoom<'a> {
    room: Option<RoomShape<'a>>,
}

/// Returns a resolved session and its room.
pub fn resolved<'a>(session: &'a Session, room: Option<&'a Room>) -> ResolvedService<'a> {
    let room_info = ResolvedRoom { room: room.map(RoomShape::from) };
    ResolvedService { service: session.into(), room_info }
}
