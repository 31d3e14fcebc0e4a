//! Up to where somebody has seen a conversation (D-0121).

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

/// Reads everything; gives the row as it is answered.
async fn read(by: &Worker, customer: &Customer) -> Value {
    let last = row(by, customer).await["last_comment_id"].clone();
    let body = json!({"comment_id": last});
    by.post(&path(customer, "/read"), body).await.data()["customer_room"].take()
}

#[tokio::test]
async fn what_somebody_read_is_seen_by_them_alone() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    assert!(!has_seen(&admin, &ann).await && !has_seen(&bo, &ann).await);
    assert_eq!(read(&admin, &ann).await["is_seen"], true);
    assert!(has_seen(&admin, &ann).await && !has_seen(&bo, &ann).await);
    assert_eq!(office.room(&ann).await["unread_count"], 1, "nobody answered");
    let first = row(&admin, &ann).await["last_comment_id"].clone();
    office.says(&ann, "and another thing").await;
    assert!(!has_seen(&admin, &ann).await);
    read(&admin, &ann).await;
    let older = json!({"comment_id": first});
    admin.post(&path(&ann, "/read"), older).await.data();
    assert!(has_seen(&admin, &ann).await, "nobody goes back by reading");
}

#[tokio::test]
async fn what_is_called_unread_is_unseen_until_it_is_read_or_answered() {
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
    assert!(has_seen(&bo, &ann).await, "they answered");
    assert!(has_seen(&admin, &ann).await, "the customer said nothing more");
}

#[tokio::test]
async fn the_customer_sees_that_it_was_read_by_who_serves_and_by_nobody_else() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.customer("ann").await;
    office.says(&ann, "hello").await;
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "are you there?").await;
    let status = async || {
        let said = admin.get(&path(&ann, "/messages"), &[]).await.json();
        let last =
            said["data"]["comments"].as_array().and_then(|all| all.last()).expect("said").clone();
        assert_eq!(last["message"], "are you there?");
        last["status"].as_str().expect("a status").to_owned()
    };
    read(&admin, &ann).await;
    assert_eq!(status().await, "sent", "who oversees reads unnoticed");
    read(&bo, &ann).await;
    assert_eq!(status().await, "read");
}

#[tokio::test]
async fn only_who_may_see_a_conversation_reads_it_and_only_what_is_in_it() {
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
    assert_eq!(row(&admin, &ann).await["is_seen"], false, "nothing was noted");
}
