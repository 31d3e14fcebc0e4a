//! Names, rooms and properties of customers, and infos of their rooms (design/support).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, items};
use crate::support::caller::{sent, with_json};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

async fn rename(by: &Worker, customer: &Customer, name: &str) -> Answer {
    let path = format!("/api/v2/contacts/{}", customer.key);
    sent(with_json(by.request(Method::PATCH, &path), &json!({"name": name}))).await
}

#[tokio::test]
async fn serving_agents_and_admins_can_rename_a_customer() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    rename(&bo, &ann, "Ann A").await.errors(403, "not_serving");
    office.assign(&ann, &bo).await.data();
    let contact = rename(&bo, &ann, " Ann A ").await.data()["contact"].take();
    assert_eq!((&contact["name"], &contact["id"]), (&json!("Ann A"), &json!(ann.key.0)));
    rename(&cy, &ann, "mine").await.errors(404, "contact_not_found");
    rename(&admin, &ann, "Ann B").await.data();
    let path = format!("/api/v2/contacts/{}", ann.key);
    assert_eq!(bo.get(&path, &[]).await.data()["contact"]["name"], "Ann B");
    for wrong in [json!({}), json!({"name": ""}), json!({"name": 7})] {
        let request = with_json(bo.request(Method::PATCH, &path), &wrong);
        sent(request).await.errors(400, "invalid_request");
    }
    let other = World::of_app(&server, &server.create_app("other").await).await;
    rename(&other.admin().await, &ann, "x").await.errors(404, "contact_not_found");
}

#[tokio::test]
async fn the_rooms_of_a_customer_are_listed_to_agents_who_may_see_them() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.waiting("eve").await;
    office.assign(&ann, &bo).await.data();
    let path = format!("/api/v2/contacts/{}/rooms", ann.key);
    for by in [&admin, &bo] {
        let rooms = by.get(&path, &[]).await.json()["data"]["customer_rooms"].take();
        assert_eq!(each(&rooms, "room_id"), [ann.room()]);
        assert_eq!(rooms[0]["contact_id"], ann.key.0);
    }
    cy.get(&path, &[]).await.errors(404, "contact_not_found");
    admin.get("/api/v2/contacts/7/rooms", &[]).await.errors(404, "contact_not_found");
}

#[tokio::test]
async fn properties_of_a_customer_can_be_read_and_deleted() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, eve) = (office.waiting("ann").await, office.waiting("eve").await);
    office.assign(&ann, &bo).await.data();
    let properties = format!("/api/v2/contacts/{}/properties", ann.key);
    for label in ["City", "Tier"] {
        let path = format!("/api/v2/contacts/properties/{}", ann.key);
        admin.post(&path, json!({"label": label, "value": "x"})).await.data();
    }
    let listed = async || {
        let listed = bo.get(&properties, &[]).await.data()["customer_properties"].take();
        let listed = items(&listed).iter().map(|it| (it["label"].clone(), it["id"].clone()));
        listed.collect::<Vec<(Value, Value)>>()
    };
    let (label, id) = listed().await.remove(0);
    assert_eq!(label, "City");
    let city = format!("{properties}/{id}");
    bo.delete(&city).await.errors(403, "forbidden");
    let elsewhere = format!("/api/v2/contacts/{}/properties/{id}", eve.key);
    admin.delete(&elsewhere).await.errors(404, "property_not_found");
    let gone = admin.delete(&city).await.data();
    assert_eq!(gone["customer_property"]["label"], "City");
    admin.delete(&city).await.errors(404, "property_not_found");
    admin.delete(&format!("{properties}/x")).await.errors(404, "property_not_found");
    assert_eq!(listed().await.len(), 1);
}

#[tokio::test]
async fn infos_of_a_room_can_be_set_and_deleted_individually() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let infos = format!("/api/v2/customer_rooms/{}/infos", ann.room());
    let put = async |by: &Worker, key: &str, value: Value| {
        by.put(&format!("{infos}/{key}"), json!({"value": value})).await
    };
    put(&bo, "city", json!("Solo")).await.data();
    put(&admin, "order%20%2F%20no", json!(7)).await.data();
    let changed = put(&bo, "city", json!("Yogya")).await.data();
    let expected = json!([
        {"key": "city", "value": "Yogya"}, {"key": "order / no", "value": "7"},
    ]);
    assert_eq!(changed["infos"], expected);
    assert_eq!(bo.get(&infos, &[]).await.data()["infos"], expected);
    cy.get(&infos, &[]).await.errors(403, "not_your_room");
    put(&cy, "city", json!("x")).await.errors(403, "not_your_room");
    cy.delete(&format!("{infos}/city")).await.errors(403, "not_your_room");
    let left = bo.delete(&format!("{infos}/city")).await.data();
    assert_eq!(each(&left["infos"], "key"), ["order / no"]);
    bo.delete(&format!("{infos}/city")).await.errors(404, "info_not_found");
    for (key, value) in [("%20", json!("x")), ("k", json!({})), ("k", Value::Null)] {
        put(&bo, key, value).await.errors(400, "invalid_request");
    }
    put(&bo, &"k".repeat(101), json!("x")).await.errors(400, "invalid_request");
    for number in 0..99 {
        put(&bo, &format!("key{number}"), json!("")).await.data();
    }
    put(&bo, "more", json!("x")).await.errors(400, "too_many");
}
