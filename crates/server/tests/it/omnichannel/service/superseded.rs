//! No agent is requested once an agent is assigned (spec 6).

use std::sync::Arc;

use confab_test_servers::receiver::{ReceivedRequest, Receiver, Reply};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;
use crate::support::world::World;

#[tokio::test]
async fn a_retry_after_an_assignment_is_dropped_and_shown_as_superseded() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let hooks = Hooks::of(&server);
    // The receiver refuses, but only after an agent was assigned.
    let receiver = Receiver::replying(|_| Reply::status(500).once_released()).await;
    hooks.put("/endpoints/agent_allocation", json!({"url": receiver.url})).await.data();
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    office.says(&ann, "anybody there?").await;
    let mut deliveries = hooks.list(&[]).await.0;
    deliveries.sort_unstable();
    let webhook = receiver.next().await.json();
    assert_eq!(
        (&webhook["room_id"], &webhook["is_new_session"]),
        (&json!(ann.room()), &json!(true))
    );
    assert_eq!(webhook["candidate_agent"]["id"], bo.id);
    office.assign(&ann, &bo).await.data();
    receiver.release();
    let ended = async {
        for id in &deliveries {
            while hooks.delivery(*id).await["standing"] == "waiting" {
                hooks.post(&format!("/deliveries/{id}/replay"), json!({})).await.data();
                tokio::task::yield_now().await;
            }
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), ended)
        .await
        .expect("all deliveries finish");
    for id in deliveries {
        let delivery = hooks.delivery(id).await;
        assert_eq!(delivery["standing"], "failed", "{delivery}");
        let attempts = delivery["attempt_list"].as_array();
        let attempts = attempts.expect("attempts");
        let last = attempts.last().expect("one");
        assert_eq!((&last["error"], &last["status"]), (&json!("superseded"), &Value::Null));
    }
    assert!(!receiver.has_more(), "it was sent once");
}

#[tokio::test]
async fn an_agent_can_be_assigned_from_within_the_allocation_webhook() {
    let server = TestServer::start().await;
    let office = Arc::new(World::of(&server).await);
    let (bo, ann) = (office.agent("Bo").await, office.customer("ann").await);
    let (done, mut outcome) = mpsc::unbounded_channel();
    let its = office.clone();
    let receiver = Receiver::doing(move |received: ReceivedRequest| {
        let (its, done) = (its.clone(), done.clone());
        async move {
            let body = received.json();
            let agent = &body["candidate_agent"]["id"];
            let assign = json!({"room_id": body["room_id"], "agent_id": agent});
            let answer = its.post("/api/v1/admin/service/assign_agent", assign).await;
            let _ = done.send(answer.status);
            200
        }
    });
    let receiver = receiver.await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/agent_allocation", json!({"url": receiver.url})).await.data();
    office.says(&ann, "hello").await;
    let delivery = hooks.list(&[]).await.0[0];
    hooks.post(&format!("/deliveries/{delivery}/replay"), json!({})).await.data();
    assert_eq!(outcome.recv().await, Some(200));
    assert_eq!(office.serving(&ann).await, [bo.id]);
    office.says(&ann, "thanks").await;
    assert_eq!(hooks.list(&[]).await.0, [delivery], "no further agent is requested");
}
