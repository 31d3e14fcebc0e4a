//! Channels of messengers' services (channel facts 2, D-0153).
//!
//! - `POST /api/v2/telegram/connect`, `POST /api/v2/telegram/connect/{id}/update` and `.../delete`
//! - `GET /api/v2/telegram/{id}`, `GET /api/v3/admin/channel/telegram`
//! - `GET /api/v2/channels/{id}/health`, `POST /api/v2/channels/{id}/check`
//! - `POST /api/v2/channels/{id}/events`

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting_services::{ChangeService, DisconnectService};
use confab_domain::channels::service_account::ServiceAccount;
use confab_domain::decision::rule::Rule;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::refusal::Refusal;
use confab_domain::service::auto_reply::AutoReplies;
use confab_domain::service::auto_replying::SetChannelReplies;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_store::StoreError;
use confab_wire::channels::{self as adapters, Provider};
use confab_wire::omnichannel_api::channels::email::played_mail;
use confab_wire::omnichannel_api::channels::services::{
    self as wire, ChannelCondition, ConditionBox, PlayedBox, PlayedEvent, TelegramBox,
    TelegramList, WantedService,
};
use confab_wire::omnichannel_api::channels::whatsapp::whatsapp_webhook;
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::webhook_api::Data;

use super::channels::channel_of_path;
use super::service_accounts::Accounts;
use crate::actions::{self, ServiceRefused};
use crate::channels::linked::{GROUP_NOTE, LinkedChannel, UNKNOWN_NUMBER_NOTE, hook_url};
use crate::clock;
use crate::http::answer::{Answer, data, paged};
use crate::http::bodies::{OmniBody, RequestQuery};
use crate::http::callers::OmniCaller;
use crate::http::problem::Problem;
use crate::services::Services;

const NO_APP_SECRET: &str =
    "The secret of the Meta app is not known, so nothing comes in: give it as app_secret.";
const NOT_REACHED: &str =
    "public_url is no https address that Meta can reach, so nothing comes in.";

#[utoipa::path(
    post,
    path = "/api/v2/telegram/connect",
    operation_id = "connect_telegram",
    tag = "Channels",
    summary = "Connect a bot of Telegram",
    request_body = wire::ConnectTelegramFields,
    responses((status = 200, description = "Done", body = Data<TelegramBox<'static>>)),
)]
pub(crate) async fn connect(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let wanted = wire::read_new_telegram(body.fields())?;
    let (app, kind) = (&caller.app, ChannelKind::Telegram);
    let connecting =
        actions::connect_service(&services, app, kind, wanted.name, wanted.account, by.clone());
    let channel = connecting.await?;
    set_replies(&services, &caller, channel.id, wanted.auto_replies).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/telegram/connect/{id}/update",
    operation_id = "change_telegram",
    tag = "Channels",
    summary = "Change a bot's channel, replace its token, switch it off or on",
    params(("id" = i64, Path, description = "The channel")),
    request_body = wire::ChangeTelegramFields,
    responses((status = 200, description = "Done", body = Data<TelegramBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let before = found(&services, caller.app.id, &id, Some(ChannelKind::Telegram)).await?;
    let wanted = wire::read_telegram(body.fields())?;
    let channel = changed(&services, &caller, by, &before, wanted).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/telegram/connect/{id}/delete",
    operation_id = "delete_telegram",
    tag = "Channels",
    summary = "Delete a bot's channel and its token; its rooms stay",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<TelegramBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(ChannelKind::Telegram)).await?;
    let (gone, account) = deleted(&services, &caller, by, &channel).await?;
    data(wire::telegram_box(wire::service_record(&gone, &account, None)))
}

#[utoipa::path(
    get,
    path = "/api/v2/telegram/{id}",
    operation_id = "load_telegram",
    tag = "Channels",
    summary = "Show a bot's channel",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<TelegramBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(ChannelKind::Telegram)).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    get,
    path = "/api/v3/admin/channel/telegram",
    operation_id = "list_telegram",
    tag = "Channels",
    summary = "List the channels of bots",
    params(wire::ServiceListFields),
    responses((status = 200, description = "Done", body = DataPage<TelegramList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let wanted = wire::read_service_page(&query.fields()?)?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(&services, &channels).await?;
    let records = accounts.telegram(&services);
    paged(wire::telegram_page(records, wanted))
}

#[utoipa::path(
    get,
    path = "/api/v2/channels/{id}/health",
    operation_id = "channel_health",
    tag = "Channels",
    summary = "Show how a channel of a service is, and what to do about it",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<ConditionBox<'static>>)),
)]
pub(crate) async fn load_health(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, None).await?;
    condition(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/channels/{id}/check",
    operation_id = "check_channel",
    tag = "Channels",
    summary = "Ask the service now how a channel is",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<ConditionBox<'static>>)),
)]
pub(crate) async fn check(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, None).await?;
    let linked = LinkedChannel::load(&services, channel.id).await?;
    if let Some(linked) = linked.filter(|it| !it.is_printed()) {
        drop(linked.checked(&services).await);
    }
    condition(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/channels/{id}/events",
    operation_id = "play_channel_event",
    tag = "Channels",
    summary = "Have a channel told something, as its service would",
    params(("id" = i64, Path, description = "The channel")),
    request_body = wire::PlayEventFields,
    responses((status = 200, description = "Done", body = Data<PlayedBox>)),
)]
pub(crate) async fn play(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, None).await?;
    let linked = LinkedChannel::load(&services, channel.id).await?;
    let linked = linked.ok_or(Refusal::ChannelNotFound(channel.id.0))?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    let told_body = match wire::read_played(body.fields())? {
        // A recorded mail is what the mailbox would hold.
        PlayedEvent::Body(body) if linked.provider == Provider::Email => mail_event(&linked, &body),
        PlayedEvent::Body(body) => body,
        PlayedEvent::Said { from, text } => {
            let now = clock::now();
            match linked.provider {
                Provider::Email => mail_event(&linked, &played_mail(&from, &text, now.0)),
                Provider::Whatsapp => {
                    let number = linked.account.setting("phone_number_id");
                    whatsapp_webhook(number, &from, &text, now.0, now)
                }
                _ => wire::telegram_update(&from, &text, now.0 / 1_000, now),
            }
        }
    };
    let read = adapters::read(linked.provider, told_body.as_bytes());
    let events = read.map_err(|why| Refusal::from(FieldProblem::new("body", why.0)))?;
    data(PlayedBox { events: linked.keep(&services, events).await? })
}

/// What is stored of a mail; text that is none is refused by who reads it.
fn mail_event(linked: &LinkedChannel, mail: &str) -> String {
    let own = linked.account.setting("address");
    let event = adapters::email::digest(mail.as_bytes(), "", own);
    event.map_or_else(String::new, |it| it.as_str().to_owned())
}

/// A channel of a service that the app has, of this kind if one is given.
pub(super) async fn found(
    services: &Services,
    app: AppId,
    id: &str,
    kind: Option<ChannelKind>,
) -> Result<Channel, Problem> {
    let id = channel_of_path(id)?;
    let channel = services.store().service_channel(id).await?;
    let is_it = |it: &Channel| it.app == app && kind.is_none_or(|kind| it.kind == kind);
    channel.filter(is_it).ok_or_else(|| Refusal::ChannelNotFound(id.0).into())
}

/// The channel as it is wanted, with what customers are told by itself.
pub(super) async fn changed(
    services: &Services,
    caller: &OmniCaller,
    by: Option<Right>,
    before: &Channel,
    wanted: WantedService,
) -> Result<Channel, Problem> {
    let WantedService { name, is_active, account, auto_replies } = wanted;
    let change = ChangeService { channel: before.id, name, is_active, account };
    let channel = actions::replace_secrets(services, &caller.app, before, change, by).await?;
    set_replies(services, caller, channel.id, auto_replies).await?;
    Ok(channel)
}

/// The channel as it is once it is deleted, and the account that it led to.
pub(super) async fn deleted(
    services: &Services,
    caller: &OmniCaller,
    by: Option<Right>,
    channel: &Channel,
) -> Result<(Channel, ServiceAccount), Problem> {
    let account = services.store().service_account(channel.id).await?;
    let rule = DisconnectService { channel: channel.id }.on_right(by);
    let gone = services.decide(&caller.app, rule).await?;
    services.wake_channels();
    Ok((gone, account))
}

pub(super) async fn set_replies(
    services: &Services,
    caller: &OmniCaller,
    channel: ChannelId,
    auto_replies: Option<AutoReplies>,
) -> Result<(), Problem> {
    let Some(auto_replies) = auto_replies else { return Ok(()) };
    let by = caller.must_be(&[Role::Admin])?;
    let rule = SetChannelReplies { channel, auto_replies };
    services.decide(&caller.app, rule.on_right(by)).await?;
    Ok(())
}

async fn shown(services: &Services, channel: &Channel) -> Answer {
    let accounts = Accounts::load(services, std::slice::from_ref(channel)).await?;
    let record = accounts.telegram(services).pop();
    let record = record.ok_or(Refusal::ChannelNotFound(channel.id.0))?;
    data(wire::telegram_box(record))
}

async fn condition(services: &Services, channel: &Channel) -> Answer {
    let (store, id) = (services.store(), channel.id);
    let health = store.service_health(id).await?;
    let account = store.service_account(id).await?;
    let linked = LinkedChannel::load(services, id).await?;
    let way = match linked {
        Some(linked) if linked.is_printed() => "printed",
        Some(linked) if linked.provider == Provider::Email => "imap",
        Some(linked) if linked.provider != Provider::Telegram => "webhook",
        Some(linked) if linked.hook_url(services.config()).is_some() => "webhook",
        _ => "polling",
    };
    let mut notes = vec![account.setting(GROUP_NOTE), account.setting(UNKNOWN_NUMBER_NOTE)];
    if channel.kind == ChannelKind::WhatsApp {
        notes.push(if account.secret("app_secret").is_empty() { NO_APP_SECRET } else { "" });
        let is_reached = hook_url(services.config(), channel).is_some();
        notes.push(if is_reached || way == "printed" { "" } else { NOT_REACHED });
    }
    notes.retain(|it| !it.is_empty());
    data(wire::channel_condition(ChannelCondition {
        channel,
        health: health.as_ref(),
        way,
        last_event_at: store.last_through(id, false).await?,
        last_sent_at: store.last_through(id, true).await?,
        waiting: waiting(services, channel).await?,
        notes,
    }))
}

/// How much of what is said to the channel's customers was not sent yet.
async fn waiting(services: &Services, channel: &Channel) -> Result<u64, StoreError> {
    let (store, name) = (services.store(), channel.id.to_string());
    let endpoints = store.endpoints(channel.app).await?;
    let send = endpoints.iter().find(|it| it.kind == NoticeKind::ChannelSend && it.name == name);
    let backlogs = store.backlogs(channel.app).await?;
    let backlog = backlogs.iter().find(|it| send.is_some_and(|send| send.id == it.endpoint));
    Ok(backlog.map_or(0, |it| it.waiting))
}

impl From<ServiceRefused> for Problem {
    fn from(refused: ServiceRefused) -> Self {
        match refused {
            ServiceRefused::Unauthorized { field, why } => {
                Refusal::from(FieldProblem::new(field, format!("is not good: {why}"))).into()
            }
            ServiceRefused::Unreachable(why) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "service_unreachable", why).retry_after(30)
            }
            ServiceRefused::Write(error) => error.into(),
        }
    }
}
