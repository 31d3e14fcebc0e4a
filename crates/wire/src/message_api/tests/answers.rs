//! The exact JSON of responses (spec 2.1, 2.3, 4.1, wire facts 3.4).

use std::sync::Arc;

use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::messages::message_kind::MessageKind;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;

use crate::message_api::{comments, confirmed, results};
use crate::refusal::{ErrorBody, ErrorDetail, status_and_code};

/// Returns the whole response as JSON.
fn answer(given: impl Serialize) -> String {
    serde_json::to_string(&results(given)).expect("JSON")
}

/// Returns the user ana with these extras.
fn ana(extras: Option<&str>) -> User {
    User {
        key: UserKey(2),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::from_stored("ana".to_owned()),
        username: "Ana \"A\"".to_owned(),
        avatar_url: "https://x.example/ana.png".to_owned(),
        extras: extras.map(JsonText::from_checked),
        is_active: true,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

/// Returns ana's text "Hello", posted in the last microsecond of 2026-01-31 10:00:00 with the
/// unique id `once`.
fn hello() -> PostedMessage {
    let message = Message {
        id: MessageId(9_007_199_254_740_991),
        room: RoomId(55),
        number: 7,
        before: None,
        sender: UserKey(2),
        kind: MessageKind::Text,
        text: "Hello".to_owned(),
        payload: None,
        extras: None,
        client_unique_id: Some(UniqueId::from_stored("once".to_owned())),
        posted_at: Timestamp(1_769_853_600_999_999),
        is_deleted: false,
    };
    PostedMessage { message, sender: Arc::new(ana(None)) }
}

/// Returns a custom message with extras, from a user with extras.
fn poll() -> PostedMessage {
    let mut posted = hello();
    posted.message.kind = MessageKind::Custom;
    posted.message.text = String::new();
    let payload = r#"{"type":"poll","content":[1.0, 12345678901234567890, 1e999, "\u0000"]}"#;
    posted.message.payload = Some(JsonText::from_checked(payload));
    posted.message.extras = Some(JsonText::from_checked(r#"{"b":1.0, "a":[]}"#));
    posted.sender = Arc::new(ana(Some(r#"{"is_customer":true,"n":1.0}"#)));
    posted
}

#[test]
fn a_posted_text_has_an_empty_payload_and_the_extras_of_its_sender() {
    let expected = concat!(
        r#"{"results":{"comment":{"id":9007199254740991,"unique_temp_id":"once","#,
        r#""unique_id":"once","message":"Hello","payload":{},"extras":{},"#,
        r#""timestamp":"2026-01-31T10:00:00Z","type":"text","user":{"active":true,"user_id":"ana","#,
        r#""username":"Ana \"A\"","avatar_url":"https://x.example/ana.png","extras":{}}}},"#,
        r#""status":200}"#,
    );
    assert_eq!(answer(comments::posted(&hello())), expected);
}

#[test]
fn a_loaded_text_has_neither_payload_nor_sender_extras() {
    let expected = concat!(
        r#"{"results":{"comments":[{"id":9007199254740991,"unique_temp_id":"once","#,
        r#""unique_id":"once","message":"Hello","payload":null,"extras":{},"#,
        r#""timestamp":"2026-01-31T10:00:00Z","type":"text","user":{"user_id":"ana","#,
        r#""username":"Ana \"A\"","avatar_url":"https://x.example/ana.png"}}]},"#,
        r#""status":200}"#,
    );
    assert_eq!(answer(comments::loaded(&[hello().into()], false)), expected);
}

#[test]
fn a_posted_payload_and_extras_are_returned_unchanged() {
    let expected = concat!(
        r#"{"results":{"comment":{"id":9007199254740991,"unique_temp_id":"once","#,
        r#""unique_id":"once","message":"","#,
        r#""payload":{"type":"poll","content":[1.0, 12345678901234567890, 1e999, "\u0000"]},"#,
        r#""extras":{"b":1.0, "a":[]},"timestamp":"2026-01-31T10:00:00Z","type":"custom","#,
        r#""user":{"active":true,"user_id":"ana","username":"Ana \"A\"","#,
        r#""avatar_url":"https://x.example/ana.png","extras":{"is_customer":true,"n":1.0}}}},"#,
        r#""status":200}"#,
    );
    assert_eq!(answer(comments::posted(&poll())), expected);
}

#[test]
fn a_loaded_payload_and_extras_are_returned_unchanged() {
    let expected = concat!(
        r#"{"results":{"comments":[{"id":9007199254740991,"unique_temp_id":"once","#,
        r#""unique_id":"once","message":"","#,
        r#""payload":{"type":"poll","content":[1.0, 12345678901234567890, 1e999, "\u0000"]},"#,
        r#""extras":{"b":1.0, "a":[]},"timestamp":"2026-01-31T10:00:00Z","type":"custom","#,
        r#""user":{"user_id":"ana","username":"Ana \"A\"","#,
        r#""avatar_url":"https://x.example/ana.png"}}]},"status":200}"#,
    );
    assert_eq!(answer(comments::loaded(&[poll().into()], false)), expected);
}

#[test]
fn a_message_without_a_client_id_has_the_unique_id_of_the_server() {
    let mut posted = hello();
    posted.message.client_unique_id = None;
    let id = UniqueId::of(RoomId(55), posted.message.id).to_string();
    let names = format!(r#""unique_temp_id":"{id}","unique_id":"{id}""#);
    for answer in
        [answer(comments::posted(&posted)), answer(comments::loaded(&[posted.into()], false))]
    {
        assert!(answer.contains(&names), "{answer}");
    }
}

#[test]
fn a_page_keeps_the_given_order_and_may_be_empty() {
    let page = answer(comments::loaded(&[poll().into(), hello().into()], false));
    let (newer, older) = (page.find(r#""type":"custom""#), page.find(r#""type":"text""#));
    assert!(newer < older && newer.is_some(), "{page}");
    assert_eq!(answer(comments::loaded(&[], false)), r#"{"results":{"comments":[]},"status":200}"#);
}

#[test]
fn a_broadcast_response_has_the_comment_of_each_post() {
    let list = serde_json::to_string(&comments::broadcast(&[hello(), poll()])).expect("JSON");
    let one = |posted: &PostedMessage| {
        let comment = serde_json::to_string(&comments::posted(posted)).expect("JSON");
        let inner = comment.strip_prefix(r#"{"comment":"#).and_then(|rest| rest.strip_suffix('}'));
        inner.expect("an object with one comment").to_owned()
    };
    assert_eq!(list, format!(r#"{{"comments":[{},{}]}}"#, one(&hello()), one(&poll())));
}

#[test]
fn a_confirmation_has_a_message_and_the_status() {
    let expected = r#"{"results":{"message":"Deleted 2 messages."},"status":200}"#;
    assert_eq!(answer(confirmed("Deleted 2 messages.")), expected);
}

#[test]
fn an_error_body_has_the_shape_that_clients_read() {
    let error = ErrorDetail {
        message: "payload.text is required".to_owned(),
        detailed_messages: ["payload.text", "room_id"].map(|f| format!("{f} is required")).into(),
        code: "invalid_request".to_owned(),
        request_id: "r-1".to_owned(),
    };
    let expected = concat!(
        r#"{"error":{"message":"payload.text is required","#,
        r#""detailed_messages":["payload.text is required","room_id is required"],"#,
        r#""code":"invalid_request","request_id":"r-1"},"status":400}"#,
    );
    assert_eq!(serde_json::to_string(&ErrorBody { error, status: 400 }).expect("JSON"), expected);
}

#[test]
fn refusals_of_the_message_api_have_their_status_and_code() {
    let name = || "x".to_owned();
    let refusals = [
        (Refusal::Invalid(vec![]), 400, "invalid_request"),
        (Refusal::RoomNotFound(name()), 404, "room_not_found"),
        (Refusal::UsersNotFound(vec![name()]), 404, "user_not_found"),
        (
            Refusal::UserAmbiguous { user: name(), addresses: vec!["3:x".to_owned()] },
            409,
            "user_ambiguous",
        ),
        (Refusal::MessagesNotFound(vec![name()]), 404, "message_not_found"),
        (Refusal::MessageNotFound(name()), 404, "message_not_found"),
        (Refusal::NotYourMessage(name()), 403, "not_your_message"),
        (
            Refusal::UniqueIdTaken { unique_id: name(), differs: vec!["room"] },
            409,
            "unique_id_taken",
        ),
        (Refusal::NotAParticipant { user: name(), room: name() }, 403, "not_a_participant"),
        (Refusal::UserDeactivated(name()), 403, "user_deactivated"),
        (Refusal::SystemUser(name()), 403, "system_user"),
        (Refusal::RepliedMessageNotInRoom(41), 400, "replied_message_not_in_room"),
        (Refusal::MessageDeleted(name()), 409, "message_deleted"),
        (Refusal::RoomExists(name()), 409, "room_exists"),
        (
            Refusal::WrongRoomKind { room: name(), kind: "single", wanted: "group" },
            400,
            "wrong_room_type",
        ),
        (Refusal::RoomFull(name()), 409, "room_full"),
    ];
    for (refusal, status, code) in refusals {
        assert_eq!(status_and_code(&refusal), (status, code), "{refusal}");
    }
}
