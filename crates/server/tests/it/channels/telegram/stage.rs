//! An app with a Telegram bot, and a local Bot API.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::channels::service_stage::ServiceStage;
use crate::support::answer::{Answer, text};
use crate::support::office::Office;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::test_server::TestServer;

/// Chat id of the customer in most tests.
pub const ANA: i64 = 77;

/// An app with a bot and its Bot API.
pub struct Stage {
    service: ServiceStage,
    pub bot: BotApi,
}

impl Deref for Stage {
    type Target = ServiceStage;

    fn deref(&self) -> &ServiceStage {
        &self.service
    }
}

impl Stage {
    /// Starts a server that polls for updates.
    pub async fn polling() -> Self {
        Self::with(&[]).await
    }

    /// Starts a server with a public URL, which receives updates by webhook.
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
        let body = json!({"bot_token": bot.token()});
        let service = ServiceStage::connect(server, "telegram", body).await;
        Self { service, bot }
    }

    /// Waits until the customer of a chat has a room, and returns it.
    pub async fn room_of(&self, chat: i64) -> String {
        self.service.room_of(&format!("telegram-{chat}")).await
    }

    /// Posts an update with the webhook secret, as Telegram does.
    pub async fn post_webhook(&self, update: &Value) -> Answer {
        let (_, secret) = self.bot.webhook().await;
        self.post_webhook_with(&secret, update.to_string()).await
    }

    pub async fn post_webhook_with(&self, secret: &str, body: String) -> Answer {
        let proof = ("x-telegram-bot-api-secret-token", secret);
        self.post_webhook_to(&format!("telegram/{}", self.channel), proof, body).await
    }
}

/// Connects a bot; returns the channel's id.
pub async fn connect(office: &Office, token: &str) -> i64 {
    let body = json!({"bot_token": token});
    let made = office.post("/api/v2/telegram/connect", body).await.data();
    made["telegram_channel"]["id"].as_i64().expect("an id")
}

pub fn message(comment: &Value) -> &str {
    text(&comment["message"])
}
