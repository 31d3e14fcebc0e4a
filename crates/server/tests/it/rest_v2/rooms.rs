//! Rooms and their participants.

use serde_json::{Value, json};

use super::{get, post, post_json};
use crate::support::answer::{each, keys, text};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn a_room_is_returned_without_an_enclosing_key() {
    let server = TestServer::with_people(&["ana", "bob", "cleo"]).await;
    let fields = [
        ("name", "Team"),
        ("creator", "ana"),
        ("participants[]", "ana"),
        ("participants[]", "bob"),
        ("avatar_url", ""),
    ];
    let room = post(&server, "create_room", &fields).await.results();
    let expected = ["creator", "participants", "room_id", "room_id_str", "room_name", "room_type"];
    assert_eq!(keys(&room), expected);
    assert_eq!((&room["creator"], &room["room_name"]), (&json!("ana"), &json!("Team")));
    assert_eq!((&room["room_type"], room["room_id"].is_i64()), (&json!("group"), true));
    assert_eq!(each(&room["participants"], "email"), ["ana", "bob"]);
    for key in ["avatar_url", "id", "last_comment_read_id", "last_comment_received_id", "username"]
    {
        assert!(keys(&room["participants"][0]).contains(&key), "{key}");
    }
    let id = text(&room["room_id_str"]);
    let added = [("room_id", id), ("emails[]", "cleo")];
    let added = post(&server, "add_room_participants", &added).await.results();
    assert_eq!(keys(&added), expected);
    assert_eq!(each(&added["participants"], "email"), ["ana", "bob", "cleo"]);
    let removed = json!({"room_id": room["room_id"], "emails": ["bob"]});
    let removed = post_json(&server, "remove_room_participants", removed).await.results();
    assert_eq!(each(&removed["participants"], "email"), ["ana", "cleo"]);
    let listed = get(&server, "get_room_participants", &[("room_id", id)]).await.results();
    assert_eq!(each(&listed["participants"], "email"), ["ana", "cleo"]);
}

#[tokio::test]
async fn a_single_room_is_found_by_get_and_by_post() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let two = [("emails[]", "ana"), ("emails[]", "bob")];
    let first = get(&server, "get_or_create_room_with_target", &two).await.results();
    let room = &first["room"];
    assert_eq!((&first["comments"], &room["chat_type"]), (&json!([]), &json!("single")));
    assert_eq!((&room["room_name"], &room["options"]), (&json!("Bob"), &json!("{}")));
    assert_eq!(each(&room["participants"], "email"), ["ana", "bob"]);
    server.post_comment("bob", text(&room["unique_id"]), "hello").await;
    let again = post(&server, "get_or_create_room_with_target", &two).await.results();
    assert_eq!(again["room"]["id"], room["id"]);
    assert_eq!(each(&again["comments"], "message"), ["hello"]);
    assert_eq!(
        again["room"]["unread_count"], 1,
        "the unread count is that of the user named first"
    );
    for wrong in [json!(["ana"]), json!(["ana", "ana"]), json!(["ana", "bob", "c"]), json!(null)] {
        let refused =
            post_json(&server, "get_or_create_room_with_target", json!({"emails": wrong}));
        refused.await.refused(400, "invalid_request").says("emails");
    }
}

#[tokio::test]
async fn updating_a_room_returns_it_with_its_messages() {
    let server = TestServer::with_support_room().await;
    server.post_comment("ana", "support", "hello").await;
    let fields = [
        ("user_email", "bob"),
        ("room_id", "support"),
        ("room_name", "Help"),
        ("options", "{\"a\":1}"),
    ];
    let changed = post(&server, "update_room", &fields).await.results();
    assert_eq!(
        (&changed["changed"], &changed["room"]["room_name"]),
        (&json!(true), &json!("Help"))
    );
    assert_eq!(changed["room"]["options"], "{\"a\":1}");
    assert_eq!(each(&changed["comments"], "message"), ["hello"]);
    assert_eq!(changed["room"]["unread_count"], 1);
    let again = post(&server, "update_room", &fields).await.results();
    assert_eq!(again["changed"], false);
    post(&server, "update_room", &[("room_id", "nowhere")]).await.refused(404, "room_not_found");
}

fn listed(results: &Value) -> Vec<(&str, u64, &str)> {
    let rooms = results["rooms_info"].as_array().expect("rooms");
    rooms
        .iter()
        .map(|room| {
            let unread = room["unread_count"].as_u64().expect("a count");
            (text(&room["room_name"]), unread, text(&room["last_comment_message"]))
        })
        .collect()
}

#[tokio::test]
async fn rooms_of_a_user_have_their_last_message_and_unread_count() {
    let server = TestServer::with_support_room().await;
    server.create_room("empty", &["ana"]).await;
    server.post_comment("bob", "support", "hello").await;
    let query = [("user_email", "ana"), ("page", "1"), ("show_participants", "true")];
    let rooms = get(&server, "get_user_rooms", &query).await.results();
    assert_eq!(rooms["meta"], json!({"current_page": 1, "total_room": 2}));
    let expected = [("The support room", 1, "hello"), ("The empty room", 0, "")];
    assert_eq!(listed(&rooms), expected);
    assert_eq!(each(&rooms["rooms_info"][0]["participants"], "email"), ["ana", "bob"]);
    let times: Vec<_> = each(&rooms["rooms_info"], "last_comment_timestamp");
    assert!(times[0] > "2020" && times[1] == "1970-01-01T00:00:00Z", "{times:?}");
    let id = rooms["rooms_info"][0]["room_id"].to_string();
    let fields = [("user_email", "bob"), ("room_id[]", &*id), ("show_participants", "")];
    let info = post(&server, "get_rooms_info", &fields).await.results();
    assert_eq!(listed(&info), [("The support room", 0, "hello")]);
    assert!(info["rooms_info"][0].get("participants").is_none());
    let bob = Client::of(&server, "bob").await;
    assert_eq!(bob.texts(&id).await, ["hello"]);
}
