//! Tags on rooms (wire facts 5.5).

use serde_json::json;

use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const CREATE: &str = "/api/v1/room_tag/create";

#[tokio::test]
async fn a_tag_is_shared_by_the_app_and_is_added_to_and_removed_from_rooms() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let tag = async |customer: &Customer, name: &str| {
        admin.post(CREATE, json!({"room_id": customer.room(), "tag": name})).await.data()
    };
    let urgent = tag(&ann, "urgent").await;
    assert_eq!(urgent["name"], "urgent");
    assert_eq!(tag(&ann, "urgent").await, urgent, "adding a tag again changes nothing");
    assert_eq!(tag(&ben, "urgent").await, urgent, "rooms of one app share the tag");
    let vip = tag(&ann, "vip").await;
    let (v1, v2) =
        (format!("/api/v1/room_tag/{}", ann.room), format!("/api/v2/room_tags/{}", ann.room));
    assert_eq!(admin.get(&v1, &[]).await.data(), json!([urgent, vip]));
    assert_eq!(admin.get(&v2, &[]).await.data(), json!([urgent, vip]));
    let off = format!("{v1}/{}", urgent["id"]);
    assert_eq!(admin.delete(&off).await.data(), json!([vip]));
    admin.delete(&off).await.errors(404, "tag_not_found");
    admin.delete(&format!("{v1}/x")).await.errors(404, "tag_not_found");
    let other = format!("/api/v1/room_tag/{}", ben.room);
    assert_eq!(admin.get(&other, &[]).await.data(), json!([urgent]));
    let wrong = admin.post(CREATE, json!({"tag": "x".repeat(101)})).await;
    assert_eq!(wrong.errors(400, "invalid_request").details.len(), 2);
    admin.post(CREATE, json!({"room_id": 7, "tag": "x"})).await.errors(404, "room_not_found");
    admin.get("/api/v1/room_tag/nowhere", &[]).await.errors(404, "room_not_found");
    let bo = office.agent("Bo").await;
    let body = json!({"room_id": ann.room(), "tag": "mine"});
    office.set("is_agent_takeover_enabled", "false").await;
    bo.post(CREATE, body.clone()).await.errors(403, "not_your_room");
    bo.get(&v1, &[]).await.errors(403, "not_your_room");
    office.assign(&ann, &bo).await.data();
    bo.post(CREATE, body).await.data();
}
