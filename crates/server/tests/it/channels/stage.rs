//! An app with a bot, the service that the bot is of, and those who work in the app.

use confab_domain::app::AppCode;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::people::user::UserId;
use confab_domain::webhooks::notice_kind::NoticeKind;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, items, text};
use crate::support::bot_api::BotApi;
use crate::support::caller::sent;
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::{until, until_so};

/// The customer of most tests, by the number of their chat.
pub const ANA: i64 = 77;

/// Everything that a test needs.
pub struct Stage {
    pub server: TestServer,
    pub office: Office,
    pub bot: BotApi,
    pub channel: i64,
}

impl Stage {
    /// A server that asks for updates.
    pub async fn polling() -> Self {
        Self::with(&[]).await
    }

    /// A server that the service can reach, as it says: tests bring the updates.
    pub async fn hooked() -> Self {
        Self::with(&[("public_url", "https://confab.example")]).await
    }

    pub async fn with(settings: &[(&str, &str)]) -> Self {
        let bot = BotApi::start().await;
        let all = [settings, &[("telegram_api_url", bot.base.as_str())]].concat();
        let server = TestServer::start_with(&all).await;
        Self::on(server, bot).await
    }

    pub async fn on(server: TestServer, bot: BotApi) -> Self {
        let office = Office::of(&server);
        let channel = connect(&office, &bot.token()).await;
        Self { server, office, bot, channel }
    }

    pub async fn app(&self) -> AppId {
        let code = AppCode::parse(&self.server.code).expect("a code");
        self.server.store.app(&code).await.expect("read").expect("an app").id
    }

    /// The room that the customer of this chat has, once they have one.
    pub async fn room_of(&self, chat: i64) -> String {
        let app = self.app().await;
        let user = UserId::parse("user_id", &format!("telegram-{chat}")).expect("valid");
        let found = async || {
            let channel = ChannelId(self.channel);
            let room = self.server.store.room_of_customer(app, channel, &user).await;
            room.expect("read").map(|it| it.room.to_string())
        };
        until("the customer has a room", found).await
    }

    /// What was said in a room, the first first, once it is so much.
    pub async fn said(&self, room: &str, count: usize) -> Vec<String> {
        let texts = async || {
            let mut texts = self.server.texts(room).await;
            texts.reverse();
            Some(texts).filter(|texts| texts.len() >= count)
        };
        until("it is said", texts).await
    }

    /// The messages of a room as those read them who work in the app.
    pub async fn conversation(&self, room: &str) -> Vec<Value> {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let mut page = self.office.get(&path, &[("limit", "100")]).await.json();
        items(&page["data"]["comments"].take()).to_vec()
    }

    /// Once the message with this text is in this state.
    pub async fn state(&self, room: &str, said: &str, state: &str) -> Value {
        let found = async || {
            let all = self.conversation(room).await;
            let message = all.into_iter().find(|it| it["message"] == said)?;
            let status = message["channel_status"].clone();
            Some(status).filter(|it| it["state"] == state)
        };
        until(&format!("{said} is {state}"), found).await
    }

    /// Somebody who works there answers the customer of a room.
    pub async fn answers(&self, by: &Worker, room: &str, message: &str) -> Value {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        by.post(&path, json!({"message": message})).await.data()["comment"].take()
    }

    /// A bot of the app says something to the customer.
    pub async fn bot_says(&self, room: &str, body: Value) -> Answer {
        let mut all = json!({"sender_email": "shop_admin@bot.example", "room_id": room});
        for (key, value) in body.as_object().expect("an object") {
            all[key] = value.clone();
        }
        self.office.post("/shop/bot", all).await
    }

    pub async fn admin(&self) -> Worker {
        self.office.hire("adam", "admin").await
    }

    /// Brings an update as the service does.
    pub async fn bring(&self, update: &Value) -> Answer {
        let (_, secret) = self.bot.webhook().await;
        self.bring_with(&secret, update.to_string()).await
    }

    pub async fn bring_with(&self, secret: &str, body: String) -> Answer {
        let path = format!("/api/v2/hooks/telegram/{}", self.channel);
        let request = self.server.bare(Method::POST, &path);
        let request = request.header("x-telegram-bot-api-secret-token", secret);
        sent(request.header("content-type", "application/json").body(body)).await
    }

    pub async fn health(&self) -> Value {
        let path = format!("/api/v2/channels/{}/health", self.channel);
        self.office.get(&path, &[]).await.data()["health"].take()
    }

    /// Once the channel is so.
    pub async fn is(&self, state: &str) -> Value {
        let found = async || Some(self.health().await).filter(|it| it["state"] == state);
        until(&format!("the channel is {state}"), found).await
    }

    /// How many deliveries of this kind there are.
    pub async fn deliveries(&self, kind: NoticeKind) -> Vec<Value> {
        let query = [("kind", kind.as_str()), ("limit", "100")];
        let mut listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
        items(&listed["deliveries"].take()).to_vec()
    }

    /// Once nothing waits any more.
    pub async fn settles(&self) {
        until_so("nothing waits", async || {
            let query = [("standing", "waiting")];
            let listed = self.office.get("/api/v2/webhooks/deliveries", &query).await.data();
            items(&listed["deliveries"]).is_empty()
        })
        .await;
    }
}

/// Connects a bot; the channel's integer.
pub async fn connect(office: &Office, token: &str) -> i64 {
    let body = json!({"bot_token": token});
    let made = office.post("/api/v2/telegram/connect", body).await.data();
    made["telegram_channel"]["id"].as_i64().expect("an id")
}

/// The text of a message.
pub fn message(comment: &Value) -> &str {
    text(&comment["message"])
}
