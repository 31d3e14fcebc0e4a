//! New messages after a session was resolved.

use confab_domain::support::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::text;
use crate::support::caller::Caller;
use crate::support::client::Client;
use crate::support::shop::Shop;

#[tokio::test]
async fn a_message_after_a_resolution_opens_a_new_session_in_the_same_room() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    let admin = shop.admin().await;
    admin.resolve(&room).await.data();
    let log = shop.write("ana", "me again").await.data()["room_log"].take();
    assert_eq!((&log["room_id"], &log["resolved"]), (&json!(room), &json!(false)));
    let sessions = shop.kinds().await.into_iter().filter(|kind| kind == "new_session").count();
    assert_eq!(sessions, 2);
    let resolved = "admin marked this conversation as resolved";
    assert_eq!(shop.server.texts(&room).await, ["me again", resolved, "hello"]);
}

#[tokio::test]
async fn in_a_sessional_app_a_message_after_a_resolution_opens_a_new_room() {
    let shop = Shop::open().await;
    shop.set(Settings::IS_SESSIONAL, "true").await;
    let first = shop.room_of("ana").await;
    assert_eq!(shop.room_of("ana").await, first, "the room is not resolved yet");
    let admin = shop.admin().await;
    admin.resolve(&first).await.data();
    let second = shop.room_of("ana").await;
    assert_ne!(second, first);
    assert_eq!(shop.room_of("ana").await, second);
    let sessions = shop.kinds().await.into_iter().filter(|kind| kind == "new_session").count();
    assert_eq!(sessions, 2);
    let info = [("room_ids[]", first.as_str())];
    let rooms = shop.server.get("get_rooms_info", &info).await.results();
    let options = text(&rooms["rooms"][0]["room_options"]);
    let options: Value = serde_json::from_str(options).expect("JSON");
    assert_eq!((&options["is_resolved"], &options["is_waiting"]), (&json!(true), &json!(false)));
}

/// D-0008.
#[tokio::test]
async fn a_message_to_a_resolved_room_reopens_it_also_in_a_sessional_app() {
    let shop = Shop::open().await;
    shop.set(Settings::IS_SESSIONAL, "true").await;
    let first = shop.room_of("ana").await;
    let admin = shop.admin().await;
    admin.resolve(&first).await.data();
    let second = shop.room_of("ana").await;
    let token = shop.customer_token("ana").await;
    let caller = Caller::clone(&shop.server);
    let ana = Client { caller, user: "ana".to_owned(), token };
    let is_resolved = async || {
        let path = format!("/api/v2/customer_rooms/{first}");
        let shown = shop.call(Method::GET, &path, json!({})).await.data();
        shown["customer_room"]["is_resolved"].clone()
    };
    assert_eq!(is_resolved().await, true);
    shop.server.post_comment("ana", &first, "by the message API").await;
    assert_eq!(is_resolved().await, false);
    admin.resolve(&first).await.data();
    let form = [("topic_id", first.as_str()), ("comment", "by an SDK"), ("unique_temp_id", "1")];
    ana.post_form("post_comment", &form).await.results();
    assert_eq!(is_resolved().await, false);
    let sessions = shop.kinds().await.into_iter().filter(|kind| kind == "new_session").count();
    assert_eq!(sessions, 4, "two through the channel, two by room id");
    assert_eq!(shop.room_of("ana").await, second, "the channel continues in the newest room");
}

#[tokio::test]
async fn an_assigned_room_requests_no_agent_and_notifies_a_bot_only_if_forced() {
    let shop = Shop::open().await;
    let room = shop.room_of("ana").await;
    shop.hooks.next_by_path(3).await;
    let agent = shop.agent("Bo").await;
    shop.assign_room(&room, &agent).await.data();
    let answer = shop.write("ana", "thank you").await.data();
    assert_eq!(answer["agent"]["email"], format!("worker-{}@shop.example", agent.id));
    assert_eq!(answer["room_log"]["is_waiting"], false);
    assert_eq!(shop.kinds().await.len(), 3, "neither the allocator nor the bot gets an event");
    shop.set(Settings::FORCES_BOT, "true").await;
    shop.write("ana", "to everybody").await.data();
    assert_eq!(shop.hooks.next().await.path(), "/bot");
}
