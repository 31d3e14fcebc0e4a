//! Settings of an app, as the specification groups them (spec 4.2, wire facts 5.4).

use std::sync::Arc;

use axum::extract::State;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::ids::ChannelId;
use confab_domain::support::configuring::SetSettings;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::channels::instagram::STORY_MENTION_ENABLED;
use confab_wire::omnichannel_api::people::apps::ShownApp;
use confab_wire::omnichannel_api::people::configs::{
    AllocationFields, Configs, ConfigsFields, SecurityFields, Sessional, SessionalFields, Takeover,
    TakeoverFields, all_configs, allocation_configs, read_allocation, read_configs, read_security,
    read_sessional, read_takeover, security_configs, sessional, takeover,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Admins, Everyone};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::{By, KeyCaller};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Get the app's settings
    GET "/api/v2/app/configs" get_configs = load;
    /// Set whether a resolved customer who writes again gets a new room
    POST "/api/v1/admin/service/set_sessional" set_sessional = set_sessional [403];
    /// Get whether a resolved customer who writes again gets a new room
    GET "/api/v1/admin/service/get_sessional" get_sessional = load_sessional;
    /// Get whether agents may take over waiting customers
    GET "/api/v1/app/config/agent_takeover" get_agent_takeover = load_takeover;
    /// Set whether agents may take over waiting customers
    POST "/api/v1/app/config/agent_takeover" set_agent_takeover = set_takeover [403];
    /// Set the limits of automatic agent assignment, and switch it on or off
    POST "/api/v2/app/config/agent_allocation" set_agent_allocation = set_allocation [403];
    /// Set the proof that widget visitors need, and the permissions of clients
    POST "/api/v2/app/config/security" set_security = set_security [403];
}

async fn load(
    State(services): State<Services>,
    caller: KeyCaller,
    query: RequestQuery<ConfigsFields>,
) -> Answer<Data<Configs>> {
    let shows_all = read_configs(&query.fields()?)?;
    let set = AppSettings::load(&services, &caller.app).await?;
    let channels = services.store().channels(caller.app.id).await?;
    let is_whatsapp = |it: &Channel| it.kind == ChannelKind::WhatsApp && it.is_active;
    let has_whatsapp = channels.iter().any(is_whatsapp);
    let stories = stories(services.store(), &channels).await?;
    let shown = set.shown(&caller.app, false);
    data(all_configs(shown, shows_all, has_whatsapp).with_stories(stories))
}

/// Returns for each Instagram channel whether stories that mention the business are posted as
/// messages.
async fn stories(
    store: &Store,
    channels: &[Channel],
) -> Result<Vec<(ChannelId, bool)>, StoreError> {
    let mut found = Vec::new();
    for channel in channels {
        if channel.kind == ChannelKind::Instagram {
            let account = store.service_account(channel.id).await?;
            found.push((channel.id, account.setting(STORY_MENTION_ENABLED) != "false"));
        }
    }
    Ok(found)
}

async fn set_sessional(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<SessionalFields>,
) -> Answer<Data<Sessional>> {
    let is_on = read_sessional(body.fields())?;
    let rule = SetSettings::switch(Settings::IS_SESSIONAL, is_on);
    data(sessional(&decisions.decide(&caller, rule).await?))
}

async fn load_sessional(Part(store): Part<Store>, caller: By<Everyone>) -> Answer<Data<Sessional>> {
    data(sessional(&store.settings(caller.app.id).await?))
}

async fn load_takeover(Part(store): Part<Store>, caller: By<Everyone>) -> Answer<Data<Takeover>> {
    data(takeover(&store.settings(caller.app.id).await?))
}

async fn set_takeover(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<TakeoverFields>,
) -> Answer<Data<Takeover>> {
    let is_on = read_takeover(body.fields())?;
    let rule = SetSettings::switch(Settings::TAKEOVER, is_on);
    data(takeover(&decisions.decide(&caller, rule).await?))
}

async fn set_allocation(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<AllocationFields>,
) -> Answer<Data<Configs>> {
    let wanted = read_allocation(body.fields())?;
    let rule = SetSettings { wanted };
    data(allocation_configs(&decisions.decide(&caller, rule).await?))
}

async fn set_security(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<SecurityFields>,
) -> Answer<Data<Configs>> {
    let wanted = read_security(body.fields())?;
    let rule = SetSettings { wanted };
    data(security_configs(&decisions.decide(&caller, rule).await?))
}

/// The endpoints and settings of an app, which are rendered in its configuration.
pub(crate) struct AppSettings {
    endpoints: Vec<Endpoint>,
    settings: Settings,
    pushes: bool,
}

impl AppSettings {
    pub(crate) async fn load(services: &Services, app: &Arc<App>) -> Result<Self, StoreError> {
        let endpoints = services.store().endpoints(app.id).await?;
        let settings = services.store().settings(app.id).await?;
        Ok(Self { endpoints, settings, pushes: services.config().apns.is_some() })
    }

    pub(crate) fn shown<'a>(&'a self, app: &'a App, shows_key: bool) -> ShownApp<'a> {
        let Self { endpoints, settings, pushes } = self;
        ShownApp { app, endpoints, settings, shows_key, pushes: *pushes }
    }
}
