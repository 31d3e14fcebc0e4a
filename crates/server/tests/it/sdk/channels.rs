//! Public channels, as the Android SDK lists and joins them (design/message-api).

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::client::{Client, two_people};

async fn open(caller: &crate::support::caller::Caller, name: &str, people: &[&str]) {
    let body = json!({
        "unique_id": name, "room_name": name.to_uppercase(), "participants": people,
        "room_options": {"topic": name},
    });
    caller.post("get_or_create_channel", body).await.results();
}

fn joined(results: &Value) -> Vec<(&str, bool)> {
    let channels = results["channels"].as_array().expect("channels");
    let shown = |it: &'_ Value| it["is_joined"].as_bool().expect("a flag");
    each(&results["channels"], "unique_id").into_iter().zip(channels.iter().map(shown)).collect()
}

#[tokio::test]
async fn users_can_list_join_and_leave_channels() {
    let (server, ana, bob, room) = two_people().await;
    open(&server, "news", &["ana"]).await;
    open(&server, "12345", &[]).await;
    let listed = bob.get("channels", &[]).await.results();
    assert_eq!(joined(&listed), [("12345", false), ("news", false)]);
    let expected =
        ["avatar_url", "created_at", "extras", "id", "id_str", "is_joined", "name", "unique_id"];
    assert_eq!(keys(&listed["channels"][1]), expected);
    assert_eq!(listed["channels"][1]["extras"], json!({"topic": "news"}));
    let page = bob.get("channels", &[("page", "2"), ("limit", "1")]).await.results();
    assert_eq!(joined(&page), [("news", false)]);

    let both = json!({"unique_ids": ["news", "12345"]});
    let answer = bob.post("channels/join", both.clone()).await.results();
    assert_eq!(joined(&answer), [("news", true), ("12345", true)]);
    assert_eq!(server.participants("news").await, ["ana", "bob"]);
    ana.says("news", "hello", "1").await;
    assert_eq!(server.unread("bob", "news").await, 1, "messages posted after joining are unread");
    bob.post("channels/join", both).await.results();

    let leave = json!({"unique_ids": "news"});
    let answer = bob.post("channels/leave", leave.clone()).await.results();
    assert_eq!(joined(&answer), [("news", false)]);
    assert_eq!(server.participants("news").await, ["ana"]);
    bob.post("channels/leave", leave).await.results();
    let info = json!({"unique_ids": ["12345", "nowhere", "support", room]});
    let info = bob.post("channels/info", info).await.results();
    assert_eq!(joined(&info), [("12345", true)]);
}

#[tokio::test]
async fn other_rooms_and_channels_of_other_apps_are_not_found() {
    let (server, ana, _, room) = two_people().await;
    open(&server, "news", &[]).await;
    let other = server.create_app("other").await;
    open(&other, "theirs", &[]).await;
    for call in ["channels/join", "channels/leave"] {
        for name in ["support", "nowhere", "theirs", &room] {
            let body = json!({"unique_ids": ["news", name]});
            ana.post(call, body).await.refused(404, "room_not_found");
        }
    }
    assert!(server.participants("news").await.is_empty(), "no channel is joined if one is unknown");
    assert_eq!(joined(&ana.get("channels", &[]).await.results()), [("news", false)]);
    let stranger = Client::new(&other, "ana").await;
    assert_eq!(joined(&stranger.get("channels", &[]).await.results()), [("theirs", false)]);
    for wrong in [json!({}), json!({"unique_ids": []}), json!({"unique_ids": {}}), json!([])] {
        for call in ["channels/info", "channels/join", "channels/leave"] {
            ana.post(call, wrong.clone()).await.refused(400, "invalid_request");
        }
    }
    let guess = Client { token: "guess".to_owned(), ..ana };
    guess.get("channels", &[]).await.refused(403, "unauthorized");
}

#[tokio::test]
async fn get_creates_and_finds_a_channel_too() {
    let (server, _, _, _) = two_people().await;
    let query = [("unique_id", "news"), ("room_name", "News"), ("participants[]", "ana")];
    let first = server.get("get_or_create_channel", &query).await.results();
    assert_eq!((&first["changed"], &first["room"]["room_name"]), (&json!(true), &json!("News")));
    let body = json!({"unique_id": "news"});
    let again = server.post("get_or_create_channel", body).await.results();
    assert_eq!(again["room"]["room_id"], first["room"]["room_id"]);
    server.get("get_or_create_channel", &[]).await.refused(400, "invalid_request");
}
