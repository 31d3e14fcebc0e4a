//! Resolution of conversations (wire facts 5.4).
//!
//! - `POST /api/v1/admin/service/mark_as_resolved`, for every room
//! - `POST /api/v1/agent/service/mark_as_resolved`, for rooms that the agent serves or may take
//!   over

use std::sync::Arc;

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::resolving::Resolve;
use confab_wire::omnichannel_api::support::requests::{
    MarkAsResolvedFields, read_mark_as_resolved,
};
use confab_wire::omnichannel_api::support::sessions::{self, ResolvedService};
use confab_wire::webhook_api::Data;

use crate::omnichannel::{OFFICE, actor};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::{ActingAgent, OmnichannelCaller};
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    post,
    path = "/api/v1/admin/service/mark_as_resolved",
    operation_id = "admin_mark_as_resolved",
    tag = "Service",
    summary = "Resolve a conversation",
    request_body = MarkAsResolvedFields,
    responses((status = 200, description = "Done", body = Data<ResolvedService<'static>>)),
)]
pub(crate) async fn resolve(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody,
) -> Answer {
    let right = caller.must_be(&OFFICE)?;
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let is_by_person = caller.agent.is_some();
    let by = actor(&services, &caller.app, caller.agent).await?;
    let rule = Resolve { room, by, is_by_person, ending };
    resolved(&services, &caller.app, depth, (rule, right)).await
}

#[utoipa::path(
    post,
    path = "/api/v1/agent/service/mark_as_resolved",
    operation_id = "agent_mark_as_resolved",
    tag = "Service",
    summary = "Resolve a conversation that the caller serves or may take over",
    request_body = MarkAsResolvedFields,
    responses((status = 200, description = "Done", body = Data<ResolvedService<'static>>)),
)]
pub(crate) async fn resolve_as_agent(
    State(services): State<Services>,
    caller: ActingAgent,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody,
) -> Answer {
    let right = caller.must_be(&[Role::Agent])?;
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let rule = Resolve { room, by: caller.agent.profile, is_by_person: true, ending };
    resolved(&services, &caller.app, depth, (rule, right)).await
}

/// Resolves the session of a room and answers with the resolved session.
async fn resolved(
    services: &Services,
    app: &Arc<App>,
    depth: u32,
    (rule, right): (Resolve, Option<Right>),
) -> Answer {
    let room = RoomRef::Id(rule.room);
    let session = services.decide_after(depth, app, rule.on_right(right)).await?;
    let room = services.store().room(app.id, &room).await?;
    data(sessions::resolved(&session, room.as_ref()))
}
