//! The token of a channel's customer gives access to the customer's own conversations only
//! (D-0071). Anyone who opens the widget gets such a token.

use reqwest::Method;
use serde_json::{Value, json};

use crate::openapi::{DocumentedCall, documented_calls};
use crate::realtime::mqtt::client::called;
use crate::realtime::watcher::Watcher;
use crate::support::answer::{Answer, each, text};
use crate::support::caller::{Caller, sent};
use crate::support::client::{Client, identity_token};
use crate::support::test_server::TestServer;
use crate::support::world::{World, chat_token};

/// Calls with a user's token that a customer's client may make.
const ALLOWED: [&str; 32] = [
    "DELETE clear_room_messages",
    "DELETE delete_messages",
    "GET /realtime",
    "GET comment_receipt",
    "GET get_room_by_id",
    "GET get_room_unread_count",
    "GET load_comments",
    "GET mqtt_config",
    "GET my_profile",
    "GET room_participants",
    "GET sync",
    "GET sync_event",
    "GET total_unread_count",
    "GET user_rooms",
    "PATCH my_profile",
    "POST event_report",
    "POST expire_user_token",
    "POST file_list",
    "POST logout",
    "POST post_comment",
    "POST realtime",
    "POST realtime_ticket",
    "POST refresh_user_token",
    "POST remove_user_device_token",
    "POST rooms_info",
    "POST search",
    "POST search_messages",
    "POST set_user_device_token",
    "POST update_comment_status",
    "POST update_message",
    "POST upload",
    "POST users/status",
];

/// All other calls with a user's token.
const REFUSED: [&str; 15] = [
    "GET channels",
    "GET get_blocked_users",
    "GET get_user_list",
    "POST /api/v1/auth/get_token_by_qismo_key",
    "POST add_room_participants",
    "POST block_user",
    "POST channels/info",
    "POST channels/join",
    "POST channels/leave",
    "POST create_room",
    "POST get_or_create_room_with_target",
    "POST get_or_create_room_with_unique_id",
    "POST remove_room_participants",
    "POST unblock_user",
    "POST update_room",
];

/// Calls that replace or revoke the token, or whose response does not end.
const NOT_TRIED: [&str; 4] =
    ["GET /realtime", "POST expire_user_token", "POST logout", "POST refresh_user_token"];

/// Opens the widget of the app as a new visitor; returns the visitor's client and room.
async fn visit(caller: &Caller, user: &str) -> (Client, String) {
    let nonce = caller.nonce().await;
    let body = json!({"app_id": caller.code, "user_id": user, "name": user, "nonce": nonce});
    let opened = caller.initiate_chat(&body).await.data();
    let verified = caller.verify_identity(text(&opened["identity_token"])).await;
    let token = text(&verified.results()["user"]["token"]).to_owned();
    let room = text(&opened["customer_room"]["room_id"]).to_owned();
    (Client { caller: caller.clone(), user: user.to_owned(), token }, room)
}

fn name(call: &DocumentedCall) -> String {
    format!("{} {}", call.method, call.path.trim_start_matches("/api/v2/sdk/"))
}

fn accepts_user_token(call: &DocumentedCall) -> bool {
    let proofs = call.operation["security"].as_array();
    let is_token = |proof: &Value| !proof["user_token"].is_null() || !proof["sdk_token"].is_null();
    proofs.is_some_and(|proofs| proofs.iter().any(is_token))
}

async fn called_with(by: &Client, method: Method, path: &str, body: &'static str) -> Answer {
    let request = by.caller.bare(method, path).header("SERVICE-SDK-APP-ID", &by.caller.code);
    let request = request.header("SERVICE-SDK-TOKEN", &by.token);
    let request = request.header("Authorization", &by.token);
    sent(request.header("Content-Type", "application/json").body(body)).await
}

#[tokio::test]
async fn every_call_with_a_user_token_either_admits_or_refuses_customers() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (visitor, _) = visit(&server, "vera").await;
    let gateway_customer = office.customer("sam").await;
    let token = chat_token(gateway_customer.key.0);
    let gateway_customer = Client { caller: server.clone(), user: "sam".to_owned(), token };
    let calls = documented_calls(&server).await;
    let calls: Vec<_> = calls.iter().filter(|call| accepts_user_token(call)).collect();
    for listed in ALLOWED.iter().chain(&REFUSED) {
        assert!(calls.iter().any(|call| name(call) == *listed), "{listed} is a documented call");
    }
    for call in calls {
        let name = name(call);
        let is_allowed = ALLOWED.contains(&&*name);
        assert_ne!(is_allowed, REFUSED.contains(&&*name), "{name} must be in one of the two lists");
        if NOT_TRIED.contains(&&*name) {
            continue;
        }
        for by in [&visitor, &gateway_customer] {
            for path in [call.path.clone(), call.path.replace("/sdk/", "/mobile/")] {
                let body = if is_allowed { "{}" } else { "{ not json" };
                let answer = called_with(by, call.method.clone(), &path, body).await;
                match is_allowed {
                    true => assert!(
                        matches!(answer.status, 200 | 400 | 404 | 415),
                        "{path}: {}",
                        answer.text
                    ),
                    false if path.ends_with("qismo_key") => {
                        answer.errors(401, "unauthorized");
                    }
                    false => {
                        let refused = answer.refused(403, "forbidden");
                        assert_ne!(refused.message, "Unauthorized", "the token itself is valid");
                    }
                }
            }
        }
    }
}

/// A chat of two users of the app, a public room, and a visitor of the widget.
struct Scene {
    server: TestServer,
    ana: Client,
    room: String,
    channel: String,
    vera: Client,
}

impl Scene {
    async fn new() -> Self {
        let server = TestServer::start().await;
        server.register_all(&["ana", "bob"]).await;
        let ana = Client::of(&server, "ana").await;
        let room = ana.create_room("Private", &["bob"]).await;
        let body = json!({"unique_id": "news", "participants": ["ana"], "name": "News"});
        let channel = server.post("get_or_create_channel", body).await.results();
        let channel = text(&channel["room"]["room_id"]).to_owned();
        for (at, room) in [&room, &channel].into_iter().enumerate() {
            ana.says(room, "a secret", &format!("secret-{at}")).await;
        }
        let (vera, _) = visit(&server, "vera").await;
        Self { server, ana, room, channel, vera }
    }
}

#[tokio::test]
async fn a_visitor_cannot_access_rooms_or_public_channels_of_the_apps_users() {
    let Scene { server, ana, room, channel, vera } = Scene::new().await;
    for (room, unique_id) in [(&room, "no-name"), (&channel, "news")] {
        let message_id = ana.comments(room, &[]).await[0]["id"].clone();
        let post =
            json!({"topic_id": room, "comment": "hello", "unique_temp_id": "v", "type": "text"});
        let read = json!({"room_id": room, "last_comment_read_id": message_id});
        for (method, call, body) in [
            (Method::GET, format!("get_room_by_id?id={room}"), Value::Null),
            (Method::GET, format!("load_comments?topic_id={room}"), Value::Null),
            (Method::GET, format!("room_participants?room_id={room}"), Value::Null),
            (Method::GET, format!("room_participants?room_unique_id={unique_id}"), Value::Null),
            (Method::POST, "post_comment".to_owned(), post),
            (Method::POST, "update_comment_status".to_owned(), read),
            (Method::POST, "search".to_owned(), json!({"query": "secret", "room_ids": [room]})),
        ] {
            let answer = vera.send(method, &call, body).await;
            answer.refused(404, "room_not_found");
            assert!(!answer.text.contains("a secret"), "{call}");
        }
        let receipt = format!("comment_receipt?comment_id={message_id}");
        vera.get(&receipt, &[]).await.refused(404, "message_not_found");
    }
    let body = json!({"room_id": [room, channel], "room_unique_id": ["news"]});
    assert_eq!(vera.post("rooms_info", body).await.results()["rooms_info"], json!([]));
    let found = vera.post("search", json!({"query": "secret"})).await.results();
    assert_eq!(found["comments"], json!([]));
    for id in ["secret-0", "secret-1"] {
        let body = json!({"unique_ids": [id], "is_delete_for_everyone": false});
        vera.delete("delete_messages", body).await.refused(404, "message_not_found");
    }
    assert_eq!(server.participants(&room).await, ["ana", "bob"]);
    assert_eq!(server.participants(&channel).await, ["ana"]);
}

#[tokio::test]
async fn a_visitor_cannot_list_contact_or_see_presence_of_the_apps_users() {
    let Scene { server, ana, vera, .. } = Scene::new().await;
    let before = ana.get("user_rooms", &[]).await.results()["meta"].take();
    for (method, call, body) in [
        (Method::GET, "get_user_list", Value::Null),
        (Method::POST, "get_or_create_room_with_target", json!({"emails": "ana"})),
        (Method::POST, "create_room", json!({"name": "Trap", "participants": ["ana"]})),
        (Method::POST, "get_or_create_room_with_unique_id", json!({"unique_id": "trap"})),
        (Method::POST, "block_user", json!({"user_email": "ana"})),
    ] {
        let answer = vera.send(method, call, body).await;
        let refused = answer.refused(403, "forbidden");
        refused.says("Customers may use only their own conversations");
        assert!(!answer.text.contains("bob"), "{call}");
    }
    assert_eq!(ana.get("user_rooms", &[]).await.results()["meta"], before);
    let shown = vera.post("users/status", json!({"user_ids": ["ana", "bob", "vera"]})).await;
    assert_eq!(each(&shown.results()["user_status"], "email"), ["vera"]);
    // Visibility of staff and customers for the app's users does not extend to visitors.
    let open = json!({"agent_and_customer_presence": "all", "agent_and_customer_rooms": "all"});
    crate::attacks::set(&server, open).await.data();
    let shown = vera.post("users/status", json!({"user_ids": ["ana", "bob", "vera"]})).await;
    assert_eq!(each(&shown.results()["user_status"], "email"), ["vera"]);
}

#[tokio::test]
async fn a_visitor_neither_receives_nor_publishes_realtime_events_of_other_rooms() {
    let Scene { server, ana, room, channel, vera } = Scene::new().await;
    let mut mqtt = called("shop_vera_1").by_tcp(&server).await;
    let filters = [
        format!("{}/c", vera.token),
        "shop/news/c".to_owned(),
        "u/ana/s".to_owned(),
        format!("r/{room}/{room}/+/t"),
        format!("r/{channel}/{channel}/+/r"),
        format!("r/{channel}/{channel}/e"),
        format!("r/{channel}/typing"),
    ];
    let filters: Vec<_> = filters.iter().map(String::as_str).collect();
    assert_eq!(mqtt.subscribe(&filters).await, "0xxxxxx");
    let mut anas_mqtt = called("shop_ana_1").by_tcp(&server).await;
    let typing = [room.as_str(), &channel].map(|room| format!("r/{room}/{room}/+/t"));
    let custom = format!("r/{channel}/{channel}/e");
    let own = format!("{}/c", ana.token);
    assert_eq!(anas_mqtt.subscribe(&[&own, &typing[0], &typing[1], &custom]).await, "0000");
    for room in [&room, &channel] {
        mqtt.publish(&format!("r/{room}/{room}/vera/t"), "1").await;
        mqtt.publish(&format!("r/{room}/{room}/e"), r#"{"sender":"vera","data":{}}"#).await;
    }
    mqtt.publish("u/ana/s", "1").await;
    mqtt.ping().await;
    let mut watcher = Watcher::try_start(&server, &vera.token, "").await.expect("connects");
    assert_eq!(watcher.next().await["type"], "hello");
    for frame in [
        json!({"type": "watch", "user_id": "ana"}),
        json!({"type": "follow", "channel": "news"}),
        json!({"type": "typing", "room_id": channel, "is_typing": true}),
        json!({"type": "custom", "room_id": channel, "data": {}}),
    ] {
        watcher.say(&frame.to_string()).await;
        assert_eq!(watcher.next().await["type"], "error", "{frame}");
    }
    ana.says(&channel, "hello", "hello").await;
    assert_eq!(
        anas_mqtt.json().await.1["message"],
        "hello",
        "nothing from the visitor was received"
    );
    watcher.say(r#"{"type":"ping"}"#).await;
    assert_eq!(watcher.next().await["type"], "pong", "the visitor received nothing");
    assert!(!mqtt.has_shown());
}

#[tokio::test]
async fn calls_of_published_widgets_work_in_a_visitors_own_conversation() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let (vera, room) = visit(&server, "vera").await;
    let first = vera.says(&room, "good morning", "first").await;
    let bo = office.agent("Bo").await;
    office.assign_room(&room, &bo).await.data();
    let answer = json!({"message": "How can I help?"});
    bo.post(&format!("/api/v2/customer_rooms/{room}/messages"), answer).await.data();
    let rooms = vera.get("user_rooms", &[("show_participants", "true")]).await.results();
    assert_eq!(each(&rooms["rooms_info"], "id_str"), [room.as_str()]);
    let seen = vera.get("get_room_by_id", &[("id", &room)]).await.results();
    assert_eq!(seen["room"]["id_str"], room.as_str());
    assert!(vera.texts(&room).await.contains(&"How can I help?".to_owned()));
    let people = vera.get("room_participants", &[("room_id", &room)]).await.results();
    assert!(each(&people["participants"], "email").contains(&bo.user_id().as_str()));
    let status = json!({"user_ids": [bo.user_id()]});
    let shown = vera.post("users/status", status).await.results();
    assert_eq!(each(&shown["user_status"], "email"), [bo.user_id()]);
    let found = vera.post("search", json!({"query": "help"})).await.results();
    assert_eq!(each(&found["comments"], "message"), ["How can I help?"]);
    let last = vera.comments(&room, &[]).await[0].clone();
    vera.reads(&room, &last).await;
    let body = json!({"unique_ids": [first["unique_temp_id"]], "is_delete_for_everyone": true});
    vera.delete("delete_messages", body).await.results();
    let mut mqtt = called("shop_vera_1").by_tcp(&server).await;
    let (own, presence) = (format!("{}/c", vera.token), format!("u/{}/s", bo.user_id()));
    let typing = format!("r/{room}/{room}/+/t");
    assert_eq!(mqtt.subscribe(&[&own, &typing, &presence]).await, "000");
    let ticket = vera.post("realtime_ticket", json!({})).await.results();
    let query = format!("ticket={}", text(&ticket["ticket"]));
    let mut watcher = Watcher::try_with(&server, &query).await.expect("connects");
    assert_eq!(watcher.next().await["type"], "hello");
}

#[tokio::test]
async fn no_call_returns_the_token_of_a_gateway_customer() {
    let server = TestServer::start().await;
    let office = World::of(&server).await;
    let sam = office.customer("sam").await;
    let token = chat_token(sam.key.0);
    for user in ["sam", &format!("{}:sam", office.channel_id())] {
        for answer in [
            server.get("get_user_token", &[("user_id", user)]).await,
            server.post("reset_user_token", json!({"user_id": user})).await,
        ] {
            assert!(matches!(answer.status, 400 | 404), "{}", answer.text);
        }
        let profile = server.get("user_profile", &[("user_id", user)]).await;
        assert!(!profile.text.contains(&token), "{}", profile.text);
    }
}

#[tokio::test]
async fn a_user_with_an_identity_token_can_reach_app_users_but_not_staff_or_visitors() {
    let Scene { server, vera, .. } = Scene::new().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let token = identity_token(&server.secret, &server.nonce().await, "carl", "Carl");
    let user = server.verify_identity(&token).await.results()["user"].take();
    let (user, token) = (text(&user["email"]).to_owned(), text(&user["token"]).to_owned());
    let carl = Client { caller: server.clone(), user, token };
    let listed = carl.get("get_user_list", &[]).await.results();
    assert_eq!(each(&listed["users"], "email"), ["ana", "bob", "carl"]);
    carl.post("get_or_create_room_with_target", json!({"emails": "ana"})).await.results();
    for hidden in [vera.user.clone(), bo.user_id()] {
        let body = json!({"emails": hidden});
        let answer = carl.post("get_or_create_room_with_target", body).await;
        answer.refused(404, "user_not_found");
    }
}

#[tokio::test]
async fn a_visitors_token_is_valid_in_its_own_app_only() {
    let server = TestServer::start().await;
    let other = server.create_app("other").await;
    let (vera, room) = visit(&server, "vera").await;
    let (theirs, _) = visit(&other, "vera").await;
    theirs.get("load_comments", &[("topic_id", &room)]).await.refused(404, "room_not_found");
    let elsewhere = Client { caller: other.clone(), ..vera };
    let refused = elsewhere.get("user_rooms", &[]).await.refused(403, "unauthorized");
    assert_eq!(refused.message, "Unauthorized");
}
