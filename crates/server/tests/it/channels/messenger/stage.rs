//! An app with a Messenger page or an Instagram account, and a local Meta API.

use std::ops::Deref;

use reqwest::Method;
use serde_json::{Value, json};

use crate::channels::service_stage::ServiceStage;
use crate::support::answer::Answer;
use crate::support::caller::sent;
use crate::support::stand_ins::graph_api::{APP_SECRET, GraphApi, IG_ACCOUNT, PAGE, signature};
use crate::support::test_server::TestServer;

/// Meta's id of the customer in most tests.
pub const ANA: &str = "4242424242";

pub struct PageStage {
    service: ServiceStage,
    pub graph: GraphApi,
    pub kind: PageKind,
}

/// Differences between Messenger and Instagram.
#[derive(Clone, Copy, PartialEq)]
pub struct PageKind {
    pub word: &'static str,
    object: &'static str,
    pub account: &'static str,
    setting: &'static str,
}

pub const FB: PageKind =
    PageKind { word: "fb", object: "page", account: PAGE, setting: "messenger_api_url" };
pub const IG: PageKind =
    PageKind { word: "ig", object: "instagram", account: IG_ACCOUNT, setting: "instagram_api_url" };

impl Deref for PageStage {
    type Target = ServiceStage;

    fn deref(&self) -> &ServiceStage {
        &self.service
    }
}

impl PageStage {
    pub async fn start(kind: PageKind) -> Self {
        Self::with(kind, json!({})).await
    }

    /// Starts an app with a channel, connected with these additional fields.
    pub async fn with(kind: PageKind, fields: Value) -> Self {
        let graph = GraphApi::start().await;
        let settings =
            [("public_url", "https://confab.example"), (kind.setting, graph.base.as_str())];
        let server = TestServer::start_with(&settings).await;
        let mut body = kind.connecting(&graph.token());
        for (key, value) in fields.as_object().expect("an object") {
            body[key] = value.clone();
        }
        let service = ServiceStage::connect(server, kind.word, body).await;
        graph.add_name(ANA, json!({"first_name": "Ana", "last_name": "E", "name": "Ana E"}));
        Self { service, graph, kind }
    }

    /// Posts a signed webhook with these elements, as Meta does.
    pub async fn post_webhook(&self, elements: &[Value]) -> Answer {
        self.post_webhook_body(&self.kind.webhook(elements)).await
    }

    pub async fn post_webhook_body(&self, webhook: &Value) -> Answer {
        let body = webhook.to_string();
        let signature = signature(APP_SECRET, &body);
        self.post_webhook_with(&self.path(), &signature, body).await
    }

    pub async fn post_webhook_with(&self, path: &str, signature: &str, body: String) -> Answer {
        self.post_webhook_to(path, ("x-hub-signature-256", signature), body).await
    }

    /// Returns the path of the channel's own webhook.
    pub fn path(&self) -> String {
        format!("{}/{}", self.kind.word, self.channel)
    }

    /// Verifies a webhook URL as Meta does.
    pub async fn verify_webhook(&self, path: &str, token: &str, mode: &str) -> Answer {
        let query = format!("hub.mode={mode}&hub.verify_token={token}&hub.challenge=11%2B58");
        sent(self.server.bare(Method::GET, &format!("/api/v2/hooks/{path}?{query}"))).await
    }

    /// Creates an element about an action of the customer now.
    pub fn by(&self, from: &str, what: Value) -> Value {
        self.at(from, what, now_ms())
    }

    /// Creates an element about an action of the customer at this time.
    pub fn at(&self, from: &str, mut what: Value, at_ms: i64) -> Value {
        what["sender"] = json!({"id": from});
        what["recipient"] = json!({"id": self.kind.account});
        what["timestamp"] = json!(at_ms);
        what
    }

    pub fn text(&self, from: &str, mid: &str, text: &str) -> Value {
        self.by(from, json!({"message": {"mid": mid, "text": text}}))
    }

    /// Creates the echo of a message to the customer.
    pub fn echo(&self, to: &str, mut message: Value) -> Value {
        message["is_echo"] = json!(true);
        json!({"sender": {"id": self.kind.account}, "recipient": {"id": to},
            "timestamp": now_ms(), "message": message})
    }

    pub async fn writes(&self, mid: &str, text: &str) {
        assert_eq!(self.post_webhook(&[self.text(ANA, mid, text)]).await.status, 200);
    }

    pub async fn room_of(&self, customer: &str) -> String {
        self.service.room_of(&format!("{}-{customer}", self.kind.word)).await
    }

    /// Creates a customer's room with a message.
    pub async fn with_room(&self) -> String {
        self.writes("m_first", "hello").await;
        let room = self.room_of(ANA).await;
        self.wait_for_texts(&room, 1).await;
        room
    }

    pub async fn update(&self, body: Value) -> Answer {
        let path = format!("/api/v2/{}/connect/{}/update", self.kind.word, self.channel);
        self.office.post(&path, body).await
    }

    /// Runs the channel's health check and returns its result.
    pub async fn check(&self) -> Value {
        let path = format!("/api/v2/channels/{}/check", self.channel);
        self.office.post(&path, json!({})).await.data()["health"].take()
    }
}

impl PageKind {
    /// Returns the request body that connects the channel.
    pub fn connecting(self, token: &str) -> Value {
        let mut body = json!({"access_token": token, "app_secret": APP_SECRET});
        if self == FB {
            body["page_id"] = json!(PAGE);
        }
        body
    }

    pub fn webhook(self, elements: &[Value]) -> Value {
        self.webhook_of(self.account, elements)
    }

    /// Returns a webhook body for another page or account.
    pub fn webhook_of(self, account: &str, elements: &[Value]) -> Value {
        json!({"object": self.object,
            "entry": [{"id": account, "time": now_ms(), "messaging": elements}]})
    }
}

pub fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.expect("after 1970").as_millis()).expect("before the year 292 million")
}
