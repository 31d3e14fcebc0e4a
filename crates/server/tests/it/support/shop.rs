//! A server with a custom channel, receivers of its webhooks, and staff.

use std::ops::Deref;

use confab_domain::ids::ChannelId;
use confab_domain::people::user::{Realm, UserId};
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use super::answer::{Answer, text};
use super::caller::{sent, with_json};
use super::hooks::Hooks;
use super::office::Worker;
use super::test_server::TestServer;
use super::world::World;

/// The app shop with a custom channel, whose gateway is `gateway`. Dereferences to its [`World`].
pub struct Shop {
    pub server: TestServer,
    world: World,
    pub hooks: Receiver,
    pub gateway: Receiver,
    /// Key with which the gateway authenticates.
    pub key: String,
}

impl Deref for Shop {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Shop {
    /// Opens a shop with endpoints for all three webhooks of a customer's message.
    pub async fn open() -> Self {
        let shop = Self::without_webhooks().await;
        for kind in ["new_session", "agent_allocation", "bot"] {
            shop.register(kind).await;
        }
        shop
    }

    pub async fn without_webhooks() -> Self {
        let server = TestServer::start().await;
        let (hooks, gateway) = (Receiver::start().await, Receiver::start().await);
        let mut world = World::without_channel(&server, &server).await;
        let body = json!({"name": "SMS", "webhook_url": format!("{}/answers", gateway.base)});
        let made = world.post("/api/v2/custom_channels", body).await.data();
        let channel = &made["custom_channel"];
        world.channel = ChannelId(channel["id"].as_i64().expect("an id"));
        let key = text(&channel["identifier_key"]).to_owned();
        Self { server, world, hooks, gateway, key }
    }

    pub async fn register(&self, kind: &str) {
        let body = json!({"url": format!("{}/{kind}", self.hooks.base)});
        Hooks::of(&self.server).put(&format!("/endpoints/{kind}"), body).await.data();
    }

    /// Sends a customer's message through the channel.
    pub async fn write(&self, user: &str, message: &str) -> Answer {
        let body = json!({"user_id": user, "name": user.to_uppercase(), "message": message});
        self.send(body).await
    }

    /// Sends a request of the gateway, by default with its key.
    pub async fn send(&self, mut body: Value) -> Answer {
        if body.get("identifier_key").is_none() {
            body["identifier_key"] = json!(self.key);
        }
        let path = "/shop/api/v2/custom_channel/send";
        sent(with_json(self.server.bare(Method::POST, path), &body)).await
    }

    /// Whether a user of this id exists in any realm.
    pub async fn knows(&self, user: &str) -> bool {
        let (app, user) = (self.app.id, UserId::from_stored(user.to_owned()));
        !self.server.store.users_named(app, &user).await.expect("read").is_empty()
    }

    /// Returns the token of a customer, which no API call by id returns.
    pub async fn customer_token(&self, user: &str) -> String {
        let (app, user) = (self.app.id, UserId::from_stored(user.to_owned()));
        let named = self.server.store.users_named(app, &user).await.expect("read");
        let customer = named.iter().find(|it| it.realm != Realm::App).expect("a customer");
        self.server.store.token_of(customer.key).await.expect("read").expect("a token")
    }

    /// Sends a customer's first message; returns the customer's room.
    pub async fn room_of(&self, user: &str) -> String {
        let data = self.write(user, "hello").await.data();
        text(&data["room_log"]["room_id"]).to_owned()
    }

    /// Posts a message of the bot.
    pub async fn bot_says(&self, room: &str, message: &str) -> Answer {
        let body = json!({
            "sender_email": "shop_admin@bot.example", "room_id": room, "message": message,
        });
        self.post("/shop/bot", body).await
    }

    /// Posts an agent's reply to a customer.
    pub async fn reply(&self, by: &Worker, room: &str, message: &str) -> Answer {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        by.post(&path, json!({"message": message})).await
    }

    /// Returns the kinds of all deliveries, in order of creation.
    pub async fn kinds(&self) -> Vec<String> {
        let list = Hooks::of(&self.server).get("/deliveries", &[("limit", "100")]).await.data();
        let mut listed: Vec<_> = list["deliveries"].as_array().expect("a list").clone();
        listed.sort_by_key(|it| it["id"].as_i64());
        listed.iter().map(|it| text(&it["kind"]).to_owned()).collect()
    }
}

/// Asserts that two values have the same keys with the same types. Null matches everything.
#[track_caller]
pub fn check_shape(found: &Value, golden: &Value, place: &str) {
    match (found, golden) {
        (Value::Object(found), Value::Object(golden)) => {
            let keys = |it: &serde_json::Map<String, Value>| -> Vec<String> {
                it.keys().cloned().collect()
            };
            assert_eq!(keys(found), keys(golden), "{place}");
            for (key, value) in found {
                check_shape(value, &golden[key], &format!("{place}.{key}"));
            }
        }
        (Value::Array(found), Value::Array(golden)) => {
            for (found, golden) in found.iter().zip(golden) {
                check_shape(found, golden, &format!("{place}[]"));
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (found, golden) => {
            let kind = std::mem::discriminant::<Value>;
            assert_eq!(kind(found), kind(golden), "{place}: {found} and {golden}");
        }
    }
}
