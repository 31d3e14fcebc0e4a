//! Endpoints that change just before an event: no delivery is lost because of their former state.

use confab_test_servers::receiver::Receiver;
use serde_json::json;

use super::ROOM_KINDS;
use crate::support::oracle::Verdict;
use crate::support::test_server::TestServer;

#[tokio::test]
async fn events_right_after_an_endpoint_is_created_or_enabled_are_delivered() {
    let server = TestServer::start().await;
    let receiver = Receiver::start().await;
    let (url, mut acknowledged) = (receiver.url.clone(), Vec::new());
    for kind in ROOM_KINDS {
        server.tell(kind, &url, &json!({})).await;
        acknowledged.push(server.trigger(kind, None).await);
        receiver.takes(&acknowledged).await;
        server.tell(kind, &url, &json!({"is_enabled": false})).await;
    }
    for kind in ROOM_KINDS {
        server.tell(kind, &url, &json!({})).await;
        acknowledged.push(server.trigger(kind, None).await);
    }
    receiver.takes(&acknowledged).await;
    let lost = Verdict::of(&acknowledged, &receiver.seen()).lost;
    println!("{} triggered right after a change, lost {lost}", acknowledged.len());
}
