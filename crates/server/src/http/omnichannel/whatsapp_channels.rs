//! Channels of WhatsApp's Cloud API (channel facts 2 and 3, D-0153).
//!
//! - `POST /api/v2/wa/connect`, `POST /api/v2/wa/connect/{id}/update` and `.../delete`
//! - `GET /api/v2/wa/{id}`, `GET /api/v3/admin/channel/wa`

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::channels::services::{
    ServiceListFields, WantedService, read_service_page,
};
use confab_wire::omnichannel_api::channels::whatsapp::{self as wire, WhatsappBox, WhatsappList};
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::webhook_api::Data;

use super::service_accounts::Accounts;
use super::service_channels::{changed, deleted, found, set_replies};
use crate::actions;
use crate::http::answer::{Answer, data, paged};
use crate::http::bodies::{OmniBody, RequestQuery};
use crate::http::callers::OmniCaller;
use crate::services::Services;

const KIND: ChannelKind = ChannelKind::WhatsApp;
const VERIFY_TOKEN: &str = "verify_token";

#[utoipa::path(
    post,
    path = "/api/v2/wa/connect",
    operation_id = "connect_whatsapp",
    tag = "Channels",
    summary = "Connect a number of WhatsApp",
    request_body = wire::ConnectWhatsappFields,
    responses((status = 200, description = "Done; a verify token that was made is shown this once",
        body = Data<WhatsappBox<'static>>)),
)]
pub(crate) async fn connect(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let WantedService { name, account, auto_replies, .. } = wire::read_new_whatsapp(body.fields())?;
    let is_made = account.secret(VERIFY_TOKEN).is_empty();
    let channel = actions::connect_service(&services, &caller.app, KIND, name, account, by).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel, is_made).await
}

#[utoipa::path(
    post,
    path = "/api/v2/wa/connect/{id}/update",
    operation_id = "change_whatsapp",
    tag = "Channels",
    summary = "Change a number's channel, replace its token, switch it off or on",
    params(("id" = i64, Path, description = "The channel")),
    request_body = wire::ChangeWhatsappFields,
    responses((status = 200, description = "Done", body = Data<WhatsappBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let before = found(&services, caller.app.id, &id, Some(KIND)).await?;
    let wanted = wire::read_whatsapp(body.fields())?;
    let channel = changed(&services, &caller, by, &before, wanted).await?;
    shown(&services, &channel, false).await
}

#[utoipa::path(
    post,
    path = "/api/v2/wa/connect/{id}/delete",
    operation_id = "delete_whatsapp",
    tag = "Channels",
    summary = "Delete a number's channel and its token; its rooms stay",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<WhatsappBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(KIND)).await?;
    let (gone, account) = deleted(&services, &caller, by, &channel).await?;
    let base_url = &services.config().whatsapp_api_url;
    data(wire::whatsapp_box(wire::whatsapp_record(&gone, &account, None, base_url)))
}

#[utoipa::path(
    get,
    path = "/api/v2/wa/{id}",
    operation_id = "load_whatsapp",
    tag = "Channels",
    summary = "Show a number's channel",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<WhatsappBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(KIND)).await?;
    shown(&services, &channel, false).await
}

#[utoipa::path(
    get,
    path = "/api/v3/admin/channel/wa",
    operation_id = "list_whatsapp",
    tag = "Channels",
    summary = "List the channels of WhatsApp",
    params(ServiceListFields),
    responses((status = 200, description = "Done", body = DataPage<WhatsappList<'static>>)),
)]
pub(crate) async fn list(
    State(services): State<Services>,
    caller: OmniCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let wanted = read_service_page(&query.fields()?)?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(&services, &channels).await?;
    paged(wire::whatsapp_page(accounts.whatsapp(&services), wanted))
}

/// The channel. Who connects it must tell Meta the verify token that was made: they are shown it.
async fn shown(services: &Services, channel: &Channel, tells_token: bool) -> Answer {
    let accounts = Accounts::load(services, std::slice::from_ref(channel)).await?;
    let record = accounts.whatsapp(services).pop();
    let record = record.ok_or(Refusal::ChannelNotFound(channel.id.0))?;
    let record = match tells_token {
        true => {
            let account = services.store().service_account(channel.id).await?;
            record.telling(account.secret(VERIFY_TOKEN))
        }
        false => record,
    };
    data(wire::whatsapp_box(record))
}
