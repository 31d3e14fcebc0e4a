//! Every call authenticates its user, and shows nothing of rooms that the user is not in.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::openapi::documented_calls;
use crate::support::caller::{sent, with_json};
use crate::support::client::{Client, two_people};

/// Returns every route with a request by a user outside of the room, and the expected response.
fn table(room: &str, message: &str) -> Vec<(Method, String, Value, (u16, &'static str))> {
    let (post, get, delete) = (Method::POST, Method::GET, Method::DELETE);
    let not_in = (404, "room_not_found");
    let unknown = (404, "message_not_found");
    let nothing = (200, "");
    let path = |call: &str| call.replace("{room}", room).replace("{message}", message);
    vec![
        (post.clone(), path("post_comment"), json!({"topic_id": room, "comment": "x"}), not_in),
        (
            post.clone(),
            path("update_message"),
            json!({"unique_id": "secret-1", "comment": "x"}),
            unknown,
        ),
        (get.clone(), path("load_comments?topic_id={room}"), Value::Null, not_in),
        (get.clone(), path("sync?last_received_comment_id=0"), Value::Null, nothing),
        (get.clone(), path("sync_event?start_event_id=0"), Value::Null, nothing),
        (
            post.clone(),
            path("update_comment_status"),
            json!({"room_id": room, "last_comment_read_id": message}),
            not_in,
        ),
        (get, path("comment_receipt?comment_id={message}"), Value::Null, unknown),
        (delete.clone(), path("delete_messages"), json!({"unique_ids": ["secret-1"]}), unknown),
        (delete, path("clear_room_messages"), json!({"room_channel_ids": [room]}), not_in),
        (post.clone(), path("search"), json!({"query": "secret", "room_ids": [room]}), not_in),
        (post.clone(), path("search"), json!({"query": "secret"}), nothing),
        (post.clone(), path("search_messages?query=secret&room_id={room}"), Value::Null, not_in),
        (post.clone(), path("file_list"), json!({"room_ids": [room]}), not_in),
        (post, path("file_list"), Value::Null, nothing),
    ]
}

fn with_body(request: RequestBuilder, body: &Value) -> RequestBuilder {
    match body {
        Value::Null => request,
        body => with_json(request, body),
    }
}

#[tokio::test]
async fn the_table_of_calls_covers_every_documented_route() {
    let (server, ..) = two_people().await;
    let calls = documented_calls(&server).await;
    let ours = [
        "post_comment",
        "update_message",
        "load_comments",
        "sync",
        "sync_event",
        "update_comment_status",
        "comment_receipt",
        "delete_messages",
        "clear_room_messages",
        "search",
        "search_messages",
        "file_list",
    ];
    let name = |path: &str| path.strip_prefix("/api/v2/sdk/").map(str::to_owned);
    let documented = calls.iter().filter_map(|call| Some((&call.method, name(&call.path)?)));
    let documented = documented.filter(|(_, name)| ours.contains(&name.as_str()));
    let mut documented: Vec<_> = documented.map(|(it, name)| format!("{it} {name}")).collect();
    let path = |path: &str| path.split('?').next().unwrap_or_default().to_owned();
    let table = table("1", "2");
    let mut walked: Vec<_> = table.iter().map(|it| format!("{} {}", it.0, path(&it.1))).collect();
    documented.sort();
    walked.sort();
    walked.dedup();
    assert_eq!(walked, documented);
}

#[tokio::test]
async fn calls_without_a_valid_token_or_outside_of_the_room_reveal_nothing() {
    let (server, ana, bob, room) = two_people().await;
    let message = ana.says(&room, "secret words", "secret-1").await["id"].to_string();
    server.register("eve").await;
    let eve = Client::of(&server, "eve").await;
    let other = server.create_app("other").await;
    other.register("ana").await;
    let stranger = Client::of(&other, "ana").await;
    let absent = format!("Room {room} does not exist in this app; create it first.");
    for (method, call, body, (status, code)) in table(&room, &message) {
        let bare = || server.bare(method.clone(), &format!("/api/v2/sdk/{call}"));
        let app = || bare().header("SERVICE-SDK-APP-ID", "shop");
        let wrong = [
            ("no token", app()),
            ("an empty token", app().header("SERVICE-SDK-TOKEN", "")),
            ("a guess", app().header("SERVICE-SDK-TOKEN", "guess")),
            ("the SDK secret", app().header("SERVICE-SDK-TOKEN", &server.secret)),
            ("another app's token", app().header("SERVICE-SDK-TOKEN", &stranger.token)),
            (
                "another user's name",
                app().header("SERVICE-SDK-TOKEN", &bob.token).header("SERVICE-SDK-USER-ID", "ana"),
            ),
        ];
        for (what, request) in wrong {
            let answer = sent(with_body(request, &body)).await;
            let refused = answer.refused(403, "unauthorized");
            assert_eq!(refused.message, "Unauthorized", "{what}: {call}");
        }
        let answer = sent(with_body(eve.request(method.clone(), &call), &body)).await;
        match code {
            "" => assert_eq!(answer.status, status, "{call}: {}", answer.text),
            // The error is the same as for a room that does not exist.
            "room_not_found" => assert_eq!(answer.refused(status, code).message, absent, "{call}"),
            code => drop(answer.refused(status, code)),
        }
        assert!(!answer.text.contains("secret words"), "{call}: {}", answer.text);
        // Other apps do not have this room.
        let answer = sent(with_body(stranger.request(method.clone(), &call), &body)).await;
        assert!([200, 404].contains(&answer.status), "{call}: {}", answer.text);
        assert!(!answer.text.contains("secret words"), "{call}: {}", answer.text);
    }
    assert_eq!(ana.texts(&room).await, ["secret words"]);
    assert_eq!(ana.comments(&room, &[]).await[0]["status"], "sent");
}

#[tokio::test]
async fn a_removed_participant_cannot_find_the_room_or_their_own_messages() {
    let (server, ana, _, room) = two_people().await;
    ana.says(&room, "mine", "a").await;
    let left = json!({"room_id": room, "user_ids": ["ana"]});
    server.post("remove_room_participants", left).await.results();
    let edit = json!({"unique_id": "a", "comment": "still mine"});
    ana.post("update_message", edit).await.refused(404, "message_not_found");
    let query = [("topic_id", room.as_str())];
    ana.get("load_comments", &query).await.refused(404, "room_not_found");
    for asked in [room.as_str(), "support"] {
        let body = json!({"topic_id": asked, "comment": "back again"});
        let refused = ana.post("post_comment", body).await.refused(404, "room_not_found");
        let absent = format!("Room {asked} does not exist in this app; create it first.");
        assert_eq!(refused.message, absent, "the error names the room as the caller did");
    }
    assert_eq!(server.texts("support").await, ["mine"]);
    // The app itself can tell that the room exists.
    let body = json!({"user_id": "ana", "room_id": room, "message": "x"});
    server.post("post_comment", body).await.refused(403, "not_a_participant");
}

#[tokio::test]
async fn an_invalid_edit_by_an_outsider_is_answered_as_an_unknown_message() {
    let (server, ana, _, room) = two_people().await;
    let card = json!({"text": "t", "image": "https://x.example/a.png", "title": "T",
        "description": "D"});
    let body = json!({"topic_id": room, "unique_temp_id": "c", "type": "card", "payload": card});
    ana.post("post_comment", body).await.results();
    server.register("eve").await;
    let eve = Client::of(&server, "eve").await;
    let wrong = json!({"unique_id": "c", "payload": {"text": 5}});
    ana.post("update_message", wrong.clone()).await.refused(400, "invalid_request");
    eve.post("update_message", wrong).await.refused(404, "message_not_found");
}

#[tokio::test]
async fn every_user_of_the_app_can_read_public_channels() {
    let (server, ana, ..) = two_people().await;
    let channel = json!({"unique_id": "news", "room_name": "News", "participants": ["bob"]});
    let channel = server.post("get_or_create_channel", channel).await.results()["room"].take();
    let room = channel["room_id"].as_str().expect("an id").to_owned();
    server.post_comment("bob", "news", "fresh").await;
    assert_eq!(ana.texts(&room).await, ["fresh"]);
    assert_eq!(ana.comments(&room, &[]).await[0]["is_public_channel"], true);
    let found = ana.post("search", json!({"query": "fresh", "room_ids": [room]})).await.results();
    assert_eq!(found["comments"][0]["message"], "fresh");
    let clear = json!({"room_channel_ids": [room]});
    ana.delete("clear_room_messages", clear).await.refused(403, "not_a_participant");
}

#[tokio::test]
async fn a_reset_token_is_invalid() {
    let (server, ana, _, room) = two_people().await;
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    ana.get("load_comments", &[("topic_id", &room)]).await.refused(403, "unauthorized");
}
