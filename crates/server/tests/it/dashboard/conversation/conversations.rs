//! Pages of a conversation's messages.

use reqwest::Method;
use serde_json::Value;

use crate::support::answer::each;
use crate::support::caller::sent;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

fn path(customer: &Customer) -> String {
    format!("/api/v2/customer_rooms/{}/messages", customer.room())
}

async fn page(by: &Worker, customer: &Customer, query: &[(&str, &str)]) -> (Vec<String>, Value) {
    let page = by.get(&path(customer), query).await.json();
    let texts = each(&page["data"]["comments"], "message");
    (texts.into_iter().map(str::to_owned).collect(), page["meta"].clone())
}

#[tokio::test]
async fn a_conversation_can_be_paged_from_its_end_in_both_directions() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, ann) = (office.admin().await, office.customer("ann").await);
    for number in 1..=7 {
        office.says(&ann, &number.to_string()).await;
    }
    let (texts, meta) = page(&admin, &ann, &[("limit", "3")]).await;
    assert_eq!(
        (texts, meta["after"].clone()),
        (vec!["5".into(), "6".into(), "7".into()], Value::Null)
    );
    let before = meta["before"].as_str().expect("older ones").to_owned();
    let (texts, meta) = page(&admin, &ann, &[("limit", "3"), ("before", &before)]).await;
    assert_eq!(texts, ["2", "3", "4"]);
    let after = meta["after"].as_str().expect("newer ones").to_owned();
    let first = meta["before"].as_str().expect("older ones").to_owned();
    let (texts, meta) = page(&admin, &ann, &[("limit", "3"), ("before", &first)]).await;
    assert_eq!((texts, meta["before"].clone()), (vec!["1".into()], Value::Null));
    let (texts, meta) = page(&admin, &ann, &[("limit", "2"), ("after", &after)]).await;
    assert_eq!(texts, ["5", "6"]);
    let sixth = meta["after"].as_str().expect("newer ones").to_owned();
    let (texts, meta) = page(&admin, &ann, &[("limit", "2"), ("after", &sixth)]).await;
    assert_eq!((texts, meta["after"].clone()), (vec!["7".into()], Value::Null));
    let (texts, _) = page(&admin, &ann, &[("limit", "4"), ("around", &after)]).await;
    assert_eq!(texts, ["3", "4", "5", "6"]);
    let both = [("before", after.as_str()), ("after", after.as_str())];
    admin.get(&path(&ann), &both).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn only_agents_who_may_see_a_conversation_can_read_it() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    let count = |page: (Vec<String>, Value)| page.0.len();
    assert_eq!(
        count(page(&bo, &ann, &[]).await),
        1,
        "agents who may take over see waiting conversations"
    );
    office.assign(&ann, &bo).await.data();
    assert_eq!(count(page(&bo, &ann, &[]).await), 2);
    cy.get(&path(&ann), &[]).await.errors(403, "not_your_room");
    admin.resolve(&ann.room()).await.data();
    assert_eq!(count(page(&bo, &ann, &[]).await), 3, "a resolved conversation stays readable");
    cy.get(&path(&ann), &[]).await.errors(403, "not_your_room");
    assert_eq!(count(page(&admin, &ann, &[]).await), 3);
    sent(server.bare(Method::GET, &path(&ann))).await.errors(401, "unauthorized");
    let other = server.create_app("other").await;
    let stranger = World::of_app(&server, &other).await.admin().await;
    stranger.get(&path(&ann), &[]).await.errors(404, "room_not_found");
    admin.get("/api/v2/customer_rooms/x/messages", &[]).await.errors(404, "room_not_found");
}
