//! Bulk actions on conversations.

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::items;
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const BULK: &str = "/api/v2/customer_rooms/bulk";

fn ids(customers: &[&Customer]) -> Vec<String> {
    customers.iter().map(|it| it.room()).collect()
}

/// Performs a bulk action; returns whether it succeeded for each room.
async fn done(by: &Worker, body: Value) -> Vec<bool> {
    let data = by.post(BULK, body).await.data();
    let rooms = items(&data["rooms"]);
    for it in rooms {
        assert_eq!(it["why"].is_null(), it["is_done"].as_bool() == Some(true), "{it}");
    }
    rooms.iter().map(|it| it["is_done"] == true).collect()
}

#[tokio::test]
async fn supervisors_can_assign_tag_untag_and_resolve_many_conversations_at_once() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (sue, bo) = (office.worker("Sue", Role::Supervisor, &[]).await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let cid = office.waiting("cid").await;
    let rooms = ids(&[&ann, &ben]);
    let assign = json!({"room_ids": rooms, "deed": "assign", "agent_id": bo.id});
    assert_eq!(done(&sue, assign).await, [true, true]);
    assert_eq!(office.serving(&ben).await, [bo.id]);
    let tag = json!({"room_ids": ids(&[&ann, &ben, &cid]), "deed": "tag", "tag": "vip"});
    assert_eq!(done(&sue, tag).await, [true; 3]);
    let untag = |name: &str| json!({"room_ids": ids(&[&ann, &ann]), "deed": "untag", "tag": name});
    assert_eq!(done(&sue, untag("vip")).await, [true], "a repeated room is handled once");
    assert_eq!(done(&sue, untag("vip")).await, [false]);
    assert_eq!(done(&sue, untag("unknown")).await, [false]);
    let resolve = json!({"room_ids": rooms, "deed": "resolve", "notes": "all the same"});
    assert_eq!(done(&sue, resolve.clone()).await, [true, true]);
    assert_eq!(done(&sue, resolve).await, [false, false], "a conversation is resolved once");
    assert_eq!(office.room(&ann).await["is_resolved"], true);
    assert_eq!(office.room(&cid).await["is_resolved"], false);
}

#[tokio::test]
async fn each_conversation_of_a_bulk_action_is_permitted_or_refused_separately() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &bo).await.data();
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let eve = other.waiting("eve").await;
    let resolve = |rooms: Vec<String>| json!({"room_ids": rooms, "deed": "resolve"});
    let rooms = ids(&[&ben, &eve, &ann]);
    assert_eq!(
        done(&bo, resolve(rooms.clone())).await,
        [false, false, true],
        "agents resolve only rooms that they serve"
    );
    assert_eq!(done(&admin, resolve(rooms)).await, [true, false, false]);
    assert_eq!(other.room(&eve).await["is_resolved"], false);
    let assign = json!({"room_ids": [ann.room()], "deed": "assign", "agent_id": bo.id});
    bo.post(BULK, assign.clone()).await.errors(403, "forbidden");
    let request = server.bare(Method::POST, BULK);
    sent(with_json(request, &assign)).await.errors(401, "unauthorized");
    let many: Vec<_> = (1..=101).map(|id| id.to_string()).collect();
    for (wrong, field) in [
        (json!({"deed": "resolve"}), "room_ids"),
        (json!({"room_ids": ["x"], "deed": "resolve"}), "room_ids"),
        (resolve(many), "room_ids"),
        (json!({"room_ids": ["1"], "deed": "delete"}), "deed"),
        (json!({"room_ids": ["1"], "deed": "assign"}), "agent_id"),
        (json!({"room_ids": ["1"], "deed": "tag"}), "tag"),
        (json!({"room_ids": ["1"], "deed": "untag", "tag": " "}), "tag"),
    ] {
        admin.post(BULK, wrong).await.errors(400, "invalid_request").says(field);
    }
    let app = office.post(BULK, resolve(ids(&[&ann]))).await.data();
    assert_eq!(app["rooms"][0]["is_done"], false, "the room is already resolved");
}
