//! Lists of conversations in the inbox, and their counts (design/support).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::each;
use crate::support::caller::sent;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const ROOMS: &str = "/api/v2/customer_rooms";
const COUNTS: &str = "/api/v2/customer_rooms/counts";
const NAMES: &str = "/api/v2/channel_names";

async fn listed(by: &Worker, query: &[(&str, &str)]) -> Vec<String> {
    let page = by.get(ROOMS, query).await.json();
    let names = each(&page["data"]["customer_rooms"], "user_id");
    names.into_iter().map(str::to_owned).collect()
}

/// Returns all entries of a list, read in pages of this size.
async fn all_pages(by: &Worker, limit: &str, query: &[(&str, &str)]) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let cursor = [("limit", limit), ("cursor_after", after.as_str())];
        let query: Vec<_> = query.iter().copied().chain(cursor).collect();
        let page = by.get(ROOMS, &query).await.json();
        let names = each(&page["data"]["customer_rooms"], "user_id");
        found.extend(names.into_iter().map(str::to_owned));
        match page["meta"]["after"].as_str() {
            Some(next) => after = next.to_owned(),
            None => return found,
        }
    }
}

#[tokio::test]
async fn resolved_conversations_are_listed_to_the_agent_who_resolved_them_and_admins() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    for customer in [&ann, &ben] {
        office.assign(customer, &bo).await.data();
    }
    let resolved = [("status", "resolved")];
    assert!(listed(&bo, &resolved).await.is_empty());
    bo.resolve_own(&ann.room()).await.data();
    assert_eq!(listed(&bo, &resolved).await, ["ann"]);
    assert_eq!(listed(&bo, &[("status", "resolved"), ("served_by", "me")]).await, ["ann"]);
    assert_eq!(listed(&bo, &[]).await, ["ben"], "the default list has no resolved conversations");
    assert_eq!(listed(&bo, &[("status", "unresolved")]).await, ["ben"]);
    assert!(listed(&cy, &resolved).await.is_empty());
    assert_eq!(listed(&admin, &resolved).await, ["ann"]);
    let of_bo = bo.id.to_string();
    assert_eq!(listed(&admin, &[("status", "resolved"), ("agent", &of_bo)]).await, ["ann"]);
    let of_cy = cy.id.to_string();
    assert!(listed(&admin, &[("status", "resolved"), ("agent", &of_cy)]).await.is_empty());
    assert!(listed(&bo, &[("status", "resolved"), ("agent", &of_cy)]).await.is_empty());
    office.says(&ann, "again").await;
    assert!(listed(&bo, &resolved).await.is_empty(), "the conversation is open again");
}

#[tokio::test]
async fn the_waiting_order_lists_the_longest_waiting_conversations_first() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let mut customers = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        customers.push(office.waiting(name).await);
    }
    for customer in [&customers[1], &customers[3]] {
        office.assign(customer, &bo).await.data();
    }
    office.says(&customers[0], "still here").await;
    let waiting = [("sort", "waiting")];
    let expected = ["a", "c", "e", "d", "b"];
    assert_eq!(listed(&admin, &waiting).await, expected);
    assert_eq!(listed(&bo, &waiting).await, expected, "agents see the same order");
    for limit in ["1", "2", "3", "4", "5"] {
        assert_eq!(all_pages(&admin, limit, &waiting).await, expected, "{limit} a page");
    }
    for (page, expected) in [("1", ["a", "c"]), ("2", ["e", "d"])] {
        let query = [("sort", "waiting"), ("limit", "2"), ("page", page)];
        assert_eq!(listed(&admin, &query).await, expected);
    }
    let mine = [("sort", "waiting"), ("served_by", "me")];
    assert_eq!(listed(&bo, &mine).await, ["d", "b"]);
    let unserved = [("sort", "waiting"), ("serve_status", "unserved")];
    assert_eq!(listed(&admin, &unserved).await, ["a", "c", "e"]);
    office.set("is_agent_takeover_enabled", "false").await;
    assert_eq!(
        listed(&bo, &waiting).await,
        ["d", "b"],
        "without takeover, waiting conversations are hidden"
    );
}

#[tokio::test]
async fn invalid_list_parameters_are_refused() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    for wrong in [
        [("sort", "name"), ("limit", "5")],
        [("served_by", "7"), ("limit", "5")],
        [("sort", "waiting"), ("cursor_before", "1-1")],
        [("cursor_before", "w1-1"), ("limit", "5")],
        [("cursor_after", "w1"), ("sort", "waiting")],
    ] {
        admin.get(ROOMS, &wrong).await.errors(400, "invalid_request");
    }
    office.get(ROOMS, &[("served_by", "me")]).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn counts_include_only_conversations_that_the_agent_may_see() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("elsewhere").await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let cy = office.worker("Cy", Role::Agent, &[elsewhere]).await;
    let counts = async |by: &Worker| by.get(COUNTS, &[]).await.data();
    let none = json!({"mine": 0, "unassigned": 0, "bot": 0, "open": 0, "resolved": 0,
        "longest_wait_since": null});
    assert_eq!(counts(&admin).await, none);
    let first = office.waiting("first").await;
    let since = office.room(&first).await["waiting_since"].clone();
    let (served, ended) = (office.waiting("served").await, office.waiting("ended").await);
    office.waiting("second").await;
    for customer in [&served, &ended] {
        office.assign(customer, &bo).await.data();
    }
    bo.resolve_own(&ended.room()).await.data();
    let of = |mine: u64, resolved: u64| {
        json!({"mine": mine, "unassigned": 2, "bot": 0, "open": 3, "resolved": resolved,
            "longest_wait_since": since})
    };
    assert_eq!(counts(&admin).await, of(0, 1));
    assert_eq!(counts(&bo).await, of(1, 1));
    assert_eq!(counts(&cy).await, none, "Cy serves another channel only");
    assert_eq!(
        office.get(COUNTS, &[]).await.data(),
        of(0, 1),
        "the app's secret key sees all conversations"
    );
    office.set("is_agent_takeover_enabled", "false").await;
    let own = json!({"mine": 1, "unassigned": 0, "bot": 0, "open": 1, "resolved": 1,
        "longest_wait_since": null});
    assert_eq!(counts(&bo).await, own);
    let other = server.create_app("other").await;
    let stranger = World::of_app(&server, &other).await.admin().await;
    assert_eq!(counts(&stranger).await, none);
    sent(server.bare(Method::GET, COUNTS)).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn channel_names_are_shown_to_all_agents_without_keys() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let boss = office.worker("Su", Role::Supervisor, &[]).await;
    let bo = office.agent("Bo").await;
    let expected = json!({"channels": [{"id": office.channel.0, "name": "Shop",
        "source": "custom", "logo_url": null, "is_active": true}]});
    for worker in [&admin, &boss, &bo] {
        assert_eq!(worker.get(NAMES, &[]).await.data(), expected);
    }
    assert_eq!(office.get(NAMES, &[]).await.data(), expected);
    let other = server.create_app("other").await;
    let stranger = World::without_channel(&server, &other).await.admin().await;
    assert_eq!(stranger.get(NAMES, &[]).await.data(), json!({"channels": Value::Array(vec![])}));
    sent(server.bare(Method::GET, NAMES)).await.errors(401, "unauthorized");
}
