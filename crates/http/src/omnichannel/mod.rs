//! The omnichannel API (spec 4.2, wire facts 5), for agents and for an app's other services: one
//! file for each resource.

pub(super) mod channel_configs;
pub(super) mod channel_tests;
pub(super) mod channels;
pub(super) mod custom_channel_messages;
pub(super) mod customers;
pub(super) mod office;
pub(super) mod people;
pub(super) mod providers;
pub(super) mod support;
pub(super) mod widget;

use confab_domain::agents::agent::Person;
use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::webhooks::event::AgentProfile;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::people::agents::{Viewer, Workplace};
use confab_wire::omnichannel_api::support::id_in_path;

use crate::responses::problem::Problem;

/// Returns which agents' keys the caller sees in profiles: admins and the app itself see the keys
/// of all agents.
fn viewer(agent: Option<&AgentRecord>) -> Viewer {
    let user = agent.map(|agent| &agent.profile.user);
    let sees_keys = user.is_none_or(|user| user.role == Role::Admin);
    Viewer { sees_keys, own: user.map(|user| user.id) }
}

/// Returns the name and id of the agent who made the request; `None` if the app made it.
fn person(agent: Option<&AgentRecord>) -> Option<Person> {
    agent.map(|agent| Person::from(&agent.profile.user))
}

/// The channels and divisions of an app, which are shown in the profiles of its agents.
pub(crate) struct Place {
    channels: Vec<Channel>,
    divisions: Divisions,
}

impl Place {
    async fn load(store: &Store, app: AppId) -> Result<Self, StoreError> {
        Ok(Self { channels: store.channels(app).await?, divisions: store.divisions(app).await? })
    }

    fn shown(&self) -> Workplace<'_> {
        Workplace { channels: &self.channels, divisions: &self.divisions }
    }
}

/// Parses the room id in a path.
fn room_in_path(text: &str) -> Result<RoomId, Refusal> {
    id_in_path(text, |_| Refusal::NotACustomerRoom(text.to_owned())).map(RoomId)
}

/// Parses the customer id in a path.
fn contact_in_path(text: &str) -> Result<UserKey, Refusal> {
    id_in_path(text, Refusal::ContactNotFound).map(UserKey)
}

/// Returns the agent who made the request, or the app's first admin if the app made it.
async fn actor(
    store: &Store,
    app: &App,
    agent: Option<AgentRecord>,
) -> Result<AgentProfile, Problem> {
    match agent {
        Some(agent) => Ok(agent.profile),
        None => first_admin(store, app).await,
    }
}

/// Returns the app's first admin, in whose name requests of the app itself are performed.
async fn first_admin(store: &Store, app: &App) -> Result<AgentProfile, Problem> {
    let agents = store.agents(app.id).await?;
    let admin = agents.into_iter().find(|it| it.profile.user.role == Role::Admin);
    Ok(admin.ok_or(Refusal::NoAdmin)?.profile)
}
