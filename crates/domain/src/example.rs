//! Facts for tests of rules: a room with the users ana and gone, and the user bob, who is not in
//! the room.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::agents::account::Account;
use crate::agents::agent::Agent;
use crate::agents::role::Role;
use crate::agents::staffing;
use crate::app::{App, AppCode};
use crate::audit::entry::Actor;
use crate::channels::channel::{Channel, ChannelKind};
use crate::decision::change::{Change, SupportChange, WebhookChange};
use crate::decision::context::{Context, Renderers};
use crate::decision::facts::{Facts, RoomFacts};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::{Stamp, Stamps};
use crate::ids::{AgentId, AppId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use crate::json_text::JsonText;
use crate::messages::message::{Draft, Message, PostedMessage};
use crate::messages::message_kind::MessageKind;
use crate::messages::payload::Payload;
use crate::people::user::{Realm, User, UserId};
use crate::refusal::Refusal;
use crate::rooms::room::{LastMessage, Room, RoomKind, RoomRef, RoomUniqueId};
use crate::support::automation::office_hours::LocalTime;
use crate::support::conversations::customer_room::{
    AgentRecord, BotDuty, Candidate, CustomerRoom, SupportFacts,
};
use crate::time::Timestamp;
use crate::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use crate::webhooks::event::{AgentProfile, Session};
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::subscribing;
use crate::webhooks::subscribing::EndpointInput;

pub(crate) const SYSTEM: UserKey = UserKey(1);

/// Source of the ids 1001, 1002 and so on, with a fixed time.
#[derive(Default)]
pub(crate) struct CountingStamps(AtomicI64);

impl Stamps for CountingStamps {
    fn now(&self) -> Timestamp {
        Timestamp(1_769_853_600_000_000)
    }

    fn next_id(&self, after: i64) -> i64 {
        after.max(1000) + 1 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn serve_as(&self, _: i64) {}
}

pub(crate) fn app() -> App {
    App {
        id: AppId(1),
        code: AppCode::parse("app").expect("a code"),
        name: String::new(),
        sdk_secret: String::new(),
        secret_key: String::new(),
        other_key: None,
        system_user: SYSTEM,
        created_at: Timestamp(0),
        has_chat_message_webhook: false,
        shows_sender_extras: false,
    }
}

/// Returns a context with the example app, trivial renderers and no webhook as the cause.
pub(crate) fn context() -> Context {
    let renderers = Renderers {
        local_time: |_, _| LocalTime { day: 1, minute: 600 },
        complete_payload: |_| JsonText::empty_object(),
        is_same_payload: |_, stored| stored.is_none(),
        webhook_body: |_| b"{}".to_vec(),
        channel_parts: |_| Vec::new(),
        example: |_, _| None,
        room_options: |_, _, _| JsonText::empty_object(),
        widget_source: "service".to_owned(),
    };
    Context {
        app: Arc::new(app()),
        renderers: Arc::new(renderers),
        depth_before: 0,
        is_listened_to: false,
        actor: Actor::Server,
        address: None,
    }
}

pub(crate) fn room_ref() -> RoomRef {
    RoomRef::Unique(RoomUniqueId::from_trusted("support".to_owned()))
}

pub(crate) fn facts() -> Facts {
    let unique_id = RoomUniqueId::from_trusted("support".to_owned());
    let room = Room {
        name: "Support".to_owned(),
        ..Room::new(RoomId(10), AppId(1), unique_id, RoomKind::Group, Timestamp(0))
    };
    let room_facts = RoomFacts {
        room: Arc::new(room),
        last: Some(LastMessage { id: MessageId(41), number: 7 }),
        members: vec![UserKey(2), UserKey(4)],
        participations: vec![],
        participants: 2,
    };
    let users = [(1, "system@app", true), (2, "ana", true), (3, "bob", true), (4, "gone", false)];
    Facts {
        rooms: vec![(room_ref(), room_facts)],
        users: users.map(|(key, id, is_active)| Arc::new(user(key, id, is_active))).to_vec(),
        messages: vec![],
        endpoints: vec![],
        ..Facts::default()
    }
}

pub(crate) fn make_public(facts: &mut Facts) {
    Arc::make_mut(&mut facts.rooms[0].1.room).kind = RoomKind::Public;
}

pub(crate) fn posted_message(id: i64) -> PostedMessage {
    let message = Message {
        id: MessageId(id),
        room: RoomId(10),
        number: 1,
        before: None,
        sender: UserKey(2),
        kind: MessageKind::Text,
        text: "first".to_owned(),
        payload: None,
        extras: None,
        client_unique_id: None,
        posted_at: Timestamp(0),
        is_deleted: false,
    };
    PostedMessage { message, sender: Arc::new(user(2, "ana", true)) }
}

fn user(key: i64, id: &str, is_active: bool) -> User {
    User {
        key: UserKey(key),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::parse("user_id", id).expect("valid"),
        username: id.to_uppercase(),
        avatar_url: String::new(),
        extras: None,
        is_active,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

/// Returns the account of ana, agent 9, without sign-ins and with the password hash `hash`.
pub(crate) fn account(role: Role) -> Account {
    let id = AgentId(9);
    let user = Agent {
        id,
        app: AppId(1),
        email: "ana@shop.example".to_owned(),
        name: "Ana".to_owned(),
        role,
        created_at: Timestamp(0),
    };
    let profile = AgentProfile {
        user,
        avatar_url: None,
        is_forced_offline: false,
        is_available: false,
        is_verified: true,
        last_login_at: None,
        sdk_user: App::speaker_id(&app().code, id),
        sdk_key: "key".to_owned(),
        updated_at: Timestamp(0),
    };
    let agent = AgentRecord {
        profile,
        speaker: UserKey(9),
        serves_max: None,
        channels: Vec::new(),
        away_since: Some(Timestamp(0)),
        deleted_at: None,
    };
    let speaker = staffing::speaker_of(&agent);
    Account {
        agent,
        speaker,
        password_hash: "hash".to_owned(),
        sign_ins: Vec::new(),
        codes: Vec::new(),
    }
}

/// Returns facts with a customer's room: the customer is ana, the session is open, and no agent is
/// assigned.
pub(crate) fn customer_facts() -> Facts {
    let mut facts = facts();
    let room = facts.rooms[0].1.clone();
    facts.rooms.push((RoomRef::Id(RoomId(10)), room));
    let now = CountingStamps::default().now();
    let session = Session {
        id: SessionId(20),
        app: AppId(1),
        room: RoomId(10),
        served_by: None,
        taken_at: None,
        notes: None,
        first_message: MessageId(40),
        first_message_at: now,
        last_message: MessageId(41),
        created_at: now,
        updated_at: now,
        resolved_at: None,
        resolved_by: None,
        first_reply_at: None,
        first_reply_by: None,
        reopened_at: None,
        rating: None,
        rated_at: None,
        rating_asked_at: None,
        unheard_since: None,
    };
    let customer_room = CustomerRoom {
        room: RoomId(10),
        app: AppId(1),
        channel: ChannelId(30),
        customer: UserKey(2),
        session: Some(session),
        waits_since: Some(now),
        is_handled_by_bot: false,
        bot_duty: BotDuty::Always,
        brand: None,
        extras: None,
        badge_url: None,
        created_at: now,
        updated_at: now,
    };
    facts.omni.services.push(SupportFacts {
        customer_room,
        channel: channel(),
        customer: Arc::new(user(2, "ana", true)),
        agents: vec![],
        last_served: None,
        participants: vec![],
        people: vec![],
        infos: vec![],
        properties: vec![],
        tags: vec![],
    });
    facts
}

/// Returns a custom channel whose gateway receives replies.
pub(crate) fn channel() -> Channel {
    Channel {
        id: ChannelId(30),
        app: AppId(1),
        kind: ChannelKind::Custom,
        name: "SMS".to_owned(),
        is_active: true,
        identifier_key: String::new(),
        webhook_url: Some("https://gateway.example/".to_owned()),
        logo_url: None,
        phone: String::new(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        deleted_at: None,
    }
}

/// Returns agent 9 with this role as a candidate.
pub(crate) fn candidate(role: Role) -> Candidate {
    let profile = account(role).agent.profile;
    Candidate { profile, serves: 0, serves_max: None, channels: vec![] }
}

/// Adds an endpoint for a kind of event.
pub(crate) fn add_endpoint(facts: &mut Facts, kind: EventKind, name: &str) {
    let wanted = EndpointInput {
        kind,
        url: "https://hooks.example/".to_owned(),
        is_enabled: true,
        policy: DeliveryPolicy::default(),
    };
    let stamps = CountingStamps::default();
    let stamp = Stamp::new(&stamps, facts);
    let endpoint = subscribing::wanted_endpoint(None, &app(), &wanted, &stamp);
    facts.endpoints.push((Arc::new(Endpoint { name: name.to_owned(), ..endpoint }), 0));
}

/// Returns a draft from this sender.
pub(crate) fn draft(sender: &str) -> Draft {
    Draft {
        sender: UserId::parse("user_id", sender).expect("valid").into(),
        text: "hello".to_owned(),
        payload: Payload::Text,
        extras: None,
        unique_id: None,
    }
}

/// Returns the rule's decision on these facts.
pub(crate) fn decided<R: Rule>(facts: &Facts, rule: &R) -> Result<Decision<R::Outcome>, Refusal> {
    rule.decide(&context(), facts, &Stamp::new(&CountingStamps::default(), facts))
}

/// Returns the kinds of the decision's deliveries.
pub(crate) fn delivered_kinds<Outcome>(decision: &Decision<Outcome>) -> Vec<EventKind> {
    let deliveries = decision.changes.iter().filter_map(|change| match change {
        Change::Webhook(WebhookChange::InsertDelivery(delivery)) => Some(delivery.kind),
        _ => None,
    });
    deliveries.collect()
}

/// Returns the customer room that the changes store.
pub(crate) fn stored_customer_room(changes: &[Change]) -> Option<&CustomerRoom> {
    changes.iter().find_map(|change| match change {
        Change::Service(SupportChange::PutCustomerRoom(room)) => Some(&**room),
        _ => None,
    })
}
