//! Messages of agents and bots are sent to the channel; messages by the message API are not (spec
//! 1).

use confab_domain::agents::role::Role;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::keys;
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, Worker};
use crate::support::shop::{Shop, check_shape};

const GOLDEN: &str = include_str!("../../../../../wire/src/webhooks/golden/channel_message.json");

#[tokio::test]
async fn a_bots_message_is_sent_to_the_gateway_but_a_message_api_post_is_not() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    shop.server.register("bob").await;
    let body = json!({"room_id": room, "user_ids": ["bob"]});
    shop.server.post("add_room_participants", body).await.results();
    shop.server.post_comment("bob", &room, "stays inside").await;
    let comment = shop.bot_says(&room, "I am a bot").await.data()["comment"].take();
    assert_eq!((&comment["message"], &comment["type"]), (&json!("I am a bot"), &json!("text")));
    let received = shop.gateway.next().await;
    received.check_signature("secret-key-of-shop");
    assert_eq!(received.path(), "/answers");
    let body = received.json();
    check_shape(&body, &serde_json::from_str(GOLDEN).expect("JSON"), "message");
    assert_eq!(body["payload"]["message"]["text"], "I am a bot");
    assert_eq!(body["payload"]["message"]["id"], comment["id"]);
    assert_eq!((&body["app_code"], &body["type"]), (&json!("shop"), &json!("post_comment_rest")));
    assert_eq!(body["payload"]["room"]["id"].to_string(), room);
    assert_eq!(body["payload"]["room"]["participants"][0]["email"], "ana");
    shop.bot_says(&room, "and once more").await.data();
    assert_eq!(shop.gateway.next().await.json()["payload"]["message"]["text"], "and once more");
    assert!(!shop.gateway.has_more());
    let texts = ["and once more", "I am a bot", "stays inside", "hello"];
    assert_eq!(shop.server.texts(&room).await, texts);
}

#[tokio::test]
async fn a_message_is_sent_only_to_the_channel_of_its_room() {
    let shop = Shop::open().await;
    let other = Receiver::start().await;
    let body = json!({"name": "Other", "webhook_url": format!("{}/other", other.base)});
    let made = shop.post("/api/v2/custom_channels", body).await.data();
    let body = json!({"identifier_key": made["custom_channel"]["identifier_key"],
        "user_id": "ana", "message": "elsewhere"});
    let elsewhere = shop.send(body).await.data()["room_log"]["room_id"].take();
    let room = shop.room_of("ana").await;
    assert_ne!(json!(room), elsewhere, "each channel has its own room");
    shop.bot_says(&room, "here").await.data();
    shop.bot_says(elsewhere.as_str().expect("text"), "there").await.data();
    assert_eq!(other.next().await.json()["payload"]["message"]["text"], "there");
    assert_eq!(shop.gateway.next().await.json()["payload"]["message"]["text"], "here");
    assert!(!other.has_more() && !shop.gateway.has_more());
}

#[tokio::test]
async fn a_bot_posts_only_as_itself_or_as_an_existing_user() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let mut posted = shop.bot_says(&room, "one").await.data();
    assert_eq!(posted["comment"]["user"]["user_id"], "shop_admin@bot");
    shop.server.register("clerk").await;
    let body = |sender: &str| json!({"sender_email": sender, "room_id": room, "message": "two"});
    posted = shop.post("/shop/bot", body("clerk")).await.data();
    assert_eq!(posted["comment"]["user"]["user_id"], "clerk");
    for (sender, status, code) in [
        ("nobody", 404, "user_not_found"),
        ("other_admin@x", 404, "user_not_found"),
        ("ana", 400, "invalid_request"),
        ("system@shop", 403, "system_user"),
    ] {
        let answer = shop.post("/shop/bot", body(sender)).await;
        answer.errors(status, code);
    }
    let file = json!({"sender_email": "clerk", "room_id": room, "caption": "see",
        "attachment_url": "https://img.example/x.png"});
    posted = shop.post("/shop/bot", file).await.data();
    assert_eq!(posted["comment"]["type"], "file_attachment");
    assert_eq!(posted["comment"]["payload"]["caption"], "see");
}

/// Follows a public add-on that has only the email address of its admin.
#[tokio::test]
async fn a_message_whose_sender_is_the_email_of_an_admin_is_posted_by_the_bot() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let other = Office::of(&shop.server.create_app("other").await);
    other.create("boss", "admin").await;
    let (admin, agent) = (shop.admin().await.id, shop.agent("Bo").await.id);
    let say = async |sender: &str| {
        let body = json!({"sender_email": sender, "room_id": room, "message": "How was it?"});
        shop.post("/shop/bot", body).await
    };
    for address in ["worker-ID@shop.example", "Worker-ID@SHOP.example"] {
        let posted = say(&address.replace("ID", &admin.to_string())).await.data();
        assert_eq!(posted["comment"]["user"]["user_id"], "shop_admin@bot");
    }
    for address in ["worker-ID@shop.example", "boss@other.example", "boss@shop.example"] {
        say(&address.replace("ID", &agent.to_string())).await.errors(404, "user_not_found");
    }
}

#[tokio::test]
async fn a_bot_hands_a_room_over_and_is_notified_only_while_it_handles_it() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    shop.hooks.next_by_path(3).await;
    let path = format!("/bot/{room}/activate");
    let off = shop.post(&path, json!({"is_active": false})).await.data();
    let expected = [
        "app_id",
        "channel_id",
        "check_wa_contact",
        "created_at",
        "customer_id",
        "deleted_at",
        "extras",
        "has_no_message",
        "id",
        "is_handled_by_bot",
        "is_waiting",
        "name",
        "origin",
        "resolved",
        "resolved_ts",
        "room_badge",
        "room_id",
        "source",
        "start_service_comment_id",
        "sub_source",
        "type",
        "updated_at",
        "user_avatar_url",
        "user_id",
    ];
    assert_eq!(keys(&off), expected);
    assert_eq!((&off["is_handled_by_bot"], &off["is_waiting"]), (&json!(false), &json!(true)));
    shop.write("ana", "anybody?").await.data();
    assert_eq!(shop.hooks.next().await.path(), "/agent_allocation", "the bot gets no event");
    let on = shop.post(&path, json!({"is_active": "true"})).await.data();
    assert_eq!(on["is_handled_by_bot"], true);
    shop.bot_says(&room, "back").await.data();
    let bad = shop.post(&path, json!({"is_active": "maybe"})).await;
    bad.errors(400, "invalid_request").says("is_active");
    let agent = shop.agent("Bo").await;
    shop.assign_room(&room, &agent).await.data();
    shop.write("ana", "thank you").await.data();
    assert!(!shop.hooks.has_more(), "an agent is assigned");
    agent.resolve_own(&room).await.data();
    shop.post(&path, json!({"is_active": true})).await.errors(400, "session_resolved");
    let unknown = shop.post("/bot/4711/activate", json!({"is_active": true}));
    unknown.await.errors(404, "room_not_found");
}

/// Public services use the bot's route to reach the customer (D-0056).
#[tokio::test]
async fn a_bots_message_reaches_the_customer_in_every_state_of_the_room() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let activate = format!("/bot/{room}/activate");
    shop.post(&activate, json!({"is_active": false})).await.data();
    shop.bot_says(&room, "handed over").await.data();
    let off = json!({"is_active": false});
    shop.post("/api/v1/app/bot/activation", off).await.data();
    shop.bot_says(&room, "switched off").await.data();
    let agent = shop.agent("Bo").await;
    shop.assign_room(&room, &agent).await.data();
    shop.bot_says(&room, "an agent serves").await.data();
    agent.resolve_own(&room).await.data();
    shop.bot_says(&room, "resolved").await.data();
    for expected in ["handed over", "switched off", "an agent serves", "resolved"] {
        let webhook = shop.gateway.next().await.json();
        assert_eq!(webhook["payload"]["message"]["text"], expected);
    }
}

/// Returns the paths of the next webhooks.
async fn next_paths<const COUNT: usize>(shop: &Shop) -> [String; COUNT] {
    let requests = shop.hooks.next_by_path(COUNT).await;
    let paths: Vec<_> = requests.iter().map(|it| it.path().to_owned()).collect();
    paths.try_into().expect("one path for each request")
}

#[tokio::test]
async fn each_message_checks_whether_the_app_has_an_active_bot() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let path = format!("/api/v2/customer_rooms/{room}");
    let is_handled =
        async || shop.get(&path, &[]).await.data()["customer_room"]["is_handled_by_bot"].take();
    assert_eq!(is_handled().await, false, "the app has no bot");
    shop.register("bot").await;
    shop.write("ana", "is there a bot now?").await.data();
    assert_eq!(next_paths(&shop).await, ["/bot"]);
    assert_eq!(is_handled().await, true);
    let switch = async |is_active: bool| {
        let body = json!({"is_active": is_active});
        shop.post("/api/v1/app/bot/activation", body).await.data();
    };
    switch(false).await;
    shop.write("ana", "and now?").await.data();
    assert_eq!(is_handled().await, false);
    switch(true).await;
    shop.write("ana", "is it back?").await.data();
    assert_eq!(next_paths(&shop).await, ["/bot"]);
    let activate = format!("/bot/{room}/activate");
    shop.post(&activate, json!({"is_active": false})).await.data();
    switch(false).await;
    switch(true).await;
    shop.write("ana", "people, please").await.data();
    assert_eq!(is_handled().await, false, "a room handed over to agents stays with them");
    shop.post(&activate, json!({"is_active": true})).await.data();
    shop.write("ana", "or the bot").await.data();
    assert_eq!(next_paths(&shop).await, ["/bot"]);
    assert!(!shop.hooks.has_more());
}

#[tokio::test]
async fn a_bots_question_after_the_resolution_opens_no_session() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let agent = shop.agent("Bo").await;
    shop.assign_room(&room, &agent).await.data();
    agent.resolve_own(&room).await.data();
    let before = shop.kinds().await.len();
    shop.bot_says(&room, "How was it?").await.data();
    let question = shop.gateway.next().await.json();
    assert_eq!(question["payload"]["message"]["text"], "How was it?");
    assert_eq!(shop.kinds().await.len(), before + 1, "only the gateway gets a delivery");
    let path = format!("/api/v2/customer_rooms/{room}");
    let shown = shop.call(Method::GET, &path, json!({})).await.data();
    assert_eq!(shown["customer_room"]["is_resolved"], true);
}

#[tokio::test]
async fn an_app_without_a_bot_can_post_through_the_bots_route() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    shop.bot_says(&room, "You are the first in the queue").await.data();
    let agent = shop.agent("Bo").await;
    shop.assign_room(&room, &agent).await.data();
    shop.bot_says(&room, "Here is your meeting").await.data();
    for expected in ["You are the first in the queue", "Here is your meeting"] {
        let webhook = shop.gateway.next().await.json();
        assert_eq!(webhook["payload"]["message"]["text"], expected);
    }
}

#[tokio::test]
async fn only_assigned_agents_admins_and_supervisors_reply_to_the_channel() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let (agent, stranger) = (shop.agent("Bo").await, shop.agent("Cy").await);
    let supervisor = shop.worker("Sue", Role::Supervisor, &[]).await;
    let admin = shop.admin().await;
    shop.reply(&agent, &room, "not yet").await.errors(403, "not_serving");
    shop.assign_room(&room, &agent).await.data();
    let posted = shop.reply(&agent, &room, "I serve you").await.data();
    assert_eq!(posted["comment"]["user"]["user_id"], agent.user_id());
    shop.reply(&stranger, &room, "me too").await.errors(403, "not_serving");
    shop.reply(&admin, &room, "the admin").await.data();
    shop.reply(&supervisor, &room, "the supervisor").await.data();
    for expected in ["I serve you", "the admin", "the supervisor"] {
        let body = shop.gateway.next().await.json();
        assert_eq!(body["payload"]["message"]["text"], expected);
        assert_eq!(body["type"], "post_comment_mobile");
    }
    assert!(!shop.gateway.has_more());
    let unknown = Worker { token: "token-of-nobody".to_owned(), ..agent.clone() };
    shop.reply(&unknown, &room, "x").await.errors(401, "unauthorized");
    shop.reply(&agent, "4711", "x").await.errors(404, "room_not_found");
    shop.reply(&agent, &room, "").await.errors(400, "invalid_request").says("message");
    shop.server.furnish().await;
    shop.reply(&admin, "support", "no customer here").await.errors(404, "room_not_found");
    let texts = shop.server.texts(&room).await;
    let mut expected = vec!["the supervisor", "the admin", "I serve you"];
    expected.extend(["Bo joined this conversation", "hello"]);
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn a_repeated_bot_message_is_sent_to_the_channel_once() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": "once",
        "unique_temp_id": "bot-1"});
    let first = shop.post("/shop/bot", body.clone()).await.data();
    let again = shop.post("/shop/bot", body).await.data();
    assert_eq!(first, again);
    shop.bot_says(&room, "next").await.data();
    shop.gateway.next().await;
    assert_eq!(shop.gateway.next().await.json()["payload"]["message"]["text"], "next");
}

#[tokio::test]
async fn a_disabled_channel_accepts_no_messages_in_either_direction() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let path = format!("/api/v2/custom_channels/{}", shop.channel);
    let off = json!({"is_active": false});
    shop.call(Method::PUT, &path, off).await.data();
    shop.bot_says(&room, "x").await.errors(403, "channel_off");
    shop.write("ana", "x").await.errors(403, "channel_off");
    assert_eq!(shop.server.texts(&room).await, ["hello"]);
    let on = json!({"is_active": true});
    shop.call(Method::PUT, &path, on).await.data();
    shop.bot_says(&room, "y").await.data();
}

#[tokio::test]
async fn the_bots_route_accepts_only_the_credentials_that_public_clients_send() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let (admin, agent) = (shop.admin().await.token, shop.agent("Bo").await.token);
    let body = json!({"sender_email": "shop_admin@x", "room_id": room, "message": "hi"});
    let tried = async |path: &str, headers: &[(&str, &str)]| {
        let mut request = shop.server.bare(Method::POST, path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        sent(with_json(request, &body)).await
    };
    let (key, sdk) = ("secret-key-of-shop", "sdk-secret-of-shop");
    tried("/shop/bot", &[("SERVICE-SECRET-KEY", key)]).await.data();
    tried("/shop/bot", &[("SERVICE_SDK_SECRET", sdk)]).await.data();
    tried("/shop/bot", &[("service-sdk-app-id", "shop"), ("SERVICE_SDK_SECRET", sdk)]).await.data();
    tried("/shop/bot", &[("Authorization", &admin)]).await.data();
    tried("/shop/bot", &[("Authorization", &agent)]).await.errors(403, "forbidden");
    shop.server.create_app("other").await;
    let wrong: [(&str, &[(&str, &str)]); 7] = [
        ("/shop/bot", &[]),
        ("/shop/bot", &[("SERVICE-SECRET-KEY", "guess")]),
        ("/shop/bot", &[("SERVICE-SECRET-KEY", "secret-key-of-other")]),
        ("/other/bot", &[("SERVICE-SECRET-KEY", key)]),
        ("/other/bot", &[("Authorization", &admin)]),
        ("/shop/bot", &[("SERVICE-App-Id", "other"), ("SERVICE-SECRET-KEY", key)]),
        ("/nobody/bot", &[("SERVICE-SECRET-KEY", key)]),
    ];
    for (path, headers) in wrong {
        tried(path, headers).await.errors(401, "unauthorized");
    }
    let texts: Vec<_> = shop.server.texts(&room).await;
    assert_eq!(texts, ["hi", "hi", "hi", "hi", "hello"]);
    let body: Value = json!({"sender_email": "shop_admin@x", "room_id": "4711", "message": "hi"});
    shop.post("/shop/bot", body).await.errors(404, "room_not_found");
}
