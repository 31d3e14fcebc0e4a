//! Replies of bots and agents, which are sent through the customer's channel (wire facts 5.3).

use axum::extract::{Path, State};
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::ids::{AppId, RoomId};
use confab_domain::messages::message::Draft;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::answering::{AnswerCustomer, Answerer, HandOver};
use confab_store::Store;
use confab_wire::message_api::comments::{CommentBox, posted};
use confab_wire::omnichannel_api::channels::{
    ActivateBot, ActivateBotFields, AgentReply, AgentReplyFields, BotAnswer, BotAnswerFields,
    HandledRoom,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Everyone, Office};
use crate::requests::bodies::{IdempotencyKey, OmnichannelBody, WebhookDepth};
use crate::requests::callers::{AgentCaller, BotCaller, By};
use crate::requests::part::Part;
use crate::requests::quotas::count_message;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// Reply to a customer as a bot; the reply is sent through the channel
    POST "/{app_code}/bot" bot_answer = post_as_bot [403 404 409];
    /// Switch the bot of a room on or off
    POST "/bot/{room_id}/activate" activate_bot = activate_bot [403 404];
    /// Reply to a customer; the reply is sent through the channel
    POST "/api/v2/customer_rooms/{room_id}/messages"
        reply_to_customer = post_as_agent [403 404 409];
}

async fn post_as_bot(
    State(services): State<Services>,
    caller: BotCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<BotAnswerFields>,
) -> Answer<Data<CommentBox<'static>>> {
    let BotAnswer { room, draft } = BotAnswer::read(body.fields(), key.as_deref())?;
    let room = room_id(services.store(), caller.app.id, &room).await?;
    let named = draft.sender.user_id().clone();
    let sender = actions::bot_user(&services, &caller, room, named).await?;
    let draft = Draft { sender, ..draft };
    count_message(&services, caller.app.id, &draft.sender)?;
    let rule = AnswerCustomer { room, draft, answerer: Answerer::Bot };
    let message = services.decisions().decide_after(depth, &caller, rule).await?;
    data(posted(&message))
}

async fn activate_bot(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path(room): Path<String>,
    body: OmnichannelBody<ActivateBotFields>,
) -> Answer<Data<HandledRoom<'static>>> {
    let ActivateBot { is_active } = ActivateBot::read(body.fields())?;
    let (app, store) = (&caller.app, decisions.store());
    let room = room_id(store, app.id, &room_of_path(&room)?).await?;
    let by = caller.user();
    let rule = HandOver { room, by, is_handled_by_bot: is_active };
    let now = decisions.decide(&caller, rule).await?;
    let served = store.customer_of_room(app.id, room).await?;
    let (customer, channel) = served.ok_or(Refusal::NotACustomerRoom(room.to_string()))?;
    let channel = now.shown_channel(&channel, decisions.widget_source());
    data(HandledRoom::new(&now, &channel, &customer))
}

async fn post_as_agent(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
    body: OmnichannelBody<AgentReplyFields>,
) -> Answer<Data<CommentBox<'static>>> {
    let profile = &caller.agent.profile;
    let speaker = profile.sdk_user.clone();
    let AgentReply { draft } = AgentReply::read(body.fields(), key.as_deref(), speaker)?;
    let room = room_id(services.store(), caller.app.id, &room_of_path(&room)?).await?;
    count_message(&services, caller.app.id, &draft.sender)?;
    let rule = AnswerCustomer { room, draft, answerer: Answerer::Staff(profile.user.id) };
    let message = services.decisions().decide_after(depth, &caller, rule).await?;
    data(posted(&message))
}

/// Returns the id of a room, which the request may name by its id or its unique id. Fails if the
/// app has no such room.
async fn room_id(store: &Store, app: AppId, room: &RoomRef) -> Result<RoomId, Problem> {
    let found = store.room(app, room).await?;
    Ok(found.ok_or_else(|| Refusal::RoomNotFound(room.shown()))?.id)
}

/// Parses the room id in a path.
fn room_of_path(text: &str) -> Result<RoomRef, Problem> {
    let unknown = |_| Problem::from(Refusal::RoomNotFound(text.to_owned()));
    RoomRef::parse("room_id", text).map_err(unknown)
}
