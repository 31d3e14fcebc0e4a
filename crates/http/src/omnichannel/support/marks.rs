//! Read positions of agents in conversations (design/support).

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{MessageId, RoomId};
use confab_domain::support::annotations::marking::{MarkRead, MarkUnread};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_queries::customer_rooms::seen_room;
use confab_store::WriteError;
use confab_wire::omnichannel_api::support::annotations::marks::{MarkReadFields, read_mark};
use confab_wire::omnichannel_api::support::rooms::CustomerRoomBox;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::omnichannel::support::inbox;
use crate::requests::access::Everyone;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::AgentCaller;
use crate::requests::part::Part;
use crate::responses::answer::Answer;

calls! {
    "Dashboard";
    /// Mark a conversation as read up to a message
    POST "/api/v2/customer_rooms/{room_id}/read" read_customer_room = read [403 404];
    /// Mark a conversation as unread
    POST "/api/v2/customer_rooms/{room_id}/unread" unread_customer_room = unread [403 404];
}

async fn read(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    Path(room): Path<String>,
    body: OmnichannelBody<MarkReadFields>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, &caller.agent, room_in_path(&room)?);
    seen_room(decisions.store(), app, Some(agent), room).await?;
    let message = read_mark(body.fields())?;
    note_read(&decisions, &caller, agent, (room, message)).await?;
    inbox::one(&decisions, app, Some(agent), room).await
}

/// Stores the agent's read position. The caller must have checked that the agent may see the room.
pub(crate) async fn note_read(
    decisions: &Decisions,
    by: &Principal,
    agent: &AgentRecord,
    (room, message): (RoomId, MessageId),
) -> Result<(), WriteError> {
    let rule = MarkRead::new(&agent.profile, room, message);
    decisions.decide(by, rule).await
}

async fn unread(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    Path(room): Path<String>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, &caller.agent, room_in_path(&room)?);
    seen_room(decisions.store(), app, Some(agent), room).await?;
    let rule = MarkUnread { room, by: agent.profile.user.id };
    decisions.decide(&caller, rule).await?;
    inbox::one(&decisions, app, Some(agent), room).await
}
