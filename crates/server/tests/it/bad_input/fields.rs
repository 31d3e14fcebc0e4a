//! Fields with a wrong type, with NUL, or with numbers out of range.

use serde_json::json;

use crate::support::test_server::TestServer;

/// Returns all data that a refused call could have changed.
async fn snapshot(server: &TestServer) -> Vec<serde_json::Value> {
    let user = [("user_id", "ana")];
    vec![
        server.get("load_comments", &[("room_id", "support")]).await.results(),
        server.get("get_user_list", &[("show_all", "1"), ("limit", "100")]).await.results(),
        server.get("get_user_rooms", &user).await.results(),
        server.get("get_user_token", &user).await.results(),
        server.get("get_room_participants", &[("room_id", "support")]).await.results(),
    ]
}

/// A call, its body, and a part of the expected error.
type Row = (&'static str, &'static str, &'static str);

async fn check(table: &[Row]) {
    let server = TestServer::with_support_room().await;
    server.post_comment("ana", "support", "before").await;
    let before = snapshot(&server).await;
    for (call, body, problem) in table {
        let answer = server.post_text(call, *body).await;
        assert_eq!(answer.status, 400, "{call} {body}: {}", answer.text);
        answer.refused(400, "invalid_request").says(problem);
        assert_eq!(snapshot(&server).await, before, "{call} {body}");
    }
}

#[tokio::test]
async fn a_field_of_a_wrong_type_is_refused_by_name() {
    check(&[
        ("post_comment", r#"{"user_id":[],"room_id":"support","message":"m"}"#, "user_id must be"),
        ("post_comment", r#"{"user_id":{},"room_id":"support","message":"m"}"#, "user_id must be"),
        ("post_comment", r#"{"user_id":true,"room_id":"support","message":"m"}"#, "user_id must"),
        ("post_comment", r#"{"user_id":"ana","room_id":1.5,"message":"m"}"#, "room_id must be"),
        ("post_comment", r#"{"user_id":"ana","room_id":-1,"message":"m"}"#, "room_id must be"),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":["support"],"message":"m"}"#,
            "room_id must",
        ),
        ("post_comment", r#"{"user_id":"ana","room_id":"support","message":5}"#, "message must be"),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":["m"]}"#,
            "message must",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":{}}"#,
            "message must be",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":"m","type":7}"#,
            "type must be a string",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":"m","unique_temp_id":7}"#,
            "unique_temp_id must be a string",
        ),
        ("login_or_register", r#"{"user_id":["x"],"username":"X"}"#, "user_id must be"),
        ("login_or_register", r#"{"user_id":"x","username":{}}"#, "username must be"),
        ("create_room", r#"{"room_name":[],"participants":["ana"]}"#, "room_name must be"),
        ("create_room", r#"{"room_name":"R","participants":{"a":1}}"#, "participants must be"),
        ("create_room", r#"{"room_name":"R","participants":[null]}"#, "participants must be"),
        ("add_room_participants", r#"{"room_id":"support","user_ids":5}"#, "user_ids must be"),
        ("update_room", r#"{"room_id":{},"room_name":"R"}"#, "room_id must be"),
        ("get_or_create_channel", r#"{"unique_id":5}"#, "unique_id must be a string"),
        ("get_or_create_room_with_target", r#"{"user_ids":[["ana"],"bob"]}"#, "user_ids must be"),
        ("reset_user_token", r#"{"user_id":false}"#, "user_id must be"),
    ])
    .await;
}

#[tokio::test]
async fn nul_is_refused_in_every_text_and_id() {
    check(&[
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":"a\u0000b"}"#,
            "message",
        ),
        ("post_comment", r#"{"user_id":"ana\u0000","room_id":"support","message":"m"}"#, "user_id"),
        ("post_comment", r#"{"user_id":"ana","room_id":"support\u0000","message":"m"}"#, "room_id"),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","message":"m","unique_temp_id":"a\u0000"}"#,
            "unique_temp_id",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","type":"card","payload":{"text":"\u0000"}}"#,
            "payload.text",
        ),
        ("login_or_register", r#"{"user_id":"x","username":"a\u0000"}"#, "username"),
        ("login_or_register", r#"{"user_id":"x","username":"a","password":"\u0000"}"#, "password"),
        ("login_or_register", r#"{"user_id":"x","username":"a","avatar_url":"\u0000"}"#, "avatar"),
        ("create_room", r#"{"room_name":"\u0000","participants":["ana"]}"#, "room_name"),
        ("create_room", r#"{"room_name":"R","participants":["ana\u0000"]}"#, "participants"),
        (
            "create_room",
            r#"{"room_name":"R","participants":["ana"],"unique_id":"a\u0000"}"#,
            "unique_id",
        ),
        (
            "create_room",
            r#"{"room_name":"R","participants":["ana"],"room_options":"\u0000"}"#,
            "room_options",
        ),
        ("update_room", r#"{"room_id":"support","room_name":"\u0000"}"#, "room_name"),
        ("get_or_create_channel", r#"{"unique_id":"\u0000"}"#, "unique_id"),
    ])
    .await;
    let server = TestServer::with_support_room().await;
    let fields = [("user_id", "ana"), ("room_id", "support"), ("message", "a\0b")];
    let answer = server.post_form("post_comment", &fields).await;
    answer.refused(400, "invalid_request").says("message must not contain the NUL");
    let answer = server.delete_messages(&["a\0b"]).await;
    answer.refused(400, "invalid_request").says("unique_ids");
}

#[tokio::test]
async fn nul_is_preserved_inside_extras() {
    let server = TestServer::with_support_room().await;
    let body = r#"{"user_id":"ana","room_id":"support","message":"m","extras":{"a":"\u0000"}}"#;
    let answer = server.post_text("post_comment", body).await;
    answer.results();
    assert!(answer.text.contains(r#""extras":{"a":"\u0000"}"#), "{}", answer.text);
}

#[tokio::test]
async fn numbers_out_of_range_are_refused() {
    check(&[
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":99999999999999999999999999,"message":"m"}"#,
            "room_id must be",
        ),
        ("post_comment", r#"{"user_id":"ana","room_id":1e999,"message":"m"}"#, "room_id must be"),
        (
            "post_comment",
            r#"{"user_id":1e999,"room_id":"support","message":"m"}"#,
            "user_id must be",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","type":"reply","message":"m",
                "payload":{"replied_comment_id":99999999999999999999}}"#,
            "replied_comment_id must be an integer",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","type":"location",
                "payload":{"latitude":1e999,"longitude":-1e999}}"#,
            "payload.latitude must be a number",
        ),
        (
            "post_comment",
            r#"{"user_id":"ana","room_id":"support","type":"file_attachment",
                "payload":{"url":"https://a.example","size":99999999999999999999}}"#,
            "payload.size must be an integer",
        ),
    ])
    .await;
}

#[tokio::test]
async fn sql_in_names_and_ids_is_stored_as_text() {
    let server = TestServer::with_support_room().await;
    let name = "'; DROP TABLE messages; --";
    server.create_room(name, &["ana"]).await;
    server.post_comment("ana", name, name).await;
    server.post_as_unique("ana", name, "second", name).await.results();
    assert_eq!(server.texts(name).await, ["second", name]);
    server.delete("delete_messages", json!({"unique_ids": [name]})).await.results();
    assert_eq!(server.texts(name).await, [name]);
}
