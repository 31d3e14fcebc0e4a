//! Steps of an app's day, all through HTTP.

use std::sync::Arc;
use std::time::Duration;

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use reqwest::Method;
use serde_json::{Value, json};

use super::customers::Messenger;
use super::outsiders::{checked_body, kind, outsiders_of, url};
use crate::support::answer::{Answer, items, text};
use crate::support::caller::{sent, with_json, with_multipart};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// Longest wait for any step.
const PATIENCE: Duration = Duration::from_secs(60);

/// An app, its external services, and the webhooks that they received.
pub struct Day {
    server: TestServer,
    pub office: Arc<Office>,
    outsiders: Receiver,
    /// Received webhooks in order of arrival.
    arrived: Vec<ReceivedRequest>,
    /// Kinds of the expected webhooks, in order.
    expected: Vec<String>,
}

/// A customer and the channel that they use.
pub struct Customer {
    pub user_id: String,
    messenger: Messenger,
    channel: i64,
    /// Key of a custom channel.
    channel_key: String,
    /// Number of messages to the customer that were already checked.
    received_count: usize,
}

/// Kinds of deliveries between providers and the server.
const OF_PROVIDERS: [&str; 2] = ["channel_event", "channel_send"];

impl Day {
    /// Starts a day with the settings for the customer's provider.
    pub async fn begin(messenger: &Messenger) -> Self {
        let settings = messenger.settings();
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let server = TestServer::start_with(&settings).await;
        let office = Arc::new(Office::of(&server));
        let outsiders = outsiders_of(&office).await;
        Self { server, office, outsiders, arrived: Vec::new(), expected: Vec::new() }
    }

    /// Registers each webhook by the call and credentials of the spec (spec 4.2, wire facts 5.2).
    pub async fn register_webhooks(&self, admin: &Worker) {
        let (by_admin, by_app) = (
            |path| admin.request(Method::POST, path).header("SERVICE-App-Id", "shop"),
            |path| self.office.request(Method::POST, path),
        );
        let calls = [
            ("bot", by_admin("/api/v1/app/bot/integrate"), "bot_webhook_url", "is_bot_enabled"),
            (
                "agent_allocation",
                by_app("/api/v1/app/webhook/agent_allocation"),
                "webhook_url",
                "is_webhook_enabled",
            ),
            (
                "mark_as_resolved",
                by_admin("/api/v1/app/webhook/mark_as_resolved"),
                "webhook_url",
                "is_webhook_enabled",
            ),
            ("new_session", by_app("/api/v2/app/config/new_session_webhook"), "url", "enabled"),
            ("logout", by_admin("/api/v2/app/config/auth_webhook"), "url", "enabled"),
        ];
        for (kind, request, name, enabled) in calls {
            let fields = [(name, url(&self.outsiders, kind)), (enabled, "true".to_owned())];
            let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
            sent(with_multipart(request, &fields)).await.data();
        }
        let listed = admin.get("/api/v2/admin/webhook_config", &[]).await.data();
        assert_eq!(items(&listed["webhook_configs"]).len(), 5);
    }

    /// Creates a custom button; returns its id.
    pub async fn make_button(&self, admin: &Worker, label: &str) -> i64 {
        let body = json!({"label": label, "webhook_url": url(&self.outsiders, "custom_button")});
        let made = admin.post("/api/v2/custom_buttons", body).await.data();
        made["custom_button"]["id"].as_i64().expect("an id")
    }

    /// Connects a channel; returns a customer who uses it.
    pub async fn connect_channel(&self, admin: &Worker, messenger: Messenger) -> Customer {
        let (mut channel_key, user_id) = (String::new(), messenger.user_id());
        let channel = match messenger.connecting() {
            Some((word, body)) => {
                let made = admin.post(&format!("/api/v2/{word}/connect"), body).await.data();
                made[format!("{word}_channel")]["id"].as_i64().expect("an id")
            }
            None => {
                let webhook_url = url(&self.outsiders, "channel_message");
                let body = json!({"name": "SMS", "webhook_url": webhook_url});
                let made = admin.post("/api/v2/custom_channels", body).await.data();
                let made = &made["custom_channel"];
                text(&made["identifier_key"]).clone_into(&mut channel_key);
                made["id"].as_i64().expect("an id")
            }
        };
        Customer { user_id, messenger, channel, channel_key, received_count: 0 }
    }

    /// Creates an agent and signs them in.
    pub async fn hire(&self, admin: &Worker, name: &str) -> Worker {
        let email = self.office.email(name);
        let body = json!({"name": name, "email": email, "password": PASSWORD, "type": "agent"});
        admin.post("/api/v2/admin/create_agent", body).await.data();
        self.office.sign_in(name).await
    }

    /// Sends a customer's message; returns the room once the message is there.
    pub async fn customer_writes(&self, customer: &Customer, message: &str) -> Value {
        let Customer { messenger, user_id, channel, channel_key, .. } = customer;
        if !matches!(messenger, Messenger::Custom) {
            messenger.write(&self.server, *channel, message).await;
            return self.room_with(user_id, message).await;
        }
        let body = json!({
            "identifier_key": channel_key, "user_id": user_id, "name": "Ana",
            "avatar": "https://cdn.example.com/ana.png", "message": message,
        });
        let request = self.server.bare(Method::POST, "/shop/api/v2/custom_channel/send");
        sent(with_json(request, &body)).await.data()["room_log"]["room_id"].take()
    }

    async fn room_with(&self, user_id: &str, message: &str) -> Value {
        let found = async || {
            let listed = self.office.get("/api/v2/customer_rooms", &[]).await.json();
            let rooms = items(&listed["data"]["customer_rooms"]).to_vec();
            let room = rooms.iter().find(|it| it["user_id"] == user_id)?["room_id"].clone();
            let texts = self.transcript(&room).await;
            texts.iter().any(|it| it == message).then_some(room)
        };
        until("the customer's message is in their room", found).await
    }

    /// Asserts that this message and no other reached the customer. Returns the webhook body of a
    /// custom channel.
    pub async fn customer_receives(&mut self, customer: &mut Customer, message: &str) -> Value {
        if matches!(customer.messenger, Messenger::Custom) {
            let [webhook] = self.next_webhooks(["channel_message"]).await;
            assert_eq!(webhook["payload"]["message"]["text"], message);
            return webhook;
        }
        let before = customer.received_count;
        let texts =
            async || Some(customer.messenger.received_texts()).filter(|it| it.len() > before);
        let texts = until("the customer receives the message", texts).await;
        assert_eq!(&texts[before..], [message]);
        customer.received_count += 1;
        Value::Null
    }

    pub async fn reply(&self, agent: &Worker, room: &Value, message: &str) {
        let path = format!("/api/v2/customer_rooms/{}/messages", text(room));
        agent.post(&path, json!({"message": message})).await.data();
    }

    /// Adds a tag, an additional info and a property.
    pub async fn describe_customer(&self, admin: &Worker, agent: &Worker, room: &Value) {
        let tag = json!({"room_id": room, "tag": "delivery"});
        agent.post("/api/v1/room_tag/create", tag).await.data();
        let path = format!("/api/v1/service/room/{}/user_info", text(room));
        let info = json!({"key": "Order", "value": "A-1017"});
        agent.post(&path, json!({"user_properties": [info]})).await.data();
        let contact = self.room(room).await["contact_id"].take();
        let property = json!({"label": "City", "value": "Yogyakarta"});
        admin.post(&format!("/api/v2/contacts/properties/{contact}"), property).await.data();
    }

    pub async fn press(&self, agent: &Worker, button: i64, room: &Value) {
        let path = format!("/api/v2/custom_buttons/{button}/press");
        agent.post(&path, json!({"room_id": room})).await.data();
    }

    pub async fn resolve(&self, agent: &Worker, room: &Value, notes: &str) -> Answer {
        let body = json!({"room_id": room, "notes": notes});
        agent.post("/api/v1/agent/service/mark_as_resolved", body).await
    }

    /// Returns the room as an inbox shows it.
    pub async fn room(&self, room: &Value) -> Value {
        let path = format!("/api/v2/customer_rooms/{}", text(room));
        self.office.get(&path, &[]).await.data()["customer_room"].take()
    }

    /// Returns the texts of a room, oldest first.
    pub async fn transcript(&self, room: &Value) -> Vec<String> {
        let mut texts = self.server.texts(text(room)).await;
        texts.reverse();
        texts
    }

    /// Asserts that exactly these webhooks arrive next, created in this order; returns their
    /// bodies.
    pub async fn next_webhooks<const COUNT: usize>(
        &mut self,
        kinds: [&str; COUNT],
    ) -> [Value; COUNT] {
        let bodies = self.next_bodies(&kinds).await;
        bodies.try_into().unwrap_or_else(|_| panic!("one body for each kind"))
    }

    /// Like `next_webhooks`, and asserts that the bot's answer reaches the customer. A custom
    /// channel's webhook may arrive before the bot's own webhook is answered.
    pub async fn next_webhooks_with_answer<const COUNT: usize>(
        &mut self,
        kinds: [&str; COUNT],
        customer: &mut Customer,
        answer: &str,
    ) -> [Value; COUNT] {
        if !matches!(customer.messenger, Messenger::Custom) {
            let bodies = self.next_webhooks(kinds).await;
            self.customer_receives(customer, answer).await;
            return bodies;
        }
        let mut bodies = self.next_bodies(&[&kinds[..], &["channel_message"]].concat()).await;
        let last = bodies.pop().expect("the answer");
        assert_eq!(last["payload"]["message"]["text"], answer);
        bodies.try_into().unwrap_or_else(|_| panic!("one body for each kind"))
    }

    async fn next_bodies(&mut self, kinds: &[&str]) -> Vec<Value> {
        let start = self.arrived.len();
        for _ in kinds {
            self.arrived.push(self.outsiders.next().await);
        }
        let mut webhooks: Vec<_> = self.arrived[start..].iter().collect();
        webhooks.sort_by_key(|webhook| webhook.id);
        assert_eq!(webhooks.iter().map(|it| kind(it)).collect::<Vec<_>>(), kinds);
        self.expected.extend(kinds.iter().map(|it| (*it).to_owned()));
        webhooks.into_iter().map(|webhook| checked_body(webhook, "secret-key-of-shop")).collect()
    }

    /// Asserts that every delivery arrived at the first attempt, once, and in order.
    pub async fn end(self) {
        let deliveries = tokio::time::timeout(PATIENCE, self.ended_deliveries()).await;
        let mut deliveries = deliveries.expect("all deliveries end");
        let is_ours = |it: &&Value| OF_PROVIDERS.contains(&text(&it["kind"]));
        for it in deliveries.iter().filter(is_ours) {
            assert_eq!(it["standing"], "delivered", "{it}");
        }
        deliveries.retain(|it| !is_ours(&it));
        let kinds: Vec<_> = deliveries.iter().map(|it| text(&it["kind"])).collect();
        assert_eq!(kinds, self.expected);
        for it in &deliveries {
            let end = (&it["standing"], &it["attempts"]);
            assert_eq!(end, (&json!("delivered"), &json!(1)), "{it}");
        }
        assert!(!self.outsiders.has_more(), "an unexpected webhook arrived");
        let mut ids: Vec<_> = self.arrived.iter().map(|webhook| webhook.id).collect();
        ids.sort_unstable();
        let listed: Vec<_> = deliveries.iter().filter_map(|it| it["id"].as_i64()).collect();
        assert_eq!(ids, listed);
        for expected in &self.expected {
            let of_kind: Vec<_> = self.arrived.iter().filter(|it| kind(it) == expected).collect();
            assert!(of_kind.is_sorted_by_key(|webhook| webhook.id), "{expected} is in order");
            let sequence = of_kind.iter().map(|webhook| webhook.sequence as usize);
            assert!(sequence.eq(1..=of_kind.len()), "{expected} has no gap");
        }
    }

    /// Waits until no delivery is waiting; returns all deliveries in order of creation.
    async fn ended_deliveries(&self) -> Vec<Value> {
        let path = "/api/v2/webhooks/deliveries";
        loop {
            let mut listed = self.office.get(path, &[("limit", "100")]).await.data();
            let mut deliveries = items(&listed["deliveries"].take()).to_vec();
            if deliveries.iter().all(|it| it["standing"] != "waiting") {
                deliveries.sort_by_key(|it| it["id"].as_i64());
                return deliveries;
            }
            tokio::task::yield_now().await;
        }
    }
}
