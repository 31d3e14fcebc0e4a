//! An app with a number of WhatsApp, Meta's API, and those who work in the app.

use confab_domain::app::AppCode;
use confab_domain::ids::ChannelId;
use confab_domain::people::user::UserId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, items};
use crate::support::caller::sent;
use crate::support::graph_api::{APP_SECRET, BUSINESS, GraphApi, NUMBER, signature};
use crate::support::office::{Office, Worker};
use crate::support::test_server::TestServer;
use crate::support::waiting::{until, until_so};

/// The customer of most tests, by their number.
pub const BUDI: &str = "628123456789";

pub struct WhatsappStage {
    pub server: TestServer,
    pub office: Office,
    pub graph: GraphApi,
    pub channel: i64,
}

impl WhatsappStage {
    pub async fn start() -> Self {
        Self::with(json!({})).await
    }

    /// With these fields beside those that connect it.
    pub async fn with(fields: Value) -> Self {
        let graph = GraphApi::start().await;
        let settings =
            [("public_url", "https://confab.example"), ("whatsapp_api_url", graph.base.as_str())];
        let server = TestServer::start_with(&settings).await;
        let office = Office::of(&server);
        let mut body = connecting(&graph.token());
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        let made = office.post("/api/v2/wa/connect", body).await.data();
        let channel = made["wa_channel"]["id"].as_i64().expect("an id");
        Self { server, office, graph, channel }
    }

    /// Brings a webhook as Meta does.
    pub async fn bring(&self, webhook: &Value) -> Answer {
        let body = webhook.to_string();
        let signature = signature(APP_SECRET, &body);
        self.bring_with(&format!("wa/{}", self.channel), &signature, body).await
    }

    pub async fn bring_with(&self, path: &str, signature: &str, body: String) -> Answer {
        let request = self.server.bare(Method::POST, &format!("/api/v2/hooks/{path}"));
        let request = request.header("x-hub-signature-256", signature);
        sent(request.header("content-type", "application/json").body(body)).await
    }

    /// A customer writes a text.
    pub async fn writes(&self, id: &str, text: &str) {
        let message = json!({"id": id, "type": "text", "text": {"body": text}});
        assert_eq!(self.bring(&said(message)).await.status, 200);
    }

    /// The room of this customer, once they have one.
    pub async fn room_of(&self, user_id: &str) -> String {
        let code = AppCode::parse(&self.server.code).expect("a code");
        let app = self.server.store.app(&code).await.expect("read").expect("an app").id;
        let user = UserId::parse("user_id", user_id).expect("valid");
        let found = async || {
            let channel = ChannelId(self.channel);
            let room = self.server.store.room_of_customer(app, channel, &user).await;
            room.expect("read").map(|it| it.room.to_string())
        };
        until("the customer has a room", found).await
    }

    /// A customer's room, in which they said something.
    pub async fn with_room(&self) -> String {
        self.writes("wamid.first", "hello").await;
        let room = self.room_of(BUDI).await;
        self.said(&room, 1).await;
        room
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

    pub async fn conversation(&self, room: &str) -> Vec<Value> {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let mut page = self.office.get(&path, &[("limit", "100")]).await.json();
        items(&page["data"]["comments"].take()).to_vec()
    }

    /// How far the message with this text is.
    pub async fn status(&self, room: &str, said: &str) -> Value {
        let all = self.conversation(room).await;
        let message = all.into_iter().find(|it| it["message"] == said);
        message.map_or(Value::Null, |mut it| it["channel_status"].take())
    }

    /// Once the message with this text is in this state.
    pub async fn state(&self, room: &str, said: &str, state: &str) -> Value {
        let found = async || {
            let status = self.status(room, said).await;
            Some(status).filter(|it| it["state"] == state)
        };
        until(&format!("{said} is {state}"), found).await
    }

    pub async fn answers(&self, by: &Worker, room: &str, message: &str) -> Value {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        by.post(&path, json!({"message": message})).await.data()["comment"].take()
    }

    pub async fn admin(&self) -> Worker {
        self.office.hire("adam", "admin").await
    }

    pub async fn health(&self) -> Value {
        let path = format!("/api/v2/channels/{}/health", self.channel);
        self.office.get(&path, &[]).await.data()["health"].take()
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

/// What connects the number.
pub fn connecting(token: &str) -> Value {
    json!({"access_token": token, "app_secret": APP_SECRET, "phone_number_id": NUMBER,
        "business_id": BUSINESS})
}

/// A webhook with a value of one change.
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

/// A webhook with a message of the customer's.
pub fn said(mut message: Value) -> Value {
    if message["from"].is_null() && message["from_user_id"].is_null() {
        message["from"] = json!(BUDI);
    }
    if message["timestamp"].is_null() {
        message["timestamp"] = json!(now_s().to_string());
    }
    let contact = json!({"profile": {"name": "Budi"}, "wa_id": message["from"]});
    webhook(json!({"contacts": [contact], "messages": [message]}))
}

/// A webhook with what became of a message.
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

/// Once the channel is so.
pub async fn is(stage: &WhatsappStage, state: &str) {
    until_so(&format!("the channel is {state}"), async || stage.health().await["state"] == state)
        .await;
}
