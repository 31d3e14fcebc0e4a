//! Calls of the client API without a valid token or without access to the room.

use reqwest::Method;
use serde_json::{Value, json};

use crate::openapi::documented_calls;
use crate::support::answer::keys;
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::test_server::TestServer;

/// Calls that need no user.
const OPEN: [&str; 4] = ["auth/nonce", "auth/verify_identity_token", "config", "login_or_register"];

/// Returns calls about one room, each with a body or query that would have an effect.
fn about_room(room: &str) -> Vec<(Method, String, Value)> {
    let post = |call: &str, body: Value| (Method::POST, call.to_owned(), body);
    let get = |call: String| (Method::GET, call, Value::Null);
    vec![
        get(format!("get_room_by_id?id={room}")),
        get(format!("room_participants?room_id={room}")),
        get(format!("room_participants?room_unique_id={room}")),
        post("update_room", json!({"id": room, "room_name": "Mine"})),
        post("add_room_participants", json!({"room_id": room, "emails": ["eve"]})),
        post("remove_room_participants", json!({"room_id": room, "emails": ["ana", "bob"]})),
        post("get_or_create_room_with_unique_id", json!({"unique_id": "support"})),
    ]
}

#[tokio::test]
async fn every_client_call_refuses_missing_invalid_and_foreign_tokens() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    let (ana, theirs) = (Client::new(&server, "anna").await, Client::new(&other, "ana").await);
    let wrong: [(&str, Vec<(&str, String)>); 7] = [
        ("no token", vec![]),
        ("an empty token", vec![("SERVICE-SDK-TOKEN", String::new())]),
        ("a guess", vec![("SERVICE-SDK-TOKEN", "guess".to_owned())]),
        ("the app's secret", vec![("SERVICE-SDK-TOKEN", server.secret.clone())]),
        ("another app's user", vec![("SERVICE-SDK-TOKEN", theirs.token.clone())]),
        ("a token one letter off", vec![("SERVICE-SDK-TOKEN", format!("{}x", ana.token))]),
        (
            "another user's name",
            vec![
                ("SERVICE-SDK-TOKEN", ana.token.clone()),
                ("SERVICE-SDK-USER-ID", "bob".to_owned()),
            ],
        ),
    ];
    let is_ours = |path: &str| {
        let call = path.strip_prefix("/api/v2/sdk/");
        call.is_some_and(|call| !OPEN.contains(&call))
    };
    let calls = documented_calls(&server).await;
    let ours: Vec<_> = calls.iter().filter(|call| is_ours(&call.path)).collect();
    assert!(ours.len() >= 27, "{}", ours.len());
    for call in ours {
        assert!(call.needs_credentials, "{} needs credentials in the document", call.path);
        for (what, headers) in &wrong {
            for path in [call.path.clone(), call.path.replace("/sdk/", "/mobile/")] {
                let mut request = server.bare(call.method.clone(), &path);
                request = request.header("SERVICE-SDK-APP-ID", "shop");
                for (name, value) in headers {
                    request = request.header(*name, value);
                }
                let answer = sent(request.body("{ not json")).await;
                let refused = answer.refused(403, "unauthorized");
                assert_eq!(refused.message, "Unauthorized", "{what} at {path}");
            }
        }
    }
}

#[tokio::test]
async fn the_api_document_lists_403_and_not_401_for_client_calls() {
    let server = TestServer::start().await;
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let paths = document["paths"].as_object().expect("paths");
    for (path, calls) in paths {
        let call = path.strip_prefix("/api/v2/sdk/");
        if call.is_none_or(|call| OPEN.contains(&call)) {
            continue;
        }
        for described in calls.as_object().expect("calls").values() {
            let statuses = keys(&described["responses"]);
            assert!(statuses.contains(&"403") && !statuses.contains(&"401"), "{path}");
        }
    }
}

#[tokio::test]
async fn users_outside_of_a_room_and_other_apps_cannot_see_or_change_it() {
    let server = TestServer::with_support_room().await;
    let info = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    let room = info["rooms"][0]["room_id"].as_str().expect("an id").to_owned();
    server.post_comment("ana", &room, "a secret").await;
    let other = server.create_app("other").await;
    let eve = Client::new(&server, "eve").await;
    let stranger = Client::new(&other, "eve").await;
    for client in [&eve, &stranger] {
        for (method, call, body) in about_room(&room) {
            // In another app the unique id is free.
            if client.caller.code == "other" && call.ends_with("unique_id") {
                continue;
            }
            let answer = client.send(method, &call, body).await;
            let refused = answer.refused(404, "room_not_found");
            assert!(!answer.text.contains("secret"), "{call}: {refused:?}");
            // The error is the same as for a room that does not exist.
            let shown = if call.ends_with("unique_id") { "support" } else { &room };
            let absent = format!("Room {shown} does not exist in this app; create it first.");
            assert_eq!(refused.message, absent, "{call}");
        }
        let body = json!({"room_id": [room], "room_unique_id": ["support"]});
        assert_eq!(client.post("rooms_info", body).await.results()["rooms_info"], json!([]));
        let rooms = client.get("user_rooms", &[]).await.results();
        assert_eq!(rooms["rooms_info"], json!([]));
        let unread = client.get("total_unread_count", &[]).await.results();
        assert_eq!(unread["total_unread_count"], 0);
    }
    assert_eq!(server.participants(&room).await, ["ana", "bob"]);
    let info = server.get("get_rooms_info", &[("room_ids[]", &room)]).await.results();
    assert_eq!(info["rooms"][0]["room_name"], "The support room");
    let found = stranger.get("get_user_list", &[]).await.results();
    assert_eq!(crate::support::answer::each(&found["users"], "email"), ["eve"]);
    let body = json!({"user_ids": ["ana"]});
    let status = stranger.post("users/status", body).await.results();
    assert_eq!(status["user_status"], json!([]));
    let body = json!({"user_email": "ana"});
    stranger.post("block_user", body).await.refused(404, "user_not_found");
}
