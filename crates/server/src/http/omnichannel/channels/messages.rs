//! `POST /api/v2/customer_rooms/{room_id}/messages`: an agent replies, and the channel hears it.

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::service::answering::Answerer;
use confab_wire::message_api::comments::{CommentBox, posted};
use confab_wire::omnichannel_api::channels::{AgentReply, AgentReplyFields};
use confab_wire::webhook_api::Data;

use super::{room_id, room_of_path};
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::{IdempotencyKey, OmniBody, WebhookDepth};
use crate::http::callers::AgentCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/customer_rooms/{room_id}/messages",
    operation_id = "reply_to_customer",
    tag = "Channels",
    summary = "Reply to a customer; it reaches their channel",
    params(("room_id" = String, Path, description = "The customer's room")),
    request_body = AgentReplyFields,
    security(("token" = [])),
    responses((status = 200, description = "Done", body = Data<CommentBox<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
    body: OmniBody,
) -> Answer {
    let profile = &caller.worker.profile;
    let speaker = profile.sdk_user.clone();
    let AgentReply { draft } = AgentReply::read(body.fields(), key.as_deref(), speaker)?;
    let room = room_id(&services, caller.app.id, &room_of_path(&room)?).await?;
    services.rate_limits().count_post(caller.app.id, &draft.sender)?;
    services.quotas().count_message(caller.app.id, None)?;
    let answerer = match profile.user.role {
        Role::Agent => Answerer::Agent(profile.user.id),
        Role::Admin | Role::Supervisor => Answerer::Overseer,
    };
    let said =
        actions::answer_customer(&services, &caller.app, room, draft, answerer, depth).await?;
    data(posted(&said))
}
