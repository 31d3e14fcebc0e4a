//! Calls in the format of WhatsApp's own API, authenticated by the app's key instead of Meta's
//! token (channel facts 2, D-0155).
//!
//! - `POST /whatsapp/v1/{app_code}/{channel_id}/messages`, also with a trailing slash
//! - `GET /whatsapp/v1/{app_code}/{channel_id}/messages/{message_id}`
//! - `GET /whatsapp/v1/{app_code}/{channel_id}/media/{media_id}`

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use confab_app::actions::{self, DirectAnswer};
use confab_app::channels::linked::LinkedChannel;
use confab_app::channels::media::{NoMedia, OpenedMedia};
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::channels::channel::ChannelKind;
use confab_domain::field_problem::FieldProblem;
use confab_domain::refusal::Refusal;
use confab_providers::whatsapp;
use confab_wire::omnichannel_api::channels::whatsapp_messages::{
    TakenMessages, WhatsappMessage, WhatsappStatus, whatsapp_status,
};
use futures_util::stream;

use crate::omnichannel::providers::provider_calls::found;
use crate::requests::callers::KeyCaller;
use crate::responses::answer::Answer;
use crate::responses::json::{json, json_bytes};
use crate::responses::problem::Problem;

#[utoipa::path(
    post,
    path = "/whatsapp/v1/{app_code}/{channel_id}/messages",
    operation_id = "send_whatsapp_message",
    tag = "Channels",
    summary = "Send a WhatsApp message, such as a template, directly and outside of rooms",
    params(
        ("app_code" = String, Path, description = "App code"),
        ("channel_id" = i64, Path, description = "Channel id"),
    ),
    request_body = WhatsappMessage,
    responses((status = 200, description = "Response of WhatsApp", body = TakenMessages)),
)]
pub(crate) async fn send(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    let linked = linked(&services, &caller.app, &code, &id).await?;
    let step = whatsapp::direct_message(&body, &linked.credentials);
    let step = step.map_err(|why| Refusal::from(FieldProblem::new("body", why.0)))?;
    match actions::send_directly(&services, &linked, &step).await {
        DirectAnswer::Taken(body) => Ok(json_bytes(StatusCode::OK, body)),
        DirectAnswer::Refused { status, body } => Err(refused(&linked, status, &body)),
        DirectAnswer::Unreachable => Err(unreachable()),
        DirectAnswer::Unknown => {
            let message = "WhatsApp did not respond, so it is unknown whether the message was \
                sent. Wait for a status of the message before you send it again: it may arrive \
                twice.";
            Err(Problem::new(StatusCode::GATEWAY_TIMEOUT, "unknown_outcome", message))
        }
    }
}

#[utoipa::path(
    get,
    path = "/whatsapp/v1/{app_code}/{channel_id}/messages/{message_id}",
    operation_id = "load_whatsapp_message",
    tag = "Channels",
    summary = "Get the delivery state of a directly sent message, for 30 days",
    params(
        ("app_code" = String, Path, description = "App code"),
        ("channel_id" = i64, Path, description = "Channel id"),
        ("message_id" = String, Path, description = "Message id at WhatsApp"),
    ),
    responses((status = 200, description = "Done", body = WhatsappStatus<'static>)),
)]
pub(crate) async fn load(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id, message)): Path<(String, String, String)>,
) -> Answer {
    let linked = linked(&services, &caller.app, &code, &id).await?;
    let sent = services.store().direct_send(linked.channel.id, &message).await?;
    match sent {
        Some(sent) => Ok(json(StatusCode::OK, &whatsapp_status(&sent))),
        None => {
            let message = "No message with this id was sent directly through the channel.";
            Err(Problem::new(StatusCode::NOT_FOUND, "message_not_found", message))
        }
    }
}

#[utoipa::path(
    get,
    path = "/whatsapp/v1/{app_code}/{channel_id}/media/{media_id}",
    operation_id = "load_whatsapp_media",
    tag = "Channels",
    summary = "Download a file from WhatsApp",
    params(
        ("app_code" = String, Path, description = "App code"),
        ("channel_id" = i64, Path, description = "Channel id"),
        ("media_id" = String, Path, description = "Media id at WhatsApp"),
    ),
    responses((status = 200, description = "The file itself",
        content_type = "application/octet-stream", body = Vec<u8>)),
)]
pub(crate) async fn load_media(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id, media)): Path<(String, String, String)>,
) -> Answer {
    let linked = linked(&services, &caller.app, &code, &id).await?;
    let opened = match linked.open_media(&services, &media).await {
        Ok(opened) => opened,
        Err(NoMedia::Unknown) => {
            let message = "WhatsApp has no file with this id. Use the id of a recent message.";
            return Err(Problem::new(StatusCode::NOT_FOUND, "media_not_found", message));
        }
        Err(NoMedia::Refused { status, body }) => return Err(refused(&linked, status, &body)),
        Err(NoMedia::NotNow) => return Err(unreachable()),
    };
    let headers = [
        (header::CONTENT_TYPE, opened.mime_type.clone()),
        // Never show the file as a page of this server.
        (header::CONTENT_DISPOSITION, "attachment".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    let body = Body::from_stream(stream::try_unfold(opened, OpenedMedia::next));
    Ok((headers, body).into_response())
}

/// Loads an active WhatsApp channel of the app that made the request. Fails if the path names
/// another app.
async fn linked(
    services: &Services,
    app: &App,
    code: &str,
    id: &str,
) -> Result<LinkedChannel, Problem> {
    let channel = found(services, app.id, id, Some(ChannelKind::WhatsApp)).await?;
    let unknown = Refusal::ChannelNotFound(channel.id.0);
    if code != app.code.as_str() {
        return Err(unknown.into());
    }
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    LinkedChannel::load(services, channel.id).await?.ok_or_else(|| unknown.into())
}

/// Answers with WhatsApp's own error. Its 5xx errors are answered with 503.
fn refused(linked: &LinkedChannel, status: u16, body: &[u8]) -> Problem {
    let token = linked.account.secret("access_token");
    let shown = whatsapp::refusal_body(body, token);
    match (StatusCode::from_u16(status), shown) {
        (Ok(status), Some(body)) if status.is_client_error() => {
            let problem = Problem::relayed(status, body.into());
            let is_hasty = status == StatusCode::TOO_MANY_REQUESTS;
            if is_hasty { problem.retry_after(RETRY_AFTER_S) } else { problem }
        }
        (_, Some(body)) => Problem::relayed(StatusCode::SERVICE_UNAVAILABLE, body.into())
            .retry_after(RETRY_AFTER_S),
        (_, None) => unreachable(),
    }
}

fn unreachable() -> Problem {
    let message = "WhatsApp cannot be reached, and nothing was sent. Try again.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "service_unreachable", message)
        .retry_after(RETRY_AFTER_S)
}

const RETRY_AFTER_S: u64 = 1;
