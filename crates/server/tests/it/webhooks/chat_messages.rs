//! The chat-level webhook: every message of every room (wire facts 3.8).

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use confab_verify::hex;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, text};
use crate::support::caller::{Caller, sent, with_json};
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::shop::{Shop, check_shape};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

const GOLDEN: &str = include_str!("../../../../wire/src/webhooks/golden/chat_message.json");

async fn register_receiver(caller: &Caller) -> Receiver {
    let receiver = Receiver::start().await;
    caller.tell("chat_message", &format!("{}/all", receiver.base), &json!({})).await;
    receiver
}

/// Waits for the next `count` deliveries; returns their types and texts.
async fn next_messages(receiver: &Receiver, count: usize) -> Vec<(String, String)> {
    let mut messages = Vec::new();
    for _ in 0..count {
        let body = receiver.next().await.json();
        let message = text(&body["payload"]["message"]["text"]).to_owned();
        messages.push((text(&body["type"]).to_owned(), message));
    }
    messages
}

fn mobile(message: &str) -> (String, String) {
    ("post_comment_mobile".to_owned(), message.to_owned())
}

fn rest(message: &str) -> (String, String) {
    ("post_comment_rest".to_owned(), message.to_owned())
}

#[tokio::test]
async fn every_message_is_delivered_in_order_with_participants_and_both_signatures() {
    let server = TestServer::with_support_room().await;
    let receiver = register_receiver(&server).await;
    let ana = Client::of(&server, "ana").await;
    let posted = server.post_comment("bob", "support", "by a server").await;
    let room = {
        let rooms = server.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
        text(&rooms["rooms"][0]["room_id"]).to_owned()
    };
    ana.says(&room, "by a client", "u-1").await;
    server.post_system_event("support", "by the system").await;
    let requests: Vec<ReceivedRequest> =
        [receiver.next().await, receiver.next().await, receiver.next().await].into();
    let texts = ["by a server", "by a client", "by the system"];
    let kinds = ["post_comment_rest", "post_comment_mobile", "post_comment_rest"];
    for (place, request) in requests.iter().enumerate() {
        let body = request.json();
        let mut shape = body.clone();
        shape["payload"]["message"]["payload"] = json!({});
        check_shape(&shape, &serde_json::from_str(GOLDEN).expect("JSON"), "body");
        assert_eq!(body["payload"]["message"]["text"], texts[place]);
        assert_eq!(
            (&body["type"], &body["payload"]["type"]),
            (&json!(kinds[place]), &body["type"])
        );
        let shown = &body["payload"]["room"];
        assert_eq!((&shown["id_str"], &shown["type"]), (&json!(room), &json!("group")));
        assert_eq!(each(&shown["participants"], "email"), ["ana", "bob"]);
        request.check_signature("secret-key-of-shop");
        let signature = request.header("service-sdk-signature");
        assert_eq!(hex::verify("sdk-secret-of-shop", request.body(), signature), Ok(()));
        assert_eq!(request.header("webhook-sequence"), (place + 1).to_string());
    }
    let first = requests[0].json();
    assert_eq!(first["payload"]["message"]["id"], posted["id"]);
    assert_eq!(first["payload"]["from"]["email"], "bob");
    for request in &requests[1..] {
        server.attempted(request.id, 1).await;
    }
    let delivery = server.attempted(requests[0].id, 1).await;
    assert_eq!((&delivery["kind"], &delivery["room_id"]), (&json!("chat_message"), &json!(room)));
    let logs = server.get("webhook_logs", &[]).await.results();
    assert_eq!(logs["webhook_logs"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn other_webhooks_have_no_hexadecimal_signature() {
    let server = TestServer::start().await;
    let receiver = Receiver::start().await;
    server.tell("bot", &receiver.base, &json!({})).await;
    server.trigger("bot", None).await;
    let headers = receiver.next().await.own_headers();
    assert!(!headers.iter().any(|it| it.contains("sdk-signature")), "{headers:?}");
}

#[tokio::test]
async fn a_broadcast_is_delivered_once_per_room_with_both_participants() {
    let server = TestServer::with_people(&["ana", "bob", "cleo"]).await;
    let receiver = register_receiver(&server).await;
    let body =
        json!({"sender_user_id": "ana", "target_user_ids": ["bob", "cleo"], "message": "hi all"});
    server.post("broadcast", body).await.results();
    let mut people = Vec::new();
    for _ in 0..2 {
        let request = receiver.next().await;
        let body = request.json();
        assert_eq!(body["payload"]["room"]["type"], "single", "{body}");
        let mut there = each(&body["payload"]["room"]["participants"], "email");
        there.sort_unstable();
        people.push(there.join(" "));
        assert_eq!(request.header("webhook-sequence"), "1");
    }
    people.sort();
    assert_eq!(people, ["ana bob", "ana cleo"]);
}

#[tokio::test]
async fn a_message_of_a_public_room_is_delivered_without_participants() {
    let server = TestServer::with_people(&["ana", "bob"]).await;
    let receiver = register_receiver(&server).await;
    let body = json!({"unique_id": "news", "room_name": "News"});
    server.post("get_or_create_channel", body).await.results();
    server.post_comment("ana", "news", "to everybody").await;
    let body = receiver.next().await.json();
    let room = &body["payload"]["room"];
    assert_eq!((&room["is_public_channel"], &room["name"]), (&json!(true), &json!("News")));
    assert!(room.get("participants").is_none(), "{room}");
}

#[tokio::test]
async fn messages_of_customers_bots_agents_and_the_system_are_delivered() {
    let shop = Shop::without_webhooks().await;
    let receiver = register_receiver(&shop.server).await;
    let (admin, budi) = (shop.admin().await, shop.agent("budi").await);
    let room = shop.room_of("6281").await;
    assert_eq!(next_messages(&receiver, 1).await, [mobile("hello")]);
    shop.bot_says(&room, "I am a bot").await.data();
    assert_eq!(next_messages(&receiver, 1).await, [rest("I am a bot")]);
    shop.assign_room(&room, &budi).await.data();
    assert_eq!(next_messages(&receiver, 1).await, [mobile("budi joined this conversation")]);
    shop.reply(&budi, &room, "How can I help?").await.data();
    let body = receiver.next().await.json();
    assert_eq!(body["payload"]["message"]["text"], "How can I help?");
    let there = each(&body["payload"]["room"]["participants"], "username");
    assert!(there.contains(&"budi") && there.contains(&"6281"), "{there:?}");
    let options: Value =
        serde_json::from_str(text(&body["payload"]["room"]["options"])).expect("JSON");
    assert_eq!(options["is_waiting"], false);
    admin.resolve(&room).await.data();
    let (_, message) = next_messages(&receiver, 1).await.remove(0);
    assert!(message.contains("resolved"), "{message}");
}

#[tokio::test]
async fn a_message_posted_twice_is_delivered_once() {
    let server = TestServer::with_support_room().await;
    let receiver = register_receiver(&server).await;
    for _ in 0..2 {
        server.post_as_unique("ana", "support", "once", "u-1").await.results();
    }
    server.post_comment("ana", "support", "last").await;
    assert_eq!(next_messages(&receiver, 2).await, [rest("once"), rest("last")]);
}

#[tokio::test]
async fn only_messages_of_the_app_while_its_endpoint_is_enabled_are_delivered() {
    let server = TestServer::with_support_room().await;
    let other = server.create_app("other").await;
    other.furnish().await;
    server.post_comment("ana", "support", "before").await;
    let receiver = register_receiver(&server).await;
    other.post_comment("ana", "support", "elsewhere").await;
    server.post_comment("ana", "support", "meanwhile").await;
    assert_eq!(next_messages(&receiver, 1).await, [rest("meanwhile")]);
    let off = json!({"is_enabled": false});
    server.put_endpoint("chat_message", &receiver.base, &off).await.data();
    server.post_comment("ana", "support", "after").await;
    assert_eq!(Hooks::of(&server).list(&[]).await.0.len(), 1);
    assert_eq!(Hooks::of(&other).list(&[]).await.0.len(), 0);
}

/// Each node caches for a second whether an app has a chat message endpoint.
#[tokio::test]
async fn a_new_endpoint_also_receives_messages_posted_at_another_node() {
    let (here, there) = TestServer::start_two().await;
    here.furnish().await;
    let receiver = register_receiver(&here).await;
    until("a post at the other node is delivered", async || {
        there.post_comment("ana", "support", "from there").await;
        receiver.has_more().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_post_at_webhook_depth_three_is_refused() {
    let server = TestServer::with_support_room().await;
    register_receiver(&server).await;
    let post = async |call: &str, depth: &str| {
        let body = json!({
            "user_id": "ana", "room_id": "support", "message": "echo",
            "system_event_type": "custom",
        });
        let request = server.request(Method::POST, call).header("webhook-depth", depth);
        sent(with_json(request, &body)).await
    };
    for call in ["post_comment", "post_system_event_message"] {
        post(call, "2").await.results();
        post(call, "3").await.refused(400, "webhook_loop");
    }
}
