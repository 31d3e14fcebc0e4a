//! The omnichannel API (spec 4.2, wire facts 5), for agents and for an app's other services: one
//! file for each resource.

pub(super) mod agents;
pub(super) mod agents_of_room;
pub(super) mod analytics;
pub(super) mod answers;
pub(super) mod app_overview;
pub(super) mod app_settings;
pub(super) mod assigning;
pub(super) mod audit;
pub(super) mod availability;
pub(super) mod board;
pub(super) mod bot_settings;
pub(super) mod bulk;
pub(super) mod buttons;
pub(super) mod canned_replies;
pub(super) mod channel_configs;
pub(super) mod channel_tests;
pub(super) mod channels;
pub(super) mod contact_cards;
pub(super) mod contact_data;
pub(super) mod contacts;
pub(super) mod conversation;
pub(super) mod conversation_life;
pub(super) mod conversations;
pub(super) mod corrections;
pub(super) mod custom_channel_messages;
pub(super) mod customer_info;
pub(super) mod divisions;
pub(super) mod email_channels;
pub(super) mod files;
mod hook_calls;
pub(super) mod hooks;
pub(super) mod inbox;
pub(super) mod inbox_live;
mod inbox_pace;
pub(super) mod infos;
pub(super) mod instagram_channels;
pub(super) mod keys;
pub(super) mod line_channels;
pub(super) mod live_check;
pub(super) mod marks;
pub(super) mod messenger_channels;
mod meta_hooks;
pub(super) mod notes;
pub(super) mod office_hours;
mod provider_accounts;
mod provider_calls;
pub(super) mod provider_channels;
pub(super) mod resolving;
pub(super) mod room_history;
pub(super) mod search;
pub(super) mod session;
pub(super) mod settings;
pub(super) mod sign_in;
pub(super) mod sign_ins;
pub(super) mod starting;
pub(super) mod tags;
pub(super) mod telegram_channels;
pub(super) mod templates;
pub(super) mod webhook_settings;
pub(super) mod whatsapp_channels;
pub(super) mod whatsapp_messages;
pub(super) mod widget;
pub(super) mod widget_settings;

use confab_domain::agents::agent::Person;
use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::webhooks::event::AgentProfile;
use confab_store::StoreError;
use confab_wire::omnichannel_api::people::agents::{Viewer, Workplace};
use confab_wire::omnichannel_api::support::id_in_path;

use crate::problem::Problem;
use confab_app::services::Services;

/// Roles with the same rights in every room of their app as the app itself.
const OFFICE: [Role; 2] = [Role::Admin, Role::Supervisor];

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
struct Place {
    channels: Vec<Channel>,
    divisions: Divisions,
}

impl Place {
    async fn load(services: &Services, app: AppId) -> Result<Self, StoreError> {
        let store = services.store();
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
    services: &Services,
    app: &App,
    agent: Option<AgentRecord>,
) -> Result<AgentProfile, Problem> {
    match agent {
        Some(agent) => Ok(agent.profile),
        None => first_admin(services, app).await,
    }
}

/// Returns the app's first admin, in whose name requests of the app itself are performed.
async fn first_admin(services: &Services, app: &App) -> Result<AgentProfile, Problem> {
    let agents = services.store().agents(app.id).await?;
    let admin = agents.into_iter().find(|it| it.profile.user.role == Role::Admin);
    Ok(admin.ok_or(Refusal::NoAdmin)?.profile)
}
