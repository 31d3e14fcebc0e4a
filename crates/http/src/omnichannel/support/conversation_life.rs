//! Transfer, leaving, reopening and bot control of a conversation (design/support). Each call
//! answers with the room as the inbox shows it afterwards.

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::refusal::Refusal;
use confab_domain::support::assignment::transferring::{Leave, Transfer};
use confab_domain::support::conversations::answering::HandOver;
use confab_domain::support::conversations::reopening::Reopen;
use confab_queries::customer_rooms::seen_room;
use confab_wire::omnichannel_api::support::assignment::transfers::{
    BotSwitchFields, TransferFields, read_bot_switch, read_transfer,
};
use confab_wire::omnichannel_api::support::rooms::CustomerRoomBox;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::support::inbox::one;
use crate::omnichannel::{actor, room_in_path};
use crate::requests::access::Everyone;
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::{AgentCaller, By};
use crate::requests::part::Part;
use crate::responses::answer::Answer;

calls! {
    "Dashboard";
    /// Transfer a conversation to an agent, or return it to the queue
    POST "/api/v2/customer_rooms/{room_id}/transfer" transfer_conversation = transfer [403 404];
    /// Leave a customer's room
    POST "/api/v2/customer_rooms/{room_id}/leave" leave_conversation = leave [403 404];
    /// Reopen the newest conversation of a room
    POST "/api/v2/customer_rooms/{room_id}/reopen" reopen_conversation = reopen [403 404];
    /// Hand a conversation over to the bot, or back to agents
    POST "/api/v2/customer_rooms/{room_id}/bot" switch_bot = switch_bot [403 404];
}

async fn transfer(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
    body: OmnichannelBody<TransferFields>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, caller.agent.as_ref(), room_in_path(&room)?);
    let to = read_transfer(body.fields())?;
    seen_room(decisions.store(), app, agent, room).await?;
    let by = caller.user();
    let rule = Transfer { room, to, by };
    decisions.decide_after(depth, &caller, rule).await?;
    one(&decisions, app, agent, room).await
}

async fn leave(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, Some(&caller.agent), room_in_path(&room)?);
    seen_room(decisions.store(), app, agent, room).await?;
    let by = caller.agent.profile.user.clone();
    let rule = Leave { room, by };
    decisions.decide_after(depth, &caller, rule).await?;
    one(&decisions, app, agent, room).await
}

async fn reopen(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, caller.agent.as_ref(), room_in_path(&room)?);
    seen_room(decisions.store(), app, agent, room).await?;
    let by = actor(decisions.store(), app, agent.cloned()).await?;
    let store = decisions.store();
    let has_served = store.has_served(room, by.user.id).await?;
    let found = store.customer_of_room(app.id, room).await?;
    let (user, channel) = found.ok_or_else(|| Refusal::NotACustomerRoom(room.to_string()))?;
    let rule = Reopen { room, by, has_served, customer: (channel.id, user.user_id) };
    decisions.decide_after(depth, &caller, rule).await?;
    one(&decisions, app, agent, room).await
}

async fn switch_bot(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
    body: OmnichannelBody<BotSwitchFields>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let (app, agent, room) = (&caller.app, caller.agent.as_ref(), room_in_path(&room)?);
    let is_handled_by_bot = read_bot_switch(body.fields())?;
    seen_room(decisions.store(), app, agent, room).await?;
    let by = caller.user();
    let rule = HandOver { room, by, is_handled_by_bot };
    decisions.decide_after(depth, &caller, rule).await?;
    one(&decisions, app, agent, room).await
}
