//! Customers' rooms as an inbox lists them (wire facts 5.5).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const ROOMS: &str = "/api/v2/customer_rooms";

/// Returns the names of the listed customers.
fn names(answer: &Value) -> Vec<String> {
    let rooms = answer["data"]["customer_rooms"].as_array().expect("rooms");
    rooms.iter().map(|it| it["user_id"].as_str().expect("an id").to_owned()).collect()
}

async fn listed(worker: &Worker, query: &[(&str, &str)]) -> Vec<String> {
    let answer = worker.get(ROOMS, query).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    names(&answer.json())
}

#[tokio::test]
async fn a_customer_room_has_every_field_of_the_inbox() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.says(&ann, "still there?").await;
    let room = office.room(&ann).await;
    let expected = json!({
        "agents": [], "channel_id": office.channel.0, "contact_id": ann.key.0, "id": ann.room.0,
        "is_handled_by_bot": false, "is_resolved": false, "is_waiting": true,
        "last_comment_sender": "ANN", "last_comment_sender_type": "customer",
        "last_comment_text": "still there?", "last_customer_comment_text": "still there?",
        "name": "The room of ann", "notes": null, "room_badge": null, "room_id": ann.room(),
        "room_type": "individual", "source": "custom", "unread_count": 2, "user_avatar_url": "",
        "user_id": "ann", "last_comment_timestamp": room["last_comment_timestamp"],
        "last_customer_timestamp": room["last_customer_timestamp"],
        "waiting_seconds": room["waiting_seconds"], "waiting_since": room["waiting_since"],
        "first_reply_at": null, "resolved_by": null,
        "channel_name": "Shop", "is_seen": false, "last_comment_id": room["last_comment_id"],
        "last_comment_type": "text", "opened_at": room["opened_at"], "rated_at": null,
        "rating": null, "resolved_at": null, "served_by": null,
        "session_id": room["session_id"], "tags": [],
        "updated_at": room["updated_at"], "version": room["version"],
        "window_closes_at": null,
    });
    assert_eq!(room, expected);
    assert!(room["waiting_seconds"].is_u64() && room["waiting_since"].is_string());
    office.assign(&ann, &bo).await.data();
    server.post_comment(&bo.user_id(), &ann.room(), "here I am").await;
    let room = office.room(&ann).await;
    assert_eq!(
        (&room["last_comment_sender_type"], &room["unread_count"]),
        (&json!("agent"), &json!(0))
    );
    assert_eq!(room["last_customer_comment_text"], "still there?");
    assert_eq!(
        (&room["waiting_seconds"], &room["agents"][0]["name"]),
        (&Value::Null, &json!("Bo"))
    );
    let path = format!("{ROOMS}/{}", ann.room);
    let mut as_bo = bo.get(&path, &[]).await.data()["customer_room"].take();
    assert_eq!(as_bo["is_seen"].take(), true, "Bo answered");
    as_bo["is_seen"] = room["is_seen"].clone();
    assert_eq!(as_bo, room);
    let cy = office.agent("Cy").await;
    cy.get(&path, &[]).await.errors(403, "not_your_room");
    admin.get(&format!("{ROOMS}/7"), &[]).await.errors(404, "room_not_found");
    admin.get(&format!("{ROOMS}/x"), &[]).await.errors(404, "room_not_found");
}

#[tokio::test]
async fn rooms_are_filtered_and_listed_newest_first() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let elsewhere = office.open_channel("Elsewhere").await;
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let cat = office.customer_of(elsewhere, "cat").await;
    office.says(&cat, "hello").await;
    office.assign(&ben, &bo).await.data();
    let dan = office.waiting("dan").await;
    let body = json!({"room_id": dan.room()});
    admin.post("/api/v1/admin/service/mark_as_resolved", body).await.data();
    let body = json!({"room_id": ann.room(), "tag": "vip"});
    admin.post("/api/v1/room_tag/create", body).await.data();
    assert_eq!(listed(&admin, &[]).await, ["dan", "ben", "cat", "ann"]);
    assert_eq!(listed(&admin, &[("serve_status", "unserved")]).await, ["cat", "ann"]);
    assert_eq!(listed(&admin, &[("serve_status", "served")]).await, ["ben"]);
    assert_eq!(listed(&admin, &[("status", "resolved")]).await, ["dan"]);
    assert_eq!(listed(&admin, &[("status", "unresolved")]).await, ["ben", "cat", "ann"]);
    assert_eq!(listed(&admin, &[("tag", "vip")]).await, ["ann"]);
    assert_eq!(listed(&admin, &[("tag", "vip"), ("serve_status", "served")]).await, [""; 0]);
    assert_eq!(listed(&admin, &[("agent", &bo.id.to_string())]).await, ["ben"]);
    assert_eq!(listed(&admin, &[("text", "ROOM OF C")]).await, ["cat"]);
    assert_eq!(listed(&admin, &[("is_handled_by_bot", "true")]).await, [""; 0]);
    let channels = json!([{"source": "custom", "channel_id": elsewhere.0}]);
    assert_eq!(listed(&admin, &[("channels", &channels.to_string())]).await, ["cat"]);
    let request = admin.request(Method::GET, ROOMS);
    let body = json!({"channels": channels, "serve_status": "unserved"});
    assert_eq!(names(&sent(with_json(request, &body)).await.json()), ["cat"], "in the body");
    office.set("is_agent_takeover_enabled", "false").await;
    assert_eq!(listed(&bo, &[]).await, ["ben"], "agents see their own rooms");
    office.set("is_agent_takeover_enabled", "true").await;
    assert_eq!(listed(&bo, &[]).await, ["ben", "cat", "ann"], "and rooms that they may take");
    assert_eq!(listed(&bo, &[("status", "resolved")]).await, [""; 0]);
    let refused = admin.get(ROOMS, &[("status", "x"), ("cursor_after", "y")]).await;
    assert_eq!(refused.errors(400, "invalid_request").details.len(), 2);
}

#[tokio::test]
async fn cursors_page_through_every_room_forward_and_back() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let mut expected = Vec::new();
    for number in 0..7 {
        office.waiting(&format!("customer{number}")).await;
        expected.insert(0, format!("customer{number}"));
    }
    let page = async |cursor: Option<(&str, &str)>| {
        let mut query = vec![("limit", "3"), ("serve_status", "unserved")];
        query.extend(cursor);
        let json = admin.get(ROOMS, &query).await.json();
        let meta = json["meta"].clone();
        assert_eq!((&meta["per_page"], &meta["total_count"]), (&json!(3), &json!(7)));
        (names(&json), meta)
    };
    let (first, meta) = page(None).await;
    assert_eq!((first.as_slice(), &meta["before"]), (&expected[..3], &Value::Null));
    let (second, meta) = page(Some(("cursor_after", text(&meta["after"])))).await;
    assert_eq!(second, expected[3..6]);
    let (third, end) = page(Some(("cursor_after", text(&meta["after"])))).await;
    assert_eq!((third.as_slice(), &end["after"]), (&expected[6..], &Value::Null));
    let (again, meta) = page(Some(("cursor_before", text(&end["before"])))).await;
    assert_eq!(again, second);
    let (again, start) = page(Some(("cursor_before", text(&meta["before"])))).await;
    assert_eq!((again, &start["before"]), (first, &Value::Null));
    let (again, _) = page(Some(("cursor_after", text(&start["after"])))).await;
    assert_eq!(again, second, "and on again");
    let searched = admin.get(ROOMS, &[("text", "customer1")]).await.json();
    assert_eq!(searched["meta"]["total_count"], Value::Null, "search results are not counted");
    admin.get(ROOMS, &[("cursor_before", "x")]).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn each_list_returns_its_number_of_rooms_unless_filters_are_combined() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.waiting("cat").await;
    office.assign(&ann, &bo).await.data();
    let body = json!({"room_id": ben.room()});
    admin.post("/api/v1/admin/service/mark_as_resolved", body).await.data();
    let body = json!({"room_id": ben.room(), "tag": "vip"});
    admin.post("/api/v1/room_tag/create", body).await.data();
    let total = async |worker: &Worker, query: &[(&str, &str)]| {
        worker.get(ROOMS, query).await.json()["meta"]["total_count"].as_u64()
    };
    assert_eq!(total(&admin, &[]).await, Some(3));
    assert_eq!(total(&admin, &[("serve_status", "served")]).await, Some(1));
    assert_eq!(total(&admin, &[("status", "unresolved")]).await, Some(2));
    assert_eq!(total(&admin, &[("tag", "vip")]).await, Some(1));
    assert_eq!(total(&admin, &[("agent", &bo.id.to_string())]).await, Some(1));
    assert_eq!(total(&admin, &[("tag", "vip"), ("status", "resolved")]).await, None);
    office.set("is_agent_takeover_enabled", "false").await;
    assert_eq!(total(&bo, &[]).await, Some(1));
    office.set("is_agent_takeover_enabled", "true").await;
    assert_eq!(total(&bo, &[]).await, Some(2));
}
