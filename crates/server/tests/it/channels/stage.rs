//! An app with a bot, and the service that the bot is of.

use std::ops::Deref;

use serde_json::{Value, json};

use super::service_stage::ServiceStage;
use crate::support::answer::{Answer, text};
use crate::support::bot_api::BotApi;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

/// The customer of most tests, by the number of their chat.
pub const ANA: i64 = 77;

/// Everything that a test needs.
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
        let body = json!({"bot_token": bot.token()});
        let service = ServiceStage::connect(server, "telegram", body).await;
        Self { service, bot }
    }

    /// The room that the customer of this chat has, once they have one.
    pub async fn room_of(&self, chat: i64) -> String {
        self.service.room_of(&format!("telegram-{chat}")).await
    }

    /// Brings an update as the service does.
    pub async fn bring(&self, update: &Value) -> Answer {
        let (_, secret) = self.bot.webhook().await;
        self.bring_with(&secret, update.to_string()).await
    }

    pub async fn bring_with(&self, secret: &str, body: String) -> Answer {
        let proof = ("x-telegram-bot-api-secret-token", secret);
        self.bring_to(&format!("telegram/{}", self.channel), proof, body).await
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
