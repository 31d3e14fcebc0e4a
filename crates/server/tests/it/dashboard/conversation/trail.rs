//! The trail of a customer's room, and its conversations (design/support).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::dashboard::inbox::Page;
use crate::support::answer::{each, items, keys};
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World, chat_token};

fn path(customer: &Customer, what: &str) -> String {
    format!("/api/v2/customer_rooms/{}/{what}", customer.room())
}

/// Returns the trail, oldest entry first: what happened, who did it, and the agent concerned.
async fn trail(by: &Worker, customer: &Customer) -> Vec<[String; 3]> {
    let found = by.get(&path(customer, "trail"), &[("limit", "100")]).await.json();
    let name = |it: &Value| it["name"].as_str().unwrap_or("-").to_owned();
    let entry = |it: &Value| {
        assert_eq!(keys(it), ["agent", "at", "by", "id", "rating", "what"]);
        [it["what"].as_str().expect("what").to_owned(), name(&it["by"]), name(&it["agent"])]
    };
    items(&found["data"]["trail"]).iter().rev().map(entry).collect()
}

#[tokio::test]
async fn every_call_that_changes_a_conversation_leaves_a_trail() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (cy, dot) = (office.agent("Cy").await, office.agent("Dot").await);
    let ann = office.waiting("ann").await;
    let of_room = json!({"room_id": ann.room()});
    let with = |agent: &Worker| json!({"room_id": ann.room(), "agent_id": agent.id});
    bo.post("/api/v2/agent/service/takeover_unserved", of_room.clone()).await.data();
    bo.post("/api/v1/agent/service/assign_agent", with(&cy)).await.data();
    admin.post("/api/v1/admin/service/remove_agent", with(&bo)).await.data();
    let replacing = json!({"room_id": ann.room(), "agent_id": dot.id,
        "replace_latest_agent": true});
    office.post("/api/v1/admin/service/assign_agent", replacing).await.data();
    dot.post(&path(&ann, "transfer"), json!({"agent_id": cy.id})).await.data();
    cy.post(&path(&ann, "transfer"), json!({"agent_id": null})).await.data();
    admin.post("/api/v1/admin/service/allocate_assign_agent", of_room).await.data();
    admin.post(&format!("/bot/{}/activate", ann.room()), json!({"is_active": true})).await;
    admin.post(&path(&ann, "bot"), json!({"is_on": true})).await.data();
    bo.post(&path(&ann, "bot"), json!({"is_on": false})).await.data();
    bo.post(&path(&ann, "leave"), json!({})).await.data();
    admin.resolve(&ann.room()).await.data();
    admin.post(&path(&ann, "reopen"), json!({})).await.data();
    let expected = [
        ["opened", "-", "-"],
        ["taken", "Bo", "Bo"],
        ["assigned", "Bo", "Cy"],
        ["removed", "Ada", "Bo"],
        ["removed", "-", "Cy"],
        ["assigned", "-", "Dot"],
        ["transferred", "Dot", "Cy"],
        ["returned", "Cy", "-"],
        ["assigned", "Ada", "Bo"],
        ["bot_on", "Ada", "-"],
        ["bot_off", "Bo", "-"],
        ["left", "Bo", "Bo"],
        ["resolved", "Ada", "-"],
        ["reopened", "Ada", "-"],
    ];
    assert_eq!(trail(&admin, &ann).await, expected);
}

#[tokio::test]
async fn deleted_agents_are_still_named_in_the_trail() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    admin.post(&format!("/api/v1/admin/agent/{}/delete", bo.id), json!({})).await.data();
    let expected = [["opened", "-", "-"], ["assigned", "-", "Bo"], ["removed", "Ada", "Bo"]];
    assert_eq!(trail(&admin, &ann).await, expected);
    assert_eq!(office.texts(&ann).await[0], "Bo left this conversation");
}

#[tokio::test]
async fn a_trail_is_paged_and_readable_by_agents_who_may_see_the_room() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let elsewhere = office.open_channel("Elsewhere").await;
    let far = office.worker("Fay", Role::Agent, &[elsewhere]).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    bo.post(&path(&ann, "transfer"), json!({"agent_id": cy.id})).await.data();
    let page = bo.get(&path(&ann, "trail"), &[("limit", "2")]).await.json();
    assert_eq!(each(&page["data"]["trail"], "what"), ["transferred", "assigned"]);
    let before = page["meta"]["before"].as_str().expect("older ones").to_owned();
    let page = bo.get(&path(&ann, "trail"), &[("limit", "2"), ("before", &before)]).await.json();
    assert_eq!(each(&page["data"]["trail"], "what"), ["opened"]);
    assert_eq!(page["meta"]["before"], Value::Null);
    let other = server.create_app("other").await;
    let boss = World::of_app(&server, &other).await.admin().await;
    for what in ["trail", "conversations"] {
        let path = path(&ann, what);
        for seen in [&admin, &bo, &cy] {
            assert_eq!(seen.get(&path, &[]).await.status, 200);
        }
        assert_eq!(office.get(&path, &[]).await.status, 200);
        far.get(&path, &[]).await.errors(403, "not_your_room");
        boss.get(&path, &[]).await.errors(404, "room_not_found");
        sent(server.bare(Method::GET, &path)).await.errors(401, "unauthorized");
        let customer = chat_token(ann.key.0);
        let request = server.bare(Method::GET, &path).header("Authorization", customer);
        sent(request).await.errors(401, "unauthorized");
    }
    admin.get(&path(&ann, "trail"), &[("before", "x")]).await.errors(400, "invalid_request");
    let wrong = admin.get(&path(&ann, "conversations"), &[("cursor", "x")]).await;
    wrong.errors(400, "invalid_request");
}

#[tokio::test]
async fn trail_entries_are_sent_only_to_pages_that_opened_the_room() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    let (mut opened, mut closed, mut cys) =
        (Page::of(&admin).await, Page::of(&admin).await, Page::of(&cy).await);
    opened.open(&ann.room()).await;
    cys.open(&ann.room()).await;
    office.assign(&ann, &bo).await.data();
    let shown = opened.until("trail").await;
    assert_eq!(keys(&shown), ["agent", "at", "by", "id", "room_id", "what"]);
    let listed = admin.get(&path(&ann, "trail"), &[("limit", "1")]).await.json();
    for key in ["agent", "at", "by", "id", "what"] {
        assert_eq!(shown[key], listed["data"]["trail"][0][key], "{key}");
    }
    closed.until("room").await;
    assert!(closed.receives_nothing().await, "the room is not open on that page");
    let mut frame = cys.next().await;
    while frame["type"] != "room_gone" {
        assert_ne!(frame["type"], "trail", "Cy lost access to the room");
        frame = cys.next().await;
    }
}

#[tokio::test]
async fn trail_entries_are_sent_to_pages_at_another_node() {
    let (one, two) = TestServer::start_two().await;
    let office = World::of(&one).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let there = Worker { caller: (*two).clone(), id: admin.id, token: admin.token.clone() };
    let mut page = Page::of(&there).await;
    page.open(&ann.room()).await;
    let body = json!({"room_id": ann.room(), "agent_id": bo.id});
    admin.post("/api/v1/admin/service/assign_agent", body).await.data();
    let shown = page.until("trail").await;
    assert_eq!((&shown["what"], &shown["by"]["name"]), (&json!("assigned"), &json!("Ada")));
    assert_eq!(shown["agent"], json!({"id": bo.id, "name": "Bo"}));
}

#[tokio::test]
async fn conversations_of_a_room_show_who_served_replied_and_resolved() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    assert_eq!(office.room(&ann).await["first_reply_at"], Value::Null);
    // Replies through the SDK count as well.
    let app = Client { caller: bo.caller.clone(), user: bo.user_id(), token: chat_token(bo.id) };
    app.says(&ann.room(), "good morning", "first").await;
    bo.post(&path(&ann, "messages"), json!({"message": "and more"})).await.data();
    assert!(office.room(&ann).await["first_reply_at"].is_string());
    let notes = json!({"room_id": ann.room(), "notes": "all well"});
    admin.post("/api/v1/admin/service/mark_as_resolved", notes).await.data();
    office.says(&ann, "me again").await;
    office.assign(&ann, &cy).await.data();
    assert_eq!(office.room(&ann).await["first_reply_at"], Value::Null);
    let page = bo.get(&path(&ann, "conversations"), &[("limit", "1")]).await.json();
    let newest = &page["data"]["conversations"][0];
    assert_eq!(
        keys(newest),
        [
            "channel",
            "first_comment_id",
            "first_reply_at",
            "first_reply_by",
            "id",
            "last_comment_id",
            "notes",
            "opened_at",
            "rated_at",
            "rating",
            "resolved_at",
            "resolved_by",
            "room_id",
            "served_by",
        ]
    );
    assert_eq!((&newest["resolved_at"], &newest["resolved_by"]), (&Value::Null, &Value::Null));
    assert_eq!(newest["served_by"], json!({"id": cy.id, "name": "Cy"}));
    assert_eq!(
        (&newest["first_reply_at"], &newest["first_reply_by"]),
        (&Value::Null, &Value::Null)
    );
    let cursor = page["meta"]["after"].as_str().expect("older ones").to_owned();
    let page = bo.get(&path(&ann, "conversations"), &[("cursor", &cursor)]).await.json();
    let first = &page["data"]["conversations"][0];
    assert_eq!(first["served_by"], json!({"id": bo.id, "name": "Bo"}));
    assert_eq!(first["first_reply_by"], json!({"id": bo.id, "name": "Bo"}));
    assert_eq!(first["resolved_by"], json!({"id": admin.id, "name": "Ada"}));
    assert_eq!((&first["notes"], &first["room_id"]), (&json!("all well"), &json!(ann.room())));
    let channel = json!({"id": office.channel.0, "name": "Shop", "source": "custom"});
    assert_eq!(first["channel"], channel);
    let times = ["opened_at", "first_reply_at", "resolved_at"].map(|key| first[key].as_str());
    assert!(times.is_sorted() && times[0].is_some_and(|it| it.ends_with('Z')), "{times:?}");
    assert_eq!(
        (&page["meta"]["after"], items(&page["data"]["conversations"]).len()),
        (&Value::Null, 1)
    );
}
