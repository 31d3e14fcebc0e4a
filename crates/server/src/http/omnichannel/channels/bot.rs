//! `POST /{app_code}/bot` (wire facts 5.3): a bot answers, and the customer's channel hears it.

use axum::extract::State;
use confab_domain::messages::message::Draft;
use confab_domain::service::answering::Answerer;
use confab_wire::message_api::comments::{CommentBox, posted};
use confab_wire::omnichannel_api::channels::{BotAnswer, BotAnswerFields};
use confab_wire::webhook_api::Data;

use super::room_id;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{IdempotencyKey, OmniBody, WebhookDepth};
use crate::http::callers::BotCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/{app_code}/bot",
    operation_id = "bot_answer",
    tag = "Channels",
    summary = "Answer a customer as a bot; it reaches their channel",
    params(("app_code" = String, Path, description = "The app")),
    request_body = BotAnswerFields,
    security(("app_code" = [], "secret_key" = []), ("sdk_secret" = []), ("token" = [])),
    responses((status = 200, description = "Done", body = Data<CommentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: BotCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmniBody,
) -> Answer {
    let BotAnswer { room, draft } = BotAnswer::read(body.fields(), key.as_deref())?;
    let room = room_id(&services, caller.app.id, &room).await?;
    let named = draft.sender.user_id().clone();
    let sender = actions::bot_user(&services, &caller.app, room, named).await?;
    let draft = Draft { sender, ..draft };
    services.rate_limits().count_post(caller.app.id, &draft.sender)?;
    services.quotas().count_message(caller.app.id, None)?;
    let bot = Answerer::Bot;
    let said = actions::answer_customer(&services, &caller.app, room, draft, bot, depth).await?;
    data(posted(&said))
}
