//! Editing and deletion of messages, and the traces that they leave (design/support).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, items, text};
use crate::support::caller::{sent, with_json};
use crate::support::client::Client;
use crate::support::office::Worker;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

fn path(customer: &Customer) -> String {
    format!("/api/v2/customer_rooms/{}/messages", customer.room())
}

async fn post_text(by: &Worker, customer: &Customer, message: &str) -> String {
    let posted = by.post(&path(customer), json!({"message": message})).await.data();
    text(&posted["comment"]["unique_id"]).to_owned()
}

async fn correct(by: &Worker, customer: &Customer, id: &str, body: Value) -> Answer {
    let path = format!("{}/{id}", path(customer));
    sent(with_json(by.request(Method::PATCH, &path), &body)).await
}

async fn delete(by: &Worker, customer: &Customer, id: &str) -> Answer {
    by.delete(&format!("{}/{id}", path(customer))).await
}

async fn page(by: &Worker, customer: &Customer, query: &[(&str, &str)]) -> Value {
    by.get(&path(customer), query).await.json()["data"]["comments"].take()
}

#[tokio::test]
async fn agents_can_edit_only_their_own_text_messages() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let customers = text(&page(&admin, &ann, &[]).await[0]["unique_id"]).to_owned();
    for by in [&admin, &bo] {
        let id = post_text(by, &ann, "Helo").await;
        let comment = correct(by, &ann, &id, json!({"message": "Hello"})).await.data();
        let comment = &comment["comment"];
        assert_eq!((&comment["message"], &comment["unique_id"]), (&json!("Hello"), &json!(id)));
        assert_eq!(comment["is_edited"], true);
    }
    let seen = page(&admin, &ann, &[]).await;
    let edited = |it: &&Value| it["is_edited"] == true && it["message"] == "Hello";
    let is_edited = items(&seen).iter().filter(|it| it["is_edited"] == true).count();
    assert_eq!((items(&seen).iter().filter(edited).count(), is_edited), (2, 2));
    assert_eq!(each(&seen, "message").iter().filter(|it| **it == "Hello").count(), 2);
    let id = post_text(&bo, &ann, "mine").await;
    let body = || json!({"message": "x"});
    correct(&admin, &ann, &id, body()).await.errors(403, "not_your_message");
    correct(&admin, &ann, &customers, body()).await.errors(403, "not_your_message");
    correct(&cy, &ann, &id, body()).await.errors(403, "not_your_room");
    correct(&bo, &ann, "nothing", body()).await.errors(404, "message_not_found");
    for wrong in [json!({}), json!({"message": ""}), json!({"message": {}})] {
        correct(&bo, &ann, &id, wrong).await.errors(400, "invalid_request");
    }
    let long = json!({"message": "x".repeat(5000)});
    correct(&bo, &ann, &id, long).await.errors(400, "invalid_request");
    let location = json!({"name": "x", "latitude": 1, "longitude": 2});
    let card = json!({"type": "location", "payload": location});
    let card = bo.post(&path(&ann), card).await.data();
    let card = text(&card["comment"]["unique_id"]);
    correct(&bo, &ann, card, body()).await.errors(400, "invalid_request");
    let gone = delete(&bo, &ann, &id).await;
    gone.data();
    correct(&bo, &ann, &id, body()).await.errors(404, "message_not_found");
}

#[tokio::test]
async fn senders_and_admins_can_delete_messages_and_a_trace_remains() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (first, second) =
        (post_text(&bo, &ann, "first").await, post_text(&admin, &ann, "second").await);
    post_text(&bo, &ann, "third").await;
    delete(&bo, &ann, &second).await.errors(403, "not_your_message");
    let gone = delete(&bo, &ann, &first).await.data()["comment"].take();
    assert_eq!((&gone["is_deleted"], &gone["message"]), (&json!(true), &json!("")));
    assert_eq!(gone["payload"], Value::Null);
    delete(&bo, &ann, &first).await.errors(404, "message_not_found");
    let customers = text(&page(&admin, &ann, &[]).await[0]["unique_id"]).to_owned();
    delete(&bo, &ann, &customers).await.errors(403, "not_your_message");
    delete(&admin, &ann, &customers).await.data();
    let seen = page(&admin, &ann, &[]).await;
    let shown = items(&seen).iter().map(|it| (text(&it["message"]), it["is_deleted"] == true));
    let joined = "Bo joined this conversation";
    let expected = [("", true), (joined, false), ("", true), ("second", false), ("third", false)];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    // Public clients are shown no traces (D-0020).
    assert_eq!(office.texts(&ann).await, ["third", "second", joined]);
    // Deleted messages count toward the length and the ends of pages.
    let ids = each(&seen, "id_str");
    for (query, texts) in [
        (vec![("limit", "2")], vec!["second", "third"]),
        (vec![("limit", "2"), ("before", ids[3])], vec![joined, ""]),
        (vec![("limit", "2"), ("after", ids[1])], vec!["", "second"]),
        (vec![("limit", "3"), ("around", ids[2])], vec![joined, "", "second"]),
        (vec![("limit", "9"), ("before", ids[1])], vec![""]),
    ] {
        assert_eq!(each(&page(&admin, &ann, &query).await, "message"), texts, "{query:?}");
    }
}

#[tokio::test]
async fn messages_cannot_be_edited_or_deleted_from_other_apps_or_rooms() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let id = post_text(&admin, &ann, "here").await;
    let other = server.create_app("other").await;
    let other = World::of_app(&server, &other).await;
    let (stranger, eve) = (other.admin().await, other.waiting("eve").await);
    let body = || json!({"message": "x"});
    correct(&stranger, &ann, &id, body()).await.errors(404, "room_not_found");
    delete(&stranger, &ann, &id).await.errors(404, "room_not_found");
    correct(&stranger, &eve, &id, body()).await.errors(404, "message_not_found");
    delete(&stranger, &eve, &id).await.errors(404, "message_not_found");
    let path = format!("{}/{id}", path(&ann));
    sent(server.bare(Method::DELETE, &path)).await.errors(401, "unauthorized");
    sent(office.request(Method::DELETE, &path)).await.errors(401, "unauthorized");
    let another = office.waiting("bob").await;
    delete(&admin, &another, &id).await.errors(404, "message_not_found");
    assert_eq!(office.texts(&ann).await[0], "here");
}

#[tokio::test]
async fn edits_and_deletions_by_agents_reach_the_customer() {
    let shop = Shop::without_webhooks().await;
    let bo = shop.agent("Bo").await;
    let room = shop.room_of("6281").await;
    shop.assign_room(&room, &bo).await.data();
    let token = shop.customer_token("6281").await;
    let customer = Client { caller: shop.server.clone(), user: "6281".into(), token };
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    let mut ids = Vec::new();
    for message in ["Helo", "oops"] {
        let posted = bo.post(&path, json!({"message": message})).await.data();
        ids.push(text(&posted["comment"]["unique_id"]).to_owned());
    }
    let request = bo.request(Method::PATCH, &format!("{path}/{}", ids[0]));
    sent(with_json(request, &json!({"message": "Hello"}))).await.data();
    bo.delete(&format!("{path}/{}", ids[1])).await.data();
    assert_eq!(customer.texts(&room).await[0], "Hello");
    let events = customer.get("sync_event", &[("start_event_id", "0")]).await.json();
    let events = items(&events["events"]).iter().map(|it| text(&it["action_topic"]).to_owned());
    let events: Vec<_> = events.collect();
    assert!(events.iter().any(|it| it == "delete_message"), "{events:?}");
}
