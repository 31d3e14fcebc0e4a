//! An app with a WhatsApp number, and a local Meta API.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::channels::service_stage::ServiceStage;
use crate::support::answer::Answer;
use crate::support::stand_ins::graph_api::{APP_SECRET, BUSINESS, GraphApi, NUMBER, signature};
use crate::support::test_server::TestServer;

/// Number of the customer in most tests.
pub const BUDI: &str = "628123456789";

pub struct WhatsappStage {
    service: ServiceStage,
    pub graph: GraphApi,
}

impl Deref for WhatsappStage {
    type Target = ServiceStage;

    fn deref(&self) -> &ServiceStage {
        &self.service
    }
}

impl WhatsappStage {
    pub async fn start() -> Self {
        Self::with(json!({})).await
    }

    /// Starts an app with a number, connected with these additional fields.
    pub async fn with(fields: Value) -> Self {
        let graph = GraphApi::start().await;
        let settings =
            [("public_url", "https://confab.example"), ("whatsapp_api_url", graph.base.as_str())];
        let server = TestServer::start_with(&settings).await;
        let mut body = connecting(&graph.token());
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        let service = ServiceStage::connect(server, "wa", body).await;
        Self { service, graph }
    }

    /// Starts an app with templates: one in two languages, and one with all components.
    pub async fn with_templates() -> Self {
        let stage = Self::start().await;
        stage.graph.set_templates(templates());
        stage
    }

    /// Posts a signed webhook, as Meta does.
    pub async fn post_webhook(&self, webhook: &Value) -> Answer {
        let body = webhook.to_string();
        let signature = signature(APP_SECRET, &body);
        self.post_webhook_with(&format!("wa/{}", self.channel), &signature, body).await
    }

    pub async fn post_webhook_with(&self, path: &str, signature: &str, body: String) -> Answer {
        self.post_webhook_to(path, ("x-hub-signature-256", signature), body).await
    }

    /// Sends a text message of the customer.
    pub async fn writes(&self, id: &str, text: &str) {
        let message = json!({"id": id, "type": "text", "text": {"body": text}});
        assert_eq!(self.post_webhook(&message_webhook(message)).await.status, 200);
    }

    /// Creates a customer's room with a message.
    pub async fn with_room(&self) -> String {
        self.writes("wamid.first", "hello").await;
        let room = self.room_of(BUDI).await;
        self.wait_for_texts(&room, 1).await;
        room
    }
}

/// Returns the request body that connects the number.
pub fn connecting(token: &str) -> Value {
    json!({"access_token": token, "app_secret": APP_SECRET, "phone_number_id": NUMBER,
        "business_id": BUSINESS})
}

/// Returns the templates that Meta lists.
pub fn templates() -> Vec<Value> {
    let one = |name: &str, language: &str, components: Value| {
        json!({"id": "1", "name": name, "language": language, "category": "UTILITY",
            "status": "APPROVED", "components": components})
    };
    let whole = json!([
        {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}",
            "example": {"header_text": ["7"]}},
        {"type": "BODY", "text": "Hi {{1}}, it is {{2}}.",
            "example": {"body_text": [["Budi", "ready"]]}},
        {"type": "FOOTER", "text": "Shop"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Thanks"},
            {"type": "URL", "text": "Track", "url": "https://shop.example/{{1}}"},
        ]},
    ]);
    let cards = json!([{"type": "BODY", "text": "Look"}, {"type": "CAROUSEL", "cards": []}]);
    let mut rejected = one("rejected", "id", json!([{"type": "BODY", "text": "Hello"}]));
    rejected["status"] = json!("REJECTED");
    vec![
        one("hello", "en_US", json!([{"type": "BODY", "text": "Hello {{1}}"}])),
        one("hello", "id", json!([{"type": "BODY", "text": "Halo {{1}}"}])),
        rejected,
        one("order", "id", whole),
        one("cards", "id", cards),
    ]
}

/// Returns a webhook with one change.
pub fn webhook(mut value: Value) -> Value {
    value["messaging_product"] = json!("whatsapp");
    if value["metadata"].is_null() {
        value["metadata"] =
            json!({"display_phone_number": "628111111111", "phone_number_id": NUMBER});
    }
    let change = json!({"field": "messages", "value": value});
    json!({"object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "changes": [change]}]})
}

/// Returns a webhook with a customer's message.
pub fn message_webhook(mut message: Value) -> Value {
    if message["from"].is_null() && message["from_user_id"].is_null() {
        message["from"] = json!(BUDI);
    }
    if message["timestamp"].is_null() {
        message["timestamp"] = json!(now_s().to_string());
    }
    let contact = json!({"profile": {"name": "Budi"}, "wa_id": message["from"]});
    webhook(json!({"contacts": [contact], "messages": [message]}))
}

/// Returns a webhook with the status of a message.
pub fn status(id: &str, tag: Option<&str>, word: &str, code: Option<i64>) -> Value {
    let mut status =
        json!({"id": id, "status": word, "timestamp": now_s().to_string(), "recipient_id": BUDI});
    if let Some(tag) = tag {
        status["biz_opaque_callback_data"] = json!(tag);
    }
    if let Some(code) = code {
        status["errors"] = json!([{"code": code, "title": "refused"}]);
    }
    webhook(json!({"statuses": [status]}))
}

pub fn now_s() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("after 1970").as_secs()
}

/// Waits until the channel's health has this state.
pub async fn wait_for_health(stage: &WhatsappStage, state: &str) {
    stage.wait_for_health(state).await;
}
