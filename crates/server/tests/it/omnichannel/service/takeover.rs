//! What agents may do on rooms of their own, of others and of nobody.

use serde_json::json;

use super::office::Office;
use crate::test_server::TestServer;

const TAKE: &str = "/api/v2/agent/service/takeover_unserved";
const ADD: &str = "/api/v2/agent/service/add_agent";
const ASSIGN: &str = "/api/v1/agent/service/assign_agent";

#[tokio::test]
async fn agents_take_customers_whom_nobody_serves_if_that_is_switched_on() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let room = |customer: &super::office::Customer| json!({"room_id": customer.room()});
    bo.post(TAKE, room(&ben)).await.errors(403, "not_your_room");
    bo.post(TAKE, json!({})).await.errors(403, "not_your_room");
    office.set("is_agent_takeover_enabled", "true").await;
    let data = bo.post(TAKE, json!({})).await.data();
    assert_eq!(data["service"]["room_id"], ann.room(), "who waits longest");
    assert_eq!(data["added_agent"]["id"], bo.id);
    bo.post(TAKE, room(&ben)).await.data();
    cy.post(TAKE, room(&ben)).await.errors(400, "already_served");
    cy.post(TAKE, json!({})).await.errors(404, "nobody_waits");
    assert_eq!(office.serving(&ben).await, [bo.id]);
}

#[tokio::test]
async fn agents_add_colleagues_to_their_own_rooms_only() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server).await;
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
    let said = "admin marked this conversation as resolved";
    assert_eq!(office.texts(&ann).await[0], said, "what widgets look for, whoever resolves");
}
