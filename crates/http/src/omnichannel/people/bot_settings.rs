//! The bot of an app (wire facts 5.2).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::support::configuring::RegisterHook;
use confab_domain::support::configuring::SetSettings;
use confab_domain::support::configuring::SwitchHook;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event_kind::EventKind;
use confab_wire::omnichannel_api::people::apps::{AppBox, AppShape};
use confab_wire::omnichannel_api::people::configs::{
    ActivationFields, BotFields, BotShape, ForceSendFields, bot, read_activation, read_bot,
    read_force_send,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::people::settings::AppSettings;
use crate::omnichannel::people::webhook_settings::vet;
use crate::requests::access::Admins;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Register the bot webhook
    POST "/api/v1/app/bot/integrate" integrate_bot = integrate [403 404];
    /// Get the settings of the bot
    GET "/api/v1/app/bot" get_bot = load [403];
    /// Switch the bot webhook on or off
    POST "/api/v1/app/bot/activation" activate_app_bot = activate [403 404];
    /// Set whether the bot receives every message, even while an agent is assigned
    POST "/api/v2/app/bot/force_send" force_send_bot = force_send [403];
}

async fn integrate(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<BotFields>,
) -> Answer<Data<AppBox<'static>>> {
    let wish = read_bot(body.fields())?;
    vet(&services, &wish)?;
    services.decisions().decide(&caller, RegisterHook { wish }).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(AppBox { app: set.shown(&caller.app, true).shape() })
}

async fn load(
    State(services): State<Services>,
    caller: By<Admins>,
) -> Answer<Data<BotShape<'static>>> {
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}

async fn activate(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<ActivationFields>,
) -> Answer<Data<AppShape<'static>>> {
    let is_active = read_activation(body.fields())?;
    let rule = SwitchHook { kind: EventKind::Bot, is_enabled: is_active };
    services.decisions().decide(&caller, rule).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

async fn force_send(
    State(services): State<Services>,
    caller: By<Admins>,
    body: OmnichannelBody<ForceSendFields>,
) -> Answer<Data<BotShape<'static>>> {
    let is_on = read_force_send(body.fields())?;
    let rule = SetSettings::switch(Settings::FORCES_BOT, is_on);
    services.decisions().decide(&caller, rule).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}
