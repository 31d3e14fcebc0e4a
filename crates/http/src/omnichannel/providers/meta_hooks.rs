//! Webhooks of Meta apps: one URL for all numbers, pages and accounts of a Meta app. Each event is
//! stored for the channel whose number, page or account it names (channel facts 3.1, 4.2).
//!
//! Meta has one callback URL per Meta app and kind. The events of a request are stored only for
//! channels whose app secret signed the request.

use std::sync::Arc;

use confab_app::channels::linked::{LinkedChannel, UNKNOWN_NUMBER_NOTE, provider_of};
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::{App, AppCode};
use confab_domain::channels::channel::Channel;
use confab_domain::ids::ChannelId;
use confab_providers::{
    self as providers, Credentials, EventContent, Proof, Provider, ProviderEvent,
};
use confab_store::Store;

use crate::omnichannel::providers::hook_calls::{HookCall, as_it_came, plain};
use crate::responses::answer::{Answer, Text};
use crate::responses::problem::Problem;

/// Name of the secret with which a Meta app signs its webhooks.
const APP_SECRET: &str = "app_secret";
/// Name of the token that Meta sends to verify a webhook's URL.
const VERIFY_TOKEN: &str = "verify_token";

/// Channels of one app with the same value of a secret, and thus of the same Meta app.
struct MetaChannels {
    secret: String,
    channels: Vec<Channel>,
}

/// Receives webhooks at the URL that an app's channels share. Tries each distinct secret once, and
/// loads the accounts of channels only after their secret has proved the request.
pub(crate) async fn receive_for_app(
    services: &Services,
    code: &str,
    call: &Arc<HookCall>,
) -> Answer<Text> {
    let name = if call.is_handshake() { VERIFY_TOKEN } else { APP_SECRET };
    let (app, mut found) = match app_of(services.decisions(), code).await? {
        Some(app) => (Some(app.clone()), of_meta(services.store(), &app, name).await?),
        // An unknown app gets the same answer as one without channels.
        None => (None, Vec::new()),
    };
    let credentials = found.iter().map(|it| Credentials::default().with(name, &*it.secret));
    let credentials = credentials.collect();
    // All of Meta's providers use the same proof.
    let (place, proof) = call.proven(services, Provider::Whatsapp, credentials).await?;
    if let Proof::Handshake(text) = proof {
        return Ok(plain(text));
    }
    let Some(app) = app else { return Ok(plain("ok".to_owned())) };
    let channels = found.swap_remove(place).channels;
    receive(services, linked(services, &app, channels).await?, None, &call.raw).await
}

/// Receives a webhook at the URL of a channel, after the channel's secret proved it. Events that
/// name no account belong to that channel.
pub(crate) async fn receive_for_channel(
    services: &Services,
    of_path: &LinkedChannel,
    raw: &[u8],
) -> Answer<Text> {
    let secret = of_path.account.secret(APP_SECRET);
    let found = of_meta(services.store(), &of_path.app, APP_SECRET).await?;
    let channels = found.into_iter().find(|it| it.secret == secret).map(|it| it.channels);
    let proven = linked(services, &of_path.app, channels.unwrap_or_default()).await?;
    receive(services, proven, Some(of_path.channel.id), raw).await
}

/// Stores the events of an authenticated request, each for the channel whose account it names.
async fn receive(
    services: &Services,
    proven: Vec<LinkedChannel>,
    of_path: Option<ChannelId>,
    raw: &[u8],
) -> Answer<Text> {
    let read =
        providers::meta_provider(raw).map(|provider| (provider, providers::read(provider, raw)));
    let Some((provider, Ok(mut events))) = read else {
        metrics::counter!("confab_provider_webhooks_unreadable_total").increment(1);
        return Ok(plain("ok".to_owned()));
    };
    let count = events.len();
    for linked in proven.iter().filter(|it| it.provider == provider) {
        let (id, is_of_path) = (linked.account_id(), of_path == Some(linked.channel.id));
        let is_its = |event: &mut ProviderEvent| match event.account.as_deref() {
            Some(account) => account == id,
            None => is_of_path && provider == Provider::Whatsapp,
        };
        let found: Vec<_> = events.extract_if(.., is_its).collect();
        // An inactive channel receives nothing. Answer with success, else Meta retries for days.
        if linked.channel.is_active {
            let customer = found.first().map(|it| it.lane.clone()).unwrap_or_default();
            // Do not forward the events of other channels.
            let bodies = match found.len() == count {
                true => as_it_came(raw),
                false => found.iter().map(|it| it.body.clone()).collect(),
            };
            linked.keep(services.decisions(), found).await?;
            linked.forward(services.decisions(), &customer, bodies).await?;
        }
    }
    // The hint belongs to the channel of the URL, else to one of the same kind.
    let is_of_path = |it: &&LinkedChannel| of_path == Some(it.channel.id);
    let noted = proven.iter().find(is_of_path);
    let noted = noted.or_else(|| proven.iter().find(|it| it.provider == provider));
    if let Some(noted) = noted.or(proven.first()) {
        note_unknown(services, noted, provider, &events).await?;
    }
    Ok(plain("ok".to_owned()))
}

async fn app_of(decisions: &Decisions, code: &str) -> Result<Option<Arc<App>>, Problem> {
    let Ok(code) = AppCode::parse(code) else { return Ok(None) };
    Ok(decisions.apps().of_code(&code).await?.map(|it| it.app))
}

/// Groups the app's Meta channels by the value of the secret `name`, oldest channel first. Needs
/// two queries for any number of channels.
async fn of_meta(store: &Store, app: &App, name: &str) -> Result<Vec<MetaChannels>, Problem> {
    let mut channels = store.channels(app.id).await?;
    let mut found: Vec<MetaChannels> = Vec::new();
    for (id, secret) in store.channel_secrets(app.id, name).await? {
        let channel = channels.extract_if(.., |it| it.id == id && is_of_meta(it)).next();
        let Some(channel) = channel.filter(|_| !secret.is_empty()) else { continue };
        match found.iter_mut().find(|it| it.secret == secret) {
            Some(of_secret) => of_secret.channels.push(channel),
            None => found.push(MetaChannels { secret, channels: vec![channel] }),
        }
    }
    Ok(found)
}

fn is_of_meta(channel: &Channel) -> bool {
    let provider = provider_of(channel.kind);
    matches!(provider, Some(Provider::Whatsapp | Provider::Messenger | Provider::Instagram))
}

/// Loads the provider accounts of the channels.
async fn linked(
    services: &Services,
    app: &Arc<App>,
    channels: Vec<Channel>,
) -> Result<Vec<LinkedChannel>, Problem> {
    let mut found = Vec::new();
    for channel in channels {
        let account = services.store().service_account(channel.id).await?;
        found.extend(LinkedChannel::new(services, app.clone(), channel, account));
    }
    Ok(found)
}

/// Counts the events in `left`, whose numbers, pages or accounts are not those of a channel, and
/// adds a hint to the health of the channel `linked`. Test events of Meta's console are ignored.
async fn note_unknown(
    services: &Services,
    linked: &LinkedChannel,
    provider: Provider,
    left: &[ProviderEvent],
) -> Result<(), Problem> {
    let mut about = left.iter().filter(|it| !matches!(it.content, EventContent::Ignored(_)));
    let Some(number) = about.find_map(|event| event.account.as_deref()) else {
        return Ok(());
    };
    metrics::counter!("confab_provider_webhooks_unknown_account_total")
        .increment(left.len() as u64);
    let what = match provider {
        Provider::Messenger => "page",
        Provider::Instagram => "account",
        _ => "number",
    };
    let value = format!(
        "Meta sent an event of the {what} {number}, which is not a channel of this app. Connect \
         it, or remove it from the Meta app."
    );
    if linked.account.setting(UNKNOWN_NUMBER_NOTE) != value {
        linked.record_hint(services.decisions(), UNKNOWN_NUMBER_NOTE, value).await?;
    }
    Ok(())
}
