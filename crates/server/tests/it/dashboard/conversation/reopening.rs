//! Reopening of resolved conversations (design/support).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::answer::Answer;
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

async fn reopen(by: &Worker, customer: &Customer) -> Answer {
    by.post(&format!("/api/v2/customer_rooms/{}/reopen", customer.room()), json!({})).await
}

async fn options(server: &TestServer, room: &str) -> Value {
    let found = server.get("get_rooms_info", &[("room_ids[]", room)]).await.results();
    let options = found["rooms"][0]["room_options"].as_str().expect("options");
    serde_json::from_str(options).expect("JSON")
}

#[tokio::test]
async fn an_agent_who_reopens_a_conversation_serves_it_again() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    reopen(&bo, &ann).await.errors(400, "not_resolved");
    bo.resolve_own(&ann.room()).await.data();
    let resolved = office.room(&ann).await;
    assert_eq!(resolved["resolved_by"], json!({"id": bo.id, "name": "Bo"}));
    reopen(&cy, &ann).await.errors(403, "not_your_room");
    let row = reopen(&bo, &ann).await.data()["customer_room"].take();
    assert_eq!((&row["is_resolved"], &row["is_waiting"]), (&json!(false), &json!(false)));
    assert_eq!((&row["agents"][0]["id"], &row["resolved_by"]), (&json!(bo.id), &Value::Null));
    let shown = options(&server, &ann.room()).await;
    assert_eq!((&shown["is_resolved"], &shown["is_waiting"]), (&json!(false), &json!(false)));
    let path = format!("/api/v2/customer_rooms/{}/messages", ann.room());
    bo.post(&path, json!({"message": "here again"})).await.data();
    let elsewhere = office.open_channel("Elsewhere").await;
    bo.resolve_own(&ann.room()).await.data();
    let only = json!({"channel_ids": [elsewhere.0]});
    let moved = format!("/api/v2/admin/agent/{}/update", bo.id);
    office.post(&moved, only).await.data();
    reopen(&bo, &ann).await.errors(400, "wrong_channel");
    assert_eq!(office.room(&ann).await["is_resolved"], true);
}

#[tokio::test]
async fn a_conversation_reopened_by_a_supervisor_waits_from_that_time() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let chief = office.worker("Sue", Role::Supervisor, &[]).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    admin.resolve(&ann.room()).await.data();
    let row = reopen(&chief, &ann).await.data()["customer_room"].take();
    assert_eq!((&row["is_resolved"], &row["is_waiting"]), (&json!(false), &json!(true)));
    assert_eq!((&row["agents"], &row["is_handled_by_bot"]), (&json!([]), &json!(false)));
    let since = row["waiting_since"].clone();
    office.assign(&ann, &bo).await.data();
    let path = format!("/api/v2/customer_rooms/{}/leave", ann.room());
    let row = bo.post(&path, json!({})).await.data()["customer_room"].take();
    assert_eq!(row["waiting_since"], since, "the wait began with the reopening");
    let path = format!("/api/v2/customer_rooms/{}/reopen", ann.room());
    admin.resolve(&ann.room()).await.data();
    office.post(&path, json!({})).await.data();
    assert_eq!(
        office.texts(&ann).await[0],
        "Ada reopened this conversation",
        "the secret key acts in the name of the admin"
    );
}

#[tokio::test]
async fn reopening_sends_no_new_session_webhook_and_each_resolution_sends_one() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (sessions, ends) = (Receiver::start().await, Receiver::start().await);
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/new_session", json!({"url": sessions.url})).await.data();
    hooks.put("/endpoints/mark_as_resolved", json!({"url": ends.url})).await.data();
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    sessions.next().await;
    office.assign(&ann, &bo).await.data();
    bo.resolve_own(&ann.room()).await.data();
    let first = ends.next().await.json();
    reopen(&bo, &ann).await.data();
    office.says(&ann, "thank you").await;
    admin.resolve(&ann.room()).await.data();
    let second = ends.next().await.json();
    assert_eq!(
        first["service"]["id"], second["service"]["id"],
        "both resolutions are of one session"
    );
    assert_eq!(
        (&second["service"]["is_resolved"], &second["resolved_by"]["id"]),
        (&json!(true), &json!(admin.id))
    );
    assert_ne!(first["service"]["last_comment_id"], second["service"]["last_comment_id"]);
    office.says(&ann, "me again").await;
    let event = sessions.next().await.json();
    assert_eq!(event["payload"]["message"]["text"], "me again");
    assert!(!sessions.has_more() && !ends.has_more());
}

#[tokio::test]
async fn a_room_replaced_by_a_newer_one_cannot_be_reopened() {
    let shop = Shop::without_webhooks().await;
    shop.set("is_sessional", "true").await;
    let first = shop.room_of("ana").await;
    let admin = shop.admin().await;
    let path = |room: &str| format!("/api/v2/customer_rooms/{room}/reopen");
    admin.resolve(&first).await.data();
    admin.post(&path(&first), json!({})).await.data();
    assert_eq!(shop.room_of("ana").await, first, "the customer returns to the reopened room");
    admin.resolve(&first).await.data();
    let second = shop.room_of("ana").await;
    assert_ne!(first, second);
    admin.post(&path(&first), json!({})).await.errors(400, "left_behind");
    admin.post(&path(&second), json!({})).await.errors(400, "not_resolved");
}
