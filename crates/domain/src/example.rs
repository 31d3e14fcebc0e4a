//! The facts that the rules' tests start from: one room with ana in it, bob and others outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::account::Account;
use crate::app::{App, AppCode, DashboardUser, Role};
use crate::customer_room::WorkingUser;
use crate::decision::{Facts, RoomFacts, Stamps};
use crate::ids::{AppId, DashboardUserId, MessageId, RoomId, UserKey};
use crate::json_text::JsonText;
use crate::message::{Message, MessageKind, Said};
use crate::notice::DashboardProfile;
use crate::people::{User, UserId};
use crate::room::{LastMessage, Room, RoomKind, RoomRef, RoomUniqueId};
use crate::serving::Words;
use crate::staffing;
use crate::time::Timestamp;

pub(crate) const SYSTEM: UserKey = UserKey(1);

/// Ids 1001, 1002 …, always at the same moment.
#[derive(Default)]
pub(crate) struct Counting(AtomicI64);

impl Stamps for Counting {
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
    }
}

/// Words that say nothing.
pub(crate) fn words() -> Words {
    Words {
        complete: |_| JsonText::empty_object(),
        body: |_| b"{}".to_vec(),
        options: |_, _, _| JsonText::empty_object(),
        widget_source: "service".to_owned(),
    }
}

pub(crate) fn room_ref() -> RoomRef {
    RoomRef::Unique(RoomUniqueId::from_trusted("support".to_owned()))
}

pub(crate) fn facts() -> Facts {
    let room = Room {
        id: RoomId(10),
        app: AppId(1),
        unique_id: RoomUniqueId::from_trusted("support".to_owned()),
        kind: RoomKind::Group,
        name: "Support".to_owned(),
        avatar_url: String::new(),
        options: String::new(),
        created_at: Timestamp(0),
        customer: None,
        audience: 0,
        updated_at: Timestamp(0),
    };
    let room_facts = RoomFacts {
        room: Arc::new(room),
        last: Some(LastMessage { id: MessageId(41), number: 7 }),
        members: vec![UserKey(2), UserKey(4)],
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

pub(crate) fn make_channel(facts: &mut Facts) {
    Arc::make_mut(&mut facts.rooms[0].1.room).kind = RoomKind::Channel;
}

pub(crate) fn said(id: i64) -> Said {
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
    Said { message, sender: Arc::new(user(2, "ana", true)) }
}

fn user(key: i64, id: &str, is_active: bool) -> User {
    User {
        key: UserKey(key),
        app: AppId(1),
        user_id: UserId::parse("user_id", id).expect("valid"),
        username: id.to_uppercase(),
        avatar_url: String::new(),
        extras: None,
        is_active,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

/// The account of ana, number 9, who signed in nowhere; the password's hash is `hash`.
pub(crate) fn account(role: Role) -> Account {
    let id = DashboardUserId(9);
    let user = DashboardUser {
        id,
        app: AppId(1),
        email: "ana@shop.example".to_owned(),
        name: "Ana".to_owned(),
        role,
        created_at: Timestamp(0),
    };
    let profile = DashboardProfile {
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
    let worker = WorkingUser {
        profile,
        speaker: UserKey(9),
        serves_max: None,
        channels: Vec::new(),
        away_since: Some(Timestamp(0)),
        deleted_at: None,
    };
    let speaker = staffing::speaker_of(&worker);
    Account { worker, speaker, password_hash: "hash".to_owned(), sign_ins: Vec::new() }
}
