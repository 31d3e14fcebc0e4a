//! The bot of an app (wire facts 5.2).
//!
//! - `POST /api/v1/app/bot/integrate`, `GET /api/v1/app/bot`
//! - `POST /api/v1/app/bot/activation`
//! - `POST /api/v2/app/bot/force_send`

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::rule::Rule;
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

use crate::omnichannel::people::settings::AppSettings;
use crate::omnichannel::people::webhook_settings::vet;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    post,
    path = "/api/v1/app/bot/integrate",
    operation_id = "integrate_bot",
    tag = "Configuration",
    summary = "Register the bot webhook",
    request_body = BotFields,
    responses((status = 200, description = "Done", body = Data<AppBox<'static>>)),
)]
pub(crate) async fn integrate(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wish = read_bot(body.fields())?;
    vet(&services, &wish)?;
    services.decide(&caller.app, RegisterHook { wish }.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(AppBox { app: set.shown(&caller.app, true).shape() })
}

#[utoipa::path(
    get,
    path = "/api/v1/app/bot",
    operation_id = "get_bot",
    tag = "Configuration",
    summary = "Get the settings of the bot",
    responses((status = 200, description = "Done", body = Data<BotShape<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}

#[utoipa::path(
    post,
    path = "/api/v1/app/bot/activation",
    operation_id = "activate_app_bot",
    tag = "Configuration",
    summary = "Switch the bot webhook on or off",
    request_body = ActivationFields,
    responses((status = 200, description = "Done", body = Data<AppShape<'static>>)),
)]
pub(crate) async fn activate(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_active = read_activation(body.fields())?;
    let rule = SwitchHook { kind: EventKind::Bot, is_enabled: is_active };
    services.decide(&caller.app, rule.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(set.shown(&caller.app, true).shape())
}

#[utoipa::path(
    post,
    path = "/api/v2/app/bot/force_send",
    operation_id = "force_send_bot",
    tag = "Configuration",
    summary = "Set whether the bot receives every message, even while an agent is assigned",
    request_body = ForceSendFields,
    responses((status = 200, description = "Done", body = Data<BotShape<'static>>)),
)]
pub(crate) async fn force_send(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let is_on = read_force_send(body.fields())?;
    let rule = SetSettings::switch(Settings::FORCES_BOT, is_on);
    services.decide(&caller.app, rule.on_right(by)).await?;
    let set = AppSettings::load(&services, &caller.app).await?;
    data(bot(set.shown(&caller.app, false)))
}
