//! The credentials of one app never read or change data of another app, with any ids.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, text};
use crate::support::caller::{Caller, sent};
use crate::support::test_server::TestServer;

/// Marker in every text, name, option and payload of the attacked app.
const MARK: &str = "classified";

/// Ids of the attacked app that a stranger knows.
struct Known {
    room_id: String,
    room: String,
    channel: String,
    user: String,
    message_id: String,
    unique_id: String,
    client_id: String,
}

/// Fills an app with marked data.
async fn fill(shop: &Caller) -> Known {
    let profile = json!({
        "user_id": "victim", "username": format!("{MARK} name"),
        "avatar_url": format!("https://img.example/{MARK}"), "extras": {"x": MARK},
    });
    shop.post("login_or_register", profile).await.results();
    shop.register("friend").await;
    let room = json!({
        "room_name": format!("{MARK} room"), "unique_id": "den", "room_options": MARK,
        "participants": ["victim", "friend"],
    });
    let room = shop.post("create_room", room).await.results()["room"].take();
    let channel = json!({"unique_id": "radio", "room_name": MARK, "participants": ["victim"]});
    shop.post("get_or_create_channel", channel).await.results();
    let comment = shop.post_comment("victim", "den", &format!("{MARK} text")).await;
    let card = json!({
        "user_id": "victim", "room_id": "den", "type": "card", "payload": {"text": MARK},
        "extras": {"x": MARK}, "unique_temp_id": "card-1",
    });
    shop.post("post_comment", card).await.results();
    Known {
        room_id: text(&room["room_id"]).to_owned(),
        room: "den".to_owned(),
        channel: "radio".to_owned(),
        user: "victim".to_owned(),
        message_id: comment["id"].to_string(),
        unique_id: text(&comment["unique_id"]).to_owned(),
        client_id: "card-1".to_owned(),
    }
}

/// Returns all data of an app, to compare before and after.
async fn snapshot(shop: &Caller, known: &Known) -> Vec<Value> {
    let user = [("user_id", known.user.as_str())];
    let room = [("room_id", known.room.as_str()), ("limit", "100")];
    let rooms = [("room_ids[]", known.room.as_str()), ("room_ids[]", &known.channel)];
    let unread = [("user_id", "friend"), ("room_ids[]", &known.room)];
    vec![
        shop.get("user_profile", &user).await.results(),
        shop.get("get_user_token", &user).await.results(),
        shop.get("get_user_rooms", &user).await.results(),
        shop.get("get_user_list", &[("show_all", "1")]).await.results(),
        shop.get("load_comments", &room).await.results(),
        shop.get("get_room_participants", &room).await.results(),
        shop.get("get_rooms_info", &rooms).await.results(),
        shop.get("get_unread_count", &unread).await.results(),
    ]
}

/// Calls by a stranger, each with its response and expected status; a 200 response must be empty.
async fn attempts(stranger: &Caller, known: &Known) -> Vec<(String, Answer, u16)> {
    let mut tried = Vec::new();
    let Known { user, message_id, unique_id, client_id, .. } = known;
    for room in [&known.room_id, &known.room, &known.channel] {
        let range = [
            ("room_id", room.as_str()),
            ("first_comment_id", "1"),
            ("last_comment_id", "9007199254740991"),
        ];
        for call in ["load_comments", "load_comments_with_range", "get_room_participants"] {
            tried.push((call.to_owned(), stranger.get(call, &range).await, 404));
        }
        let own = json!({"user_id": "spy", "room_id": room, "message": "m"});
        let bodies = [
            ("post_comment", own.clone()),
            ("post_comment", json!({"user_id": user, "room_id": room, "message": "m"})),
            (
                "post_system_event_message",
                json!({"system_event_type": "custom", "room_id": room, "message": "m"}),
            ),
            ("update_room", json!({"room_id": room, "room_name": "mine"})),
            ("add_room_participants", json!({"room_id": room, "user_ids": ["spy"]})),
            ("remove_room_participants", json!({"room_id": room, "user_ids": ["spy"]})),
        ];
        for (call, body) in bodies {
            tried.push((format!("{call} {body}"), stranger.post(call, body).await, 404));
        }
        let info = stranger.get("get_rooms_info", &[("room_ids[]", room)]).await;
        tried.push(("get_rooms_info".to_owned(), info, 200));
        let query = [("user_id", "spy"), ("room_ids[]", room), ("room_channel_ids[]", room)];
        let unread = stranger.get("get_unread_count", &query).await;
        tried.push(("get_unread_count".to_owned(), unread, 200));
    }
    for call in ["user_profile", "get_user_token", "get_user_rooms", "get_average_reply_time_user"]
    {
        tried.push((call.to_owned(), stranger.get(call, &[("user_id", user)]).await, 404));
    }
    let unread = stranger.get("get_user_unread_count", &[("user_ids[]", user)]).await;
    tried.push(("get_user_unread_count".to_owned(), unread, 404));
    let bodies = [
        ("reset_user_token", json!({"user_id": user})),
        ("reactivate_users", json!({"user_ids": [user]})),
        ("create_room", json!({"room_name": "r", "participants": [user]})),
        ("create_room", json!({"room_name": "r", "participants": ["spy"], "creator": user})),
        ("get_or_create_room_with_target", json!({"user_ids": ["spy", user]})),
        ("get_or_create_channel", json!({"unique_id": "own", "participants": [user]})),
        ("add_room_participants", json!({"room_id": "hideout", "user_ids": [user]})),
        ("broadcast", json!({"sender_user_id": "spy", "target_user_ids": [user], "message": "m"})),
        ("broadcast", json!({"sender_user_id": user, "target_user_ids": ["spy"], "message": "m"})),
    ];
    for (call, body) in bodies {
        tried.push((format!("{call} {body}"), stranger.post(call, body).await, 404));
    }
    let body = json!({"user_ids": [user]});
    tried.push(("deactivate_users".into(), stranger.delete("deactivate_users", body).await, 404));
    for id in [unique_id, client_id, message_id] {
        tried.push((format!("delete {id}"), stranger.delete_messages(&[id]).await, 404));
        let path = format!("delete_messages?unique_ids[]={id}");
        let answer = sent(stranger.request(Method::DELETE, &path)).await;
        tried.push((format!("delete {id} by query"), answer, 404));
    }
    let reply = json!({"text": "t", "replied_comment_id": message_id});
    let answer = stranger.post_typed("spy", "hideout", "reply", reply).await;
    tried.push(("reply".to_owned(), answer, 400));
    tried
}

#[tokio::test]
async fn ids_of_another_app_are_not_found_and_nothing_changes() {
    let server = TestServer::start().await;
    let known = fill(&server).await;
    let before = snapshot(&server, &known).await;
    assert!(format!("{before:?}").matches(MARK).count() > 10, "the app has marked data");

    let stranger = server.create_app("stranger").await;
    stranger.register("spy").await;
    stranger.create_room("hideout", &["spy"]).await;
    let own_before = snapshot_of_stranger(&stranger).await;
    for (what, answer, status) in attempts(&stranger, &known).await {
        assert_eq!(answer.status, status, "{what}: {}", answer.text);
        assert!(!answer.text.contains(MARK), "{what}: {}", answer.text);
        if status == 200 {
            let lists = answer.results();
            let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
            assert!(lists.as_object().expect("lists").values().all(is_empty), "{what}: {lists}");
        }
    }
    assert_eq!(snapshot(&server, &known).await, before);
    assert_eq!(snapshot_of_stranger(&stranger).await, own_before, "refused calls create nothing");
}

async fn snapshot_of_stranger(stranger: &Caller) -> Vec<Value> {
    vec![
        stranger.get("get_user_list", &[("show_all", "1")]).await.results(),
        stranger.get("get_user_rooms", &[("user_id", "spy")]).await.results(),
        stranger.get("load_comments", &[("room_id", "hideout")]).await.results(),
    ]
}

#[tokio::test]
async fn errors_do_not_reveal_whether_another_app_has_an_id() {
    let server = TestServer::start().await;
    let known = fill(&server).await;
    let stranger = server.create_app("stranger").await;
    stranger.register("spy").await;
    let told = |answer: Answer, name: &str| {
        let error = answer.json()["error"].take();
        (answer.status, error["code"].clone(), text(&error["message"]).replace(name, "X"))
    };
    for (theirs, nothing) in [(known.room_id.as_str(), "4711"), ("den", "hole")] {
        let there = stranger.get("load_comments", &[("room_id", theirs)]).await;
        let nowhere = stranger.get("load_comments", &[("room_id", nothing)]).await;
        assert_eq!(told(there, theirs), told(nowhere, nothing));
    }
    let there = stranger.delete_messages(&[&known.unique_id]).await;
    let nowhere = stranger.delete_messages(&["no such id"]).await;
    assert_eq!(told(there, &known.unique_id), told(nowhere, "no such id"));
    let there = stranger.get("user_profile", &[("user_id", "victim")]).await;
    let nowhere = stranger.get("user_profile", &[("user_id", "nobody")]).await;
    assert_eq!(told(there, "victim"), told(nowhere, "nobody"));
}
