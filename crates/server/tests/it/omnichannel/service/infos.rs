//! Additional information about customers (wire facts 5.5).

use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{sent, with_form};
use crate::support::test_server::TestServer;
use crate::support::world::World;

#[tokio::test]
async fn new_properties_of_a_room_replace_the_previous_ones() {
    let server = TestServer::start_with(&[("brands", "SERVICE, acme")]).await;
    let office = World::of(&server).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let path = format!("/api/v1/service/room/{}/user_info", ann.room);
    let info = |key: &str, value: &str| json!({"key": key, "value": value});
    let body = json!({"user_properties": [info("city", "Solo"), info("tier", "gold")]});
    let data = office.post(&path, body).await.data();
    assert_eq!(data["extras"]["user_properties"].as_array().expect("two").len(), 2);
    assert_eq!(data["first_initiated"]["timezone_type"], 3);
    assert_eq!(data["first_agent_response_time"], Value::Null);
    let body = json!({"user_properties": [info("city", "Yogya"), info("age", "31")]});
    office.set("is_agent_takeover_enabled", "false").await;
    bo.post(&path, body.clone()).await.errors(403, "not_your_room");
    office.assign(&ann, &bo).await.data();
    bo.post(&path, body).await.data();
    let other_brand = format!("/api/v1/acme/room/{}/user_info", ann.room);
    let data = bo.get(&other_brand, &[]).await.data();
    let known = json!([info("age", "31"), info("city", "Yogya")]);
    assert_eq!(data["extras"]["user_properties"], known);
    assert_eq!((&data["user_id"], &data["is_blocked"]), (&json!("ann"), &json!(false)));
    assert_eq!(
        (&data["channel_name"], &data["channel"]["source"]),
        (&json!("Shop"), &json!("custom"))
    );
    for time in ["first_initiated", "first_agent_response_time"] {
        let shown = data[time].as_str().expect("a time");
        assert_eq!((shown.len(), &shown[10..11], &shown[19..]), (20, "T", "Z"), "RFC 3339");
    }
    let body = json!({"user_properties": [{"key": "orders", "value": 7}]});
    let data = office.post(&path, body).await.data();
    assert_eq!(data["extras"]["user_properties"], json!([info("orders", "7")]));
    let data = office.post(&path, json!({"notes": "only notes"})).await.data();
    assert_eq!(data["extras"]["user_properties"], json!([info("orders", "7")]));
    let data = office.post(&path, json!({"user_properties": []})).await.data();
    assert_eq!(data["extras"]["user_properties"], json!([]), "an empty list clears");
    let form = [("user_properties", "[]")];
    sent(with_form(office.request(Method::POST, &path), &form)).await.data();
    office.post(&path, json!({"user_properties": [{}]})).await.errors(400, "invalid_request");
    office.get("/api/v1/service/room/7/user_info", &[]).await.errors(404, "room_not_found");
    let many: Vec<_> = (0..101).map(|at| info(&format!("key{at}"), "")).collect();
    let body = json!({"user_properties": many});
    office.post(&path, body).await.errors(400, "invalid_request").says("user_properties");
}

#[tokio::test]
async fn a_property_of_a_contact_is_updated_by_its_label() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let path = format!("/api/v2/contacts/properties/{}", ann.key);
    let set = json!({"label": "Tier", "value": "gold"});
    let first = admin.post(&path, set).await.data();
    assert_eq!((&first["label"], &first["contact_id"]), (&json!("Tier"), &json!(ann.key.0)));
    let second = admin.post(&path, json!({"label": "Tier", "value": "silver"})).await.data();
    assert_eq!((&second["id"], &second["value"]), (&first["id"], &json!("silver")));
    let wrong = admin.post(&path, json!({"label": ""})).await;
    assert_eq!(wrong.errors(400, "invalid_request").details.len(), 2);
    for contact in ["7", "x", &admin.id.to_string()] {
        let path = format!("/api/v2/contacts/properties/{contact}");
        let set = json!({"label": "a", "value": "b"});
        admin.post(&path, set).await.errors(404, "contact_not_found");
    }
    let bo = office.agent("Bo").await;
    bo.post(&path, json!({"label": "a", "value": "b"})).await.errors(403, "forbidden");
}

#[tokio::test]
async fn a_property_of_a_contact_set_concurrently_has_one_id() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let mut running = tokio::task::JoinSet::new();
    for value in 0..20 {
        let (admin, path) = (admin.clone(), format!("/api/v2/contacts/properties/{}", ann.key));
        let set = json!({"label": "Tier", "value": value.to_string()});
        running.spawn(async move { admin.post(&path, set).await.data()["id"].take() });
    }
    let ids = running.join_all().await;
    assert!(ids.iter().all(|id| id == &ids[0]), "{ids:?}");
}

#[tokio::test]
async fn notes_belong_to_the_conversation_until_its_resolution() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (quiet, ann) = (office.customer("quiet").await, office.waiting("ann").await);
    let path = |room: String| format!("/api/v1/service/room/{room}/user_info");
    let notes = json!({"notes": "call back on Monday"});
    admin.post(&path(quiet.room()), notes.clone()).await.errors(400, "session_resolved");
    office.set("is_agent_takeover_enabled", "false").await;
    bo.post(&path(ann.room()), notes.clone()).await.errors(403, "not_your_room");
    let data = admin.post(&path(ann.room()), notes).await.data();
    assert_eq!(data["extras"]["notes"], "call back on Monday");
    assert_eq!(office.room(&ann).await["notes"], "call back on Monday");
    let more = json!({"user_properties": [{"key": "city", "value": "Solo"}]});
    let data = admin.post(&path(ann.room()), more).await.data();
    assert_eq!(data["extras"]["notes"], "call back on Monday", "the notes stay");
    let receiver = Receiver::start().await;
    let button = json!({"label": "Ticket", "webhook_url": receiver.url});
    let button = admin.post("/api/v2/custom_buttons", button).await.data();
    let press = format!("/api/v2/custom_buttons/{}/press", button["custom_button"]["id"]);
    admin.post(&press, json!({"room_id": ann.room()})).await.data();
    assert_eq!(receiver.next().await.json()["notes"], "call back on Monday");
    let resolve = "/api/v1/admin/service/mark_as_resolved";
    let data = admin.post(resolve, json!({"room_id": ann.room()})).await.data();
    assert_eq!(data["service"]["notes"], "call back on Monday");
    admin.post(&path(ann.room()), json!({"notes": "x"})).await.errors(400, "session_resolved");
    office.says(&ann, "me again").await;
    assert_eq!(office.room(&ann).await["notes"], Value::Null);
    admin.post(&path(ann.room()), json!({"notes": "a"})).await.data();
    admin.post(&path(ann.room()), json!({"notes": ""})).await.data();
    assert_eq!(office.room(&ann).await["notes"], Value::Null, "an empty text removes them");
    let long = json!({"notes": "x".repeat(4001)});
    admin.post(&path(ann.room()), long).await.errors(400, "invalid_request").says("notes");
}

#[tokio::test]
async fn rooms_of_a_deleted_channel_keep_its_name_and_kind() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    admin.delete(&format!("/api/v2/custom_channels/{}", office.channel)).await.data();
    let path = format!("/api/v1/service/room/{}/user_info", ann.room);
    let body = json!({"user_properties": [{"key": "city", "value": "Solo"}]});
    assert_eq!(admin.post(&path, body).await.data()["channel_name"], "Shop");
    assert_eq!(office.room(&ann).await["source"], "custom");
}
