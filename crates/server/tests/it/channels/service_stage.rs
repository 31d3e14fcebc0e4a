//! An app with a channel of a provider, and its staff: the common part of all stages.

use confab_domain::app::AppCode;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::people::user::UserId;
use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, items};
use crate::support::caller::sent;
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::{until, until_so};

pub struct ServiceStage {
    pub server: TestServer,
    pub office: Office,
    pub channel: i64,
}

impl ServiceStage {
    /// Connects a channel with this body, at the provider's paths.
    pub async fn connect(server: TestServer, word: &str, body: Value) -> Self {
        let office = Office::of(&server);
        let made = office.post(&format!("/api/v2/{word}/connect"), body).await.data();
        let channel = made[format!("{word}_channel")]["id"].as_i64().expect("an id");
        Self { server, office, channel }
    }

    pub async fn app(&self) -> AppId {
        let code = AppCode::parse(&self.server.code).expect("a code");
        self.server.store.app(&code).await.expect("read").expect("an app").id
    }

    /// Waits until a customer has a room, and returns it.
    pub async fn room_of(&self, user_id: &str) -> String {
        let app = self.app().await;
        let user = UserId::parse("user_id", user_id).expect("valid");
        let found = async || {
            let channel = ChannelId(self.channel);
            let room = self.server.store.room_of_customer(app, channel, &user).await;
            room.expect("read").map(|it| it.room.to_string())
        };
        until("the customer has a room", found).await
    }

    /// Waits until a room has at least `count` messages; returns their texts, oldest first.
    pub async fn wait_for_texts(&self, room: &str, count: usize) -> Vec<String> {
        let texts = async || {
            let mut texts = self.server.texts(room).await;
            texts.reverse();
            Some(texts).filter(|texts| texts.len() >= count)
        };
        until("the messages are posted", texts).await
    }

    /// Returns the messages of a room as staff see them.
    pub async fn conversation(&self, room: &str) -> Vec<Value> {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let mut page = self.office.get(&path, &[("limit", "100")]).await.json();
        items(&page["data"]["comments"].take()).to_vec()
    }

    /// Returns the delivery state of the message with this text.
    pub async fn status(&self, room: &str, said: &str) -> Value {
        let all = self.conversation(room).await;
        let message = all.into_iter().find(|it| it["message"] == said);
        message.map_or(Value::Null, |mut it| it["channel_status"].take())
    }

    /// Waits until the message with this text has this state; returns its status.
    pub async fn wait_for_state(&self, room: &str, said: &str, state: &str) -> Value {
        let found = async || {
            let status = self.status(room, said).await;
            Some(status).filter(|it| it["state"] == state)
        };
        until(&format!("{said} is {state}"), found).await
    }

    /// Posts an agent's text reply to a customer.
    pub async fn post_reply(&self, by: &Worker, room: &str, message: &str) -> Value {
        self.post_reply_with(by, room, json!({"message": message})).await
    }

    /// Posts an agent's reply with this body.
    pub async fn post_reply_with(&self, by: &Worker, room: &str, body: Value) -> Value {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        by.post(&path, body).await.data()["comment"].take()
    }

    /// Posts a bot's message to a customer.
    pub async fn post_as_bot(&self, room: &str, body: Value) -> Answer {
        let mut all = json!({"sender_email": "shop_admin@bot.example", "room_id": room});
        for (key, value) in body.as_object().expect("an object") {
            all[key] = value.clone();
        }
        self.office.post("/shop/bot", all).await
    }

    pub async fn admin(&self) -> Worker {
        self.office.hire("adam", "admin").await
    }

    /// Posts a body to a webhook route with an authenticating header.
    pub async fn post_webhook_to(&self, path: &str, proof: (&str, &str), body: String) -> Answer {
        let request = self.server.bare(Method::POST, &format!("/api/v2/hooks/{path}"));
        let request = request.header(proof.0, proof.1);
        sent(request.header("content-type", "application/json").body(body)).await
    }

    pub async fn health(&self) -> Value {
        let path = format!("/api/v2/channels/{}/health", self.channel);
        self.office.get(&path, &[]).await.data()["health"].take()
    }

    /// Waits until the channel's health has this state.
    pub async fn wait_for_health(&self, state: &str) -> Value {
        let found = async || Some(self.health().await).filter(|it| it["state"] == state);
        until(&format!("the channel is {state}"), found).await
    }

    /// Returns the deliveries of this kind.
    pub async fn deliveries(&self, kind: EventKind) -> Vec<Value> {
        let query = [("kind", kind.as_str()), ("limit", "100")];
        let mut listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
        items(&listed["deliveries"].take()).to_vec()
    }

    /// Waits until no delivery is waiting.
    pub async fn wait_until_delivered(&self) {
        until_so("no delivery is waiting", async || {
            let query = [("standing", "waiting")];
            let listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
            items(&listed["deliveries"]).is_empty()
        })
        .await;
    }
}
