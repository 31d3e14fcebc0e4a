//! Resolution of conversations (wire facts 5.4).

use confab_app::decide::Decisions;
use confab_domain::decision::principal::Principal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::resolving::Resolve;
use confab_wire::omnichannel_api::support::assignment::sessions::{self, ResolvedService};
use confab_wire::omnichannel_api::support::requests::{
    MarkAsResolvedFields, read_mark_as_resolved,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::actor;
use crate::requests::access::{Agents, Office};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::{ActingAgent, By};
use crate::requests::part::Part;
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
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<MarkAsResolvedFields>,
) -> Answer<Data<ResolvedService<'static>>> {
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let is_by_person = caller.agent.is_some();
    let by = actor(decisions.store(), &caller.app, caller.agent.clone()).await?;
    let rule = Resolve { room, by, is_by_person, ending };
    resolved(&decisions, &caller, depth, rule).await
}

async fn resolve_as_agent(
    Part(decisions): Part<Decisions>,
    caller: ActingAgent<Agents>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<MarkAsResolvedFields>,
) -> Answer<Data<ResolvedService<'static>>> {
    let (room, ending) = read_mark_as_resolved(body.fields())?;
    let rule = Resolve { room, by: caller.agent.profile.clone(), is_by_person: true, ending };
    resolved(&decisions, &caller, depth, rule).await
}

/// Resolves the session of a room and answers with the resolved session.
async fn resolved(
    decisions: &Decisions,
    by: &Principal,
    depth: u32,
    rule: Resolve,
) -> Answer<Data<ResolvedService<'static>>> {
    let room = RoomRef::Id(rule.room);
    let session = decisions.decide_after(depth, by, rule).await?;
    let room = decisions.store().room(by.app.id, &room).await?;
    data(sessions::resolved(&session, room.as_ref()))
}
