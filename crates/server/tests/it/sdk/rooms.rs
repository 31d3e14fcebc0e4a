//! Rooms in the client API: opening, listing and changing them.

use serde_json::{Value, json};

use crate::support::answer::{each, items, keys, text};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

const ROOM: [&str; 19] = [
    "avatar_url",
    "chat_type",
    "id",
    "id_str",
    "is_public_channel",
    "is_removed",
    "last_comment",
    "last_comment_id",
    "last_comment_id_str",
    "last_comment_message",
    "last_topic_id",
    "last_topic_id_str",
    "options",
    "participants",
    "raw_room_name",
    "room_name",
    "room_total_participants",
    "unique_id",
    "unread_count",
];

const PARTICIPANT: [&str; 11] = [
    "active",
    "avatar_url",
    "email",
    "extras",
    "id",
    "id_str",
    "last_comment_read_id",
    "last_comment_read_id_str",
    "last_comment_received_id",
    "last_comment_received_id_str",
    "username",
];

async fn three(server: &TestServer) -> (Client, Client, Client) {
    let new = async |user: &str| Client::new(server, user).await;
    (new("ana").await, new("bob").await, new("eve").await)
}

#[tokio::test]
async fn a_single_room_is_shared_and_named_after_the_other_user() {
    let server = TestServer::start().await;
    let (ana, bob, _) = three(&server).await;
    let form = [("emails", "bob"), ("options", r#"{"a":1}"#)];
    let opened = ana.post_form("get_or_create_room_with_target", &form).await.results();
    assert_eq!(keys(&opened), ["changed", "comments", "is_participant", "room"]);
    let room = &opened["room"];
    assert_eq!(keys(room), ROOM);
    assert_eq!((&room["chat_type"], &room["room_name"]), (&json!("single"), &json!("Bob")));
    assert_eq!((&room["options"], &room["raw_room_name"]), (&json!(r#"{"a":1}"#), &json!("")));
    assert_eq!(room["last_comment"]["id"], 0);
    assert_eq!(room["last_comment"]["type"], "unknown");
    assert_eq!(opened["comments"], json!([]));
    let body = json!({"emails": ["ana", "bob"]});
    let same = bob.post("get_or_create_room_with_target", body).await.results();
    assert_eq!((&same["room"]["id"], &same["room"]["room_name"]), (&room["id"], &json!("Ana")));
    for wrong in [json!([]), json!("ana"), json!(["bob", "eve"])] {
        let answer = ana.post("get_or_create_room_with_target", json!({"emails": wrong})).await;
        answer.refused(400, "invalid_request").says("emails");
    }
    let unknown = ana.post("get_or_create_room_with_target", json!({"emails": "nobody"})).await;
    unknown.refused(404, "user_not_found");
}

#[tokio::test]
async fn a_group_includes_its_creator_and_shows_read_positions() {
    let server = TestServer::start().await;
    let (ana, bob, eve) = three(&server).await;
    let form = [
        ("name", "Team"),
        ("participants[][0]", "bob"),
        ("participants[][1]", "eve"),
        ("options", ""),
    ];
    let room = ana.post_form("create_room", &form).await.results()["room"].take();
    assert_eq!(each(&room["participants"], "email"), ["ana", "bob", "eve"]);
    assert_eq!((&room["room_name"], &room["options"]), (&json!("Team"), &json!("{}")));
    let id = text(&room["id_str"]);
    let first = server.post_comment("ana", id, "one").await;
    let second = server.post_comment("bob", id, "two").await;
    let seen = eve.get("get_room_by_id", &[("id", id)]).await.results();
    assert_eq!(seen["is_participant"], true);
    assert_eq!(each(&seen["comments"], "message"), ["two", "one"]);
    assert_eq!(each(&seen["comments"], "status"), ["sent", "sent"]);
    assert_eq!(seen["room"]["unread_count"], 2);
    assert_eq!(seen["room"]["last_comment_id"], second["id"]);
    assert_eq!(seen["room"]["last_comment"]["message"], "two");
    assert_eq!(keys(&seen["room"]["participants"][0]), PARTICIPANT);
    let read = |who: usize| &seen["room"]["participants"][who]["last_comment_read_id"];
    assert_eq!((read(0), read(1), read(2)), (&first["id"], &second["id"], &json!(0)));
    let received = &seen["room"]["participants"][1]["last_comment_received_id_str"];
    assert_eq!(text(received), second["id"].to_string());
    let total = eve.get("total_unread_count", &[]).await.results();
    assert_eq!(total, json!({"total_unread_count": 2}));
    let rooms = eve.get("get_room_unread_count", &[]).await.results();
    assert_eq!(rooms, json!({"total_unread_count": 1}));
    assert_eq!(bob.get("total_unread_count", &[]).await.results()["total_unread_count"], 0);
    let account = bob.get("my_profile", &[]).await.results()["user"].take();
    assert_eq!(account["last_comment_id"], second["id"]);
}

#[tokio::test]
async fn rooms_are_listed_by_their_last_message_newest_first() {
    let server = TestServer::start().await;
    let (ana, _, _) = three(&server).await;
    let quiet = ana.create_room("Quiet", &["bob"]).await;
    let loud = ana.create_room("Loud", &["bob", "eve"]).await;
    server.post_comment("bob", &loud, "hello").await;
    let listed = async |query: &[(&str, &str)]| ana.get("user_rooms", query).await.results();
    let all = listed(&[("page", "1"), ("room_type", "default")]).await;
    assert_eq!(each(&all["rooms_info"], "room_name"), ["Loud", "Quiet"]);
    assert_eq!(all["meta"], json!({"current_page": 1, "total_room": 2}));
    assert_eq!(all["rooms_info"][0]["last_comment"]["message"], "hello");
    assert_eq!(items(&all["rooms_info"][0]["participants"]).len(), 3);
    let some = listed(&[("show_empty", "false"), ("show_participants", "false")]).await;
    assert_eq!(each(&some["rooms_info"], "room_name"), ["Loud"]);
    assert_eq!(some["rooms_info"][0]["participants"], json!([]));
    assert_eq!(some["rooms_info"][0]["room_total_participants"], 3);
    assert_eq!(listed(&[("room_type", "single")]).await["rooms_info"], json!([]));
    let second = listed(&[("page", "2"), ("limit", "1")]).await;
    assert_eq!(each(&second["rooms_info"], "room_name"), ["Quiet"]);
    let body = json!({"room_id": [quiet, loud, 12345], "show_participants": true});
    let info = ana.post("rooms_info", body).await.results();
    assert_eq!(each(&info["rooms_info"], "room_name"), ["Quiet", "Loud"]);
    let meta = json!({"request_rooms_total": 3, "response_rooms_total": 2});
    assert_eq!(info["meta"], meta);
    let unique = &info["rooms_info"][0]["unique_id"];
    let body = json!({"room_unique_id": [unique]});
    let info = ana.post("rooms_info", body).await.results();
    assert_eq!(each(&info["rooms_info"], "room_name"), ["Quiet"]);
}

#[tokio::test]
async fn participants_can_change_a_room_and_its_participants() {
    let server = TestServer::start().await;
    let (ana, bob, eve) = three(&server).await;
    let room = ana.create_room("Team", &["bob"]).await;
    let body = json!({"id": room, "room_name": "Crew", "options": "{\"b\":2}"});
    let changed = bob.post("update_room", body).await.results();
    assert_eq!(
        (&changed["changed"], &changed["room"]["room_name"]),
        (&json!(true), &json!("Crew"))
    );
    let form = [("room_id", room.as_str()), ("emails[]", "eve")];
    let added = bob.post_form("add_room_participants", &form).await.results();
    assert_eq!(each(&added["participants_added"], "email"), ["eve"]);
    let unique = text(&changed["room"]["unique_id"]).to_owned();
    let query = [("room_unique_id", unique.as_str()), ("page", "1"), ("limit", "2")];
    let page = eve.get("room_participants", &query).await.results();
    assert_eq!(each(&page["participants"], "email"), ["ana", "bob"]);
    let meta = json!({"current_offset": 0, "current_page": 1, "per_page": 2, "total": 3});
    assert_eq!(page["meta"], meta);
    let query = [("room_id", room.as_str()), ("sorting", "desc"), ("offset", "1")];
    let page = eve.get("room_participants", &query).await.results();
    assert_eq!(each(&page["participants"], "email"), ["bob", "ana"]);
    let body = json!({"room_id": room, "emails": ["ana", "eve"]});
    let left = bob.post("remove_room_participants", body).await.results();
    assert_eq!(left, json!({"participants_removed": ["ana", "eve"]}));
    ana.get("get_room_by_id", &[("id", &room)]).await.refused(404, "room_not_found");
    assert_eq!(server.participants(&room).await, ["bob"]);
}

#[tokio::test]
async fn an_unknown_unique_id_opens_a_public_channel() {
    let server = TestServer::start().await;
    let (ana, bob, eve) = three(&server).await;
    let form = [("unique_id", "news"), ("name", "News"), ("avatar_url", "")];
    let opened = ana.post_form("get_or_create_room_with_unique_id", &form).await.results();
    assert_eq!((&opened["changed"], &opened["room"]["chat_type"]), (&json!(true), &json!("group")));
    assert_eq!(opened["room"]["is_public_channel"], true);
    let id = text(&opened["room"]["id_str"]);
    let seen = eve.get("get_room_by_id", &[("id", id)]).await.results();
    assert_eq!(seen["is_participant"], false, "every user can read a public channel");
    let body = json!({"unique_id": "news"});
    let joined = bob.post("get_or_create_room_with_unique_id", body).await.results();
    assert_eq!(joined["room"]["room_total_participants"], 2);
    server.create_room("closed", &["bob"]).await;
    let body = json!({"unique_id": "closed"});
    let found = bob.post("get_or_create_room_with_unique_id", body.clone()).await.results();
    assert_eq!(found["room"]["is_public_channel"], false);
    let refused = ana.post("get_or_create_room_with_unique_id", body).await;
    refused.refused(404, "room_not_found");
    let body = json!({"unique_id": "single-0123"});
    let refused = ana.post("get_or_create_room_with_unique_id", body).await;
    refused.refused(400, "invalid_request").says("unique_id");
}

#[tokio::test]
async fn read_positions_point_at_messages_beyond_the_first_page() {
    let server = TestServer::start().await;
    let (ana, bob, _) = three(&server).await;
    let room = ana.create_room("Team", &["bob"]).await;
    let mut ids: Vec<Value> = Vec::new();
    for number in 0..70 {
        let user = if number < 40 { "bob" } else { "ana" };
        ids.push(server.post_comment(user, &room, &number.to_string()).await["id"].take());
    }
    let seen = bob.get("get_room_by_id", &[("id", &room)]).await.results();
    let people = &seen["room"]["participants"];
    assert_eq!(people[0]["last_comment_read_id"], ids[69]);
    assert_eq!(people[1]["last_comment_read_id"], ids[39]);
    assert_eq!(seen["room"]["unread_count"], 30);
    assert_eq!(each(&seen["comments"], "message").len(), 20);
}
