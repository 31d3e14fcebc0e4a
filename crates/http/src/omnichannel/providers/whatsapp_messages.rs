//! Calls in the format of WhatsApp's own API, authenticated by the app's key instead of Meta's
//! token (channel facts 2, D-0155).

use axum::body::Body;
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

use crate::api;
use crate::calls::calls;
use crate::omnichannel::providers::provider_calls::found;
use crate::requests::bodies::RawBody;
use crate::requests::callers::KeyCaller;
use crate::responses::answer::{Answer, Bare, FileContent, bare};
use crate::responses::json::json_bytes;
use crate::responses::problem::Problem;

calls! {
    "Channels" of api::SERVICE_CALLS;
    /// Send a WhatsApp message, such as a template, directly and outside of rooms
    POST "/whatsapp/v1/{app_code}/{channel_id}/messages" send_whatsapp_message = send [403 404];
    /// Get the delivery state of a directly sent message, for 30 days
    GET "/whatsapp/v1/{app_code}/{channel_id}/messages/{message_id}"
        load_whatsapp_message = load [403 404];
    /// Download a file from WhatsApp
    GET "/whatsapp/v1/{app_code}/{channel_id}/media/{media_id}"
        load_whatsapp_media = load_media [403 404];
}

async fn send(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id)): Path<(String, String)>,
    RawBody { bytes: body, .. }: RawBody<WhatsappMessage>,
) -> Answer<Bare<TakenMessages>> {
    let linked = linked(&services, &caller.app, &code, &id).await?;
    let step = whatsapp::direct_message(&body, &linked.credentials);
    let step = step.map_err(|why| Refusal::from(FieldProblem::new("body", why.0)))?;
    match actions::send_directly(&services, &caller, &linked, &step).await {
        DirectAnswer::Taken(body) => Ok(json_bytes(StatusCode::OK, body).into()),
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

async fn load(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id, message)): Path<(String, String, String)>,
) -> Answer<Bare<WhatsappStatus<'static>>> {
    let linked = linked(&services, &caller.app, &code, &id).await?;
    let sent = services.store().direct_send(linked.channel.id, &message).await?;
    match sent {
        Some(sent) => bare(whatsapp_status(&sent)),
        None => {
            let message = "No message with this id was sent directly through the channel.";
            Err(Problem::new(StatusCode::NOT_FOUND, "message_not_found", message))
        }
    }
}

async fn load_media(
    State(services): State<Services>,
    caller: KeyCaller,
    Path((code, id, media)): Path<(String, String, String)>,
) -> Answer<FileContent> {
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
    Ok((headers, body).into_response().into())
}

/// Loads an active WhatsApp channel of the app that made the request. Fails if the path names
/// another app.
async fn linked(
    services: &Services,
    app: &App,
    code: &str,
    id: &str,
) -> Result<LinkedChannel, Problem> {
    let channel = found(services.store(), app.id, id, Some(ChannelKind::WhatsApp)).await?;
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
