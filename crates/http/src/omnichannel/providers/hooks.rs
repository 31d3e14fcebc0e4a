//! Webhooks of providers (channel facts 5.2). Events are stored before the answer, and handled
//! afterwards.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use confab_app::channels::linked::LinkedChannel;
use confab_app::services::Services;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_providers::{self as providers, Proof, Provider, ProviderEvent};
use confab_runtime::admission::peer::Peer;

use crate::api;
use crate::calls::calls;
use crate::omnichannel::channels::channel_of_path;
use crate::omnichannel::providers::hook_calls::{HookCall, as_it_came, plain};
use crate::omnichannel::providers::meta_hooks;
use crate::requests::bodies::HookRequest;
use crate::requests::callers::Public;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, Text};
use crate::responses::problem::Problem;

const META: &str = "meta";

calls! {
    "Channels" of api::HOOKS;
    /// Verify a webhook URL, as a provider
    GET "/api/v2/hooks/{kind}/{channel_id}" try_hook = load [403 404 429];
    /// Receive a provider's webhook, authenticated by the provider's own method
    POST "/api/v2/hooks/{kind}/{channel_id}" call_hook = post [403 404 429];
}

async fn load(
    state: State<Services>,
    _: Public,
    ClientPeer(peer): ClientPeer,
    path: Path<(String, String)>,
    request: Request,
) -> Answer<Text> {
    receive(state, peer, path, request).await
}

async fn post(
    state: State<Services>,
    _: Public,
    ClientPeer(peer): ClientPeer,
    path: Path<(String, String)>,
    HookRequest(request): HookRequest,
) -> Answer<Text> {
    receive(state, peer, path, request).await
}

async fn receive(
    State(services): State<Services>,
    peer: Peer,
    Path((word, id)): Path<(String, String)>,
    request: Request,
) -> Answer<Text> {
    services.admission().hook_proofs.check(peer, Instant::now())?;
    let (parts, body) = request.into_parts();
    let call = Arc::new(HookCall { peer, parts, raw: whole(body).await? });
    if word == META {
        return meta_hooks::receive_for_app(&services, &id, &call).await;
    }
    let id = channel_of_path(&id)?;
    let linked = LinkedChannel::load(&services, id).await?;
    let linked = linked.filter(|it| it.provider.word() == word);
    let linked = linked.ok_or(Refusal::ChannelNotFound(id.0))?;
    let credentials = vec![linked.credentials.clone()];
    if let (_, Proof::Handshake(text)) =
        call.proven(&services, linked.provider, credentials).await?
    {
        return Ok(plain(text));
    }
    // Meta sends the events of all numbers and pages of a Meta app to one URL, which can be that of
    // any of their channels. Each event is stored for the channel that it names.
    if matches!(linked.provider, Provider::Messenger | Provider::Instagram) {
        return meta_hooks::receive_for_channel(&services, &linked, &call.raw).await;
    }
    let read = providers::read(linked.provider, &call.raw);
    if has_other_numbers(&linked, read.as_deref().unwrap_or_default()) {
        return meta_hooks::receive_for_channel(&services, &linked, &call.raw).await;
    }
    // An inactive channel receives nothing. Answer with success, else the provider retries for
    // days.
    if !linked.channel.is_active {
        return Ok(plain("ok".to_owned()));
    }
    let events = match read {
        Ok(events) => events,
        Err(why) => {
            let (id, why) = (linked.channel.id, why.0);
            tracing::warn!(channel.id = id.0, reason = why, "failed to parse provider webhook");
            metrics::counter!("confab_provider_webhooks_unreadable_total").increment(1);
            return Ok(plain("ok".to_owned()));
        }
    };
    let customer = events.first().map(|it| it.lane.clone()).unwrap_or_default();
    linked.keep(services.decisions(), events).await?;
    linked.forward(services.decisions(), &customer, as_it_came(&call.raw)).await?;
    Ok(plain("ok".to_owned()))
}

/// Whether a webhook of WhatsApp contains events of other numbers than that of the channel.
fn has_other_numbers(linked: &LinkedChannel, events: &[ProviderEvent]) -> bool {
    let own = linked.account_id();
    let is_foreign = |event: &ProviderEvent| event.account.as_deref().is_some_and(|it| it != own);
    linked.provider == Provider::Whatsapp && events.iter().any(is_foreign)
}

async fn whole(body: Body) -> Result<axum::body::Bytes, Problem> {
    let read = to_bytes(body, limits::HOOK_BYTES_MAX).await;
    read.map_err(|_| Problem::of_status(StatusCode::PAYLOAD_TOO_LARGE))
}
