//! `POST /api/v2/agent/service/takeover_unserved`

use axum::extract::State;
use confab_domain::agents::role::Role;
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_store::WriteError;
use confab_wire::omnichannel_api::service::requests::{OfRoomFields, read_room};
use confab_wire::omnichannel_api::service::sessions::AddedAgent;
use confab_wire::webhook_api::Data;

use super::super::added;
use crate::actions;
use crate::actions::desk::OwnedDesk;
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::http::problem::Problem;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/agent/service/takeover_unserved",
    operation_id = "agent_takeover_unserved",
    tag = "Service",
    summary = "Take a customer whom nobody serves: this one, or who waits longest",
    request_body = OfRoomFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<AddedAgent<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let agent = caller.worker.profile.user.id;
    let desk = OwnedDesk::new(&services, &caller.app, depth);
    let room = match read_room(body.fields())? {
        Some(room) => {
            actions::take_over(&services, &desk, room, agent).await?;
            room
        }
        None => take_first(&services, &desk, agent).await?,
    };
    added(&services, &caller.app, Some(&caller.worker), (room, agent)).await
}

/// The agent takes who waits longest, of the channels that they serve. A customer whom a colleague
/// takes at the same moment is passed over.
async fn take_first(
    services: &Services,
    desk: &OwnedDesk,
    agent: AgentId,
) -> Result<RoomId, Problem> {
    let (store, app) = (services.store(), desk.app().id);
    let found = store.worker(app, agent).await?.ok_or(Refusal::AgentNotFound(agent.0))?;
    let first = (Timestamp(i64::MIN), RoomId(0));
    let waiting = store.queue(app, first, limits::QUEUE_PER_READ).await?;
    let theirs = waiting.iter().filter(|(_, _, channel)| found.serves_channel(*channel));
    for (_, room, _) in theirs.take(limits::ROOM_TRIES_MAX) {
        match actions::take_over(services, desk, *room, agent).await {
            Err(WriteError::Refused(Refusal::AlreadyServed(_) | Refusal::SessionResolved(_))) => {}
            taken => return Ok(taken.map(|_| *room)?),
        }
    }
    Err(Refusal::NobodyWaits.into())
}
