//! Transferring and leaving conversations, and switching the bot (design/support).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::dashboard::inbox::Page;
use crate::support::answer::{Answer, each};
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World, chat_token};

/// Performs an action on a customer's room.
async fn act(by: &Worker, customer: &Customer, verb: &str, body: Value) -> Answer {
    by.post(&format!("/api/v2/customer_rooms/{}/{verb}", customer.room()), body).await
}

async fn transfer(by: &Worker, customer: &Customer, to: Option<&Worker>) -> Answer {
    act(by, customer, "transfer", json!({"agent_id": to.map(|to| to.id)})).await
}

async fn replies(by: &Worker, customer: &Customer, text: &str) -> Answer {
    act(by, customer, "messages", json!({"message": text})).await
}

async fn read(by: &Worker, customer: &Customer) -> Vec<String> {
    let path = format!("/api/v2/customer_rooms/{}/messages", customer.room());
    let page = by.get(&path, &[]).await.json();
    each(&page["data"]["comments"], "message").into_iter().map(str::to_owned).collect()
}

fn app_of(worker: &Worker) -> Client {
    let (user, token) = (worker.user_id(), chat_token(worker.id));
    Client { caller: worker.caller.clone(), user, token }
}

#[tokio::test]
async fn an_agent_can_transfer_a_customer_and_still_read_the_conversation() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    transfer(&cy, &ann, Some(&cy)).await.errors(403, "not_your_room");
    let row = transfer(&bo, &ann, Some(&cy)).await.data()["customer_room"].take();
    assert_eq!(row["agents"], json!([{"id": cy.id, "name": "Cy"}]));
    assert_eq!((&row["is_waiting"], &row["room_id"]), (&json!(false), &json!(ann.room())));
    let expected = [
        "hello",
        "Bo joined this conversation",
        "Bo left this conversation",
        "Cy joined this conversation",
    ];
    assert_eq!(read(&bo, &ann).await, expected);
    assert_eq!(read(&cy, &ann).await, expected);
    replies(&bo, &ann, "one more thing").await.errors(403, "not_serving");
    let body = json!({"comment": "one more thing", "topic_id": ann.room()});
    app_of(&bo).post("post_comment", body).await.refused(403, "not_serving");
    replies(&cy, &ann, "I am Cy").await.data();
    assert_eq!(app_of(&bo).texts(&ann.room()).await[0], "I am Cy", "Bo can still read");
    let in_room = server.participants(&ann.room()).await;
    assert!(in_room.contains(&cy.user_id()) && !in_room.contains(&bo.user_id()), "{in_room:?}");
    transfer(&bo, &ann, Some(&bo)).await.errors(403, "not_serving");
    act(&bo, &ann, "leave", json!({})).await.errors(403, "not_serving");
}

#[tokio::test]
async fn a_supervisors_transfer_replaces_all_serving_agents() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let chief = office.worker("Sue", Role::Supervisor, &[]).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let dot = office.agent("Dot").await;
    let ann = office.waiting("ann").await;
    for agent in [&bo, &cy] {
        office.assign(&ann, agent).await.data();
    }
    transfer(&bo, &ann, Some(&dot)).await.data();
    assert_eq!(
        office.serving(&ann).await,
        [cy.id, dot.id],
        "an agent's transfer replaces only that agent"
    );
    transfer(&chief, &ann, Some(&bo)).await.data();
    assert_eq!(office.serving(&ann).await, [bo.id]);
    transfer(&chief, &ann, Some(&bo)).await.errors(400, "already_assigned");
    office.assign(&ann, &dot).await.data();
    transfer(&chief, &ann, Some(&bo)).await.data();
    assert_eq!(
        office.serving(&ann).await,
        [bo.id],
        "an agent who already served remains as the only one"
    );
    let body = json!({"agent_id": cy.id});
    let path = format!("/api/v2/customer_rooms/{}/transfer", ann.room());
    office.post(&path, body).await.data();
    assert_eq!(office.serving(&ann).await, [cy.id], "the app's secret key may transfer");
}

#[tokio::test]
async fn a_returned_conversation_keeps_its_position_in_the_queue() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    let since = office.room(&ann).await["waiting_since"].take();
    office.assign(&ann, &bo).await.data();
    let row = transfer(&bo, &ann, None).await.data()["customer_room"].take();
    assert_eq!((&row["is_waiting"], &row["waiting_since"]), (&json!(true), &since));
    let texts = office.texts(&ann).await;
    assert_eq!(texts[0], "Bo left this conversation");
    transfer(&admin, &ann, None).await.data();
    assert_eq!(office.texts(&ann).await, texts, "no agent served the room");
    transfer(&admin, &ann, Some(&cy)).await.data();
    let row = act(&cy, &ann, "leave", json!({})).await.data()["customer_room"].take();
    assert_eq!((&row["is_waiting"], &row["waiting_since"]), (&json!(true), &since));
    let taken = json!({"room_id": ann.room()});
    bo.post("/api/v2/agent/service/takeover_unserved", taken).await.data();
    assert_eq!(office.serving(&ann).await, [bo.id]);
}

#[tokio::test]
async fn a_customer_does_not_wait_after_one_of_several_agents_leaves() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    for agent in [&bo, &cy] {
        office.assign(&ann, agent).await.data();
    }
    act(&admin, &ann, "leave", json!({})).await.errors(403, "not_serving");
    let row = act(&cy, &ann, "leave", json!({})).await.data()["customer_room"].take();
    assert_eq!((&row["is_waiting"], &row["agents"][0]["id"]), (&json!(false), &json!(bo.id)));
    let data = admin.resolve(&ann.room()).await.data();
    assert_eq!(data["service"]["user_id"], bo.id, "the last serving agent");
    act(&bo, &ann, "leave", json!({})).await.errors(403, "not_serving");
}

#[tokio::test]
async fn invalid_actions_on_conversations_are_refused_and_change_nothing() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = server.create_app("other").await;
    let other = World::of_app(&server, &other).await;
    let (boss, eve) = (other.admin().await, other.agent("Eve").await);
    let elsewhere = office.open_channel("Elsewhere").await;
    let far = office.worker("Fay", Role::Agent, &[elsewhere]).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, quiet) = (office.waiting("ann").await, office.customer("quiet").await);
    office.assign(&ann, &bo).await.data();
    let texts = office.texts(&ann).await;
    for by in [&admin, &bo] {
        transfer(by, &ann, Some(&eve)).await.errors(404, "agent_not_found");
        transfer(by, &ann, Some(&far)).await.errors(400, "wrong_channel");
        let wrong = act(by, &ann, "transfer", json!({"agent_id": "x"})).await;
        wrong.errors(400, "invalid_request").says("agent_id");
        let wrong = act(by, &ann, "bot", json!({})).await;
        wrong.errors(400, "invalid_request").says("is_on");
    }
    for verb in ["transfer", "leave", "reopen", "bot"] {
        let path = format!("/api/v2/customer_rooms/{}/{verb}", ann.room());
        let body = json!({"is_on": true});
        boss.post(&path, body.clone()).await.errors(404, "room_not_found");
        far.post(&path, body.clone()).await.errors(403, "not_your_room");
        sent(server.bare(Method::POST, &path)).await.errors(401, "unauthorized");
        let nowhere = format!("/api/v2/customer_rooms/7x/{verb}");
        admin.post(&nowhere, body).await.errors(404, "room_not_found");
    }
    transfer(&admin, &quiet, Some(&bo)).await.errors(400, "session_resolved");
    act(&admin, &quiet, "bot", json!({"is_on": true})).await.errors(400, "session_resolved");
    act(&admin, &quiet, "reopen", json!({})).await.errors(400, "not_resolved");
    assert_eq!((office.texts(&ann).await, office.serving(&ann).await), (texts, vec![bo.id]));
}

#[tokio::test]
async fn a_transfer_is_sent_to_open_pages_and_gives_the_new_agent_access() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let (mut bos, mut cys) = (Page::of(&bo).await, Page::of(&cy).await);
    bos.open(&ann.room()).await;
    transfer(&bo, &ann, Some(&cy)).await.data();
    let left = bos.until("message").await;
    assert_eq!(left["message"], "Bo left this conversation");
    let payload = &left["payload"]["payload"];
    assert_eq!((&payload["type"], &payload["agent"]["id"]), (&json!("agent_left"), &json!(bo.id)));
    let trail = bos.until("trail").await;
    assert_eq!((&trail["what"], &trail["room_id"]), (&json!("transferred"), &json!(ann.room())));
    assert_eq!(trail["by"], json!({"id": bo.id, "name": "Bo"}));
    assert_eq!(trail["agent"], json!({"id": cy.id, "name": "Cy"}));
    while cys.until("room").await["row"]["agents"][0]["id"] != cy.id {}
    cys.open(&ann.room()).await;
    office.says(&ann, "who are you?").await;
    assert_eq!(cys.until("message").await["message"], "who are you?");
}

#[tokio::test]
async fn built_in_allocation_does_not_assign_a_customer_to_the_agent_who_left() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    office.assign(&ann, &bo).await.data();
    office.assign(&ben, &cy).await.data();
    office.set("is_agent_allocation_enabled", "true").await;
    act(&bo, &ann, "leave", json!({})).await.data();
    assert_eq!(office.until_served(&ann).await, [cy.id], "though Bo serves fewer");
}

#[tokio::test]
async fn serving_agents_and_admins_can_switch_the_bot_of_a_room() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let receiver = Receiver::start().await;
    Hooks::of(&server).put("/endpoints/bot", json!({"url": receiver.url})).await.data();
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    let (admin, ann) = (office.admin().await, office.waiting("ann").await);
    assert_eq!(receiver.next().await.json()["payload"]["message"]["text"], "hello");
    act(&cy, &ann, "bot", json!({"is_on": false})).await.errors(403, "not_serving");
    office.assign(&ann, &bo).await.data();
    office.says(&ann, "for Bo").await;
    act(&cy, &ann, "bot", json!({"is_on": true})).await.errors(403, "not_your_room");
    let texts = office.texts(&ann).await;
    let row = act(&bo, &ann, "bot", json!({"is_on": true})).await.data()["customer_room"].take();
    assert_eq!(row["is_handled_by_bot"], true);
    assert_eq!(row["agents"][0]["id"], bo.id, "the serving agent stays assigned");
    office.says(&ann, "for the bot").await;
    let event = receiver.next().await.json();
    assert_eq!(event["payload"]["message"]["text"], "for the bot");
    let row = act(&admin, &ann, "bot", json!({"is_on": false})).await.data();
    assert_eq!(row["customer_room"]["is_handled_by_bot"], false);
    office.says(&ann, "for people").await;
    assert_eq!(office.texts(&ann).await[2..], texts[..], "switching the bot posts no message");
    assert!(!receiver.has_more());
}

#[tokio::test]
async fn system_messages_have_a_fixed_text_and_a_translatable_payload() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let body = json!({"room_id": ann.room(), "agent_id": bo.id});
    admin.post("/api/v1/admin/service/assign_agent", body).await.data();
    act(&bo, &ann, "leave", json!({})).await.data();
    bo.resolve_own(&ann.room()).await.data();
    act(&bo, &ann, "reopen", json!({})).await.data();
    let customer =
        Client { caller: bo.caller.clone(), user: "ann".to_owned(), token: chat_token(ann.key.0) };
    let comments = customer.comments(&ann.room(), &[]).await;
    let events = comments.as_array().expect("comments").iter();
    let events = events.filter(|it| it["type"] == "system_event");
    let person = |worker: &Worker, name: &str| json!({"id": worker.id, "name": name});
    let (ada, bo) = (person(&admin, "Ada"), person(&bo, "Bo"));
    let expected = [
        ("Bo joined this conversation", "agent_joined", bo.clone(), bo.clone()),
        ("Bo reopened this conversation", "reopened", Value::Null, bo.clone()),
        ("admin marked this conversation as resolved", "resolved", Value::Null, bo.clone()),
        ("Bo left this conversation", "agent_left", bo.clone(), bo.clone()),
        ("Bo joined this conversation", "agent_joined", bo, ada),
    ];
    let mut count = 0;
    for (event, (text, kind, agent, by)) in events.zip(expected) {
        assert_eq!(event["message"], text);
        let payload = &event["payload"];
        assert_eq!(payload["type"], "custom", "spec 2.4");
        let expected = json!({"agent": agent, "by": by, "type": kind});
        assert_eq!(payload["payload"], expected, "{text}");
        count += 1;
    }
    assert_eq!(count, 5);
}
