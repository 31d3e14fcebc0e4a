//! Registration of the specification's webhooks (spec 4.2, wire facts 5.2). The bot's webhook is in
//! `bot_settings`.

use axum::extract::State;
use confab_app::services::Services;
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

use crate::calls::calls;
use crate::omnichannel::people::settings::AppSettings;
use crate::requests::access::Admins;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::{AgentCaller, By, KeyCaller};
use crate::requests::targets;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Register the webhook for resolved conversations
    POST "/api/v1/app/webhook/mark_as_resolved"
        register_mark_as_resolved_webhook = register_resolved [403 404];
    /// Register the webhook that selects an agent
    POST "/api/v1/app/webhook/agent_allocation"
        register_agent_allocation_webhook = register_allocation [403 404];
    /// Register the webhook for new sessions
    POST "/api/v2/app/config/new_session_webhook"
        register_new_session_webhook = register_new_session [404];
    /// Register the webhook for logouts
    POST "/api/v2/app/config/auth_webhook" register_auth_webhook = register_logout [403 404];
    /// List the registered webhooks
    GET "/api/v2/admin/webhook_config" get_webhook_config = list [403];
}

async fn register_resolved(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<WebhookFields>,
) -> Answer<Data<AppShape<'static>>> {
    let wish = read_webhook(body.fields(), EventKind::Resolved)?;
    vet(&services, &wish)?;
    services.decisions().decide(&caller, RegisterHook { wish }).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

async fn register_allocation(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<WebhookFields>,
) -> Answer<Data<AppShape<'static>>> {
    let wish = read_webhook(body.fields(), EventKind::AgentAllocation)?;
    vet(&services, &wish)?;
    services.decisions().decide(&caller, RegisterHook { wish }).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

async fn register_new_session(
    State(services): State<Services>,
    caller: KeyCaller,
    body: OmnichannelBody<ConfigHookFields>,
) -> Answer<Data<Configs>> {
    let wish = read_config_hook(body.fields(), EventKind::NewSession)?;
    vet(&services, &wish)?;
    services.decisions().decide(&caller, RegisterHook { wish }).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(new_session_configs(set.shown(&caller.app, false)))
}

async fn register_logout(
    State(services): State<Services>,
    caller: AgentCaller<Admins>,
    body: OmnichannelBody<ConfigHookFields>,
) -> Answer<Data<Configs>> {
    let wish = read_config_hook(body.fields(), EventKind::LoggedOut)?;
    vet(&services, &wish)?;
    services.decisions().decide(&caller, RegisterHook { wish }).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(auth_configs(set.shown(&caller.app, false)))
}

async fn list(
    State(services): State<Services>,
    caller: By<Admins>,
) -> Answer<Data<WebhookConfigs<'static>>> {
    let set = AppSettings::load(&services, &caller.app).await?;
    data(webhook_configs(set.shown(&caller.app, false)))
}

/// Fails if webhooks cannot be sent to the requested URL. An empty URL is valid.
pub(crate) fn vet(services: &Services, wish: &WebhookUpdate) -> Result<(), Refusal> {
    let Some(url) = wish.url.as_deref().filter(|url| !url.is_empty()) else { return Ok(()) };
    targets::check(services, wish.url_field, url)
}
