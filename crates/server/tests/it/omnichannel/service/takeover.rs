//! Permissions of agents on their own rooms, rooms of others, and unassigned rooms.

use confab_domain::agents::role::Role;
use serde_json::json;

use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World, chat_token};

const TAKE: &str = "/api/v2/agent/service/takeover_unserved";
const ADD: &str = "/api/v2/agent/service/add_agent";
const ASSIGN: &str = "/api/v1/agent/service/assign_agent";

#[tokio::test]
async fn agents_take_unassigned_customers_only_if_takeover_is_enabled() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let room = |customer: &Customer| json!({"room_id": customer.room()});
    office.set("is_agent_takeover_enabled", "false").await;
    bo.post(TAKE, room(&ben)).await.errors(403, "not_your_room");
    bo.post(TAKE, json!({})).await.errors(403, "not_your_room");
    office.set("is_agent_takeover_enabled", "true").await;
    let data = bo.post(TAKE, json!({})).await.data();
    assert_eq!(data["service"]["room_id"], ann.room(), "ann has waited longest");
    assert_eq!(data["added_agent"]["id"], bo.id);
    bo.post(TAKE, room(&ben)).await.data();
    cy.post(TAKE, room(&ben)).await.errors(400, "already_served");
    cy.post(TAKE, json!({})).await.errors(404, "nobody_waits");
    assert_eq!(office.serving(&ben).await, [bo.id]);
}

/// No setting is stored by default.
#[tokio::test]
async fn in_an_app_without_settings_a_signed_in_agent_takes_a_waiting_customer() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let bo = office.hire("bo", "agent").await;
    let ann = office.waiting("ann").await;
    let expected = json!({"is_agent_takeover_enabled": true});
    assert_eq!(bo.get("/api/v1/app/config/agent_takeover", &[]).await.data(), expected);
    assert_eq!(office.serving(&ann).await, [0_i64; 0], "no agent is assigned automatically");
    bo.post(TAKE, json!({})).await.data();
    assert_eq!(office.serving(&ann).await, [bo.id]);
}

#[tokio::test]
async fn agents_add_colleagues_to_their_own_rooms_only() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let dot = office.agent("Dot").await;
    let ann = office.waiting("ann").await;
    let add = |agent: i64| json!({"room_id": ann.room(), "agent_id": agent});
    cy.post(ADD, add(cy.id)).await.errors(403, "not_your_room");
    cy.post(ASSIGN, add(cy.id)).await.errors(403, "not_your_room");
    office.assign(&ann, &bo).await.data();
    cy.post(ASSIGN, add(cy.id)).await.errors(403, "not_your_room");
    bo.post(ADD, add(cy.id)).await.data();
    cy.post(ASSIGN, add(dot.id)).await.data();
    assert_eq!(office.serving(&ann).await, [bo.id, cy.id, dot.id]);
    bo.post(ADD, add(7)).await.errors(404, "agent_not_found");
    let resolve = "/api/v1/agent/service/mark_as_resolved";
    let stranger = office.agent("Eve").await;
    let body = json!({"room_id": ann.room(), "notes": "bye"});
    stranger.post(resolve, body.clone()).await.errors(403, "not_your_room");
    assert_eq!(office.room(&ann).await["is_resolved"], false);
    let data = dot.post(resolve, body).await.data();
    assert_eq!(data["service"]["notes"], "bye");
    let resolved = "admin marked this conversation as resolved";
    assert_eq!(office.texts(&ann).await[0], resolved, "the text that widgets search for");
}

#[tokio::test]
async fn an_agent_limited_to_a_channel_takes_only_its_waiting_customers() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let elsewhere = office.open_channel("Elsewhere").await;
    let bo = office.worker("Bo", Role::Agent, &[elsewhere]).await;
    office.waiting("ann").await;
    bo.post(TAKE, json!({})).await.errors(404, "nobody_waits");
    let ben = office.customer_of(elsewhere, "ben").await;
    office.says(&ben, "hello").await;
    let data = bo.post(TAKE, json!({})).await.data();
    assert_eq!(data["service"]["room_id"], ben.room());
}

#[tokio::test]
async fn agents_neither_see_nor_change_customers_of_channels_they_do_not_serve() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let elsewhere = office.open_channel("Elsewhere").await;
    let bo = office.worker("Bo", Role::Agent, &[elsewhere]).await;
    let cy = office.agent("Cy").await;
    let ann = office.waiting("ann").await;
    let ben = office.customer_of(elsewhere, "ben").await;
    office.says(&ben, "hello").await;
    let button = json!({"label": "Ticket", "webhook_url": "https://a.example/"});
    let button = office.post("/api/v2/custom_buttons", button).await.data();
    let press = format!("/api/v2/custom_buttons/{}/press", button["custom_button"]["id"]);
    let one = format!("/api/v2/customer_rooms/{}", ann.room);
    let info = format!("/api/v1/service/room/{}/user_info", ann.room);
    let tags = format!("/api/v1/room_tag/{}", ann.room);
    let body = json!({"room_id": ann.room(), "agent_id": cy.id, "tag": "x",
        "user_properties": [{"key": "k", "value": "v"}]});
    let posts = [
        TAKE,
        ADD,
        ASSIGN,
        "/api/v1/agent/service/mark_as_resolved",
        "/api/v1/room_tag/create",
        press.as_str(),
        info.as_str(),
    ];
    for path in posts {
        let refused = bo.post(path, body.clone()).await;
        let expected = if path == TAKE { (400, "wrong_channel") } else { (403, "not_your_room") };
        refused.errors(expected.0, expected.1);
    }
    for path in [&one, &info, &tags] {
        bo.get(path, &[]).await.errors(403, "not_your_room");
    }
    let query = [("room_id", ann.room())];
    let query = query.each_ref().map(|(name, value)| (*name, value.as_str()));
    let others = "/api/v2/agent/service/other_agents";
    bo.get(others, &query).await.errors(403, "not_your_room");
    assert_eq!(office.texts(&ann).await, ["hello"]);
    let listed = async |worker: &Worker| {
        let found = worker.get("/api/v2/customer_rooms", &[]).await.json();
        let rooms = found["data"]["customer_rooms"].as_array().expect("rooms");
        let names: Vec<_> = rooms.iter().map(|it| it["user_id"].clone()).collect();
        (names, found["meta"]["total_count"].clone())
    };
    assert_eq!(
        listed(&bo).await,
        (vec![json!("ben")], json!(null)),
        "a partial list is not counted"
    );
    assert_eq!(listed(&cy).await, (vec![json!("ben"), json!("ann")], json!(2)));
    bo.get(&format!("/api/v2/customer_rooms/{}", ben.room), &[]).await.data();
    // An agent who took a room can read it.
    cy.post(TAKE, json!({"room_id": ann.room()})).await.data();
    cy.get(&one, &[]).await.data();
}

#[tokio::test]
async fn agents_who_take_customers_concurrently_each_get_one() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let (mut running, mut agents) = (tokio::task::JoinSet::new(), Vec::new());
    for number in 0..4 {
        office.waiting(&format!("customer{number}")).await;
        agents.push(office.agent(&format!("Agent{number}")).await);
    }
    for agent in agents {
        running.spawn(async move { agent.post(TAKE, json!({})).await.status });
    }
    assert_eq!(running.join_all().await, [200; 4]);
    assert_eq!(office.store.waiting_count(office.app.id).await.expect("read"), 0);
}

#[tokio::test]
async fn only_admins_see_the_keys_of_other_agents() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let chief = office.worker("Chief", Role::Supervisor, &[]).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    office.assign(&ann, &bo).await.data();
    let (own, others) = (chat_token(bo.id), chat_token(cy.id));
    let room = ann.room();
    let available = "service/available_agents";
    let listed = async |worker: &Worker, scope: &str| {
        let path = format!("/api/v2/{scope}/{available}");
        worker.get(&path, &[("room_id", &room)]).await.text
    };
    let seen = listed(&bo, "agent").await;
    assert!(seen.contains(&own) && !seen.contains(&others), "{seen}");
    let seen = listed(&chief, "admin").await;
    assert!(!seen.contains("chat-token"), "{seen}");
    let seen = listed(&admin, "admin").await;
    assert!(seen.contains(&own) && seen.contains(&others), "{seen}");
    let added = bo.post(ADD, json!({"room_id": room, "agent_id": cy.id})).await;
    assert!(added.status == 200 && !added.text.contains(&others), "{}", added.text);
    let chosen = json!({"channel_id": office.channel.0});
    let chosen = chief.post("/api/v1/admin/service/allocate_agent", chosen).await;
    assert!(chosen.status == 200 && !chosen.text.contains("chat-token"), "{}", chosen.text);
}
