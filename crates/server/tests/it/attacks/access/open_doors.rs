//! Access of a stranger who registered with only the app's id (D-0071).

use reqwest::Method;
use serde_json::{Value, json};

use crate::attacks::{set, with_key};
use crate::realtime::mqtt::client::called;
use crate::realtime::watcher::Watcher;
use crate::support::answer::{each, text};
use crate::support::caller::sent;
use crate::support::client::{Client, identity_token, log_in};
use crate::support::test_server::TestServer;

const PASSWORD: &str = "a password of ours";

/// A shop with an agent, a customer who writes from a phone, and a stranger.
struct Shop {
    server: TestServer,
    /// The agent's user, as clients see it.
    agent: Client,
    agent_id: Value,
    room: String,
    eve: Client,
}

const CUSTOMER: &str = "6281234567890";

impl Shop {
    async fn open() -> Self {
        let server = TestServer::start().await;
        let body = json!({
            "name": "Budi", "email": "budi@shop.example", "password": PASSWORD, "type": "agent",
        });
        with_key(&server, "/api/v2/admin/create_agent", body).await.data();
        let request = server.bare(Method::POST, "/api/v1/auth");
        let body = json!({"email": "budi@shop.example", "password": PASSWORD});
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let signed_in = sent(request).await.data()["user"].take();
        let agent = Client {
            caller: server.clone(),
            user: text(&signed_in["sdk_email"]).to_owned(),
            token: text(&signed_in["sdk_key"]).to_owned(),
        };
        let channel = with_key(&server, "/api/v2/custom_channels", json!({"name": "SMS"})).await;
        let key = channel.data()["custom_channel"]["identifier_key"].take();
        let request = server.bare(Method::POST, "/shop/api/v2/custom_channel/send");
        let body = json!({
            "identifier_key": key, "user_id": CUSTOMER, "name": "Ana", "message": "hello",
        });
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let room = sent(request).await.data()["room_log"]["room_id"].take();
        let eve = Client::new(&server, "eve").await;
        let (room, agent_id) = (text(&room).to_owned(), signed_in["id"].clone());
        Self { server, agent, agent_id, room, eve }
    }

    /// Adds the agent and the stranger to the customer's room.
    async fn bring_together(&self) {
        let body = json!({"room_id": self.room, "agent_id": self.agent_id});
        with_key(&self.server, "/api/v1/admin/service/assign_agent", body).await.data();
        let body = json!({"room_id": self.room, "user_ids": ["eve"]});
        self.server.post("add_room_participants", body).await.results();
    }

    /// Returns the users whose presence this client can see.
    async fn statuses(&self, client: &Client) -> Vec<String> {
        let body = json!({"user_ids": [self.agent.user, CUSTOMER, "eve"]});
        let results = client.post("users/status", body).await.results();
        let mut users: Vec<_> =
            each(&results["user_status"], "email").into_iter().map(str::to_owned).collect();
        users.sort();
        users
    }

    /// Subscribes to presence by MQTT; returns `0` (granted) or `x` (refused) for each topic.
    async fn subscribed(&self) -> String {
        let mut client = called("shop_eve_1").by_tcp(&self.server).await;
        let own = format!("{}/c", self.eve.token);
        let agents = format!("u/{}/s", self.agent.user);
        client.subscribe(&[&own, &agents, "u/6281234567890/s", "u/nobody/s"]).await
    }

    /// Returns the response to a `watch` of the agent's presence on `/realtime`.
    async fn watched(&self) -> Value {
        let mut eve = Watcher::start(&self.server, "eve").await;
        eve.say(&json!({"type": "watch", "user_id": self.agent.user}).to_string()).await;
        eve.say(r#"{"type":"ping"}"#).await;
        eve.next().await
    }
}

#[tokio::test]
async fn a_stranger_cannot_see_presence_of_agents_or_customers() {
    let shop = Shop::open().await;
    assert_eq!(shop.statuses(&shop.eve).await, ["eve"]);
    assert_eq!(shop.subscribed().await, "0xxx", "as for a user who does not exist");
    assert_eq!(shop.watched().await["type"], "error");
    // An agent sees all users except customers of other agents: no other user of the app has that
    // id (D-0065).
    let mut shown = [shop.agent.user.clone(), "eve".to_owned()];
    shown.sort();
    assert_eq!(shop.statuses(&shop.agent).await, shown);
}

#[tokio::test]
async fn an_agents_presence_is_visible_in_shared_rooms_and_in_open_apps() {
    let shop = Shop::open().await;
    shop.bring_together().await;
    assert!(shop.statuses(&shop.eve).await.contains(&shop.agent.user));
    assert_eq!(&shop.subscribed().await[..2], "00");
    assert_eq!(shop.watched().await["type"], "pong");
    let open = Shop::open().await;
    set(&open.server, json!({"agent_and_customer_presence": "all"})).await.data();
    assert!(open.statuses(&open.eve).await.contains(&open.agent.user));
    assert_eq!(&open.subscribed().await[..2], "00");
    assert_eq!(open.watched().await["type"], "pong");
}

#[tokio::test]
async fn agents_and_customers_look_like_unknown_users_to_a_stranger() {
    let shop = Shop::open().await;
    let eve = &shop.eve;
    let own = eve.create_room("Trap", &[]).await;
    for target in [shop.agent.user.as_str(), CUSTOMER, "nobody"] {
        for (call, body) in [
            ("get_or_create_room_with_target", json!({"emails": target})),
            ("create_room", json!({"name": "Trap", "participants": [target]})),
            ("add_room_participants", json!({"room_id": own, "emails": [target]})),
            ("block_user", json!({"user_email": target})),
            ("unblock_user", json!({"user_email": target})),
        ] {
            let refused = eve.post(call, body).await.refused(404, "user_not_found");
            let message = format!("Unknown users: {target}; register them first.");
            assert_eq!(refused.message, message, "{call}");
        }
    }
    // Next to an unknown user, the customer is reported as unknown as well.
    let body = json!({"name": "Trap", "participants": ["nobody", CUSTOMER]});
    let refused = eve.post("create_room", body).await.refused(404, "user_not_found");
    let message = format!("Unknown users: nobody, {CUSTOMER}; register them first.");
    assert_eq!(refused.message, message);
    assert_eq!(shop.server.participants(&own).await, ["eve"]);
    // Users of the app can still meet.
    shop.server.register("bob").await;
    eve.post("get_or_create_room_with_target", json!({"emails": "bob"})).await.results();
}

#[tokio::test]
async fn users_can_open_rooms_with_agents_after_sharing_a_room_or_in_open_apps() {
    let shop = Shop::open().await;
    shop.bring_together().await;
    let body = json!({"emails": shop.agent.user});
    shop.eve.post("get_or_create_room_with_target", body).await.results();
    let open = Shop::open().await;
    set(&open.server, json!({"agent_and_customer_rooms": "all"})).await.data();
    let body = json!({"emails": open.agent.user});
    open.eve.post("get_or_create_room_with_target", body).await.results();
}

#[tokio::test]
async fn a_user_can_unblock_an_agent_after_leaving_their_shared_room() {
    let shop = Shop::open().await;
    shop.bring_together().await;
    let body = json!({"user_email": shop.agent.user});
    shop.eve.post("block_user", body.clone()).await.results();
    let left = json!({"room_id": shop.room, "user_ids": ["eve"]});
    shop.server.post("remove_room_participants", left).await.results();
    shop.eve.post("unblock_user", body.clone()).await.results();
    shop.eve.post("unblock_user", body).await.refused(404, "user_not_found");
}

#[tokio::test]
async fn a_stranger_cannot_register_if_only_the_apps_server_may() {
    let server = TestServer::start().await;
    Client::new(&server, "ana").await;
    set(&server, json!({"registration": "identity_token"})).await.data();
    let new = log_in(&server, "eve", "secret").await;
    let wrong = log_in(&server, "ana", "not hers").await;
    let (new, wrong) = (new.refused(401, "unauthorized"), wrong.refused(401, "unauthorized"));
    assert_eq!(new.message, wrong.message, "the response does not reveal which users exist");
    server.get("user_profile", &[("user_id", "eve")]).await.refused(404, "user_not_found");
    log_in(&server, "ana", "secret").await.results();
    // The app's own server can still register users.
    let token = identity_token(&server.secret, &server.nonce().await, "eve", "Eve");
    assert_eq!(server.verify_identity(&token).await.results()["user"]["email"], "eve");
}

#[tokio::test]
async fn the_user_list_shows_names_or_all_fields_or_nothing_as_configured() {
    let shop = Shop::open().await;
    let body = json!({"user_id": "ana", "username": "Ana", "extras": {"salary": 5}});
    shop.server.post("login_or_register", body).await.results();
    let list = async || shop.eve.get("get_user_list", &[]).await;
    let names = list().await;
    assert_eq!(each(&names.results()["users"], "email"), ["ana", "eve"]);
    assert_eq!(each(&names.results()["users"], "username"), ["Ana", "Eve"]);
    assert!(!names.text.contains("salary"), "{}", names.text);
    set(&shop.server, json!({"user_list": "all"})).await.data();
    let all = list().await.results();
    assert_eq!(all["users"][0]["extras"], json!({"salary": 5}));
    assert_eq!(each(&all["users"], "email"), ["ana", "eve"], "neither agents nor customers");
    set(&shop.server, json!({"user_list": "off"})).await.data();
    let none = list().await.results();
    assert_eq!(none, json!({"meta": {"total_data": 0, "total_page": 0}, "users": []}));
}

#[tokio::test]
async fn every_security_setting_can_be_set_and_read() {
    let server = TestServer::start().await;
    let wanted = json!({
        "visitor_proof": "secret", "registration": "identity_token", "user_list": "off",
        "agent_and_customer_presence": "all", "agent_and_customer_rooms": "all",
    });
    assert_eq!(set(&server, wanted.clone()).await.data()["configs"], wanted);
    let request = server.keyed(Method::GET, "/api/v2/app/configs");
    assert_eq!(sent(request).await.data()["configs"], wanted);
    let answer = set(&server, json!({"user_list": "everybody"})).await;
    answer.errors(400, "invalid_request").says("user_list must be names or off or all");
}
