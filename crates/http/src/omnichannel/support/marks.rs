//! Read positions of agents in conversations (design/support).
//!
//! - `POST /api/v2/customer_rooms/{room_id}/read`, `POST /api/v2/customer_rooms/{room_id}/unread`

use std::sync::Arc;

use axum::extract::{Path, State};
use confab_app::queries::customer_rooms::seen_room;
use confab_app::services::Services;
use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{MessageId, RoomId};
use confab_domain::support::annotations::marking::{MarkRead, MarkUnread};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_store::WriteError;
use confab_wire::omnichannel_api::support::marks::{MarkReadFields, read_mark};
use confab_wire::omnichannel_api::support::rooms::CustomerRoomBox;
use confab_wire::webhook_api::Data;

use crate::omnichannel::room_in_path;
use crate::omnichannel::support::inbox;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::AgentCaller;
use crate::responses::answer::Answer;

#[utoipa::path(
    post,
    path = "/api/v2/customer_rooms/{room_id}/read",
    operation_id = "read_customer_room",
    tag = "Dashboard",
    summary = "Mark a conversation as read up to a message",
    params(("room_id" = String, Path, description = "Room id of the customer")),
    request_body = MarkReadFields,
    responses((status = 200, description = "Done", body = Data<CustomerRoomBox<'static>>)),
)]
pub(crate) async fn read(
    State(services): State<Services>,
    caller: AgentCaller,
    Path(room): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let (app, agent, room) = (&caller.app, &caller.agent, room_in_path(&room)?);
    seen_room(&services, app, Some(agent), room).await?;
    let message = read_mark(body.fields())?;
    note_read(&services, app, agent, caller.right()?, (room, message)).await?;
    inbox::one(&services, app, Some(agent), room).await
}

/// Stores the agent's read position. The caller must have checked that the agent may see the room.
pub(crate) async fn note_read(
    services: &Services,
    app: &Arc<App>,
    agent: &AgentRecord,
    right: Right,
    (room, message): (RoomId, MessageId),
) -> Result<(), WriteError> {
    let rule = MarkRead::new(&agent.profile, room, message);
    services.decide(app, rule.on_right(Some(right))).await
}

#[utoipa::path(
    post,
    path = "/api/v2/customer_rooms/{room_id}/unread",
    operation_id = "unread_customer_room",
    tag = "Dashboard",
    summary = "Mark a conversation as unread",
    params(("room_id" = String, Path, description = "Room id of the customer")),
    responses((status = 200, description = "Done", body = Data<CustomerRoomBox<'static>>)),
)]
pub(crate) async fn unread(
    State(services): State<Services>,
    caller: AgentCaller,
    Path(room): Path<String>,
) -> Answer {
    let (app, agent, room) = (&caller.app, &caller.agent, room_in_path(&room)?);
    seen_room(&services, app, Some(agent), room).await?;
    let rule = MarkUnread { room, by: agent.profile.user.id };
    services.decide(app, rule.on_right(Some(caller.right()?))).await?;
    inbox::one(&services, app, Some(agent), room).await
}
