//! The samples of `/docs` work unchanged after the README's first commands.

use serde_json::{Value, json};

use super::{document, resolved, sample_body};
use crate::support::answer::Answer;
use crate::support::test_server::TestServer;

const BASE: &str = "/api/v2.1/rest/";

/// Starts a server with the users and the room of the README's first commands.
async fn after_the_readme() -> TestServer {
    let server = TestServer::start().await;
    for (user, name) in [("ana", "Ana"), ("bob", "Bob")] {
        let body = json!({"user_id": user, "username": name});
        server.post("login_or_register", body).await.results();
    }
    let body = json!({"room_name": "First", "unique_id": "first", "participants": ["ana", "bob"]});
    server.post("create_room", body).await.results();
    server
}

fn operation<'a>(document: &'a Value, method: &str, call: &str) -> &'a Value {
    &document["paths"][format!("{BASE}{call}")][method]
}

async fn executed(server: &TestServer, document: &Value, call: &str) -> Answer {
    let body = sample_body(document, operation(document, "post", call)).expect("a sample");
    server.post(call, body).await
}

#[tokio::test]
async fn the_samples_of_the_message_api_work_in_sequence() {
    let (server, document) = (after_the_readme().await, document());
    executed(&server, &document, "login_or_register").await.results();
    executed(&server, &document, "create_room").await.results();
    let mut posted = Vec::new();
    for _ in 0..2 {
        let results = executed(&server, &document, "post_comment").await.results();
        posted.push(results["comment"]["unique_temp_id"].clone());
    }
    assert_ne!(posted[0], posted[1]);
    let load = operation(&document, "get", "load_comments");
    let room = load["parameters"].as_array().expect("parameters").iter();
    let room = room.clone().find(|it| it["name"] == "room_id").expect("a room");
    let room = room["example"].as_str().expect("a sample");
    let loaded = server.get("load_comments", &[("room_id", room)]).await.results();
    assert_eq!(loaded["comments"].as_array().map(Vec::len), Some(2));
    let delete = operation(&document, "delete", "delete_messages");
    let mut body = sample_body(&document, delete).expect("a sample");
    assert_eq!(body["unique_ids"], json!([]), "the sample has no message ids");
    body["unique_ids"] = posted.into();
    server.delete("delete_messages", body).await.results();
}

#[tokio::test]
async fn every_post_sample_works_twice() {
    let (server, document) = (after_the_readme().await, document());
    let mut executed = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let Some(call) = path.strip_prefix(BASE) else { continue };
        let Some(body) = sample_body(&document, &methods["post"]) else { continue };
        for time in ["first", "second"] {
            let answer = server.post(call, body.clone()).await;
            assert_eq!(answer.status, 200, "{call}, {time} time: {}", answer.text);
            executed += 1;
        }
    }
    assert!(executed > 20, "{executed}");
}

#[tokio::test]
async fn the_sample_of_every_message_type_is_accepted_and_returned() {
    let (server, document) = (after_the_readme().await, document());
    let content = &operation(&document, "post", "post_comment")["requestBody"]["content"];
    let samples = content["application/json"]["examples"].as_object().expect("samples");
    let first = executed(&server, &document, "post_comment").await.results();
    let mut kinds = Vec::new();
    for sample in samples.values() {
        let mut body = sample["value"].clone();
        if body["type"] == "reply" {
            body["payload"]["replied_comment_id"] = first["comment"]["id"].clone();
        }
        let kind = body["type"].as_str().expect("a type").to_owned();
        let posted = server.post("post_comment", body).await.results();
        assert_eq!(posted["comment"]["type"], kind.as_str());
        kinds.push(kind);
    }
    kinds.sort();
    let property = &document["components"]["schemas"]["PostComment"]["properties"]["type"];
    let documented: Vec<_> =
        property["enum"].as_array().expect("types").iter().filter_map(Value::as_str).collect();
    assert_eq!(kinds, documented);
    assert_eq!(kinds.len(), 11);
}

#[test]
fn no_sample_contains_a_password_or_a_unique_id() {
    let document = document();
    let mut looked_at = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for operation in methods.as_object().expect("methods").values() {
            let content = &operation["requestBody"]["content"]["application/json"];
            let body = resolved(&document, &content["schema"]);
            let Some(sample) = body["example"].as_object() else { continue };
            assert!(!sample.contains_key("unique_temp_id"), "{path}");
            for (name, value) in sample {
                assert_ne!(value, "string", "{path} {name}");
                assert!(!name.contains("password") || value == "", "{path} {name}");
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 90, "{looked_at}");
}
