//! Public JSON for connected clients.

use std::sync::Arc;

use confab_domain::ids::{AppId, EventId, MessageId, RoomId, UserKey};
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::room_event::{Receipt, RoomEvent, RoomEventKind};
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::presence::Presence;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::rooms::room::{Room, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use serde_json::{Value, json};

use super::*;

const AT: Timestamp = Timestamp(1_769_853_600_123_456);

fn ana() -> Arc<User> {
    Arc::new(User {
        key: UserKey(9),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::from_stored("ana".to_owned()),
        username: "Ana".to_owned(),
        avatar_url: "https://example.com/ana.png".to_owned(),
        extras: None,
        is_active: true,
        created_at: AT,
        updated_at: AT,
    })
}

fn room() -> Arc<Room> {
    let unique_id = RoomUniqueId::from_trusted("support".to_owned());
    Arc::new(Room {
        name: "Support".to_owned(),
        options: "{}".to_owned(),
        audience: 1,
        ..Room::new(RoomId(55), AppId(1), unique_id, RoomKind::Group, AT)
    })
}

fn event(what: RoomEventKind) -> RoomEvent {
    RoomEvent { id: EventId(123), room: RoomId(55), what }
}

fn message_event() -> RoomEventKind {
    let message = Message {
        id: MessageId(123),
        room: RoomId(55),
        number: 2,
        before: Some(MessageId(122)),
        sender: UserKey(9),
        kind: MessageKind::Text,
        text: "hello".to_owned(),
        payload: None,
        extras: None,
        client_unique_id: Some(UniqueId::from_stored("uid-1".to_owned())),
        posted_at: AT,
        is_deleted: false,
    };
    RoomEventKind::Posted {
        posted: Arc::new(PostedMessage { message, sender: ana() }),
        room: room(),
    }
}

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn a_message_has_every_field_that_clients_read() {
    let shown = read(&payload(&event(message_event())));
    let fields = "chat_type comment_before_id comment_before_id_str created_at \
        disable_link_preview email extras id id_str is_deleted is_public_channel message payload \
        raw_room_name room_avatar room_id room_id_str room_name room_options room_type status \
        timestamp topic_id topic_id_str type unique_id unique_temp_id unix_nano_timestamp \
        unix_timestamp user_avatar user_avatar_url user_extras user_id user_id_str username";
    let keys: Vec<_> = shown.as_object().expect("an object").keys().cloned().collect();
    let mut keys: Vec<_> = keys.iter().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys.join(" "), fields.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(shown["user_avatar"], "https://example.com/ana.png");
    assert_eq!(shown["room_id_str"], "55");
    assert_eq!(shown["unix_nano_timestamp"], 1_769_853_600_123_456_000_i64);
}

#[test]
fn a_deletion_has_the_format_of_the_sdks() {
    let messages =
        vec![UniqueId::from_stored("uid-1".to_owned()), UniqueId::from_stored("uid-2".to_owned())];
    let shown =
        read(&payload(&event(RoomEventKind::Deleted { by: ana(), messages, is_hard: true })));
    assert_eq!(shown["action_topic"], "delete_message");
    assert_eq!(shown["payload"]["actor"], json!({"id": "9", "email": "ana", "name": "Ana"}));
    let deleted = json!([{"room_id": "55", "message_unique_ids": ["uid-1", "uid-2"]}]);
    assert_eq!(
        shown["payload"]["data"],
        json!({"is_hard_delete": true, "deleted_messages": deleted})
    );
    assert_eq!(shown["payload"]["deleted_messages"], deleted);
}

#[test]
fn a_receipt_is_a_pair_of_ids_on_mqtt_and_an_object_in_a_frame() {
    let unique_id = UniqueId::from_stored("uid-1".to_owned());
    let receipt = Receipt { by: ana(), message: MessageId(122), unique_id, number: 1 };
    let event = event(RoomEventKind::Read(receipt));
    assert_eq!(payload(&event), b"122:uid-1");
    let shown = read(frame("3f", &event).as_bytes());
    assert_eq!(shown["id"], "3f");
    assert_eq!(shown["type"], "read");
    assert_eq!(shown["data"]["comment_id"], 122);
}

#[test]
fn the_time_in_a_presence_payload_has_13_digits() {
    let user = UserId::from_stored("ana".to_owned());
    let presence = Presence { user, is_online: true, at: AT };
    assert_eq!(presence_payload(&presence), b"1:1769853600123");
}

/// Returns the documented fields of a frame and of its data; `None` for data that is a comment.
fn documented(kind: &str) -> (Vec<String>, Option<Vec<String>>) {
    use utoipa::PartialSchema;
    let schema = serde_json::to_value(RealtimeFrame::schema()).expect("JSON");
    let is_it = |it: &&Value| it["properties"]["type"]["enum"] == json!([kind]);
    let frames = schema["oneOf"].as_array().expect("frames");
    let found = frames.iter().find(is_it).unwrap_or_else(|| panic!("{kind} has no schema"));
    let names = |it: &Value| it.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
    let data = names(&found["properties"]["data"]["properties"]);
    let mut all = names(&found["properties"]).expect("fields");
    all.sort();
    (
        all,
        data.map(|mut data| {
            data.sort();
            data
        }),
    )
}

#[test]
fn every_frame_has_the_fields_of_its_schema() {
    let (user, room) = (ana(), RoomId(55));
    let receipt =
        || Receipt { by: ana(), message: MessageId(7), number: 1, unique_id: unique_id() };
    let deleted = RoomEventKind::Deleted { by: ana(), messages: vec![unique_id()], is_hard: true };
    let data = confab_domain::json_text::JsonText::empty_object();
    let presence = Presence { user: user.user_id.clone(), is_online: true, at: AT };
    for text in [
        frame("1", &event(message_event())),
        frame("1", &event(deleted)),
        frame("1", &event(RoomEventKind::Received(receipt()))),
        frame("1", &event(RoomEventKind::Read(receipt()))),
        doing_frame(&EphemeralEvent::Typing { room, by: user.clone(), is_typing: true }),
        doing_frame(&EphemeralEvent::Custom { room, by: user.clone(), data }),
        presence_frame(&presence),
        frames::hello("1", &user.user_id),
        frames::resync("x"),
        frames::error("x"),
        frames::pong(),
    ] {
        let shown = read(text.as_bytes());
        let names = |it: &Value| -> Vec<String> {
            let mut names: Vec<_> = it.as_object().expect("an object").keys().cloned().collect();
            names.sort();
            names
        };
        let (fields, data) = documented(shown["type"].as_str().expect("a type"));
        assert_eq!(names(&shown), fields, "{text}");
        if let Some(data) = data {
            assert_eq!(names(&shown["data"]), data, "{text}");
        }
    }
}

fn unique_id() -> UniqueId {
    UniqueId::from_stored("uid-1".to_owned())
}
