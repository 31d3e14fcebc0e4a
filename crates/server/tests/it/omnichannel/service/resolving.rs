//! Resolving a conversation, exactly once (wire facts 5.4, 5.6).

use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const RESOLVE: &str = "/api/v1/admin/service/mark_as_resolved";

#[tokio::test]
async fn a_resolution_sends_one_webhook_and_is_shown_everywhere() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let receiver = Receiver::start().await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/mark_as_resolved", json!({"url": receiver.url})).await.data();
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let body = json!({"room_id": ann.room(), "notes": "all well", "last_comment_id": "0",
        "is_send_email": false, "extras": "{}"});
    let data = admin.post(RESOLVE, body.clone()).await.data();
    let service = &data["service"];
    assert_eq!((&service["is_resolved"], &service["notes"]), (&json!(true), &json!("all well")));
    assert_eq!(service["user_id"], bo.id);
    let options = data["room_info"]["room"]["room_options"].as_str().expect("options");
    let options: Value = serde_json::from_str(options).expect("JSON");
    assert_eq!((&options["is_resolved"], &options["is_waiting"]), (&json!(true), &json!(false)));
    admin.post(RESOLVE, body).await.errors(400, "session_resolved");
    let received = receiver.next().await;
    assert_ne!(received.header("service-signature-key"), "");
    let webhook = received.json();
    assert_eq!(webhook["resolved_by"]["id"], admin.id);
    assert_eq!(
        (&webhook["service"]["notes"], &webhook["service"]["room_id"]),
        (&json!("all well"), &json!(ann.room()))
    );
    assert_eq!(webhook["customer"]["user_id"], "ann");
    assert_eq!(hooks.list(&[]).await.0.len(), 1, "once");
    let room = office.room(&ann).await;
    assert_eq!((&room["is_resolved"], &room["is_waiting"]), (&json!(true), &json!(false)));
    assert_eq!(office.serving(&ann).await, [0_i64; 0]);
    let texts = office.texts(&ann).await;
    assert_eq!(texts[0], "admin marked this conversation as resolved");
    office.assign(&ann, &bo).await.errors(400, "session_resolved");
    office.says(&ann, "me again").await;
    let again = office.room(&ann).await;
    assert_eq!((&again["is_resolved"], &again["is_waiting"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn the_app_resolves_on_behalf_of_its_first_admin() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let hooks = Hooks::of(&server);
    hooks.register("mark_as_resolved").await;
    let ann = office.waiting("ann").await;
    let body = json!({"room_id": ann.room()});
    office.post(RESOLVE, body.clone()).await.errors(400, "no_admin");
    let (admin, _later) = (office.admin().await, office.admin().await);
    office.post(RESOLVE, body).await.data();
    let delivery = hooks.list(&[]).await.0[0];
    let webhook = server.stored(delivery).await.0.body;
    let webhook: Value = serde_json::from_str(&webhook).expect("JSON");
    assert_eq!(webhook["resolved_by"]["id"], admin.id);
    assert_eq!(webhook["service"]["notes"], "");
    office.post(RESOLVE, json!({"room_id": []})).await.errors(400, "invalid_request");
    office.post(RESOLVE, json!({"room_id": 7})).await.errors(404, "room_not_found");
}

#[tokio::test]
async fn a_resolution_ends_the_conversation_at_the_named_message() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let other = office.waiting("other").await;
    let post = async |user: &str, room: &str, text: &str| {
        server.post_comment(user, room, text).await["id"].as_i64().expect("an id")
    };
    let last = post("ann", &ann.room(), "that is all").await;
    let elsewhere = post("other", &other.room(), "me too").await;
    let body = |last: Value| json!({"room_id": ann.room(), "last_comment_id": last});
    for wrong in [json!(elsewhere), json!(7), json!("x"), json!(-1), json!("9".repeat(30))] {
        let refused = admin.post(RESOLVE, body(wrong)).await;
        refused.errors(400, "invalid_request").says("last_comment_id");
    }
    assert_eq!(office.room(&ann).await["is_resolved"], false);
    let data = admin.post(RESOLVE, body(json!(last.to_string()))).await.data();
    assert_eq!(data["service"]["last_comment_id"], last.to_string());
    office.says(&ann, "me again").await;
    let refused = admin.post(RESOLVE, body(json!(last))).await;
    refused.errors(400, "invalid_request").says("last_comment_id");
    admin.post(RESOLVE, json!({"room_id": ann.room()})).await.data();
}
