//! Conversations whose last agent has left (D-0201).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::answer::items;
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const ROOMS: &str = "/api/v2/customer_rooms";
const REMOVE: &str = "/api/v1/admin/service/remove_agent";

/// Returns the conversation's row in an agent's list of unserved conversations.
async fn unserved(worker: &Worker, customer: &Customer) -> Option<Value> {
    let found = worker.get(ROOMS, &[("serve_status", "unserved")]).await.json();
    let rooms = items(&found["data"]["customer_rooms"]).to_vec();
    rooms.into_iter().find(|it| it["room_id"] == customer.room())
}

/// Starts and registers a receiver for a kind of webhook.
async fn registered_receiver(server: &TestServer, kind: &str) -> Receiver {
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url});
    Hooks::of(server).put(&format!("/endpoints/{kind}"), body).await.data();
    receiver
}

async fn next_text(bot: &Receiver) -> Value {
    bot.next().await.json()["payload"]["message"]["text"].take()
}

#[tokio::test]
async fn after_its_last_agent_left_a_conversation_waits_and_its_bot_answers_again() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let supervisor = office.worker("Sue", Role::Supervisor, &[]).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (bot, allocator) = (
        registered_receiver(&server, "bot").await,
        registered_receiver(&server, "agent_allocation").await,
    );
    let ann = office.waiting("ann").await;
    assert_eq!(next_text(&bot).await, "hello");
    allocator.next().await;
    let room = json!({"room_id": ann.room()});
    bo.post("/api/v2/agent/service/takeover_unserved", room).await.data();
    office.says(&ann, "to Bo").await;
    assert_eq!(unserved(&cy, &ann).await, None);
    let body = json!({"room_id": ann.room(), "agent_id": bo.id});
    supervisor.post(REMOVE, body).await.data();
    for message in ["anybody?", "still nobody?"] {
        for worker in [&bo, &cy, &supervisor] {
            let shown = unserved(worker, &ann).await.expect("the room is unserved");
            assert_eq!((&shown["is_waiting"], &shown["agents"]), (&json!(true), &json!([])));
            assert_eq!(shown["is_handled_by_bot"], false, "it waits for an agent");
        }
        let found = server.get("get_rooms_info", &[("room_ids[]", &ann.room())]).await.results();
        let options = found["rooms"][0]["room_options"].as_str().expect("options");
        let options: Value = serde_json::from_str(options).expect("JSON");
        assert_eq!(options["is_waiting"], true);
        office.says(&ann, message).await;
        assert_eq!(next_text(&bot).await, message, "nothing was sent while Bo served");
        assert_eq!(allocator.next().await.json()["room_id"], ann.room());
    }
    cy.post("/api/v2/agent/service/takeover_unserved", json!({})).await.data();
    assert_eq!(office.serving(&ann).await, [cy.id]);
}

#[tokio::test]
async fn a_bot_disabled_in_a_room_stays_off_after_its_last_agent_left() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let bot = registered_receiver(&server, "bot").await;
    let ann = office.waiting("ann").await;
    assert_eq!(next_text(&bot).await, "hello");
    let switch = format!("/bot/{}/activate", ann.room);
    office.post(&switch, json!({"is_active": false})).await.data();
    office.assign(&ann, &bo).await.data();
    let leave = json!({"room_id": ann.room(), "agent_id": bo.id});
    office.post(REMOVE, leave.clone()).await.data();
    office.says(&ann, "anybody?").await;
    assert_eq!(office.room(&ann).await["is_waiting"], true);
    office.assign(&ann, &bo).await.data();
    office.post(&switch, json!({"is_active": true})).await.data();
    office.post(REMOVE, leave).await.data();
    office.says(&ann, "and now?").await;
    assert_eq!(next_text(&bot).await, "and now?");
    assert_eq!(office.room(&ann).await["is_handled_by_bot"], true);
}
