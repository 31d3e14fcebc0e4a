//! Registration of the specification's webhooks (spec 4.2, wire facts 5.2). The bot's webhook is in
//! `bot_settings`.
//!
//! - `POST /api/v1/app/webhook/mark_as_resolved`, `POST /api/v1/app/webhook/agent_allocation`
//! - `POST /api/v2/app/config/new_session_webhook`, `POST /api/v2/app/config/auth_webhook`
//! - `GET /api/v2/admin/webhook_config`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
use confab_domain::refusal::Refusal;
use confab_domain::support::configuring::RegisterHook;
use confab_domain::support::configuring::WebhookUpdate;
use confab_domain::webhooks::event_kind::EventKind;
use confab_wire::omnichannel_api::people::apps::AppShape;
use confab_wire::omnichannel_api::people::configs::{
    ConfigHookFields, Configs, WebhookConfigs, WebhookFields, auth_configs, new_session_configs,
    read_config_hook, read_webhook, webhook_configs,
};
use confab_wire::webhook_api::Data;

use crate::omnichannel::people::settings::AppSettings;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::{AgentCaller, KeyCaller, OmnichannelCaller};
use crate::requests::targets;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    post,
    path = "/api/v1/app/webhook/mark_as_resolved",
    operation_id = "register_mark_as_resolved_webhook",
    tag = "Configuration",
    summary = "Register the webhook for resolved conversations",
    request_body = WebhookFields,
    responses((status = 200, description = "Done", body = Data<AppShape<'static>>)),
)]
pub(crate) async fn register_resolved(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wish = read_webhook(body.fields(), EventKind::Resolved)?;
    vet(&services, &wish)?;
    services.decide(&caller.app, RegisterHook { wish }.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

#[utoipa::path(
    post,
    path = "/api/v1/app/webhook/agent_allocation",
    operation_id = "register_agent_allocation_webhook",
    tag = "Configuration",
    summary = "Register the webhook that selects an agent",
    request_body = WebhookFields,
    responses((status = 200, description = "Done", body = Data<AppShape<'static>>)),
)]
pub(crate) async fn register_allocation(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wish = read_webhook(body.fields(), EventKind::AgentAllocation)?;
    vet(&services, &wish)?;
    services.decide(&caller.app, RegisterHook { wish }.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

#[utoipa::path(
    post,
    path = "/api/v2/app/config/new_session_webhook",
    operation_id = "register_new_session_webhook",
    tag = "Configuration",
    summary = "Register the webhook for new sessions",
    request_body = ConfigHookFields,
    responses((status = 200, description = "Done", body = Data<Configs>)),
)]
pub(crate) async fn register_new_session(
    State(services): State<Services>,
    caller: KeyCaller,
    body: OmnichannelBody,
) -> Answer {
    let wish = read_config_hook(body.fields(), EventKind::NewSession)?;
    vet(&services, &wish)?;
    services.decide(&caller.app, RegisterHook { wish }.on_right(None)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(new_session_configs(set.shown(&caller.app, false)))
}

#[utoipa::path(
    post,
    path = "/api/v2/app/config/auth_webhook",
    operation_id = "register_auth_webhook",
    tag = "Configuration",
    summary = "Register the webhook for logouts",
    request_body = ConfigHookFields,
    responses((status = 200, description = "Done", body = Data<Configs>)),
)]
pub(crate) async fn register_logout(
    State(services): State<Services>,
    caller: AgentCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = Some(caller.must_be(&[Role::Admin])?);
    let wish = read_config_hook(body.fields(), EventKind::LoggedOut)?;
    vet(&services, &wish)?;
    services.decide(&caller.app, RegisterHook { wish }.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(auth_configs(set.shown(&caller.app, false)))
}

#[utoipa::path(
    get,
    path = "/api/v2/admin/webhook_config",
    operation_id = "get_webhook_config",
    tag = "Configuration",
    summary = "List the registered webhooks",
    responses((status = 200, description = "Done", body = Data<WebhookConfigs<'static>>)),
)]
pub(crate) async fn list(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(webhook_configs(set.shown(&caller.app, false)))
}

/// Fails if webhooks cannot be sent to the requested URL. An empty URL is valid.
pub(crate) fn vet(services: &Services, wish: &WebhookUpdate) -> Result<(), Refusal> {
    let Some(url) = wish.url.as_deref().filter(|url| !url.is_empty()) else { return Ok(()) };
    targets::check(services, wish.url_field, url)
}
