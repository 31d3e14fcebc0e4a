//! State and simulation of provider channels of all kinds (channel facts 2).

use axum::extract::{Path, State};
use confab_app::channels::linked::{
    GROUP_NOTE, LinkedChannel, QUOTA_NOTE, UNKNOWN_NUMBER_NOTE, hook_url,
};
use confab_app::services::Services;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::EndpointId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::event_kind::EventKind;
use confab_providers::email::{Arrival, MailKey};
use confab_providers::{self as adapters, Provider};
use confab_runtime::clock;
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::channels::email::played_mail;
use confab_wire::omnichannel_api::channels::line::line_webhook;
use confab_wire::omnichannel_api::channels::messenger::page_webhook;
use confab_wire::omnichannel_api::channels::provider_channels::{
    self as wire, ChannelCondition, ConditionBox, PlayedBox, PlayedEvent,
};
use confab_wire::omnichannel_api::channels::whatsapp::whatsapp_webhook;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::providers::provider_calls::found;
use crate::requests::access::Admins;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::responses::answer::{Answer, data};

const NO_APP_SECRET: &str =
    "The secret of the Meta app is not set, so no messages arrive. Set it as app_secret.";
const NOT_REACHED: &str =
    "public_url is not an https URL that the provider can reach, so no messages arrive.";

calls! {
    "Channels";
    /// Get the state of a provider channel, and the remedy for its problem
    GET "/api/v2/channels/{id}/health" channel_health = load_health [403 404];
    /// Check the state of a channel at its provider now
    POST "/api/v2/channels/{id}/check" check_channel = check [403 404];
    /// Simulate a provider's event in a channel
    POST "/api/v2/channels/{id}/events" play_channel_event = play [403 404];
}

async fn load_health(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<ConditionBox<'static>>> {
    let channel = found(services.store(), caller.app.id, &id, None).await?;
    condition(&services, &channel).await
}

async fn check(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<ConditionBox<'static>>> {
    let channel = found(services.store(), caller.app.id, &id, None).await?;
    let linked = LinkedChannel::load(&services, channel.id).await?;
    if let Some(linked) = linked.filter(|it| !it.is_printed()) {
        drop(linked.checked(&services).await);
    }
    condition(&services, &channel).await
}

async fn play(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<wire::PlayEventFields>,
) -> Answer<Data<PlayedBox>> {
    let channel = found(services.store(), caller.app.id, &id, None).await?;
    let linked = LinkedChannel::load(&services, channel.id).await?;
    let linked = linked.ok_or(Refusal::ChannelNotFound(channel.id.0))?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    let told_body = match wire::read_played(body.fields())? {
        // A simulated event of a mailbox is a whole mail.
        PlayedEvent::Body(body) if linked.provider == Provider::Email => mail_event(&linked, &body),
        PlayedEvent::Body(body) => body,
        PlayedEvent::Message { from, text } => {
            let now = clock::now();
            match linked.provider {
                Provider::Email => mail_event(&linked, &played_mail(&from, &text, now.0)),
                Provider::Whatsapp => {
                    let number = linked.account.setting("phone_number_id");
                    whatsapp_webhook(number, &from, &text, now.0, now)
                }
                Provider::Line => line_webhook(&from, &text, now.0, now),
                Provider::Messenger => {
                    page_webhook("page", linked.account_id(), &from, &text, now.0, now)
                }
                Provider::Instagram => {
                    page_webhook("instagram", linked.account_id(), &from, &text, now.0, now)
                }
                _ => wire::telegram_update(&from, &text, now.0 / 1_000, now),
            }
        }
    };
    let read = adapters::read(linked.provider, told_body.as_bytes());
    let events = read.map_err(|why| Refusal::from(FieldProblem::new("body", why.0)))?;
    data(PlayedBox { events: linked.keep(services.decisions(), events).await? })
}

/// Converts a mail to the stored form of its event. A mail that cannot be parsed becomes an empty
/// string, which the adapter rejects.
fn mail_event(linked: &LinkedChannel, mail: &str) -> String {
    let own = linked.account.setting("address");
    let key = MailKey(&linked.app.sdk_secret);
    let arrival = Arrival { place: "", own, return_path: None, key };
    let event = adapters::email::digest(mail.as_bytes(), arrival);
    event.map_or_else(String::new, |it| it.as_str().to_owned())
}

async fn condition(services: &Services, channel: &Channel) -> Answer<Data<ConditionBox<'static>>> {
    let (store, id) = (services.store(), channel.id);
    let endpoints = Endpoints::load(store, channel).await?;
    let health = store.service_health(id).await?;
    let account = store.service_account(id).await?;
    let linked = LinkedChannel::load(services, id).await?;
    let way = match linked {
        Some(linked) if linked.is_printed() => "printed",
        Some(linked) if linked.provider == Provider::Email => match linked.has_mailbox() {
            true => "imap",
            false => "lmtp",
        },
        Some(linked) if linked.provider != Provider::Telegram => "webhook",
        Some(linked) if linked.hook_url().is_some() => "webhook",
        _ => "polling",
    };
    let named = [GROUP_NOTE, UNKNOWN_NUMBER_NOTE, QUOTA_NOTE];
    let mut notes: Vec<_> = named.iter().map(|name| account.setting(name)).collect();
    // A channel that prints its requests receives simulated events only.
    if way != "printed" {
        if channel.kind == ChannelKind::WhatsApp && account.secret("app_secret").is_empty() {
            notes.push(NO_APP_SECRET);
        }
        // Email has no webhook, and Telegram is polled without one.
        let needs_url = !matches!(channel.kind, ChannelKind::Telegram | ChannelKind::Email);
        if needs_url && hook_url(services.config(), channel).is_none() {
            notes.push(NOT_REACHED);
        }
    }
    notes.retain(|it| !it.is_empty());
    data(wire::channel_condition(ChannelCondition {
        channel,
        health: health.as_ref(),
        way,
        last_event_at: store.last_through(id, false).await?,
        last_sent_at: store.last_through(id, true).await?,
        waiting: endpoints.waiting(store, channel).await?,
        given_up_events: endpoints.given_up_events(store).await?,
        notes,
    }))
}

/// The internal endpoints of one channel, to which its messages and events are delivered.
struct Endpoints {
    event: Option<EndpointId>,
    send: Option<EndpointId>,
}

impl Endpoints {
    async fn load(store: &Store, channel: &Channel) -> Result<Self, StoreError> {
        let (all, name) = (store.endpoints(channel.app).await?, channel.id.to_string());
        let of = |kind| all.iter().find(|it| it.kind == kind && it.name == name).map(|it| it.id);
        Ok(Self { event: of(EventKind::ChannelEvent), send: of(EventKind::ChannelSend) })
    }

    /// Counts the messages to customers that are waiting to be sent through the channel.
    async fn waiting(&self, store: &Store, channel: &Channel) -> Result<u64, StoreError> {
        let backlogs = store.backlogs(channel.app).await?;
        let backlog = backlogs.iter().find(|it| self.send == Some(it.endpoint));
        Ok(backlog.map_or(0, |it| it.waiting))
    }

    /// Counts the events from customers of the channel that were given up.
    async fn given_up_events(&self, store: &Store) -> Result<u64, StoreError> {
        match self.event {
            Some(endpoint) => store.given_up_events(endpoint).await,
            None => Ok(0),
        }
    }
}
