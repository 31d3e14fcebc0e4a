//! Assignment of agents to customers (wire facts 5.4). Admins, supervisors and the app itself may
//! assign in every room; agents in rooms that they serve or may take over.

use axum::extract::State;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, AppId, ChannelId, RoomId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::assignment::allocating;
use confab_domain::support::assignment::allocating::{
    AssignAgent, AssignChosen, RemoveAgent, TakeOver,
};
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_domain::time::Timestamp;
use confab_store::WriteError;
use confab_wire::omnichannel_api::support::assignment::agents::{ChosenBox, chosen};
use confab_wire::omnichannel_api::support::assignment::sessions::{
    self, AddedAgent, SessionBox, service,
};
use confab_wire::omnichannel_api::support::requests::{
    AllocateAgent, AllocateAgentFields, AllocateAssignAgentFields, AssignAgentFields, OfRoomFields,
    read_allocate_assign, read_assign_agent, read_room,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{Place, person, viewer};
use crate::requests::access::{Agents, Office};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::{ActingAgent, By};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Service";
    /// Assign an agent to a customer
    POST "/api/v1/admin/service/assign_agent" admin_assign_agent = assign_agent [403 404];
    /// Select an agent without assigning them
    POST "/api/v1/admin/service/allocate_agent" admin_allocate_agent = allocate_agent [403];
    /// Select an agent and assign them to a customer
    POST "/api/v1/admin/service/allocate_assign_agent"
        admin_allocate_assign_agent = allocate_and_assign [403 404];
    /// Remove an agent from a room
    POST "/api/v1/admin/service/remove_agent" admin_remove_agent = remove_agent [403 404];
    /// Assign an agent to a customer whom the caller serves or may take over
    POST "/api/v1/agent/service/assign_agent" agent_assign_agent = assign_colleague [403 404];
    /// Assign an agent to a customer, under another path
    POST "/api/v2/agent/service/add_agent" agent_add_agent = add_colleague [403 404];
    /// Take over a waiting customer: the given one, or the longest waiting
    POST "/api/v2/agent/service/takeover_unserved" agent_takeover_unserved = take_over [403 404];
    /// Take over the customer who has been waiting longest
    POST "/api/v1/agent/service/takeover_unresolved_room"
        agent_takeover_unresolved_room = take_over_any [400 403 404];
}

async fn assign_agent(
    State(services): State<Services>,
    caller: By<Office>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<AssignAgentFields>,
) -> Answer<Data<AddedAgent<'static>>> {
    let mut asked = read_assign_agent(body.fields())?;
    asked.by = person(caller.agent.as_ref());
    let place = (asked.room, asked.agent);
    services.decisions().decide_after(depth, &caller, asked).await?;
    added(&services, &caller.app, caller.agent.as_ref(), place).await
}

async fn allocate_agent(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    body: OmnichannelBody<AllocateAgentFields>,
) -> Answer<Data<ChosenBox<'static>>> {
    let asked = AllocateAgent::read(body.fields())?;
    let (store, app) = (decisions.store(), caller.app.id);
    let channels = meant_channels(&decisions, app, &asked).await?;
    let (agents, settings) = (store.agents(app).await?, store.settings(app).await?);
    let may_be = |it: &Candidate| {
        let is_agent = it.profile.user.role == Role::Agent;
        is_agent && (asked.ignores_availability || it.takes_customers())
    };
    let agents: Vec<_> = agents.into_iter().filter(may_be).collect();
    let cap = settings.agent_customers_max();
    let freest = allocating::freest_of_any(&agents, &channels, cap, &[]);
    let freest = freest.ok_or(Refusal::NobodyFree)?;
    data(chosen(freest, viewer(caller.agent.as_ref())))
}

async fn allocate_and_assign(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<AllocateAssignAgentFields>,
) -> Answer<Data<ChosenBox<'static>>> {
    let by = person(caller.agent.as_ref());
    let rule = AssignChosen { by, ..read_allocate_assign(body.fields())? };
    let assigned = decisions.decide_after(depth, &caller, rule).await?;
    data(chosen(&assigned, viewer(caller.agent.as_ref())))
}

async fn remove_agent(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<AssignAgentFields>,
) -> Answer<Data<SessionBox<'static>>> {
    let AssignAgent { room, agent, .. } = read_assign_agent(body.fields())?;
    let rule = RemoveAgent { room, agent, by: person(caller.agent.as_ref()) };
    decisions.decide_after(depth, &caller, rule).await?;
    let found = decisions.store().customer_room(caller.app.id, room).await?;
    data(service(found.as_ref().and_then(|it| it.customer_room.session.as_ref())))
}

async fn assign_colleague(
    services: State<Services>,
    caller: ActingAgent<Agents>,
    depth: WebhookDepth,
    body: OmnichannelBody<AssignAgentFields>,
) -> Answer<Data<AddedAgent<'static>>> {
    assign(services, caller, depth, body).await
}

async fn add_colleague(
    services: State<Services>,
    caller: ActingAgent<Agents>,
    depth: WebhookDepth,
    body: OmnichannelBody<AssignAgentFields>,
) -> Answer<Data<AddedAgent<'static>>> {
    assign(services, caller, depth, body).await
}

async fn take_over(
    State(services): State<Services>,
    caller: ActingAgent<Agents>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<OfRoomFields>,
) -> Answer<Data<AddedAgent<'static>>> {
    let agent = caller.agent.profile.user.id;
    let room = match read_room(body.fields())? {
        Some(room) => {
            let rule = TakeOver { room, agent };
            services.decisions().decide_after(depth, &caller, rule).await?;
            room
        }
        None => take_first(services.decisions(), &caller, depth).await?,
    };
    added(&services, &caller.app, Some(&caller.agent), (room, agent)).await
}

async fn take_over_any(
    State(services): State<Services>,
    caller: ActingAgent<Agents>,
    WebhookDepth(depth): WebhookDepth,
) -> Answer<Data<AddedAgent<'static>>> {
    let agent = caller.agent.profile.user.id;
    let room = take_first(services.decisions(), &caller, depth).await?;
    added(&services, &caller.app, Some(&caller.agent), (room, agent)).await
}

/// Returns the channels of which the agent must serve one: the channel that the request names, or
/// all channels of the source that it names. Empty if the request names neither.
async fn meant_channels(
    decisions: &Decisions,
    app: AppId,
    asked: &AllocateAgent,
) -> Result<Vec<ChannelId>, Problem> {
    let channels = decisions.store().channels(app).await?;
    if let Some(channel) = asked.channel {
        if !channels.iter().any(|it| it.id == channel) {
            let problem = FieldProblem::new("channel_id", "is not a channel of this app");
            return Err(Refusal::from(problem).into());
        }
        return Ok(vec![channel]);
    }
    let source = asked.source.as_deref();
    let widget_source = decisions.widget_source();
    let is_meant = |it: &&Channel| Some(it.shown(widget_source).source.as_str()) == source;
    Ok(channels.iter().filter(is_meant).map(|it| it.id).collect())
}

async fn assign(
    State(services): State<Services>,
    caller: ActingAgent<Agents>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<AssignAgentFields>,
) -> Answer<Data<AddedAgent<'static>>> {
    let mut asked = read_assign_agent(body.fields())?;
    asked.wish.asked_by = Some(caller.agent.profile.user.id);
    asked.by = person(Some(&caller.agent));
    let place = (asked.room, asked.agent);
    services.decisions().decide_after(depth, &caller, asked).await?;
    added(&services, &caller.app, Some(&caller.agent), place).await
}

/// Assigns the agent to the longest waiting customer of the agent's channels. If another agent
/// takes that customer at the same time, tries the next one.
async fn take_first(
    decisions: &Decisions,
    caller: &ActingAgent<Agents>,
    depth: u32,
) -> Result<RoomId, Problem> {
    let (app, agent, store) = (&caller.app, caller.agent.profile.user.id, decisions.store());
    let found = store.agent(app.id, agent).await?.ok_or(Refusal::AgentNotFound(agent.0))?;
    let first = (Timestamp(i64::MIN), RoomId(0));
    let waiting = store.queue(app.id, first, limits::QUEUE_PER_READ).await?;
    let theirs = waiting.iter().filter(|(_, _, channel)| found.serves_channel(*channel));
    for &(_, room, _) in theirs.take(limits::ROOM_TRIES_MAX) {
        let rule = TakeOver { room, agent };
        match decisions.decide_after(depth, caller, rule).await {
            Err(WriteError::Refused(Refusal::AlreadyServed(_) | Refusal::SessionResolved(_))) => {}
            taken => return Ok(taken.map(|_| room)?),
        }
    }
    Err(Refusal::NobodyWaits.into())
}

/// Answers with the assigned agent and the room's conversation.
async fn added(
    services: &Services,
    app: &App,
    caller: Option<&AgentRecord>,
    (room, agent): (RoomId, AgentId),
) -> Answer<Data<AddedAgent<'static>>> {
    let store = services.store();
    let (agents, place) = (store.agents(app.id).await?, Place::load(store, app.id).await?);
    let added = agents.iter().find(|it| it.profile.user.id == agent);
    let added = added.ok_or(Refusal::AgentNotFound(agent.0))?;
    let found = store.customer_room(app.id, room).await?;
    let session = found.as_ref().and_then(|it| it.customer_room.session.as_ref());
    data(sessions::added_agent(added, place.shown(), session, viewer(caller)))
}
