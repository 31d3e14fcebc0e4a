//! Routes: who works in an app and what it is set to. One file a route.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::AgentId;
use confab_domain::refusal::Refusal;
use confab_domain::service::configuring::HookWish;
use confab_domain::service::customer_room::Candidate;
use confab_domain::service::settings::Settings;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_store::StoreError;
use confab_wire::omnichannel_api::people::agents::{AgentBox, Viewer, agent as shown_agent};
use confab_wire::omnichannel_api::people::apps::ShownApp;

use super::viewer;
use crate::http::answer::{Answer, data};
use crate::http::callers::OmniCaller;
use crate::http::targets;
use crate::services::Services;

pub(in crate::http) mod agent;
pub(in crate::http) mod agent_allocation;
pub(in crate::http) mod agent_allocation_webhook;
pub(in crate::http) mod agent_channels;
pub(in crate::http) mod agent_takeover;
pub(in crate::http) mod agents;
pub(in crate::http) mod agents_v1;
pub(in crate::http) mod auth;
pub(in crate::http) mod auth_webhook;
pub(in crate::http) mod bot;
pub(in crate::http) mod bot_activation;
pub(in crate::http) mod by_division;
pub(in crate::http) mod change_password;
pub(in crate::http) mod configs;
pub(in crate::http) mod create_agent;
pub(in crate::http) mod delete_agent;
pub(in crate::http) mod divisions;
pub(in crate::http) mod force_send;
pub(in crate::http) mod get_by_ids;
pub(in crate::http) mod get_profile;
pub(in crate::http) mod get_sessional;
pub(in crate::http) mod integrate_bot;
pub(in crate::http) mod logout;
pub(in crate::http) mod mark_as_resolved_webhook;
pub(in crate::http) mod new_session_webhook;
pub(in crate::http) mod security;
pub(in crate::http) mod set_agent_takeover;
pub(in crate::http) mod set_availability;
pub(in crate::http) mod set_force_offline;
pub(in crate::http) mod set_sessional;
pub(in crate::http) mod update_agent;
pub(in crate::http) mod webhook_config;

/// What an app is set to.
struct AppSettings {
    endpoints: Vec<Endpoint>,
    settings: Settings,
}

impl AppSettings {
    async fn load(services: &Services, app: &Arc<App>) -> Result<Self, StoreError> {
        let endpoints = services.store().endpoints(app.id).await?;
        let settings = services.store().settings(app.id).await?;
        Ok(Self { endpoints, settings })
    }

    fn shown<'a>(&'a self, app: &'a App, shows_key: bool) -> ShownApp<'a> {
        ShownApp { app, endpoints: &self.endpoints, settings: &self.settings, shows_key }
    }
}

/// Everybody who works in an app, for somebody who asks.
struct Staff {
    all: Vec<Candidate>,
    channels: Vec<Channel>,
    viewer: Viewer,
}

impl Staff {
    async fn load(services: &Services, caller: &OmniCaller) -> Result<Self, StoreError> {
        let all = services.store().workers(caller.app.id).await?;
        let channels = services.store().channels(caller.app.id).await?;
        Ok(Self { all, channels, viewer: viewer(caller.worker.as_ref()) })
    }
}

/// Answers with one who works in the app.
async fn one_agent(services: &Services, caller: &OmniCaller, user: AgentId) -> Answer {
    let found = services.store().worker(caller.app.id, user).await?;
    let found = found.ok_or(Refusal::AgentNotFound(user.0))?;
    let channels = services.store().channels(caller.app.id).await?;
    data(AgentBox { agent: shown_agent(&found, &channels, viewer(caller.worker.as_ref())) })
}

/// The dashboard user that stands in a path.
fn agent_of(text: &str) -> Result<AgentId, Refusal> {
    let id = text.parse().ok().filter(|id: &i64| id.to_string() == text);
    // What is no integer names nobody, whatever it is.
    id.map(AgentId).ok_or(Refusal::AgentNotFound(0))
}

/// Refuses a webhook whose address cannot be called.
fn vet(services: &Services, wish: &HookWish) -> Result<(), Refusal> {
    let Some(url) = &wish.url else { return Ok(()) };
    targets::check(services, wish.url_field, url)
}
