//! A customer's message creates a room, a session, and three webhooks in order.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{keys, text};
use crate::support::caller::{Caller, sent, with_form, with_json};
use crate::support::client::Client;
use crate::support::shop::{Shop, check_shape};

const BOT: &str = include_str!("../../../../../wire/src/webhooks/golden/bot.json");
const ALLOCATION: &str =
    include_str!("../../../../../wire/src/webhooks/golden/agent_allocation.json");
const SESSION: &str = include_str!("../../../../../wire/src/webhooks/golden/new_session.json");

fn golden(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[tokio::test]
async fn a_first_message_opens_a_session_and_sends_its_webhooks_once_signed_in_order() {
    let shop = Shop::open().await;
    let answer = shop.write("ana", "hello").await.data();
    assert_eq!(keys(&answer), ["agent", "agent_service", "room_log"]);
    let log = &answer["room_log"];
    let expected = [
        "channel_id",
        "extras",
        "has_no_message",
        "is_waiting",
        "name",
        "resolved",
        "resolved_ts",
        "room_badge",
        "room_id",
        "source",
        "start_service_comment_id",
        "user_avatar_url",
        "user_id",
    ];
    assert_eq!(keys(log), expected);
    assert_eq!((&log["name"], &log["user_id"]), (&json!("ANA"), &json!("ana")));
    assert_eq!((&log["is_waiting"], &log["resolved"]), (&json!(true), &json!(false)));
    assert_eq!((&log["source"], &log["channel_id"]), (&json!("custom"), &json!(shop.channel.0)));
    let room = text(&log["room_id"]).to_owned();

    let requests = shop.hooks.next_by_path(3).await;
    requests.iter().for_each(|request| request.check_signature("secret-key-of-shop"));
    let [allocation, bot, session] = [0, 1, 2].map(|place| requests[place].json());
    check_shape(&allocation, &golden(ALLOCATION), "allocation");
    check_shape(&bot, &golden(BOT), "bot");
    check_shape(&session, &golden(SESSION), "session");
    assert_eq!((&allocation["room_id"], &allocation["email"]), (&json!(room), &json!("ana")));
    assert_eq!(allocation["is_new_session"], true);
    assert_eq!(bot["payload"]["type"], "post_comment_mobile");
    assert_eq!(bot["payload"]["message"]["text"], "hello");
    assert_eq!(session["payload"]["room"]["id"], json!(room));
    let options = text(&session["payload"]["room"]["options"]);
    let options: Value = serde_json::from_str(options).expect("JSON");
    assert_eq!((&options["is_resolved"], &options["is_waiting"]), (&json!(false), &json!(true)));
    assert_eq!(shop.kinds().await, ["new_session", "agent_allocation", "bot"]);

    shop.write("ana", "again").await.data();
    let requests = shop.hooks.next_by_path(2).await;
    let paths: Vec<_> = requests.iter().map(|request| request.path()).collect();
    assert_eq!(paths, ["/agent_allocation", "/bot"], "the session continues");
    assert_eq!(requests[1].json()["payload"]["message"]["text"], "again");
    assert!(!shop.hooks.has_more() && !shop.gateway.has_more(), "no duplicates");
    assert_eq!(shop.server.texts(&room).await, ["again", "hello"]);
}

#[tokio::test]
async fn a_customers_message_api_post_sends_the_same_webhooks() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    shop.hooks.next_by_path(3).await;
    shop.server.post_comment("ana", &room, "from elsewhere").await;
    let requests = shop.hooks.next_by_path(2).await;
    let bot = requests[1].json();
    assert_eq!(
        (&bot["type"], &bot["payload"]["type"]),
        (&json!("post_comment_rest"), &bot["type"])
    );
    assert_eq!(bot["payload"]["message"]["text"], "from elsewhere");
    shop.server.register("bob").await;
    let body = json!({"room_id": room, "user_ids": ["bob"]});
    shop.server.post("add_room_participants", body).await.results();
    shop.server.post_comment("bob", &room, "not the customer").await;
    shop.server.post_system_event(&room, "nor is this").await;
    let count = shop.kinds().await.len();
    assert_eq!(count, 5, "other participants are not customers");
}

#[tokio::test]
async fn a_customers_sdk_post_sends_the_same_webhooks_once() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    shop.hooks.next_by_path(3).await;
    let (caller, token) = (Caller::clone(&shop.server), shop.customer_token("ana").await);
    let ana = Client { caller, user: "ana".to_owned(), token };
    let first = ana.says(&room, "from my phone", "phone-1").await;
    assert_eq!(ana.says(&room, "from my phone", "phone-1").await, first);
    let requests = shop.hooks.next_by_path(2).await;
    let bot = requests[1].json();
    assert_eq!(bot["type"], "post_comment_mobile");
    assert_eq!(bot["payload"]["message"]["text"], "from my phone");
    assert_eq!(shop.kinds().await.len(), 5, "no webhook for the repeated post");
}

#[tokio::test]
async fn a_message_sent_twice_with_one_unique_id_is_received_once() {
    let shop = Shop::open().await;
    let body = json!({"user_id": "ana", "message": "hello", "unique_temp_id": "sms-1"});
    let first = shop.send(body.clone()).await.data();
    let again = shop.send(body).await.data();
    assert_eq!(first["room_log"]["room_id"], again["room_log"]["room_id"]);
    assert_eq!(shop.kinds().await.len(), 3);
    let by_api = async |message| {
        let room = text(&first["room_log"]["room_id"]);
        shop.server.post_as_unique("ana", room, message, "sms-1").await
    };
    assert_eq!(by_api("hello").await.results()["comment"]["message"], "hello");
    by_api("another").await.refused(409, "unique_id_taken").says("another text.");
    assert_eq!(shop.kinds().await.len(), 3);
}

#[tokio::test]
async fn forms_and_the_older_path_are_accepted_and_the_profile_is_updated() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let form = [
        ("identifier_key", shop.key.as_str()),
        ("user_id", "ana"),
        ("name", "Ana Maria"),
        ("avatar", "https://img.example/ana.png"),
        ("message", "by form"),
    ];
    let request = with_form(shop.server.bare(Method::POST, "/shop/custom_channel"), &form);
    let log = sent(request).await.data()["room_log"].take();
    assert_eq!((&log["room_id"], &log["name"]), (&json!(room), &json!("Ana Maria")));
    assert_eq!(log["user_avatar_url"], "https://img.example/ana.png");
    let people = shop.server.get("get_room_participants", &[("room_id", &room)]).await.results();
    assert_eq!(people["participants"][0]["username"], "Ana Maria");
    let body = json!({"user_id": "ana", "type": "file_attachment",
        "payload": {"url": "https://img.example/x.png"}});
    shop.send(body).await.data();
    let newest = shop.server.texts(&room).await.swap_remove(0);
    assert_eq!(newest, "[file] https://img.example/x.png [/file]");
}

#[tokio::test]
async fn an_invalid_message_is_refused_with_the_field_and_has_no_effect() {
    let shop = Shop::open().await;
    shop.send(json!({})).await.errors(400, "invalid_request").says("user_id is required");
    let body = json!({"user_id": "a b", "message": "x", "type": "nonsense", "name": 5});
    let refused = shop.send(body).await.errors(400, "invalid_request");
    refused.says("user_id");
    refused.says("type");
    refused.says("name");
    let body = json!({"user_id": "shop_1@dashboard", "message": "x"});
    shop.send(body).await.errors(403, "system_user");
    let body = json!({"user_id": "system@shop", "message": "x"});
    shop.send(body).await.errors(403, "system_user");
    assert_eq!(shop.kinds().await, Vec::<String>::new());
    let users = shop.server.get("get_user_list", &[("show_all", "1")]).await.results();
    assert!(!users.to_string().contains("a b"), "{users}");
    let depth = shop.server.bare(Method::POST, "/shop/custom_channel").header("webhook-depth", "3");
    let body = json!({"user_id": "ana", "message": "x", "identifier_key": shop.key});
    sent(with_json(depth, &body)).await.errors(400, "webhook_loop");
    assert_eq!(shop.kinds().await, Vec::<String>::new());
}
