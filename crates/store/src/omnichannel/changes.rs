//! What rules of the omnichannel half write.

use confab_domain::channels::channel::Channel;
use confab_domain::decision::change::{AgentChange, ChannelChange, ServiceChange};
use confab_domain::ids::AppId;
use confab_domain::json_text::JsonText;
use confab_domain::service::customer_room::{AgentRecord, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::{AgentProfile, Session};

use super::statements as sql;
use crate::secrets::sealer::{Place, Sealer};
use crate::sql::{Ask, values};

/// The statements that change how customers are served.
pub(crate) fn service(app: AppId, change: &ServiceChange) -> Vec<Ask> {
    match change {
        ServiceChange::PutCustomerRoom(customer_room) => put_customer_room(customer_room),
        ServiceChange::AddAgent { room, agent, at } => {
            vec![Ask::new(&sql::ADD_AGENT, values![room.0, agent.0, at.0])]
        }
        ServiceChange::RemoveAgent { room, agent } => {
            vec![Ask::new(&sql::REMOVE_AGENT, values![room.0, agent.0])]
        }
        ServiceChange::SetSetting { name, value: Some(value) } => {
            vec![Ask::new(&sql::PUT_SETTING, values![app.0, name, value])]
        }
        ServiceChange::SetSetting { name, value: None } => {
            vec![Ask::new(&sql::REMOVE_SETTING, values![app.0, name])]
        }
        ServiceChange::PutButton { button, label } => {
            vec![Ask::new(&sql::PUT_BUTTON, values![app.0, button.0, label])]
        }
        ServiceChange::RemoveButton { button } => {
            vec![Ask::new(&sql::REMOVE_BUTTON, values![app.0, button.0])]
        }
        ServiceChange::AddTag { room, tag } => vec![
            Ask::new(&sql::PUT_TAG, values![tag.id.0, app.0, &tag.name]),
            Ask::new(&sql::ADD_TAG, values![room.0, app.0, &tag.name]),
        ],
        ServiceChange::RemoveTag { room, tag } => {
            vec![Ask::new(&sql::REMOVE_TAG, values![room.0, tag.0])]
        }
        ServiceChange::PutInfo { room, info } => {
            vec![Ask::new(&sql::PUT_INFO, values![room.0, &info.key, &info.value])]
        }
        ServiceChange::PutProperty { customer, property } => {
            let values = values![customer.0, property.id.0, &property.label, &property.value];
            vec![Ask::new(&sql::PUT_PROPERTY, values)]
        }
    }
}

/// The statements that change who works in an app.
pub(crate) fn agent(change: &AgentChange) -> Vec<Ask> {
    match change {
        AgentChange::Put(user) => put_worker(user),
        AgentChange::SetPassword { user, hash } => {
            vec![Ask::new(&sql::SET_PASSWORD, values![user.0, hash])]
        }
        AgentChange::AddSignIn { hash, user, until } => {
            vec![Ask::new(&sql::ADD_SIGN_IN, values![hash, user.0, until.0])]
        }
        AgentChange::EndSignIn { hash } => vec![Ask::new(&sql::END_SIGN_IN, values![hash])],
        AgentChange::EndSignIns { user } => vec![Ask::new(&sql::END_SIGN_INS, values![user.0])],
    }
}

/// The statements that change where customers write from.
pub(crate) fn channel(change: &ChannelChange, sealer: &Sealer) -> Vec<Ask> {
    match change {
        ChannelChange::Put(channel) => put_channel(channel, sealer),
        ChannelChange::SetVisitorSecret { channel, user, hash } => {
            let values = values![channel.0, user.as_str(), hash];
            vec![Ask::new(&sql::PUT_VISITOR_SECRET, values)]
        }
    }
}

fn put_customer_room(customer_room: &CustomerRoom) -> Vec<Ask> {
    let CustomerRoom { room, app, channel, customer, session, waits_since, .. } = customer_room;
    let CustomerRoom { is_handled_by_bot, extras, badge_url, created_at, updated_at, .. } =
        customer_room;
    let values = values![
        room.0,
        app.0,
        channel.0,
        customer.0,
        session.as_ref().map(|session| session.id.0),
        customer_room.is_resolved(),
        us(*waits_since),
        *is_handled_by_bot,
        extras.as_ref().map(JsonText::as_str),
        badge_url.as_deref(),
        created_at.0,
        updated_at.0,
    ];
    let mut asks = vec![Ask::new(&sql::PUT_CUSTOMER_ROOM, values)];
    asks.extend(session.as_ref().map(put_session));
    asks
}

fn put_session(session: &Session) -> Ask {
    let values = values![
        session.room.0,
        session.id.0,
        session.app.0,
        session.served_by.map(|user| user.0),
        us(session.taken_at),
        session.notes.as_deref(),
        session.first_message.0,
        session.first_message_at.0,
        session.last_message.0,
        session.created_at.0,
        session.updated_at.0,
        us(session.resolved_at),
    ];
    Ask::new(&sql::PUT_SESSION, values)
}

fn put_worker(user: &AgentRecord) -> Vec<Ask> {
    let AgentRecord { profile, serves_max, channels, away_since, deleted_at, .. } = user;
    let AgentProfile { user, avatar_url, last_login_at, updated_at, .. } = profile;
    let values = values![
        user.id.0,
        user.app.0,
        &user.email,
        &user.name,
        user.role.number(),
        user.created_at.0,
        updated_at.0,
        avatar_url.as_deref(),
        profile.is_available,
        profile.is_forced_offline,
        profile.is_verified,
        us(*last_login_at),
        *serves_max,
        us(*away_since),
        us(*deleted_at),
    ];
    let mut asks = vec![
        Ask::new(&sql::PUT_WORKER, values),
        Ask::new(&sql::CLEAR_AGENT_CHANNELS, values![user.id.0]),
    ];
    for channel in channels {
        asks.push(Ask::new(&sql::ADD_AGENT_CHANNEL, values![user.id.0, channel.0]));
    }
    asks
}

fn put_channel(channel: &Channel, sealer: &Sealer) -> Vec<Ask> {
    let Channel { id, app, kind, name, is_active, identifier_key, .. } = channel;
    let values = values![
        id.0,
        app.0,
        kind.as_str(),
        name,
        *is_active,
        sealer.seal(Place::ChannelKey(id.0), identifier_key),
        channel.webhook_url.as_deref(),
        channel.logo_url.as_deref(),
        channel.created_at.0,
        channel.updated_at.0,
        us(channel.deleted_at),
    ];
    vec![Ask::new(&sql::PUT_CHANNEL, values)]
}

fn us(time: Option<Timestamp>) -> Option<i64> {
    time.map(|time| time.0)
}
