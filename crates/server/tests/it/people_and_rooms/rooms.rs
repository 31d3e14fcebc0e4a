//! `create_room`, `update_room` and `get_rooms_info`.

use serde_json::{Value, json};

use crate::support::answer::{each, keys, text};
use crate::support::test_server::TestServer;

const FIELDS: [&str; 7] = [
    "room_avatar_url",
    "room_channel_id",
    "room_id",
    "room_name",
    "room_options",
    "room_type",
    "unique_id",
];

#[tokio::test]
async fn creating_a_room_returns_all_of_its_fields() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let body = json!({
        "room_name": "Support", "participants": ["ana", "bob"], "creator": "cid",
        "unique_id": "support", "room_avatar_url": "https://img.example/r.png",
        "room_options": "{\"channel\":1}",
    });
    let results = server.post("create_room", body).await.results();
    assert_eq!(keys(&results), ["room"]);
    let room = &results["room"];
    assert_eq!(keys(room), FIELDS);
    let id: i64 = text(&room["room_id"]).parse().expect("an integer as a string");
    assert!((1..1 << 53).contains(&id));
    let expected = json!({
        "room_avatar_url": "https://img.example/r.png", "room_channel_id": "",
        "room_id": id.to_string(), "room_name": "Support", "room_options": "{\"channel\":1}",
        "room_type": "group", "unique_id": "support",
    });
    assert_eq!(*room, expected);
    assert_eq!(server.participants("support").await, ["ana", "bob"], "the creator is not added");
}

#[tokio::test]
async fn a_room_without_a_unique_id_gets_a_generated_one() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let body = json!({"room_name": "Plain", "participants": ["ana"]});
    let first = server.post("create_room", body.clone()).await.results()["room"].take();
    let second = server.post("create_room", body).await.results()["room"].take();
    assert_ne!(first["unique_id"], second["unique_id"]);
    assert_ne!(first["room_id"], second["room_id"]);
    assert_eq!((&first["room_options"], &first["room_avatar_url"]), (&json!("{}"), &json!("")));
    server.post_comment("ana", text(&first["unique_id"]), "hello").await;
    assert_eq!(server.texts(text(&first["room_id"])).await, ["hello"]);
}

#[tokio::test]
async fn an_existing_unique_id_is_refused_and_its_room_unchanged() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let room = server.create_room("support", &["ana"]).await;
    let body = json!({"room_name": "Mine", "unique_id": "support", "participants": ["bob"]});
    server.post("create_room", body).await.refused(409, "room_exists").says("support");
    assert_eq!(server.participants("support").await, ["ana"]);
    let info = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    assert_eq!(info, json!({"rooms": [room]}));
}

#[tokio::test]
async fn unknown_participants_are_named_and_no_room_is_created() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let body = json!({
        "room_name": "X", "unique_id": "x", "participants": ["ana", "no1", "no2"],
    });
    server.post("create_room", body).await.refused(404, "user_not_found").says("no1, no2");
    let body =
        json!({"room_name": "X", "unique_id": "x", "participants": ["ana"], "creator": "no3"});
    server.post("create_room", body).await.refused(404, "user_not_found").says("no3");
    let body = json!({"room_name": "X", "unique_id": "x", "participants": ["system@shop"]});
    server.post("create_room", body).await.refused(403, "system_user");
    let info = server.get("get_rooms_info", &[("room_ids[]", "x")]).await.results();
    assert_eq!(info, json!({"rooms": []}));
}

#[tokio::test]
async fn invalid_room_fields_are_refused_by_name() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let refused = server.post("create_room", json!({})).await.refused(400, "invalid_request");
    assert_eq!(refused.details, ["room_name is required", "participants is required"]);
    let table = [
        ("room_name", json!("x".repeat(256))),
        ("room_name", json!(5)),
        ("participants", json!([])),
        ("participants", json!([1])),
        ("participants", json!((0..101).map(|n| format!("u{n}")).collect::<Vec<_>>())),
        ("creator", json!("a b")),
        ("unique_id", json!("a#b")),
        ("unique_id", json!("a+b")),
        ("unique_id", json!("a/b")),
        ("unique_id", json!("a\nb")),
        ("unique_id", json!("x".repeat(256))),
        ("room_avatar_url", json!("javascript:x")),
        ("room_options", json!(5)),
        ("room_options", json!("x".repeat(65_537))),
    ];
    for (field, wrong) in table {
        let mut body = json!({"room_name": "X", "participants": ["ana"], "unique_id": "x"});
        body[field] = wrong;
        let answer = server.post("create_room", body).await;
        answer.refused(400, "invalid_request").says(field);
    }
    let info = server.get("get_rooms_info", &[("room_ids[]", "x")]).await.results();
    assert_eq!(info, json!({"rooms": []}));
}

#[tokio::test]
async fn room_options_are_stored_as_text_and_objects_as_their_json() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    for (given, kept) in [
        (r#""not json at all""#, "not json at all"),
        (
            r#"{"price":1.0,"id":12345678901234567890}"#,
            r#"{"price":1.0,"id":12345678901234567890}"#,
        ),
        (r#""{\"source\":\"wa\"}""#, r#"{"source":"wa"}"#),
    ] {
        let body = format!(r#"{{"room_name":"X","participants":["ana"],"room_options":{given}}}"#);
        let results = server.post_text("create_room", body).await.results();
        assert_eq!(results["room"]["room_options"], kept);
    }
}

#[tokio::test]
async fn the_fields_of_a_group_can_be_changed_separately() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let before = server.create_room("support", &["ana"]).await;
    let update = |field: &'static str, value: &'static str| {
        let body = json!({"room_id": "support", field: value});
        let server = &server;
        async move { server.post("update_room", body).await.results() }
    };
    let mut expected = before.clone();
    for (field, value) in [
        ("room_name", "Help"),
        ("room_avatar_url", "https://img.example/h.png"),
        ("room_options", "{}"),
    ] {
        let results = update(field, value).await;
        expected[field] = json!(value);
        assert_eq!(results, json!({"changed": true, "room": expected}));
        assert_eq!(update(field, value).await, json!({"changed": false, "room": expected}));
    }
    let info = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    assert_eq!(info["rooms"][0], expected);
}

#[tokio::test]
async fn only_groups_can_be_changed() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let pair = json!({"user_ids": ["ana", "bob"]});
    let single = server.post("get_or_create_room_with_target", pair).await.results();
    server.post("get_or_create_channel", json!({"unique_id": "news"})).await.results();
    for room in [single["room"]["room_id"].clone(), json!("news")] {
        let body = json!({"room_id": room, "room_name": "X"});
        server.post("update_room", body).await.refused(400, "wrong_room_type").says("group");
    }
    let body = json!({"room_id": "nowhere", "room_name": "X"});
    server.post("update_room", body).await.refused(404, "room_not_found");
    let answer = server.post("update_room", json!({"room_name": "X"})).await;
    answer.refused(400, "invalid_request").says("room_id is required");
}

#[tokio::test]
async fn rooms_are_returned_once_each_in_the_requested_order_by_either_id() {
    let server = TestServer::with_people(&["ana", "bob", "cid"]).await;
    let a = server.create_room("a", &["ana"]).await;
    server.create_room("b", &["ana"]).await;
    let channel = server.post("get_or_create_channel", json!({"unique_id": "news"})).await;
    let channel = channel.results()["room"].take();
    let query = [
        ("room_ids[]", "b"),
        ("room_ids[]", "unknown"),
        ("room_ids[]", text(&a["room_id"])),
        ("room_ids[]", "a"),
        ("room_channel_ids[]", "news"),
        ("room_channel_ids[]", text(&channel["room_id"])),
    ];
    let results = server.get("get_rooms_info", &query).await.results();
    assert_eq!(each(&results["rooms"], "unique_id"), ["b", "a", "news"]);
    assert_eq!(results["rooms"][2]["room_channel_id"], "news");
    for room in results["rooms"].as_array().expect("a list") {
        assert_eq!(keys(room), FIELDS);
    }
    let none: [Value; 1] = [server.get("get_rooms_info", &[("room_ids[]", "no")]).await.results()];
    assert_eq!(none, [json!({"rooms": []})]);
    server.get("get_rooms_info", &[]).await.refused(400, "invalid_request").says("room_ids");
    let many: Vec<_> = (0..101).map(|n| ("room_ids[]", format!("r{n}"))).collect();
    let many: Vec<_> = many.iter().map(|(key, value)| (*key, value.as_str())).collect();
    server.get("get_rooms_info", &many).await.refused(400, "invalid_request").says("100");
}
