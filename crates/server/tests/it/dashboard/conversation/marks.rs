//! Read positions of agents in conversations (design/support).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

fn path(customer: &Customer, what: &str) -> String {
    format!("/api/v2/customer_rooms/{}{what}", customer.room())
}

async fn row(by: &Worker, customer: &Customer) -> Value {
    by.get(&path(customer, ""), &[]).await.data()["customer_room"].take()
}

async fn has_seen(by: &Worker, customer: &Customer) -> bool {
    let alone = row(by, customer).await["is_seen"] == true;
    let listed = by.get("/api/v2/customer_rooms", &[]).await.json();
    let rooms = listed["data"]["customer_rooms"].as_array().expect("rooms").clone();
    let listed = rooms.iter().find(|it| it["room_id"] == customer.room().as_str());
    assert_eq!(listed.expect("listed")["is_seen"], alone);
    alone
}

/// Marks the whole conversation as read; returns the row of the response.
async fn read(by: &Worker, customer: &Customer) -> Value {
    let last = row(by, customer).await["last_comment_id"].clone();
    let body = json!({"comment_id": last});
    by.post(&path(customer, "/read"), body).await.data()["customer_room"].take()
}

#[tokio::test]
async fn reading_a_conversation_marks_it_as_seen_for_that_agent_only() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    assert!(!has_seen(&admin, &ann).await && !has_seen(&bo, &ann).await);
    assert_eq!(read(&admin, &ann).await["is_seen"], true);
    assert!(has_seen(&admin, &ann).await && !has_seen(&bo, &ann).await);
    assert_eq!(office.room(&ann).await["unread_count"], 1, "the conversation is still unanswered");
    let first = row(&admin, &ann).await["last_comment_id"].clone();
    office.says(&ann, "and another thing").await;
    assert!(!has_seen(&admin, &ann).await);
    read(&admin, &ann).await;
    let older = json!({"comment_id": first});
    admin.post(&path(&ann, "/read"), older).await.data();
    assert!(has_seen(&admin, &ann).await, "read positions never move back");
}

#[tokio::test]
async fn marking_a_conversation_as_unread_lasts_until_it_is_read_or_answered() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    for worker in [&admin, &bo] {
        read(worker, &ann).await;
    }
    let unread = bo.post(&path(&ann, "/unread"), json!({})).await.data();
    assert_eq!(unread["customer_room"]["is_seen"], false);
    assert!(!has_seen(&bo, &ann).await && has_seen(&admin, &ann).await);
    read(&bo, &ann).await;
    assert!(has_seen(&bo, &ann).await);
    bo.post(&path(&ann, "/unread"), json!({})).await.data();
    bo.post(&path(&ann, "/messages"), json!({"message": "Good morning"})).await.data();
    assert!(has_seen(&bo, &ann).await, "answering marks the conversation as seen");
    assert!(has_seen(&admin, &ann).await, "an agent's answer does not make it unseen for others");
}

#[tokio::test]
async fn only_a_serving_agent_marks_a_customers_message_as_read() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.customer("ann").await;
    office.says(&ann, "hello").await;
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "are you there?").await;
    let status = async || {
        let page = admin.get(&path(&ann, "/messages"), &[]).await.json();
        let last = page["data"]["comments"]
            .as_array()
            .and_then(|all| all.last())
            .expect("a message")
            .clone();
        assert_eq!(last["message"], "are you there?");
        last["status"].as_str().expect("a status").to_owned()
    };
    read(&admin, &ann).await;
    assert_eq!(status().await, "sent", "reading by an admin who does not serve is not shown");
    read(&bo, &ann).await;
    assert_eq!(status().await, "read");
}

#[tokio::test]
async fn marking_as_read_requires_access_and_a_message_of_the_conversation() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &bo).await.data();
    let last = row(&admin, &ann).await["last_comment_id"].clone();
    let body = json!({"comment_id": last});
    let other = server.create_app("other").await;
    let stranger = World::of_app(&server, &other).await.admin().await;
    for what in ["/read", "/unread"] {
        let path = path(&ann, what);
        cy.post(&path, body.clone()).await.errors(403, "not_your_room");
        stranger.post(&path, body.clone()).await.errors(404, "room_not_found");
        let bare = with_json(server.bare(Method::POST, &path), &body);
        sent(bare).await.errors(401, "unauthorized");
        office.post(&path, body.clone()).await.errors(401, "unauthorized");
    }
    admin.post(&path(&ben, "/read"), body).await.errors(404, "message_not_found");
    for wrong in [json!({}), json!({"comment_id": "x"}), json!({"comment_id": []})] {
        admin.post(&path(&ann, "/read"), wrong).await.errors(400, "invalid_request");
    }
    assert_eq!(row(&admin, &ann).await["is_seen"], false, "nothing was marked as read");
}
