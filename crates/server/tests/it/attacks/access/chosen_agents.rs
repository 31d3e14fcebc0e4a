//! An assigned agent is in the room, however they were assigned: they read, receive and post
//! messages. After the assignment they can only read (D-0090).

use confab_domain::agents::role::Role;
use confab_domain::time::Timestamp;
use serde_json::json;

use crate::realtime::watcher::Watcher;
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const SERVICE: &str = "/api/v1/admin/service";

/// Returns the agent's own chat client, as a dashboard opens it with its `sdk_key`.
async fn client(office: &World, agent: &Worker) -> Client {
    let workers = office.store.agents(office.app.id).await.expect("read");
    let found =
        workers.iter().find(|it| it.profile.user.id.0 == agent.id).expect("the agent exists");
    Client {
        caller: office.caller.clone(),
        user: found.profile.sdk_user.as_str().to_owned(),
        token: found.profile.sdk_key.clone(),
    }
}

/// Asserts that the agent receives and reads the customer's messages, and answers by their own chat
/// client.
async fn check_has_access(office: &World, agent: &Worker, customer: &Customer) {
    let (room, own) = (customer.room(), client(office, agent).await);
    assert!(office.caller.participants(&room).await.contains(&own.user));
    let watcher = Watcher::try_start(&office.caller, &own.token, "").await;
    let mut watcher = watcher.expect("connects");
    assert_eq!(watcher.next().await["type"], "hello");
    office.says(customer, "is anybody there?").await;
    assert_eq!(watcher.next_text().await.1, "is anybody there?");
    assert_eq!(own.texts(&room).await[0], "is anybody there?");
    own.get("get_room_by_id", &[("id", &room)]).await.results();
    own.says(&room, "yes, I am", &format!("answer-{room}-{}", agent.id)).await;
    assert_eq!(office.texts(customer).await[0], "yes, I am");
}

/// Asserts that the agent can read the room, but neither receives its messages nor posts.
async fn check_can_only_read(office: &World, agent: &Worker, customer: &Customer) {
    let (room, own) = (customer.room(), client(office, agent).await);
    assert!(!office.caller.participants(&room).await.contains(&own.user));
    let watcher = Watcher::try_start(&office.caller, &own.token, "").await;
    let mut watcher = watcher.expect("connects");
    assert_eq!(watcher.next().await["type"], "hello");
    office.says(customer, "who is there?").await;
    assert_eq!(own.texts(&room).await[0], "who is there?");
    let body = json!({"comment": "still here", "topic_id": room, "type": "text"});
    own.post("post_comment", body).await.refused(403, "not_serving");
    let own_room = own.create_room("mine", &[]).await;
    own.says(&own_room, "to myself", &format!("mine-{own_room}")).await;
    assert_eq!(watcher.next_text().await.1, "to myself", "no message of the customer was received");
}

#[tokio::test]
async fn an_agent_chosen_by_built_in_allocation_can_read_receive_and_post() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let budi = office.agent("Budi").await;
    let ann = office.waiting("ann").await;
    let admin = office.admin().await;
    let wanted = json!({"is_agent_allocation_enabled": true});
    admin.post("/api/v2/app/config/agent_allocation", wanted).await.data();
    assert_eq!(office.until_served(&ann).await, [budi.id]);
    check_has_access(&office, &budi, &ann).await;
    office.set("is_agent_allocation_enabled", "false").await;
    let body = json!({"room_id": ann.room()});
    office.post(&format!("{SERVICE}/mark_as_resolved"), body).await.data();
    check_can_only_read(&office, &budi, &ann).await;
}

#[tokio::test]
async fn an_agent_chosen_by_allocate_assign_agent_can_read_receive_and_post() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (budi, cy) = (office.agent("Budi").await, office.agent("Cy").await);
    office.set_away(&cy, Some(Timestamp(1))).await;
    let ann = office.waiting("ann").await;
    let body = json!({"room_id": ann.room()});
    office.post(&format!("{SERVICE}/allocate_assign_agent"), body).await.data();
    assert_eq!(office.serving(&ann).await, [budi.id]);
    check_has_access(&office, &budi, &ann).await;
    let body = json!({"room_id": ann.room(), "ignore_agent_availability": true});
    office.post(&format!("{SERVICE}/allocate_assign_agent"), body).await.data();
    assert_eq!(office.serving(&ann).await, [budi.id, cy.id]);
    check_has_access(&office, &cy, &ann).await;
    let body = json!({"room_id": ann.room(), "agent_id": budi.id});
    office.post(&format!("{SERVICE}/remove_agent"), body).await.data();
    check_can_only_read(&office, &budi, &ann).await;
}

#[tokio::test]
async fn agents_assigned_as_replacement_or_by_takeover_can_read_receive_and_post() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (budi, cy) = (office.agent("Budi").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &budi).await.data();
    check_has_access(&office, &budi, &ann).await;
    let body = json!({"room_id": ann.room(), "agent_id": cy.id, "replace_latest_agent": true});
    office.post(&format!("{SERVICE}/assign_agent"), body).await.data();
    assert_eq!(office.serving(&ann).await, [cy.id]);
    check_has_access(&office, &cy, &ann).await;
    check_can_only_read(&office, &budi, &ann).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let body = json!({"room_id": ben.room()});
    budi.post("/api/v2/agent/service/takeover_unserved", body).await.data();
    check_has_access(&office, &budi, &ben).await;
}

#[tokio::test]
async fn an_agent_assigned_after_a_bot_can_read_receive_and_post() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let url = json!({"url": "http://127.0.0.9:1999/bot"});
    Hooks::of(&server).put("/endpoints/bot", url).await.data();
    let budi = office.worker("Budi", Role::Agent, &[office.channel]).await;
    let ann = office.waiting("ann").await;
    office.set("is_agent_allocation_enabled", "true").await;
    assert_eq!(office.serving(&ann).await, [0_i64; 0], "the bot serves the room");
    let path = format!("/bot/{}/activate", ann.room());
    office.post(&path, json!({"is_active": false})).await.data();
    assert_eq!(office.until_served(&ann).await, [budi.id]);
    check_has_access(&office, &budi, &ann).await;
}
