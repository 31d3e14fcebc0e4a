//! One address for all numbers, pages and accounts of a Meta app: each event goes to the channel
//! whose number, page or account it names (channel facts 3.1, 4.2, D-0143).
//!
//! Meta has one callback address per Meta app and kind. A body counts for the channels whose app
//! secret signed it, and for no others of the app.

use axum::http::request::Parts;
use confab_domain::app::AppCode;
use confab_domain::channels::receiving_events::RecordAccountHint;
use confab_domain::ids::ChannelId;
use confab_wire::channels::{self as wire, EventContent, Proof, Provider, ProviderEvent};

use super::hook_calls::{as_it_came, forged, head, plain, texts};
use crate::channels::linked::{LinkedChannel, UNKNOWN_NUMBER_NOTE, provider_of};
use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::services::Services;

/// Receives events of an app's numbers, pages and accounts. What names no account goes to the
/// channel of the path, if there is one.
pub(super) async fn heard(
    services: &Services,
    code: &str,
    of_path: Option<ChannelId>,
    parts: &Parts,
    raw: &[u8],
) -> Answer {
    let headers = texts(&parts.headers);
    let head = head(parts, &headers);
    let mut proven = Vec::new();
    for linked in of_meta(services, code).await? {
        match wire::prove(linked.provider, &linked.credentials, &head, raw) {
            Proof::Handshake(text) => return Ok(plain(text)),
            Proof::Proven => proven.push(linked),
            Proof::Forged => {}
        }
    }
    if proven.is_empty() {
        return Err(forged());
    }
    let read = wire::meta_provider(raw).map(|provider| (provider, wire::read(provider, raw)));
    let Some((provider, Ok(mut events))) = read else {
        metrics::counter!("confab_hooks_unreadable_total").increment(1);
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
        // While it is switched off nothing comes in, and nobody shall repeat it for days.
        if linked.channel.is_active {
            let customer = found.first().map(|it| it.lane.clone()).unwrap_or_default();
            // What others' numbers were told is not forwarded with it.
            let bodies = match found.len() == count {
                true => as_it_came(raw),
                false => found.iter().map(|it| it.body.clone()).collect(),
            };
            linked.keep(services, found).await?;
            linked.forward(services, &customer, bodies).await?;
        }
    }
    // The note belongs to the channel of the path, else to one of the same kind.
    let is_of_path = |it: &&LinkedChannel| of_path == Some(it.channel.id);
    let noted = proven.iter().find(is_of_path);
    let noted = noted.or_else(|| proven.iter().find(|it| it.provider == provider));
    let noted = noted.unwrap_or(&proven[0]);
    note_unknown(services, noted, provider, &events).await?;
    Ok(plain("ok".to_owned()))
}

/// The app's channels of Meta's. An app that there is not has none: nobody learns which exist.
async fn of_meta(services: &Services, code: &str) -> Result<Vec<LinkedChannel>, Problem> {
    let Ok(code) = AppCode::parse(code) else { return Ok(Vec::new()) };
    let Some(app) = services.app(&code).await? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for channel in services.store().channels(app.app.id).await? {
        let provider = provider_of(channel.kind);
        if matches!(provider, Some(Provider::Whatsapp | Provider::Messenger | Provider::Instagram))
        {
            let account = services.store().service_account(channel.id).await?;
            let app = app.app.clone();
            found.extend(LinkedChannel::new(services.config(), app, channel, account));
        }
    }
    Ok(found)
}

/// A number that nobody connected is counted, and the health of one that is says so. What Meta's
/// console tries is nobody's.
async fn note_unknown(
    services: &Services,
    linked: &LinkedChannel,
    provider: Provider,
    left: &[ProviderEvent],
) -> Result<(), Problem> {
    let mut about = left.iter().filter(|it| !matches!(it.heard, EventContent::IgnoredReason(_)));
    let Some(number) = about.find_map(|event| event.account.as_deref()) else {
        return Ok(());
    };
    metrics::counter!("confab_hooks_unknown_number_total").increment(left.len() as u64);
    let what = match provider {
        Provider::Messenger => "page",
        Provider::Instagram => "account",
        _ => "number",
    };
    let value = format!(
        "Meta told of the {what} {number}, which is no channel of this app: connect it, or take \
         it out of the Meta app."
    );
    if linked.account.setting(UNKNOWN_NUMBER_NOTE) != value {
        let (channel, name) = (linked.channel.id, UNKNOWN_NUMBER_NOTE);
        services.decide(&linked.app, RecordAccountHint { channel, name, value }).await?;
    }
    Ok(())
}
