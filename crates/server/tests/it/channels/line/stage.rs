//! An app with a LINE account, and a local LINE API.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::channels::service_stage::ServiceStage;
use crate::support::answer::Answer;
use crate::support::stand_ins::line_api::{LineApi, SECRET_KEY, signature, webhook};
use crate::support::test_server::TestServer;

/// LINE id of the customer in most tests.
pub const SARI: &str = "U4af4980629a1b2c3d4e5f60718293a4b";

pub struct LineStage {
    service: ServiceStage,
    pub line: LineApi,
}

impl Deref for LineStage {
    type Target = ServiceStage;

    fn deref(&self) -> &ServiceStage {
        &self.service
    }
}

impl LineStage {
    pub async fn start() -> Self {
        let line = LineApi::start().await;
        let settings = [
            ("public_url", "https://confab.example"),
            ("line_api_url", line.base.as_str()),
            ("line_data_url", line.base.as_str()),
        ];
        let server = TestServer::start_with(&settings).await;
        let service = ServiceStage::connect(server, "line", connecting(&line.token())).await;
        line.add_name(SARI, "Sari");
        Self { service, line }
    }

    /// Posts a webhook with these events, signed as LINE does.
    pub async fn post_webhook(&self, events: &[Value]) -> Answer {
        let body = webhook(events).to_string();
        self.post_webhook_with(&signature(SECRET_KEY, &body), body).await
    }

    pub async fn post_webhook_with(&self, signature: &str, body: String) -> Answer {
        let path = format!("line/{}", self.channel);
        self.post_webhook_to(&path, ("x-line-signature", signature), body).await
    }

    /// Sends a text message of the customer.
    pub async fn writes(&self, text: &str) {
        let event = self.line.text(SARI, text);
        assert_eq!(self.post_webhook(&[event]).await.status, 200);
    }

    pub async fn room_of(&self, customer: &str) -> String {
        self.service.room_of(&format!("line-{customer}")).await
    }

    /// Creates a customer's room with a message so old that its reply token has expired.
    pub async fn with_room(&self) -> String {
        let mut event = self.line.text(SARI, "hello");
        event["timestamp"] = json!(event["timestamp"].as_u64().expect("a time") - 40_000);
        assert_eq!(self.post_webhook(&[event]).await.status, 200);
        let room = self.room_of(SARI).await;
        self.wait_for_texts(&room, 1).await;
        room
    }
}

/// Returns the request body that connects the account.
pub fn connecting(token: &str) -> Value {
    json!({"access_token": token, "secret_key": SECRET_KEY})
}
