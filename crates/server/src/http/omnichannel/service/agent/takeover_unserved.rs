//! `POST /api/v2/agent/service/takeover_unserved`

use axum::extract::State;
use confab_domain::app::Role;
use confab_domain::ids::RoomId;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use confab_wire::omnichannel_api::service::requests::{OfRoomFields, read_room};
use confab_wire::omnichannel_api::service::sessions::AddedAgent;
use confab_wire::webhook_api::Data;

use super::super::added;
use crate::actions::{self, OwnedDesk};
use crate::http::answer::Answer;
use crate::http::bodies::{OmniBody, WebhookDepth};
use crate::http::callers::WorkerCaller;
use crate::http::docs::OmniFailures;
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
    caller: WorkerCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Agent])?;
    let room = match read_room(body.fields())? {
        Some(room) => room,
        None => {
            let first = (Timestamp(i64::MIN), RoomId(0));
            let queue = services.store().queue(caller.app.id, first, 1).await?;
            queue.first().map(|(_, room, _)| *room).ok_or(Refusal::NobodyWaits)?
        }
    };
    let (desk, agent) =
        (OwnedDesk::new(&services, &caller.app, depth), caller.worker.profile.user.id);
    actions::take_over(&services, &desk, room, agent).await?;
    added(&services, &caller.app, room, agent).await
}
