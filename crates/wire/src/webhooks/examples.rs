//! A realistic example of each kind of event, with which an endpoint can be tested.
//!
//! The customer Ana Example writes about a late parcel, and the agent Budi serves her. Ids and time
//! are parameters, so the same call always creates the same event.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::role::Role;
use confab_domain::ids::{MessageId, PropertyId, TagId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::rooms::room::RoomKind;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::{
    AgentAllocation, AgentProfile, Bot, ChannelMessage, ChannelSummary, ChatMessage, CustomButton,
    CustomerProperty, EndpointStateChanged, EndpointTransition, Event, EventRoom, Info, LoggedOut,
    MessageSource, NewSession, Resolved, Session, Tag,
};
use confab_domain::webhooks::event_kind::EventKind;
use confab_domain::webhooks::example_ids::ExampleIds;

use super::room::RoomOptions;

const CUSTOMER: &str = "6281234567890";
const EXTRAS: &str = concat!(
    r#"{"additional_extras":{"timezone_offset":7},"notes":null,"timezone_offset":7,"#,
    r#""user_properties":[{"key":"Order","value":"A-1017"}]}"#,
);

/// Returns the example of a kind; `None` for kinds that are not sent to endpoints.
pub fn example(kind: EventKind, ids: &ExampleIds) -> Option<Event> {
    Some(match kind {
        EventKind::Bot => Event::Bot(bot(ids)),
        EventKind::AgentAllocation => Event::AgentAllocation(agent_allocation(ids)),
        EventKind::CustomButton => Event::CustomButton(custom_button(ids)),
        EventKind::Resolved => Event::Resolved(resolved(ids)),
        EventKind::NewSession => Event::NewSession(new_session(ids)),
        EventKind::LoggedOut => Event::LoggedOut(logged_out(ids)),
        EventKind::EndpointState => Event::EndpointStateChanged(endpoint_state(ids)),
        EventKind::ChannelMessage => Event::ChannelMessage(channel_message(ids)),
        EventKind::ChatMessage => Event::ChatMessage(chat_message(ids)),
        EventKind::Push => return None,
        EventKind::ChannelEvent | EventKind::ChannelSend | EventKind::ChannelForward => {
            return None;
        }
    })
}

fn bot(ids: &ExampleIds) -> Bot {
    Bot {
        app: ids.app_code.clone(),
        channel: channel(ids),
        message_source: MessageSource::Client,
        customer: ana(ids),
        message: message(ids, Some(ids.first_message)),
        room: room(ids),
    }
}

fn agent_allocation(ids: &ExampleIds) -> AgentAllocation {
    // Yesterday's session ended long before the message of this event.
    let yesterday = session(ids, hours_before(ids.now, 24));
    let yesterday = Session { last_message: ids.first_message, ..yesterday };
    AgentAllocation {
        app: ids.app_code.clone(),
        customer: ana(ids),
        extras: Some(JsonText::from_checked(EXTRAS)),
        candidate: Some(profile(ids)),
        is_new_session: true,
        is_resolved: false,
        latest_session: Some(yesterday),
        room: ids.room,
        source: channel(ids).source,
    }
}

fn custom_button(ids: &ExampleIds) -> CustomButton {
    CustomButton {
        button: None,
        clicked_by: budi(ids),
        channel: channel(ids),
        customer: ana(ids),
        infos: infos(),
        properties: vec![CustomerProperty {
            id: PropertyId(1),
            label: "City".to_owned(),
            value: "Yogyakarta".to_owned(),
        }],
        notes: Some("Asked twice about the parcel".to_owned()),
        room: ids.room,
        tags: vec![Tag { id: TagId(1), name: "delivery".to_owned() }],
    }
}

fn resolved(ids: &ExampleIds) -> Resolved {
    Resolved {
        app: ids.app_code.clone(),
        channel: channel(ids),
        customer: ana(ids),
        infos: infos(),
        resolved_by: budi(ids),
        is_resolver_available: true,
        session: session(ids, ids.now),
    }
}

fn new_session(ids: &ExampleIds) -> NewSession {
    NewSession {
        channel: channel(ids),
        customer: ana(ids),
        message: message(ids, None),
        room: room(ids),
        room_opened_at: ids.now,
        extras: Some(JsonText::from_checked(EXTRAS)),
        badge_url: None,
        is_waiting: true,
    }
}

fn logged_out(ids: &ExampleIds) -> LoggedOut {
    let user = AgentProfile { is_available: false, ..profile(ids) };
    LoggedOut { user, at: ids.now }
}

fn endpoint_state(ids: &ExampleIds) -> EndpointStateChanged {
    EndpointStateChanged {
        app: ids.app_code.clone(),
        kind: EventKind::Bot,
        url: "https://bot.example.com/hook".to_owned(),
        turn: EndpointTransition::Degraded,
        failing_since: Some(hours_before(ids.now, 1)),
        at: ids.now,
    }
}

fn channel_message(ids: &ExampleIds) -> ChannelMessage {
    let budi = speaking_budi(ids);
    let message = Message {
        sender: budi.key,
        text: "It is on its way, and comes tomorrow.".to_owned(),
        ..message(ids, Some(ids.first_message))
    };
    ChannelMessage {
        app: ids.app_code.clone(),
        channel: ids.channel,
        message_source: MessageSource::Client,
        sender: budi.clone(),
        message,
        room: room(ids),
        people: vec![ana(ids), budi],
    }
}

fn chat_message(ids: &ExampleIds) -> ChatMessage {
    ChatMessage {
        app: ids.app_code.clone(),
        message_source: MessageSource::Client,
        sender: ana(ids),
        message: message(ids, Some(ids.first_message)),
        room: room(ids),
        people: vec![ana(ids), speaking_budi(ids)],
    }
}

/// Returns the chat user as whom the agent Budi posts.
fn speaking_budi(ids: &ExampleIds) -> Arc<User> {
    let AgentProfile { user, avatar_url, sdk_user, .. } = profile(ids);
    Arc::new(User {
        key: UserKey(ids.agent.0),
        app: ids.app,
        realm: Realm::App,
        user_id: sdk_user,
        username: user.name,
        avatar_url: avatar_url.unwrap_or_default(),
        extras: None,
        is_active: true,
        created_at: user.created_at,
        updated_at: user.created_at,
    })
}

fn channel(ids: &ExampleIds) -> ChannelSummary {
    ChannelSummary {
        id: ids.channel,
        name: "Example Shop".to_owned(),
        source: "wa".to_owned(),
        phone: "6280000000000".to_owned(),
    }
}

fn ana(ids: &ExampleIds) -> Arc<User> {
    Arc::new(User {
        key: ids.customer,
        app: ids.app,
        realm: Realm::App,
        user_id: UserId::from_stored(CUSTOMER.to_owned()),
        username: "Ana Example".to_owned(),
        avatar_url: "https://cdn.example.com/ana.png".to_owned(),
        extras: None,
        is_active: true,
        created_at: ids.now,
        updated_at: ids.now,
    })
}

fn message(ids: &ExampleIds, before: Option<MessageId>) -> Message {
    Message {
        id: ids.message,
        room: ids.room,
        number: if before.is_some() { 2 } else { 1 },
        before,
        sender: ids.customer,
        kind: MessageKind::Text,
        text: "Hello, where is my parcel? 📦".to_owned(),
        payload: None,
        extras: None,
        client_unique_id: None,
        posted_at: ids.now,
        is_deleted: false,
    }
}

fn room(ids: &ExampleIds) -> EventRoom {
    let channel = channel(ids);
    let options = RoomOptions { channel: &channel, is_resolved: false, is_waiting: true };
    EventRoom {
        id: ids.room,
        kind: RoomKind::Group,
        name: "Ana Example".to_owned(),
        avatar_url: "https://cdn.example.com/room.png".to_owned(),
        options: options.to_json(),
        participants: vec![UserId::from_stored(CUSTOMER.to_owned())],
    }
}

/// Returns a session that lasted one hour, was assigned to Budi after a minute, and was resolved at
/// `resolved_at`.
fn session(ids: &ExampleIds, resolved_at: Timestamp) -> Session {
    let opened_at = hours_before(resolved_at, 1);
    Session {
        id: ids.session,
        app: ids.app,
        room: ids.room,
        served_by: Some(ids.agent),
        taken_at: Some(seconds_after(opened_at, 60)),
        notes: Some("Parcel found, new date agreed".to_owned()),
        first_message: ids.first_message,
        first_message_at: opened_at,
        last_message: ids.message,
        created_at: seconds_after(opened_at, 1),
        updated_at: seconds_after(resolved_at, 30),
        resolved_by: None,
        first_reply_at: None,
        first_reply_by: None,
        reopened_at: None,
        rating: None,
        rated_at: None,
        rating_asked_at: None,
        unheard_since: None,
        resolved_at: Some(resolved_at),
    }
}

fn budi(ids: &ExampleIds) -> Agent {
    Agent {
        id: ids.agent,
        app: ids.app,
        email: "budi@example.com".to_owned(),
        name: "Budi Agent".to_owned(),
        role: Role::Agent,
        created_at: hours_before(ids.now, 24 * 30),
    }
}

fn profile(ids: &ExampleIds) -> AgentProfile {
    AgentProfile {
        user: budi(ids),
        avatar_url: Some("https://cdn.example.com/budi.png".to_owned()),
        is_forced_offline: false,
        is_available: true,
        is_verified: true,
        last_login_at: Some(hours_before(ids.now, 2)),
        sdk_user: UserId::from_stored("budi_agent@example.com".to_owned()),
        sdk_key: "example-sdk-key".to_owned(),
        updated_at: hours_before(ids.now, 1),
    }
}

fn infos() -> Vec<Info> {
    vec![Info { key: "Order".to_owned(), value: "A-1017".to_owned() }]
}

fn hours_before(time: Timestamp, hours: i64) -> Timestamp {
    Timestamp(time.0 - hours * 3_600_000_000)
}

fn seconds_after(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp(time.0 + seconds * 1_000_000)
}
