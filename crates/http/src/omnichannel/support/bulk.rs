//! `POST /api/v2/customer_rooms/bulk`: one action on many conversations.

use std::sync::Arc;

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{RoomId, TagId};
use confab_domain::support::annotations::tags::{AddTag, RemoveTag};
use confab_domain::support::assignment::allocating::{AssignAgent, AssignmentOptions};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::conversations::resolving::{Resolution, Resolve};
use confab_domain::webhooks::event::AgentProfile;
use confab_store::{Store, StoreError, WriteError};
use confab_wire::omnichannel_api::support::bulk::{
    Bulk, BulkAction, BulkFields, BulkResult, BulkResults,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::{actor, person};
use crate::requests::access::{Access, Everyone, Office};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::By;
use crate::responses::answer::{Answer, data};

calls! {
    "Office";
    /// Assign, resolve, tag or untag many conversations
    POST "/api/v2/customer_rooms/bulk" bulk_customer_rooms = act [403 404];
}

async fn act(
    State(services): State<Services>,
    caller: By<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<BulkFields>,
) -> Answer<Data<BulkResults>> {
    let Bulk { rooms, deed } = Bulk::read(body.fields())?;
    let roles = match deed {
        BulkAction::Assign(_) => Office::ROLES,
        _ => Everyone::ROLES,
    };
    let run = BulkRun {
        services: &services,
        by: caller.limited_to(roles)?,
        actor: actor(services.store(), &caller.app, caller.agent.clone()).await?,
        agent: caller.agent.as_ref(),
        depth,
        tag: named_tag(services.store(), &caller.app, &deed).await?,
    };
    let mut results = Vec::with_capacity(rooms.len());
    for room in rooms {
        let why = match run.act(room, &deed).await {
            Ok(()) => None,
            Err(WriteError::Refused(refusal)) => Some(refusal.to_string()),
            Err(WriteError::Failed(error)) => return Err(error.into()),
        };
        results.push(BulkResult { is_done: why.is_none(), room_id: room.to_string(), why });
    }
    data(BulkResults { rooms: results })
}

/// Returns the id of the tag to remove. Returns 0, which no tag has, if the app has no tag with
/// this name or the action removes none.
async fn named_tag(store: &Store, app: &Arc<App>, deed: &BulkAction) -> Result<TagId, StoreError> {
    let BulkAction::Untag(name) = deed else { return Ok(TagId(0)) };
    let found = store.tag_named(app.id, name).await?;
    Ok(found.map_or(TagId(0), |it| it.tag.id))
}

/// A bulk action that is being performed, with its caller.
struct BulkRun<'a> {
    services: &'a Services,
    by: Principal,
    /// Agent in whose name the action is performed: the caller, or the app's first admin if the app
    /// made the request.
    actor: AgentProfile,
    /// The agent who made the request; `None` if the app made it.
    agent: Option<&'a AgentRecord>,
    depth: u32,
    tag: TagId,
}

impl BulkRun<'_> {
    /// Performs the action on one room. The rule itself checks the caller's permission.
    async fn act(&self, room: RoomId, deed: &BulkAction) -> Result<(), WriteError> {
        let user = self.agent.map(|agent| agent.profile.user.clone());
        match deed {
            BulkAction::Assign(agent) => {
                let (by, wish) = (person(self.agent), AssignmentOptions::default());
                self.decide(AssignAgent { room, agent: *agent, by, wish }).await
            }
            BulkAction::Resolve(notes) => {
                let ending = Resolution { notes: notes.clone(), last_message: None };
                let (by, is_by_person) = (self.actor.clone(), self.agent.is_some());
                self.decide(Resolve { room, by, is_by_person, ending }).await
            }
            BulkAction::Tag(name) => {
                self.decide(AddTag { room, name: name.clone(), by: user }).await
            }
            BulkAction::Untag(_) => self.decide(RemoveTag { room, tag: self.tag, by: user }).await,
        }
    }

    async fn decide<R: Rule>(&self, rule: R) -> Result<(), WriteError> {
        self.services.decisions().decide_after(self.depth, &self.by, rule).await.map(drop)
    }
}
