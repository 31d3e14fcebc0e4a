//! The calls of public agent apps (wire facts 5.7).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::each;
use crate::support::caller::{sent, with_form};
use crate::support::office::{Office, PASSWORD};
use crate::support::test_server::TestServer;
use crate::support::world::World;

#[tokio::test]
async fn rooms_are_filtered_by_fields_of_the_request_body() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    office.waiting("ben").await;
    office.assign(&ann, &bo).await.data();
    let path = "/api/v2/customer_rooms";
    let admin = office.admin().await;
    for (body, names) in [
        (json!({"limit": "50", "name": ""}), vec!["ann", "ben"]),
        (json!({"name": "BEN"}), vec!["ben"]),
        (json!({"serve_status": "served"}), vec!["ann"]),
        (json!({"status": "resolved"}), vec![]),
        (json!({"limit": 1, "page": 2}), vec!["ben"]),
    ] {
        let found = admin.post(path, body.clone()).await.json();
        assert_eq!(each(&found["data"]["customer_rooms"], "user_id"), names, "{body}");
    }
    let own = bo.post(path, json!({"limit": "50"})).await.json();
    assert_eq!(each(&own["data"]["customer_rooms"], "user_id"), ["ann"]);
    admin.post(path, json!({"status": "x"})).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn agents_read_and_change_their_own_profile() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    for role in ["agent", "supervisor", "admin"] {
        let worker = office.hire(role, role).await;
        let profile = worker.get("/api/v1/agent/get_profile", &[]).await.data();
        assert_eq!((&profile["id"], &profile["is_available"]), (&json!(worker.id), &json!(true)));
        assert_eq!(profile["type_as_string"], role);
    }
    let ana = office.hire("ana", "agent").await;
    office.create("bob", "agent").await;
    let path = "/api/v1/agent/update_profile";
    let body = json!({"name": "Ana Maria", "email": "Maria@shop.example"});
    let changed = ana.post(path, body).await.data();
    assert_eq!(
        (&changed["name"], &changed["email"]),
        (&json!("Ana Maria"), &json!("maria@shop.example"))
    );
    assert!(ana.is_signed_in().await, "the sign-in remains valid");
    office.try_to_sign_in("maria", PASSWORD).await.data();
    office.try_to_sign_in("ana", PASSWORD).await.errors(401, "unauthorized");
    let taken = json!({"name": "x", "email": "bob@shop.example"});
    ana.post(path, taken).await.errors(409, "email_taken");
    ana.post(path, json!({"email": "x"})).await.errors(400, "invalid_request").says("name");
    let kept = ana.post(path, json!({"name": "Ana"})).await.data();
    assert_eq!(kept["email"], "maria@shop.example");
    let role = ana.post(path, json!({"name": "Ana", "type": "admin"})).await.data();
    assert_eq!(role["type_as_string"], "agent", "agents cannot change their own role");
}

#[tokio::test]
async fn availability_is_set_by_the_older_path_too() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let path = "/api/v1/set_availability";
    let away = bo.post(path, json!({"is_available": false})).await.data();
    assert_eq!(away["agent"]["is_available"], false);
    let form = with_form(bo.request(Method::POST, path), &[("is_available", "true")]);
    assert_eq!(sent(form).await.data()["agent"]["is_available"], true);
    bo.post(path, json!({})).await.errors(400, "invalid_request");
    office.post(path, json!({"is_available": true})).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn tags_of_the_app_are_suggested_and_added_to_rooms() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let (theirs, eve) = (other.waiting("theirs").await, other.agent("Eve").await);
    office.set("is_agent_takeover_enabled", "false").await;
    other.assign(&theirs, &eve).await.data();
    eve.post(&format!("/api/v2/room_tags/{}", theirs.room), json!({"tag": "secret"})).await.data();
    let path = format!("/api/v2/room_tags/{}", ann.room);
    bo.post(&path, json!({"tag": "vip"})).await.errors(403, "not_your_room");
    office.assign(&ann, &bo).await.data();
    let made = bo.post(&path, json!({"tag": "vip"})).await.data();
    assert_eq!(made["name"], "vip");
    let form = with_form(bo.request(Method::POST, &path), &[("tag", "Very late")]);
    sent(form).await.data();
    assert_eq!(each(&bo.get(&path, &[]).await.data(), "name"), ["vip", "Very late"]);
    let tags = async |query: &[(&str, &str)]| {
        let found = bo.get("/api/v2/tags", query).await.data();
        each(&found, "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(tags(&[]).await, ["Very late", "vip"]);
    assert_eq!(tags(&[("name", "VE"), ("page", "1"), ("limit", "5")]).await, ["Very late"]);
    assert_eq!(tags(&[("limit", "1"), ("page", "2")]).await, ["vip"]);
    assert_eq!(tags(&[("name", "secret")]).await, [""; 0], "another app's tag is not suggested");
    bo.post(&path, json!({})).await.errors(400, "invalid_request").says("tag");
    let foreign = eve.post(&path, json!({"tag": "evil"})).await;
    foreign.errors(404, "room_not_found");
}

#[tokio::test]
async fn an_agent_counts_waiting_customers_and_takes_the_longest_waiting_one() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "true").await;
    let bo = office.agent("Bo").await;
    let take = "/api/v1/agent/service/takeover_unresolved_room";
    let count = "/api/v1/admin/service/get_unresolved_count";
    assert_eq!(bo.get(count, &[]).await.data(), json!({"total_unresolved": 0}));
    bo.post(take, json!({})).await.errors(404, "nobody_waits");
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    assert_eq!(bo.get(count, &[]).await.data()["total_unresolved"], 2);
    assert_eq!(office.get(count, &[]).await.data()["total_unresolved"], 2);
    let taken = sent(bo.request(Method::POST, take)).await.data();
    assert_eq!(
        (&taken["added_agent"]["id"], &taken["service"]["room_id"]),
        (&json!(bo.id), &json!(ann.room()))
    );
    assert_eq!(office.serving(&ben).await, [0_i64; 0]);
    assert_eq!(bo.get(count, &[]).await.data()["total_unresolved"], 1);
    let admin = office.admin().await;
    admin.post(take, Value::Null).await.errors(403, "forbidden");
}
