//! Customers' messages from the gateway of a custom channel, authenticated by the channel's key
//! (wire facts 5.5).

use axum::extract::State;
use axum::http::StatusCode;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::refusal::Refusal;
use confab_store::Store;
use confab_wire::omnichannel_api::channels::{
    IncomingFields, IncomingMessage, ReceivedMessage, RoomLog, received,
};
use confab_wire::webhook_api::Data;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::calls::calls;
use crate::requests::bodies::{IdempotencyKey, OmnichannelBody, WebhookDepth};
use crate::requests::callers::{NamedApp, PathApp};
use crate::requests::quotas::count_message;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// Post a customer's message as a custom channel's gateway, with its key
    POST "/{app_code}/api/v2/custom_channel/send" custom_channel_send = post [401 403 404 409 429];
    /// Post a customer's message as a custom channel's gateway, under an older path
    POST "/{app_code}/custom_channel" custom_channel_send_old = post_old [401 403 404 409 429];
}

async fn post(
    state: State<Services>,
    app: PathApp,
    key: IdempotencyKey,
    depth: WebhookDepth,
    body: OmnichannelBody<IncomingFields>,
) -> Answer<Data<ReceivedMessage<'static>>> {
    send(state, app, key, depth, body).await
}

async fn post_old(
    state: State<Services>,
    app: PathApp,
    key: IdempotencyKey,
    depth: WebhookDepth,
    body: OmnichannelBody<IncomingFields>,
) -> Answer<Data<ReceivedMessage<'static>>> {
    send(state, app, key, depth, body).await
}

async fn send(
    State(services): State<Services>,
    PathApp(named): PathApp,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<IncomingFields>,
) -> Answer<Data<ReceivedMessage<'static>>> {
    let shown = IncomingMessage::key(body.fields())?.unwrap_or_default();
    let channel = proven_channel(services.store(), &named, &shown).await?;
    let (Some(by), Some(channel)) = (named.principal(), channel) else {
        let message = "The app code or identifier_key is missing or wrong.";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message));
    };
    let _running = named.count_proven(&services)?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    let IncomingMessage { visitor, draft } =
        IncomingMessage::read(body.fields(), channel.id, key.as_deref())?;
    count_message(&services, by.app.id, &draft.sender)?;
    let done =
        actions::receive_from_channel(services.decisions(), &by, &channel, visitor, draft, depth)
            .await?;
    let shown = channel.shown(services.decisions().widget_source());
    let room_log = RoomLog::new(&done.customer_room, &shown, &done.customer);
    let agent = done.agents.first().map(|agent| &agent.user);
    data(received(room_log, agent, done.customer_room.session.as_ref()))
}

/// Finds the custom channel with this key. The key is compared with all keys of the app in constant
/// time, so that timing reveals none of them.
async fn proven_channel(
    store: &Store,
    named: &NamedApp,
    shown: &str,
) -> Result<Option<Channel>, Problem> {
    let Some(app) = named.app() else { return Ok(None) };
    let channels = store.channels(app.id).await?;
    let mut found = u32::MAX;
    for (place, channel) in channels.iter().enumerate() {
        let is_same: Choice = channel.identifier_key.as_bytes().ct_eq(shown.as_bytes());
        found = u32::conditional_select(&found, &(place as u32), is_same);
    }
    let is_custom = |channel: &Channel| channel.kind == ChannelKind::Custom;
    Ok(channels.into_iter().nth(found as usize).filter(is_custom))
}
