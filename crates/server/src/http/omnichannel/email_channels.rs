//! Channels of e-mail (channel facts 2 and 4.4, D-0160).
//!
//! - `POST /api/v2/email/connect`, `POST /api/v2/email/connect/{id}/update` and `.../delete`
//! - `GET /api/v2/email/{id}`, `GET /api/v3/admin/channel/email`

use axum::extract::{Path, State};
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::channels::email::{self as wire, EmailBox, EmailList};
use confab_wire::omnichannel_api::channels::services::{
    ServiceListFields, WantedService, read_service_page,
};
use confab_wire::omnichannel_api::service::DataPage;
use confab_wire::webhook_api::Data;

use super::service_accounts::Accounts;
use super::service_channels::{changed, deleted, found, set_replies};
use crate::actions;
use crate::http::answer::{Answer, data, paged};
use crate::http::bodies::{OmniBody, RequestQuery};
use crate::http::callers::OmniCaller;
use crate::services::Services;

const KIND: ChannelKind = ChannelKind::Email;

#[utoipa::path(
    post,
    path = "/api/v2/email/connect",
    operation_id = "connect_email",
    tag = "Channels",
    summary = "Connect a mailbox",
    request_body = wire::ConnectEmailFields,
    responses((status = 200, description = "Done", body = Data<EmailBox<'static>>)),
)]
pub(crate) async fn connect(
    State(services): State<Services>,
    caller: OmniCaller,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let WantedService { name, account, auto_replies, .. } = wire::read_new_email(body.fields())?;
    let channel = actions::connect_service(&services, &caller.app, KIND, name, account, by).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/email/connect/{id}/update",
    operation_id = "change_email",
    tag = "Channels",
    summary = "Change a mailbox's channel, replace its password, switch it off or on",
    params(("id" = i64, Path, description = "The channel")),
    request_body = wire::ChangeEmailFields,
    responses((status = 200, description = "Done", body = Data<EmailBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let before = found(&services, caller.app.id, &id, Some(KIND)).await?;
    let wanted = wire::read_email(body.fields())?;
    let channel = changed(&services, &caller, by, &before, wanted).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    post,
    path = "/api/v2/email/connect/{id}/delete",
    operation_id = "delete_email",
    tag = "Channels",
    summary = "Delete a mailbox's channel and its password; its rooms and its mails stay",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<EmailBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(KIND)).await?;
    let (gone, account) = deleted(&services, &caller, by, &channel).await?;
    data(wire::email_box(wire::email_record(&gone, &account)))
}

#[utoipa::path(
    get,
    path = "/api/v2/email/{id}",
    operation_id = "load_email",
    tag = "Channels",
    summary = "Show a mailbox's channel",
    params(("id" = i64, Path, description = "The channel")),
    responses((status = 200, description = "Done", body = Data<EmailBox<'static>>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(KIND)).await?;
    shown(&services, &channel).await
}

#[utoipa::path(
    get,
    path = "/api/v3/admin/channel/email",
    operation_id = "list_email",
    tag = "Channels",
    summary = "List the channels of e-mail",
    params(ServiceListFields),
    responses((status = 200, description = "Done", body = DataPage<EmailList<'static>>)),
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
    paged(wire::email_page(accounts.email(), wanted))
}

async fn shown(services: &Services, channel: &Channel) -> Answer {
    let accounts = Accounts::load(services, std::slice::from_ref(channel)).await?;
    let record = accounts.email().pop().ok_or(Refusal::ChannelNotFound(channel.id.0))?;
    data(wire::email_box(record))
}
