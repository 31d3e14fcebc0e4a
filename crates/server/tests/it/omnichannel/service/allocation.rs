//! Built-in allocation (design/support): first come, first served, and never above an agent's
//! limit.

use confab_domain::agents::role::Role;
use confab_domain::ids::RoomId;
use confab_domain::time::Timestamp;
use confab_test_servers::receiver::Receiver;
use serde_json::{Value, json};

use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::waiting::{PATIENCE, until_so};
use crate::support::world::{Customer, World};

const ASSIGN: &str = "/api/v1/admin/service/allocate_assign_agent";

/// Resolves the customer's conversation.
async fn resolve(admin: &Worker, customer: &Customer) {
    let body = json!({"room_id": customer.room()});
    admin.post("/api/v1/admin/service/mark_as_resolved", body).await.data();
}

#[tokio::test]
async fn the_longest_waiting_customer_is_assigned_when_an_agent_is_free_again() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    office.set("agent_customers_max", "1").await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (ben, cat) = (office.waiting("ben").await, office.waiting("cat").await);
    office.set("is_agent_allocation_enabled", "true").await;
    resolve(&admin, &ann).await;
    assert_eq!(office.until_served(&ben).await, [bo.id]);
    assert_eq!(office.serving(&cat).await, [0_i64; 0], "the cap is 1");
    assert_eq!(office.texts(&ben).await[0], "Bo joined this conversation");
    let body = json!({"room_id": ben.room(), "agent_id": bo.id});
    office.set_away(&bo, Some(Timestamp(1))).await;
    let cy = office.agent("Cy").await;
    office.post("/api/v1/admin/service/remove_agent", body).await.data();
    assert_eq!(office.until_served(&ben).await, [cy.id], "ben has waited longer than cat");
    assert_eq!(office.serving(&cat).await, [0_i64; 0]);
}

#[tokio::test]
async fn agents_away_beyond_the_grace_period_lose_their_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (cy, other) = (office.agent("Cy").await, office.waiting("other").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    office.assign(&other, &cy).await.data();
    office.set_away(&bo, Some(Timestamp(1))).await;
    office.set("is_agent_allocation_enabled", "true").await;
    resolve(&admin, &other).await;
    until_so("Cy is assigned", async || office.serving(&ann).await == [cy.id]).await;
}

#[tokio::test]
async fn agents_away_within_the_grace_period_keep_their_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let cy = office.agent("Cy").await;
    let (ann, other) = (office.waiting("ann").await, office.waiting("other").await);
    office.assign(&ann, &bo).await.data();
    office.assign(&other, &cy).await.data();
    bo.post("/api/v1/agent/set_availability", json!({"is_available": false})).await.data();
    let cat = office.waiting("cat").await;
    let wanted = json!({"is_agent_allocation_enabled": true, "agent_customers_max": 1,
        "agent_offline_grace_seconds": 86_400});
    admin.post("/api/v2/app/config/agent_allocation", wanted).await.data();
    resolve(&admin, &other).await;
    assert_eq!(office.until_served(&cat).await, [cy.id], "the queue was processed");
    assert_eq!(office.serving(&ann).await, [bo.id]);
    let wanted = json!({"agent_offline_grace_seconds": 0, "agent_customers_max": 2});
    admin.post("/api/v2/app/config/agent_allocation", wanted).await.data();
    until_so("Cy is assigned", async || office.serving(&ann).await == [cy.id]).await;
}

#[tokio::test]
async fn an_agent_who_comes_online_or_gets_a_higher_cap_is_assigned_waiting_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    office.set_away(&bo, Some(Timestamp(1))).await;
    let cap = "/api/v2/app/config/agent_allocation";
    let wanted = json!({"is_agent_allocation_enabled": true, "agent_customers_max": 1});
    admin.post(cap, wanted).await.data();
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let cat = office.waiting("cat").await;
    bo.post("/api/v1/agent/set_availability", json!({"is_available": true})).await.data();
    assert_eq!(office.until_served(&ann).await, [bo.id]);
    admin.post(cap, json!({"agent_customers_max": 2})).await.data();
    assert_eq!(office.until_served(&ben).await, [bo.id]);
    assert_eq!(office.serving(&cat).await, [0_i64; 0], "the cap is 2");
    let own = format!("/api/v2/admin/agent/{}/update", bo.id);
    admin.post(&own, json!({"customers_max": 3})).await.data();
    assert_eq!(office.until_served(&cat).await, [bo.id]);
    let force = format!("/api/v2/admin/agent/{}/set_force_offline", bo.id);
    admin.post(&force, json!({"force_offline": true})).await.data();
    let back = bo.post("/api/v1/agent/set_availability", json!({"is_available": true})).await;
    back.errors(403, "forced_offline");
    admin.post(&own, json!({"customers_max": 9})).await.data();
    let dan = office.waiting("dan").await;
    let body = json!({"room_id": dan.room()});
    admin.post(ASSIGN, body).await.errors(400, "nobody_free");
}

#[tokio::test]
async fn an_unassignable_customer_blocks_no_others_and_bots_keep_theirs() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("Elsewhere").await;
    let bo = office.worker("Bo", Role::Agent, &[elsewhere]).await;
    let ann = office.waiting("ann").await;
    let hooks = Hooks::of(&server);
    hooks.register("bot").await;
    let cat = office.customer_of(elsewhere, "cat").await;
    office.says(&cat, "hello").await;
    let ben = office.customer_of(elsewhere, "ben").await;
    office.says(&ben, "hello").await;
    let hand_over = format!("/bot/{}/activate", ben.room);
    office.post(&hand_over, json!({"is_active": false})).await.data();
    assert_eq!(office.room(&cat).await["is_handled_by_bot"], true);
    office.set("is_agent_allocation_enabled", "true").await;
    assert_eq!(office.until_served(&ben).await, [bo.id], "the periodic check assigns an agent");
    assert_eq!(office.serving(&ann).await, [0_i64; 0], "Bo does not serve the channel");
    assert_eq!(office.serving(&cat).await, [0_i64; 0], "the bot answers");
}

#[tokio::test]
async fn customers_of_a_disabled_bot_are_assigned_to_agents() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    Hooks::of(&server).register("bot").await;
    office.set("is_agent_allocation_enabled", "true").await;
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    assert_eq!(office.room(&ann).await["is_handled_by_bot"], true);
    let off = json!({"is_active": false});
    office.post("/api/v1/app/bot/activation", off).await.data();
    assert_eq!(office.until_served(&ann).await, [bo.id], "without another message");
    assert_eq!(office.until_served(&ben).await, [bo.id]);
    assert_eq!(office.room(&ann).await["is_handled_by_bot"], false);
}

#[tokio::test]
async fn customers_of_a_deleted_agent_wait_again() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let since = office.room(&ann).await["waiting_since"].take();
    office.assign(&ann, &bo).await.data();
    office.assign(&ben, &bo).await.data();
    let body = json!({"room_id": ben.room()});
    admin.post("/api/v1/admin/service/mark_as_resolved", body).await.data();
    admin.post(&format!("/api/v1/admin/agent/{}/delete", bo.id), json!({})).await.data();
    let room = office.room(&ann).await;
    assert_eq!((&room["is_waiting"], &room["agents"]), (&json!(true), &json!([])));
    assert_eq!(room["waiting_since"], since, "in their old position");
    assert_eq!(office.room(&ben).await["is_waiting"], false, "a resolved room does not wait");
    office.assign(&ann, &bo).await.errors(404, "agent_not_found");
    let cy = office.agent("Cy").await;
    office.assign(&ann, &cy).await.data();
}

#[tokio::test]
async fn rooms_of_an_agent_deleted_without_cleanup_are_freed_later() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    office.assign(&ann, &bo).await.data();
    office.delete_only(&bo).await;
    until_so("Bo is removed", async || office.serving(&ann).await.is_empty()).await;
    assert_eq!(office.room(&ann).await["is_waiting"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cap_holds_under_200_first_messages_on_two_nodes() {
    const CUSTOMERS: usize = 200;
    const AGENTS: usize = 5;
    const CAP: usize = 7;
    let (one, two) = TestServer::start_two().await;
    let office = World::of(&one).await;
    let other_node = office.at(&two);
    office.set("agent_customers_max", &CAP.to_string()).await;
    office.set("is_agent_allocation_enabled", "true").await;
    let admin = office.admin().await;
    for number in 0..AGENTS {
        office.agent(&format!("Agent{number}")).await;
    }
    let mut customers = Vec::new();
    for number in 0..CUSTOMERS {
        customers.push(office.customer(&format!("customer{number}")).await);
    }
    let nodes = [std::sync::Arc::new(office), std::sync::Arc::new(other_node)];
    let come = |(at, customer): (usize, &Customer)| {
        let (node, customer) = (nodes[at % 2].clone(), customer.clone());
        tokio::spawn(async move {
            node.says(&customer, "hello").await;
            let answer = node.post(ASSIGN, json!({"room_id": customer.room()})).await;
            assert!([200, 400].contains(&answer.status), "{}", answer.text);
        })
    };
    let coming: Vec<_> = customers.iter().enumerate().map(come).collect();
    for one in coming {
        one.await.expect("done");
    }
    let served = async || {
        let workers = nodes[0].store.agents(nodes[0].app.id).await.expect("read");
        let agents = workers.iter().filter(|it| it.profile.user.role == Role::Agent);
        agents.map(|it| it.serves as usize).collect::<Vec<_>>()
    };
    assert_eq!(served().await, [CAP; AGENTS], "all agents are at the cap");
    let mut first = None;
    for customer in &customers {
        if first.is_none() && !nodes[0].serving(customer).await.is_empty() {
            first = Some(customer);
        }
    }
    let queue = nodes[1].store.queue(nodes[1].app.id, (Timestamp(0), RoomId(0)), 1).await;
    let (_, next, _) = queue.expect("read")[0];
    resolve(&admin, first.expect("an assigned customer")).await;
    let next = customers.iter().find(|it| it.room == next).expect("a customer");
    nodes[1].until_served(next).await;
    // A customer who requested one more agent had two, so the resolution freed two slots.
    let all_busy = async {
        loop {
            let served = served().await;
            assert!(served.iter().all(|it| *it <= CAP), "{served:?}");
            if served == [CAP; AGENTS] {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, all_busy).await.expect("all agents are at the cap again");
}

#[tokio::test]
async fn built_in_allocation_pauses_while_an_allocation_webhook_is_enabled() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let receiver = Receiver::start().await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/agent_allocation", json!({"url": receiver.url})).await.data();
    office.set("is_agent_allocation_enabled", "true").await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let webhook = receiver.next().await.json();
    assert_eq!(webhook["candidate_agent"]["id"], bo.id);
    assert_eq!(office.serving(&ann).await, [0_i64; 0], "the app assigns agents");
    let off = json!({"webhook_url": receiver.url, "is_webhook_enabled": false});
    office.post("/api/v1/app/webhook/agent_allocation", off).await.data();
    assert_eq!(office.until_served(&ann).await, [bo.id], "the server assigns agents again");
}

#[tokio::test]
async fn the_allocation_webhook_proposes_a_candidate_even_if_no_agent_is_available() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let receiver = Receiver::start().await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/agent_allocation", json!({"url": receiver.url})).await.data();
    let candidate = async |customer: &str| {
        office.waiting(customer).await;
        receiver.next().await.json()["candidate_agent"].take()
    };
    assert_eq!(candidate("ann").await, Value::Null, "the app has no staff");
    let admin = office.admin().await;
    assert_eq!(candidate("ben").await["id"], admin.id, "the app has no agent");
    let bo = office.agent("Bo").await;
    office.set_away(&bo, Some(Timestamp(1))).await;
    let shown = candidate("cat").await;
    assert_eq!((&shown["id"], &shown["is_available"]), (&json!(bo.id), &json!(false)));
    let cy = office.agent("Cy").await;
    let shown = candidate("dan").await;
    assert_eq!((&shown["id"], &shown["is_available"]), (&json!(cy.id), &json!(true)));
}

#[tokio::test]
async fn an_agent_who_never_signed_in_is_proposed_with_the_creation_time_as_last_login() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let receiver = Receiver::start().await;
    let hooks = Hooks::of(&server);
    hooks.put("/endpoints/agent_allocation", json!({"url": receiver.url})).await.data();
    let dan = office.create("dan", "agent").await;
    office.waiting("ann").await;
    let candidate = receiver.next().await.json()["candidate_agent"].take();
    assert_eq!(candidate["id"], dan["id"]);
    assert!(candidate["last_login"].is_string());
    assert_eq!(candidate["last_login"], candidate["created_at"]);
}

/// Built-in allocation chooses agents only; webhooks may propose other roles.
#[tokio::test]
async fn built_in_allocation_never_assigns_admins() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    office.set_away(&bo, Some(Timestamp(1))).await;
    office.set("is_agent_allocation_enabled", "true").await;
    let ann = office.waiting("ann").await;
    let body = json!({"room_id": ann.room()});
    admin.post(ASSIGN, body).await.errors(400, "nobody_free");
    let ignoring = json!({"room_id": ann.room(), "ignore_agent_availability": true});
    let chosen = admin.post(ASSIGN, ignoring).await.data();
    assert_eq!(chosen["agent"]["id"], bo.id);
}
