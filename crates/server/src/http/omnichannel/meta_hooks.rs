//! One address for all numbers of a Meta app: each event goes to the channel whose number it names
//! (channel facts 3.1).
//!
//! Meta has one callback address per Meta app. A body counts for the channels whose app secret
//! signed it, and for no others of the app.

use axum::http::request::Parts;
use confab_domain::app::AppCode;
use confab_domain::channels::channel::ChannelKind;
use confab_domain::channels::hearing::NoteAccount;
use confab_wire::channels::{self as wire, Event, Proof, Provider};

use super::hook_calls::{as_it_came, forged, head, plain, texts};
use crate::channels::linked::{LinkedChannel, UNKNOWN_NUMBER_NOTE};
use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::services::Services;

/// What Meta tells of an app's numbers.
pub(super) async fn heard(services: &Services, code: &str, parts: &Parts, raw: &[u8]) -> Answer {
    let headers = texts(&parts.headers);
    let head = head(parts, &headers);
    let mut proven = Vec::new();
    for linked in numbers(services, code).await? {
        match wire::prove(linked.provider, &linked.credentials, &head, raw) {
            Proof::Handshake(text) => return Ok(plain(text)),
            Proof::Proven => proven.push(linked),
            Proof::Forged => {}
        }
    }
    if proven.is_empty() {
        return Err(forged());
    }
    let Ok(mut events) = wire::read(Provider::Whatsapp, raw) else {
        metrics::counter!("confab_hooks_unreadable_total").increment(1);
        return Ok(plain("ok".to_owned()));
    };
    let count = events.len();
    for linked in &proven {
        let id = linked.account.setting("phone_number_id");
        let is_its = |event: &mut Event| event.account.as_deref() == Some(id);
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
    note_unknown(services, &proven[0], &events).await?;
    Ok(plain("ok".to_owned()))
}

/// The app's channels of WhatsApp. An app that there is not has none: nobody learns which exist.
async fn numbers(services: &Services, code: &str) -> Result<Vec<LinkedChannel>, Problem> {
    let Ok(code) = AppCode::parse(code) else { return Ok(Vec::new()) };
    let Some(app) = services.app(&code).await? else { return Ok(Vec::new()) };
    let mut numbers = Vec::new();
    for channel in services.store().channels(app.app.id).await? {
        if channel.kind == ChannelKind::WhatsApp {
            let account = services.store().service_account(channel.id).await?;
            let app = app.app.clone();
            numbers.extend(LinkedChannel::new(services.config(), app, channel, account));
        }
    }
    Ok(numbers)
}

/// A number that nobody connected is counted, and the health of one that is says so.
async fn note_unknown(
    services: &Services,
    linked: &LinkedChannel,
    left: &[Event],
) -> Result<(), Problem> {
    let Some(number) = left.iter().find_map(|event| event.account.as_deref()) else {
        return Ok(());
    };
    metrics::counter!("confab_hooks_unknown_number_total").increment(left.len() as u64);
    let value = format!(
        "Meta told of the number {number}, which is no channel of this app: connect it, or take \
         it out of the Meta app."
    );
    if linked.account.setting(UNKNOWN_NUMBER_NOTE) != value {
        let (channel, name) = (linked.channel.id, UNKNOWN_NUMBER_NOTE);
        services.decide(&linked.app, NoteAccount { channel, name, value }).await?;
    }
    Ok(())
}
