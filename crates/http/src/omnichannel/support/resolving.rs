//! Resolution of conversations (wire facts 5.4).

use std::sync::Arc;

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::resolving::Resolve;
use confab_wire::omnichannel_api::support::assignment::sessions::{self, ResolvedService};
use confab_wire::omnichannel_api::support::requests::{
    MarkAsResolvedFields, read_mark_as_resolved,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{OFFICE, actor};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::{ActingAgent, OmnichannelCaller};
use crate::responses::answer::{Answer, data};

calls! {
    "Service";
    /// Resolve a conversation
    POST "/api/v1/admin/service/mark_as_resolved" admin_mark_as_resolved = resolve [403 404];
    /// Resolve a conversation that the caller serves or may take over
    POST "/api/v1/agent/service/mark_as_resolved"
        agent_mark_as_resolved = resolve_as_agent [403 404];
}

async fn resolve(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<MarkAsResolvedFields>,
) -> Answer<Data<ResolvedService<'static>>> {
    let right = caller.must_be(&OFFICE)?;
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let is_by_person = caller.agent.is_some();
    let by = actor(&services, &caller.app, caller.agent).await?;
    let rule = Resolve { room, by, is_by_person, ending };
    resolved(&services, &caller.app, depth, (rule, right)).await
}

async fn resolve_as_agent(
    State(services): State<Services>,
    caller: ActingAgent,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<MarkAsResolvedFields>,
) -> Answer<Data<ResolvedService<'static>>> {
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
) -> Answer<Data<ResolvedService<'static>>> {
    let room = RoomRef::Id(rule.room);
    let session = services.decide_after(depth, app, rule.on_right(right)).await?;
    let room = services.store().room(app.id, &room).await?;
    data(sessions::resolved(&session, room.as_ref()))
}
