//! Agent apps post and read through the SDK with the agent's `sdk_key` (wire facts 5.7, D-0090).

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::realtime::watcher::Watcher;
use crate::support::answer::{Answer, each, text};
use crate::support::caller::{sent, with_json};
use crate::support::client::{Client, log_in};
use crate::support::office::Worker;
use crate::support::shop::Shop;
use crate::support::world::chat_token;

const RESOLVED: &str = "admin marked this conversation as resolved";

/// Returns the SDK client of an agent's app.
fn app_of(worker: &Worker) -> Client {
    let (user, token) = (worker.user_id(), chat_token(worker.id));
    Client { caller: worker.caller.clone(), user, token }
}

async fn try_to_post(client: &Client, room: &str, message: &str) -> Answer {
    client.post("post_comment", json!({"comment": message, "topic_id": room})).await
}

/// Returns the status of each request that an app makes to open a room.
async fn reads(client: &Client, room: &str) -> Vec<u16> {
    let find = json!({"query": "hello", "room_ids": [room]});
    let answers = [
        client.get("get_room_by_id", &[("id", room)]).await,
        client.get("load_comments", &[("topic_id", room)]).await,
        client.get("room_participants", &[("room_unique_id", room)]).await,
        client.post("search", find).await,
        client.post_form("update_comment_status", &[("room_id", room)]).await,
    ];
    answers.iter().map(|answer| answer.status).collect()
}

async fn listed(client: &Client, room: &str) -> usize {
    let found = client.post("rooms_info", json!({"room_id": [room]})).await.results();
    found["rooms_info"].as_array().expect("rooms").len()
}

#[tokio::test]
async fn an_agents_message_through_the_sdk_is_sent_to_the_channel_like_a_reply() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let bo = shop.agent("Bo").await;
    shop.assign_room(&room, &bo).await.data();
    let app = app_of(&bo);
    let posted = app.says(&room, "from my phone", "once").await;
    assert_eq!(
        app.says(&room, "from my phone", "once").await["id"],
        posted["id"],
        "the repeated post returns the first message"
    );
    let body = json!({"comment": "by the other path", "topic_id": room});
    let mobile = shop.server.bare(Method::POST, "/api/v2/mobile/post_comment");
    let mobile = mobile.header("SERVICE-SDK-APP-ID", "shop").header("SERVICE-SDK-TOKEN", app.token);
    sent(with_json(mobile, &body)).await.results();
    shop.reply(&bo, &room, "by the call").await.data();
    shop.server.post_comment(&bo.user_id(), &room, "stays inside").await;
    let mut shapes: Vec<(Value, Value)> = Vec::new();
    for expected in ["from my phone", "by the other path", "by the call"] {
        let body = shop.gateway.next().await.json();
        assert_eq!(body["payload"]["message"]["text"], expected);
        assert_eq!(body["payload"]["from"]["email"], bo.user_id());
        shapes.push((body["type"].clone(), body["payload"]["room"].clone()));
    }
    assert!(shapes.iter().all(|it| *it == shapes[2]), "{shapes:?}");
    assert!(!shop.gateway.has_more(), "once each, and nothing by the message API (spec 1)");
    let path = format!("/api/v2/customer_rooms/{room}");
    let shown = shop.get(&path, &[]).await.data()["customer_room"].take();
    assert_eq!(shown["last_comment_text"], "stays inside");
    assert_eq!(shown["last_comment_sender_type"], "agent");
}

#[tokio::test]
async fn only_assigned_agents_admins_and_supervisors_post_through_the_sdk() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    let elsewhere = shop.open_channel("Elsewhere").await;
    let far = shop.worker("Fay", Role::Agent, &[elsewhere]).await;
    let waits = try_to_post(&app_of(&cy), &room, "I see you").await;
    waits.refused(403, "not_serving");
    shop.assign_room(&room, &bo).await.data();
    for unassigned in [&cy, &far] {
        try_to_post(&app_of(unassigned), &room, "x").await.refused(404, "room_not_found");
    }
    shop.server.register("eve").await;
    let eve = Client::of(&shop.server, "eve").await;
    try_to_post(&eve, &room, "x").await.refused(404, "room_not_found");
    for overseer in [shop.admin().await, shop.worker("Sue", Role::Supervisor, &[]).await] {
        try_to_post(&app_of(&overseer), &room, "an overseer").await.results();
        assert_eq!(
            shop.gateway.next().await.json()["payload"]["from"]["email"],
            overseer.user_id()
        );
    }
    assert!(!shop.gateway.has_more());
    let path = format!("/api/v2/custom_channels/{}", shop.channel);
    shop.call(Method::PUT, &path, json!({"is_active": false})).await.data();
    try_to_post(&app_of(&bo), &room, "x").await.refused(403, "channel_off");
}

#[tokio::test]
async fn a_former_agent_of_a_room_can_read_it_but_posts_only_while_assigned() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    shop.assign_room(&room, &bo).await.data();
    app_of(&bo).says(&room, "goodbye", "bye").await;
    bo.resolve_own(&room).await.data();
    let app = app_of(&bo);
    assert_eq!(reads(&app, &room).await, [200; 5]);
    assert_eq!(listed(&app, &room).await, 1);
    assert_eq!(app.texts(&room).await[..2], [RESOLVED, "goodbye"]);
    try_to_post(&app, &room, "one more thing").await.refused(403, "not_serving");
    bo.get(&format!("/api/v2/customer_rooms/{room}"), &[]).await.data();
    shop.reply(&bo, &room, "one more thing").await.errors(403, "not_serving");
    let tag = json!({"room_id": room, "tag": "late"});
    bo.post("/api/v1/room_tag/create", tag).await.errors(403, "not_your_room");

    shop.write("ana", "me again").await.data();
    assert_eq!(app.texts(&room).await[0], "me again");
    try_to_post(&app, &room, "not yet").await.refused(403, "not_serving");
    shop.assign_room(&room, &cy).await.data();
    assert_eq!(reads(&app, &room).await, [200; 5], "also while a colleague is assigned");
    try_to_post(&app, &room, "not mine").await.refused(403, "not_serving");
    shop.assign_room(&room, &bo).await.data();
    app.says(&room, "here I am", "again").await;
    assert_eq!(app.texts(&room).await[0], "here I am");
}

#[tokio::test]
async fn a_room_is_visible_only_to_permitted_staff_in_every_state() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let elsewhere = shop.open_channel("Elsewhere").await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    let far = shop.worker("Fay", Role::Agent, &[elsewhere]).await;
    let (admin, chief) = (shop.admin().await, shop.worker("Sue", Role::Supervisor, &[]).await);
    let other = shop.server.create_app("other").await;
    let others = crate::support::world::World::of_app(&shop.server, &other).await;
    let (stranger, boss) = (others.agent("Sid").await, others.admin().await);
    shop.server.register("eve").await;
    shop.write("zoe", "hello").await.data();
    let zoe_token = shop.customer_token("zoe").await;
    let zoe = Client { caller: (*shop.server).clone(), user: "zoe".to_owned(), token: zoe_token };
    let eve = Client::of(&shop.server, "eve").await;
    let not_found = [404; 5];
    let check = async |in_room: [bool; 3], when: &str| {
        for (worker, sees) in [&bo, &cy, &far].into_iter().zip(in_room) {
            let app = app_of(worker);
            assert_eq!(reads(&app, &room).await, if sees { [200; 5] } else { not_found }, "{when}");
            assert_eq!(listed(&app, &room).await, usize::from(sees), "{when}");
        }
        for overseer in [&admin, &chief] {
            assert_eq!(reads(&app_of(overseer), &room).await, [200; 5], "{when}");
            assert_eq!(listed(&app_of(overseer), &room).await, 1, "{when}");
        }
        for client in [app_of(&stranger), app_of(&boss)] {
            assert_eq!(reads(&client, &room).await, not_found, "{when}");
        }
        for client in [&zoe, &eve] {
            assert_eq!(reads(client, &room).await, not_found, "{when}");
            assert_eq!(listed(client, &room).await, 0, "{when}");
        }
    };
    check([true, true, false], "waiting").await;
    shop.set("is_agent_takeover_enabled", "false").await;
    check([false, false, false], "waiting, with takeover disabled").await;
    shop.set("is_agent_takeover_enabled", "true").await;
    shop.assign_room(&room, &bo).await.data();
    check([true, false, false], "assigned to bo").await;
    admin.resolve(&room).await.data();
    check([true, false, false], "resolved").await;
}

#[tokio::test]
async fn an_assigned_agent_receives_the_resolution_also_after_a_colleague_left() {
    let shop = Shop::without_webhooks().await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    let admin = shop.admin().await;
    for (customer, comes_and_goes) in [("ana", false), ("ben", true)] {
        let room = shop.room_of(customer).await;
        shop.assign_room(&room, &bo).await.data();
        let mut watcher =
            Watcher::try_start(&shop.server, &chat_token(bo.id), "").await.expect("connects");
        watcher.next().await;
        if comes_and_goes {
            shop.assign_room(&room, &cy).await.data();
            let body = json!({"room_id": room, "agent_id": cy.id});
            shop.post("/api/v1/admin/service/remove_agent", body).await.data();
        }
        let before = watcher.seen.clone();
        admin.resolve(&room).await.data();
        while watcher.next_text().await.1 != RESOLVED {}
        let app = app_of(&bo);
        let synced = app.get("sync", &[("last_received_comment_id", "0")]).await.results();
        let mut rooms = Vec::new();
        for comment in synced["comments"].as_array().expect("comments") {
            if comment["message"] == RESOLVED {
                rooms.push(text(&comment["room_id_str"]).to_owned());
            }
        }
        assert_eq!(rooms.iter().filter(|it| **it == room).count(), 1, "{rooms:?}");
        let token = chat_token(bo.id);
        let mut later = Watcher::try_start(&shop.server, &token, &before).await.expect("connects");
        later.next().await;
        while later.next_text().await.1 != RESOLVED {}
        shop.write(customer, "not for those who left").await.data();
    }
    let app = app_of(&bo);
    let synced = app.get("sync", &[("last_received_comment_id", "0")]).await.results();
    assert!(!each(&synced["comments"], "message").contains(&"not for those who left"));
}

#[tokio::test]
async fn an_agent_app_signs_in_with_the_sdk_email_and_the_sdk_key() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    shop.assign_room(&room, &bo).await.data();
    let (server, key) = (&*shop.server, chat_token(bo.id));
    let account = log_in(server, &bo.user_id(), &key).await.results()["user"].take();
    assert_eq!((&account["email"], &account["token"]), (&json!(bo.user_id()), &json!(key)));
    assert_eq!(account["username"], "Bo", "the name that the client sends is ignored");
    app_of(&bo).says(&room, "signed in", "in").await;
    assert_eq!(server.texts(&room).await[0], "signed in");
    shop.server.register("bob").await;
    let wrong = [
        (bo.user_id(), chat_token(cy.id)),
        (bo.user_id(), "guess".to_owned()),
        ("bob".to_owned(), server.token("bob").await),
    ];
    for (user, password) in wrong {
        log_in(server, &user, &password).await.refused(401, "unauthorized");
    }
    // A customer's id with the customer's token registers another user.
    let token = shop.customer_token("ana").await;
    let registered = log_in(server, "ana", &token).await.results();
    assert_ne!(registered["user"]["token"], json!(token));
    let other = shop.server.create_app("other").await;
    assert_eq!(log_in(&other, &bo.user_id(), &key).await.status, 403);
}
