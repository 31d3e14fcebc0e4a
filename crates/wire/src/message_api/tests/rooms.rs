//! Calls about rooms (wire facts 3.2).

use std::sync::Arc;

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::rooms::opening::RoomInput;
use confab_domain::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use confab_domain::time::Timestamp;
use serde::Serialize;

use super::{form, json, parsed, ref_texts};
use crate::message_api::Page;
use crate::message_api::rooms::{
    UserRooms, changed_room, one_room, participants, participants_added, participants_removed,
    read_channel, read_create_room, read_pair, read_participants, read_room_and_users, read_rooms,
    read_unread, read_update, room_list, user_rooms,
};

/// Parses a request to create a room. `fields` is JSON without the braces.
fn create(fields: &str) -> Result<RoomInput, Vec<String>> {
    parsed(read_create_room(&json(&format!("{{{fields}}}"))))
}

/// Returns the problems of a request to create ana's room "Support" with these additional fields.
fn create_problems(fields: &str) -> Vec<String> {
    let room = format!(r#""room_name":"Support","participants":["ana"]{fields}"#);
    create(&room).err().unwrap_or_default()
}

fn shown(rooms: &[RoomRef]) -> Vec<String> {
    rooms.iter().map(RoomRef::shown).collect()
}

fn room(kind: RoomKind) -> Room {
    let unique_id = RoomUniqueId::from_trusted("news".to_owned());
    Room {
        name: "News".to_owned(),
        avatar_url: "/n.png".to_owned(),
        options: r#"{"n":1.0}"#.to_owned(),
        ..Room::new(RoomId(55), AppId(1), unique_id, kind, Timestamp(0))
    }
}

fn text(answer: impl Serialize) -> String {
    serde_json::to_string(&answer).expect("JSON")
}

#[test]
fn a_room_requires_a_name_and_participants() {
    let room = create(r#""room_name":"Support","participants":["ana","bob","ana"]"#).expect("room");
    assert_eq!(
        (room.name.as_str(), ref_texts(&room.participants)),
        ("Support", vec!["ana", "bob"])
    );
    assert_eq!((room.unique_id, room.creator), (None, None));
    assert_eq!((room.avatar_url.as_str(), room.options.as_str()), ("", ""));
    let missing = ["room_name is required", "participants is required"];
    for fields in ["", r#""room_name":"","participants":[]"#] {
        assert_eq!(create(fields).expect_err("refused"), missing);
    }
}

#[test]
fn a_room_may_have_creator_unique_id_picture_and_options() {
    let room = create(
        r#""room_name":"Support","participants":["ana"],"creator":"bob","unique_id":"s-1",
        "room_avatar_url":"/s.png","room_options":"any text""#,
    );
    let room = room.expect("a room");
    assert_eq!(room.creator.expect("a creator").as_str(), "bob");
    assert_eq!(room.unique_id.expect("a unique id").as_str(), "s-1");
    assert_eq!((room.avatar_url.as_str(), room.options.as_str()), ("/s.png", "any text"));
}

#[test]
fn every_invalid_field_of_a_room_is_reported() {
    let wrong = create_problems(
        r#","creator":"b c","unique_id":"a/b","room_avatar_url":"data:x","room_options":5"#,
    );
    let expected = [
        "creator may contain only letters, digits and . - _ @",
        "unique_id must not contain #, +, / or control characters",
        "room_avatar_url must be an http or https URL",
        "room_options must be a string",
    ];
    assert_eq!(wrong, expected);
    let wrong = create(r#""room_name":"Support","participants":["ana","b c"]"#).err();
    let expected = "participants may contain only letters, digits and . - _ @".to_owned();
    assert_eq!(wrong, Some(vec![expected]));
}

#[test]
fn room_options_are_a_string_or_the_text_of_an_object() {
    let options = |options: &str| {
        let fields = format!(r#""room_name":"x","participants":["ana"],"room_options":{options}"#);
        create(&fields).map(|room| room.options)
    };
    assert_eq!(options(r#"{"n": 1.0}"#), Ok(r#"{"n": 1.0}"#.to_owned()));
    assert_eq!(options(r#""{\"n\": 1.0} ""#), Ok(r#"{"n": 1.0} "#.to_owned()));
    assert_eq!(options(r#""{broken""#), Ok("{broken".to_owned()));
    assert_eq!(options("null"), Ok(String::new()));
    assert_eq!(options("[1]"), Err(vec!["room_options must be a string".to_owned()]));
    assert!(options(&format!("\"{}\"", "x".repeat(65_536))).is_ok());
    let long = options(&format!("\"{}\"", "x".repeat(65_537)));
    assert_eq!(long, Err(vec!["room_options must have at most 65536 bytes".to_owned()]));
}

#[test]
fn names_and_pictures_of_rooms_have_a_maximum_length() {
    let problems = |field: &str, count: usize| {
        let fields = format!(r#""room_id":5,"{field}":"{}""#, "é".repeat(count));
        parsed(read_update(&json(&format!("{{{fields}}}")))).err().unwrap_or_default()
    };
    for (field, most) in [("room_name", 255), ("room_avatar_url", 2048)] {
        assert!(problems(field, most).is_empty());
        let expected = format!("{field} must have at most {most} characters");
        assert_eq!(problems(field, most + 1), [expected]);
    }
    let name = |count| {
        let name = "é".repeat(count);
        create(&format!(r#""room_name":"{name}","participants":["ana"]"#)).err().unwrap_or_default()
    };
    assert!(name(255).is_empty());
    assert_eq!(name(256), ["room_name must have at most 255 characters"]);
    let unique_id = |count| create_problems(&format!(r#","unique_id":"{}""#, "é".repeat(count)));
    assert!(unique_id(255).is_empty());
    assert_eq!(unique_id(256), ["unique_id must have at most 255 characters"]);
    assert_eq!(create_problems(r#","unique_id":5"#), ["unique_id must be a string"]);
}

#[test]
fn a_call_accepts_at_most_100_users() {
    let users = |count: usize| {
        let names: Vec<_> = (0..count).map(|at| format!(r#""u{at}""#)).collect();
        let names = names.join(",");
        let body = format!(
            r#"{{"room_name":"x","unique_id":"x","room_id":5,"participants":[{names}],
            "user_ids":[{names}]}}"#
        );
        let body = json(&body);
        [
            parsed(read_create_room(&body)).map(|room| room.participants),
            parsed(read_channel(&body)).map(|(_, room)| room.participants),
            parsed(read_room_and_users(&body)).map(|(_, users)| users),
        ]
    };
    for users in users(100) {
        assert_eq!(users.expect("users").len(), 100);
    }
    let wrong = users(101).map(|users| users.expect_err("refused").join(" "));
    let expected = ["participants", "participants", "user_ids"];
    assert_eq!(wrong, expected.map(|field| format!("{field} must name at most 100 users")));
}

#[test]
fn a_channel_requires_only_a_unique_id_which_is_its_default_name() {
    let channel = |fields: &str| parsed(read_channel(&json(fields)));
    for name in ["", r#","room_name":"""#] {
        let (unique_id, room) = channel(&format!(r#"{{"unique_id":"news"{name}}}"#)).expect(name);
        assert_eq!((unique_id.as_str(), room.name.as_str()), ("news", "news"));
        assert!(room.participants.is_empty());
    }
    let (_, room) = channel(
        r#"{"unique_id":"news","room_name":"News","participants":["ana"],
        "room_avatar_url":"/n.png","room_options":{"n":1.0}}"#,
    )
    .expect("a channel");
    assert_eq!((room.name.as_str(), room.avatar_url.as_str()), ("News", "/n.png"));
    assert_eq!(
        (room.options.as_str(), ref_texts(&room.participants)),
        (r#"{"n":1.0}"#, vec!["ana"])
    );
    let problems = |fields: &str| channel(fields).expect_err("refused");
    assert_eq!(problems("{}"), ["unique_id is required"]);
    let odd = "unique_id must not contain #, +, / or control characters";
    for id in ["a#b", "a+b", "a/b", "a\\nb"] {
        assert_eq!(problems(&format!(r#"{{"unique_id":"{id}"}}"#)), [odd], "{id}");
    }
    let wrong = problems(r#"{"unique_id":"news","participants":["b c"]}"#);
    assert_eq!(wrong, ["participants may contain only letters, digits and . - _ @"]);
}

#[test]
fn a_pair_is_two_different_users() {
    let pair = |users: &str| {
        let body = format!(r#"{{"user_ids":{users},"room_options":"o"}}"#);
        let (pair, options) = parsed(read_pair(&json(&body)))?;
        assert_eq!(options, "o");
        Ok(pair.map(|user| user.address()).join(" "))
    };
    let refused = |problem: &str| Err(vec![format!("user_ids {problem}")]);
    assert_eq!(pair(r#"["bob","ana"]"#), Ok("bob ana".to_owned()));
    assert_eq!(pair(r#"["bob","3:ana"]"#), Ok("bob 3:ana".to_owned()));
    assert_eq!(pair(r#"["ana","ana"]"#), refused("must name two different users"));
    assert_eq!(pair(r#"["ana","3:ana"]"#), refused("must name two different users"));
    assert_eq!(pair(r#"["bob","x:ana"]"#), refused("must have a channel's id before the colon"));
    assert_eq!(pair(r#"["ana"]"#), refused("must name two different users"));
    assert_eq!(pair(r#"["a","b","c"]"#), refused("must name at most 2 users"));
    assert_eq!(pair("[]"), refused("is required"));
    assert_eq!(pair(r#"["ana","b c"]"#), refused("may contain only letters, digits and . - _ @"));
}

#[test]
fn an_update_changes_only_the_given_fields() {
    let update = |fields: &str| {
        let (room, edit) = parsed(read_update(&json(fields)))?;
        Ok((room.shown(), edit.name, edit.avatar_url, edit.options))
    };
    let support = "support".to_owned();
    let nothing = Ok((support.clone(), None, None, None));
    assert_eq!(update(r#"{"room_id":"support"}"#), nothing);
    assert_eq!(update(r#"{"room_id":"support","room_name":"","room_options":null}"#), nothing);
    let all =
        update(r#"{"room_id":"support","room_name":"New","room_avatar_url":"","room_options":""}"#);
    let (empty, name) = (Some(String::new()), Some("New".to_owned()));
    assert_eq!(all, Ok((support, name, empty.clone(), empty)));
    assert_eq!(update("{}"), Err(vec!["room_id is required".to_owned()]));
}

#[test]
fn changes_of_participants_require_a_room_and_users() {
    let (room, users) =
        parsed(read_room_and_users(&form("room_id=55&user_ids[]=a&user_ids[]=b"))).expect("both");
    assert_eq!((room.shown().as_str(), ref_texts(&users)), ("55", vec!["a", "b"]));
    let wrong = parsed(read_room_and_users(&json("{}"))).expect_err("refused");
    assert_eq!(wrong, ["room_id is required", "user_ids is required"]);
}

#[test]
fn the_default_page_has_20_participants_or_100_rooms() {
    let participants = |query: &str| {
        parsed(read_participants(&form(query))).map(|(_, page)| (page.number, page.size))
    };
    assert_eq!(participants("room_id=5"), Ok((1, 20)));
    assert_eq!(participants("room_id=5&page=2&limit=101"), Ok((2, 20)));
    assert_eq!(participants(""), Err(vec!["room_id is required".to_owned()]));
    let rooms = |query: &str| {
        parsed(UserRooms::read(&form(query))).map(|rooms| (rooms.page.number, rooms.page.size))
    };
    assert_eq!(rooms("user_id=ana"), Ok((1, 100)));
    assert_eq!(rooms("user_id=ana&page=2&limit=30"), Ok((2, 30)));
    assert_eq!(rooms("user_id=ana&limit=101"), Ok((1, 100)));
    assert_eq!(rooms(""), Err(vec!["user_id is required".to_owned()]));
}

#[test]
fn rooms_of_a_user_can_be_filtered_by_kind() {
    let kind = |query: &str| {
        parsed(UserRooms::read(&form(&format!("user_id=ana&{query}")))).map(|rooms| rooms.kind)
    };
    assert_eq!(kind(""), Ok(None));
    assert_eq!(kind("room_type="), Ok(None));
    assert_eq!(kind("room_type=single"), Ok(Some(RoomKind::Single)));
    assert_eq!(kind("room_type=group"), Ok(Some(RoomKind::Group)));
    assert_eq!(kind("room_type=channel"), Ok(Some(RoomKind::Public)));
    let wrong = vec!["room_type must be single, group or channel".to_owned()];
    assert_eq!(kind("room_type=other"), Err(wrong));
    let wrong = parsed(UserRooms::read(&json(r#"{"user_id":"ana","room_type":5}"#)));
    assert_eq!(wrong.expect_err("refused"), ["room_type must be a string"]);
}

#[test]
fn rooms_by_id_and_by_unique_id_are_combined_without_duplicates() {
    let rooms = |query: &str| parsed(read_rooms(&form(query))).map(|rooms| shown(&rooms));
    let query = "room_ids[]=5&room_ids[]=6&room_channel_ids[]=news&room_channel_ids[]=5";
    assert_eq!(rooms(query).expect("rooms"), ["5", "6", "news"]);
    assert_eq!(rooms("room_channel_ids[]=news").expect("rooms"), ["news"]);
    assert_eq!(rooms("room_ids=5").expect("rooms"), ["5"]);
    let in_json = parsed(read_rooms(&json(r#"{"room_ids":[5,"6"]}"#))).expect("rooms");
    assert_eq!(shown(&in_json), ["5", "6"]);
    assert_eq!(rooms("").expect_err("refused"), ["room_ids is required"]);
    let wrong = rooms("room_channel_ids[]=a%23b").expect_err("refused");
    assert_eq!(wrong, ["room_channel_ids must not contain #, +, / or control characters"]);
    let wrong = parsed(read_rooms(&json(r#"{"room_ids":[1.5]}"#))).expect_err("refused");
    assert_eq!(wrong, ["room_ids must be a string or an integer"]);
}

#[test]
fn a_call_accepts_at_most_100_rooms() {
    let rooms = |count: usize| {
        let ids: Vec<_> = (0..count).map(|at| format!("room_ids[]={at}")).collect();
        parsed(read_rooms(&form(&ids.join("&"))))
    };
    assert_eq!(rooms(100).expect("rooms").len(), 100);
    assert_eq!(rooms(101).expect_err("refused"), ["room_ids must name at most 100 rooms"]);
}

#[test]
fn unread_counts_require_a_user_and_rooms() {
    let (user, rooms) =
        parsed(read_unread(&form("user_id=ana&room_ids[]=5&room_channel_ids[]=b"))).expect("both");
    assert_eq!((user.as_str(), shown(&rooms)), ("ana", vec!["5".to_owned(), "b".to_owned()]));
    let wrong = parsed(read_unread(&form(""))).expect_err("refused");
    assert_eq!(wrong, ["user_id is required", "room_ids is required"]);
    let wrong = parsed(read_unread(&form("user_id=ana&room_channel_ids[]="))).err();
    assert_eq!(wrong, Some(vec!["room_channel_ids must not be empty".to_owned()]));
}

const NEWS: &str = concat!(
    r#"{"room_avatar_url":"/n.png","room_channel_id":"news","room_id":"55","room_name":"News","#,
    r#""room_options":"{\"n\":1.0}","room_type":"channel","unique_id":"news"}"#,
);

#[test]
fn only_channels_have_a_channel_id() {
    assert_eq!(text(one_room(&room(RoomKind::Public))), format!(r#"{{"room":{NEWS}}}"#));
    for kind in [RoomKind::Group, RoomKind::Single] {
        let shown = text(one_room(&room(kind)));
        let other = NEWS
            .replace(r#""room_channel_id":"news""#, r#""room_channel_id":"""#)
            .replace(r#""channel""#, &format!(r#""{}""#, kind.as_str()));
        assert_eq!(shown, format!(r#"{{"room":{other}}}"#));
    }
}

#[test]
fn responses_about_rooms_have_the_documented_format() {
    let news = [room(RoomKind::Public)];
    let changed = text(changed_room(true, &news[0]));
    assert_eq!(changed, format!(r#"{{"changed":true,"room":{NEWS}}}"#));
    assert_eq!(text(room_list(&news)), format!(r#"{{"rooms":[{NEWS}]}}"#));
    let page = Page { number: 3, size: 100 };
    let meta = r#"{"meta":{"current_page":3,"total_room":201},"#;
    assert_eq!(text(user_rooms(&news, 201, page)), format!(r#"{meta}"rooms":[{NEWS}]}}"#));
}

#[test]
fn participants_have_the_format_of_users() {
    let ana = User {
        key: UserKey(2),
        app: AppId(1),
        realm: Realm::App,
        user_id: UserId::from_stored("ana".to_owned()),
        username: "Ana".to_owned(),
        avatar_url: String::new(),
        extras: None,
        is_active: true,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let user = r#"{"active":true,"avatar_url":"","extras":{},"user_id":"ana","username":"Ana"}"#;
    let listed = text(participants(std::slice::from_ref(&ana)));
    assert_eq!(listed, format!(r#"{{"participants":[{user}]}}"#));
    let shared = [Arc::new(ana)];
    let added = text(participants_added(&shared));
    assert_eq!(added, format!(r#"{{"participants_added":[{user}]}}"#));
    let removed = text(participants_removed(&shared));
    assert_eq!(removed, format!(r#"{{"participants_removed":[{user}]}}"#));
}
