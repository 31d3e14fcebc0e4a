//! The list of the customers that an agent may see (design/support).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::each;
use crate::support::caller::sent;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const CONTACTS: &str = "/api/v2/contacts";

async fn page(by: &Worker, query: &[(&str, &str)]) -> Value {
    by.get(CONTACTS, query).await.json()
}

async fn listed(by: &Worker, query: &[(&str, &str)]) -> Vec<String> {
    let page = page(by, query).await;
    each(&page["data"]["contacts"], "name").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn customers_visible_to_an_agent_are_listed_by_last_activity() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.waiting("eve").await;
    assert_eq!(listed(&admin, &[]).await, ["EVE", "BEN", "ANN"]);
    office.says(&ann, "again").await;
    assert_eq!(listed(&admin, &[]).await, ["ANN", "EVE", "BEN"]);
    assert!(listed(&bo, &[]).await.is_empty(), "Bo serves no customer and may not take over any");
    office.assign(&ann, &bo).await.data();
    office.assign(&ben, &bo).await.data();
    bo.resolve_own(&ben.room()).await.data();
    assert_eq!(listed(&bo, &[]).await, ["BEN", "ANN"], "Bo still sees a resolved customer");
    office.says(&ben, "one thing more").await;
    office.assign(&ben, &cy).await.data();
    assert_eq!(listed(&bo, &[]).await.len(), 2, "Bo still sees a customer whom a colleague serves");
    office.set("is_agent_takeover_enabled", "true").await;
    assert!(
        listed(&cy, &[]).await.contains(&"EVE".to_owned()),
        "waiting customers may be taken over"
    );
    let elsewhere = office.open_channel("elsewhere").await;
    let dee = office.worker("Dee", Role::Agent, &[elsewhere]).await;
    assert!(listed(&dee, &[]).await.is_empty(), "Dee serves another channel only");
    let other = World::of_app(&server, &server.create_app("other").await).await;
    assert!(listed(&other.admin().await, &[]).await.is_empty());
    sent(server.bare(Method::GET, CONTACTS)).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn a_customer_stays_listed_after_a_colleague_resolved_their_newest_room() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    office.set("is_agent_takeover_enabled", "false").await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &bo).await.data();
    bo.resolve_own(&ann.room()).await.data();
    let second = office.another_room(&ann).await;
    office.says(&second, "me again").await;
    for room in [&second, &ben] {
        office.assign(room, &cy).await.data();
        cy.resolve_own(&room.room()).await.data();
    }
    assert_eq!(listed(&bo, &[]).await, ["ANN"]);
    admin.patch("/api/v2/settings", json!({"who_sees_resolved": "all"})).await.data();
    assert_eq!(listed(&bo, &[]).await, ["BEN", "ANN"]);
    assert_eq!(page(&bo, &[]).await["data"]["contacts"][1]["rooms"], 2);
    let elsewhere = office.open_channel("elsewhere").await;
    let dee = office.worker("Dee", Role::Agent, &[elsewhere]).await;
    assert!(listed(&dee, &[]).await.is_empty(), "Dee serves another channel only");
}

#[tokio::test]
async fn a_listed_customer_has_channel_activity_room_count_and_block_state() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    let shown = page(&admin, &[]).await["data"]["contacts"][0].take();
    let last_seen_at = shown["last_seen_at"].clone();
    assert!(last_seen_at.is_string());
    let source = office.room(&ann).await["source"].take();
    let expected = json!({
        "id": ann.key.0, "name": "ANN", "channel_id": office.channel.0, "channel_name": "Shop",
        "source": source, "last_seen_at": last_seen_at, "rooms": 1, "is_blocked": false,
    });
    assert_eq!(shown, expected);
    let block = json!({"room_id": ann.room(), "is_blocked": true});
    admin.post("/api/v1/customer/block", block).await.data();
    assert_eq!(page(&admin, &[]).await["data"]["contacts"][0]["is_blocked"], true);
}

#[tokio::test]
async fn customers_can_be_searched_by_name_and_paged() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    for name in ["ann1", "ben2", "ann3", "eve4", "ann5"] {
        office.waiting(name).await;
    }
    assert_eq!(listed(&admin, &[("q", "Ann")]).await, ["ANN5", "ANN3", "ANN1"]);
    assert!(listed(&admin, &[("q", "nobody")]).await.is_empty());
    for limit in ["1", "2", "3", "5", "6"] {
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = page(&admin, &[("limit", limit), ("cursor", &after)]).await;
            found.extend(each(&page["data"]["contacts"], "name").into_iter().map(str::to_owned));
            match page["meta"]["after"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(found, ["ANN5", "EVE4", "ANN3", "BEN2", "ANN1"], "{limit} a page");
    }
    for wrong in [("cursor", "x"), ("cursor", "w1-1")] {
        admin.get(CONTACTS, &[wrong]).await.errors(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_customer_with_several_rooms_is_listed_once() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.waiting("eve").await;
    let second = office.another_room(&ann).await;
    for (by, rooms) in [(&admin, 2), (&bo, 1)] {
        let page = page(by, &[("limit", "1")]).await;
        assert_eq!(page["data"]["contacts"][0]["rooms"], rooms, "only visible rooms are counted");
        let first = each(&page["data"]["contacts"], "name")[0].to_owned();
        let after = page["meta"]["after"].as_str().expect("more").to_owned();
        let rest = listed(by, &[("cursor", &after)]).await;
        assert_eq!(rest.len(), 1, "{first} and {rest:?}");
        assert_ne!(rest[0], first);
    }
    assert_ne!(second.room, ann.room);
}

#[tokio::test]
async fn a_customer_with_hundreds_of_rooms_is_listed_and_exported_with_all() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.more_rooms(&ben, 3).await;
    let many = office.more_rooms(&ann, 600).await;
    office.assign(&ann, &bo).await.data();
    let listed = page(&admin, &[]).await["data"]["contacts"].take();
    assert_eq!((each(&listed, "name"), &listed[0]["rooms"]), (vec!["ANN", "BEN"], &json!(601)));
    let seen = page(&bo, &[("q", "an")]).await["data"]["contacts"].take();
    assert_eq!(seen[0]["rooms"], 1, "only the visible room is counted");
    let found = admin.get("/api/v2/search", &[("q", "ann"), ("in", "contacts")]).await.json();
    assert_eq!(found["data"]["contacts"][0]["rooms"], 601);
    let export = admin.get(&format!("/api/v2/contacts/{}/export", many.key.0), &[]).await;
    assert_eq!(export.data()["rooms"].as_array().map(Vec::len), Some(601));
}
