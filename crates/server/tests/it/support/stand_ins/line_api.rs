//! A local LINE Messaging API (channel facts 4.3) with both of its hosts, strict about fields,
//! tokens and retry keys. A reply token is valid once; a push with a known retry key is answered
//! with 409. Tests can make it refuse a message, lose it, or accept it without answering. Tests
//! sign webhooks with [`signature`] and post them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;

use crate::support::waiting::until;

/// Id of the LINE account, the destination of its webhooks.
pub const ACCOUNT: &str = "U0000000000000000000000000000acc0";
/// Secret with which LINE signs webhooks.
pub const SECRET_KEY: &str = "channel-secret-of-line-9999";
const BODY_BYTES_MAX: usize = 1024 * 1024;

#[derive(Clone)]
pub struct LineApi {
    pub base: String,
    books: Arc<Books>,
}

struct Books {
    token: Mutex<String>,
    next: AtomicI64,
    reply_tokens: Mutex<HashSet<String>>,
    pushes: Mutex<HashMap<String, Value>>,
    calls: Mutex<Vec<LineCall>>,
    scripted: Mutex<VecDeque<LineScript>>,
    files: Mutex<HashMap<String, (u32, Bytes)>>,
    names: Mutex<HashMap<String, String>>,
    hook: Mutex<Option<String>>,
    quota_used: AtomicI64,
}

/// Replaces the response to the next message.
#[derive(Clone)]
pub enum LineScript {
    Refused(u16, &'static str),
    /// Accepts the message, then breaks off the connection without a response.
    TakenInSilence,
    /// Breaks off the connection without accepting the message.
    Lost,
}

/// An accepted call.
#[derive(Debug, Clone)]
pub struct LineCall {
    pub path: String,
    pub body: Value,
}

impl LineCall {
    pub fn is_reply(&self) -> bool {
        self.path.ends_with("/reply")
    }

    /// Returns the first message of the call.
    pub fn message(&self) -> &Value {
        &self.body["messages"][0]
    }
}

impl LineApi {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let books = Arc::new(Books {
            token: Mutex::new("line-first-token/of+the=account-1111".to_owned()),
            next: AtomicI64::new(1),
            reply_tokens: Mutex::default(),
            pushes: Mutex::default(),
            calls: Mutex::default(),
            scripted: Mutex::default(),
            files: Mutex::default(),
            names: Mutex::default(),
            hook: Mutex::default(),
            quota_used: AtomicI64::new(0),
        });
        let router = Router::new().fallback(answered).with_state(books.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, books }
    }

    pub fn token(&self) -> String {
        self.books.token.lock().clone()
    }

    /// Replaces the token. Requests with the previous token are refused.
    pub fn set_token(&self, token: &str) -> String {
        *self.books.token.lock() = token.to_owned();
        token.to_owned()
    }

    /// Adds the file of a message, which is ready after it was requested `ready_after` times.
    pub fn add_file(&self, message: &str, bytes: &[u8], ready_after: u32) {
        let file = (ready_after, Bytes::copy_from_slice(bytes));
        self.books.files.lock().insert(message.to_owned(), file);
    }

    pub fn add_name(&self, customer: &str, name: &str) {
        self.books.names.lock().insert(customer.to_owned(), name.to_owned());
    }

    pub fn script(&self, scripted: LineScript) {
        self.books.scripted.lock().push_back(scripted);
    }

    /// Sets the number of messages pushed this month, of 1000.
    pub fn set_quota_used(&self, count: i64) {
        self.books.quota_used.store(count, Ordering::Relaxed);
    }

    /// Waits until a webhook URL is set, and returns it.
    pub async fn hook(&self) -> String {
        until("the hook is set", async || self.books.hook.lock().clone()).await
    }

    pub fn take_hook(&self, url: &str) {
        *self.books.hook.lock() = Some(url.to_owned());
    }

    /// Creates an event of a customer with a new reply token.
    pub fn event(&self, customer: &str, kind: &str, content: Value) -> Value {
        let number = self.books.number();
        let token = format!("reply-{number}");
        self.books.reply_tokens.lock().insert(token.clone());
        let mut event = json!({
            "type": kind, "mode": "active", "timestamp": now_ms(),
            "source": {"type": "user", "userId": customer},
            "webhookEventId": format!("01EVENT{number}"),
            "deliveryContext": {"isRedelivery": false}, "replyToken": token,
        });
        event[kind] = content;
        event
    }

    /// Creates a message event of a customer with a new message id.
    pub fn message(&self, customer: &str, mut content: Value) -> Value {
        content["id"] = self.books.number().to_string().into();
        self.event(customer, "message", content)
    }

    pub fn text(&self, customer: &str, text: &str) -> Value {
        self.message(customer, json!({"type": "text", "text": text, "quoteToken": "q"}))
    }

    /// Returns the accepted messages.
    pub fn sent(&self) -> Vec<LineCall> {
        let calls = self.books.calls.lock();
        calls.iter().filter(|it| it.path.starts_with("/v2/bot/message/")).cloned().collect()
    }

    pub async fn sends(&self, count: usize) -> Vec<LineCall> {
        until("messages are sent", async || Some(self.sent()).filter(|it| it.len() >= count)).await
    }

    pub fn texts(&self) -> Vec<String> {
        let texts = self.sent().into_iter().map(|it| it.message()["text"].clone());
        texts.map(|it| it.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns how many times messages were marked as read.
    pub fn read(&self) -> usize {
        let calls = self.books.calls.lock();
        calls.iter().filter(|it| it.path == "/v2/bot/chat/markAsRead").count()
    }
}

/// Returns a webhook body with these events.
pub fn webhook(events: &[Value]) -> Value {
    json!({"destination": ACCOUNT, "events": events})
}

/// Returns the signature of a webhook body in LINE's format.
pub fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(body.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

pub fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("after 1970").as_millis() as u64
}

async fn answered(State(books): State<Arc<Books>>, request: Request) -> Response {
    let uri = request.uri().to_string();
    assert!(!uri.contains("token"), "a token in a URL: {uri}");
    let token = books.token.lock().clone();
    if header(&request, "authorization") != Some(format!("Bearer {token}")) {
        return refusal(401, "Authentication failed. Confirm that the access token is valid.");
    }
    let (key, method) = (header(&request, "x-line-retry-key"), request.method().to_string());
    let path = request.uri().path().to_owned();
    let raw = to_bytes(request.into_body(), BODY_BYTES_MAX).await.expect("a body");
    let body: Value = match raw.is_empty() {
        true => json!({}),
        false => serde_json::from_slice(&raw).expect("JSON"),
    };
    let parts: Vec<_> = path.trim_start_matches("/v2/bot/").split('/').collect();
    match (method.as_str(), parts.as_slice()) {
        ("GET", ["info"]) => answer_of(
            200,
            &json!({"userId": ACCOUNT, "basicId": "@shop", "displayName": "Shop",
                "chatMode": "bot", "markAsReadMode": "manual"}),
        ),
        ("GET", ["channel", "webhook", "endpoint"]) => match books.hook.lock().clone() {
            Some(url) => answer_of(200, &json!({"endpoint": url, "active": true})),
            None => refusal(404, "Not found"),
        },
        ("PUT", ["channel", "webhook", "endpoint"]) => {
            only_fields(&body, &["endpoint"]);
            *books.hook.lock() = body["endpoint"].as_str().map(str::to_owned);
            answer_of(200, &json!({}))
        }
        ("GET", ["message", "quota"]) => answer_of(200, &json!({"type": "limited", "value": 1000})),
        ("GET", ["message", "quota", "consumption"]) => {
            let used = books.quota_used.load(Ordering::Relaxed);
            answer_of(200, &json!({"totalUsage": used}))
        }
        ("GET", ["message", id, "content"]) => books.content(id),
        ("GET", ["profile", id]) => match books.names.lock().get(*id) {
            Some(name) => answer_of(
                200,
                &json!({"userId": id, "displayName": name, "language": "id",
                    "pictureUrl": "https://profile.line-scdn.example/1"}),
            ),
            None => refusal(404, "Not found"),
        },
        ("POST", ["chat", "markAsRead"]) => {
            only_fields(&body, &["markAsReadToken"]);
            books.calls.lock().push(LineCall { path, body });
            answer_of(200, &json!({}))
        }
        ("POST", ["message", "reply"]) if key.is_some() => {
            refusal(400, "The retry key is not accepted by this API")
        }
        ("POST", ["message", "reply"]) => {
            only_fields(&body, &["replyToken", "messages"]);
            books.message(path, body, None)
        }
        ("POST", ["message", "push"]) => {
            only_fields(&body, &["to", "messages"]);
            let key = key.expect("a push has a retry key");
            assert_eq!((key.len(), key.matches('-').count()), (36, 4), "no UUID: {key}");
            books.message(path, body, Some(key))
        }
        _ => refusal(404, "Not found"),
    }
}

fn header(request: &Request, name: &str) -> Option<String> {
    let value = request.headers().get(name);
    value.map(|it| it.to_str().expect("text").to_owned())
}

impl Books {
    fn number(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn content(&self, id: &str) -> Response {
        let mut files = self.files.lock();
        let Some((left, bytes)) = files.get_mut(id) else { return refusal(404, "Not found") };
        if *left > 0 {
            *left -= 1;
            return StatusCode::ACCEPTED.into_response();
        }
        bytes.clone().into_response()
    }

    fn message(&self, path: String, body: Value, key: Option<String>) -> Response {
        let messages = body["messages"].as_array().expect("messages");
        assert!((1..=5).contains(&messages.len()), "{body}");
        messages.iter().for_each(check_message);
        let scripted = self.scripted.lock().pop_front();
        match scripted {
            Some(LineScript::Refused(status, why)) => return refusal(status, why),
            Some(LineScript::Lost) => return broken(),
            _ => {}
        }
        if let Some(token) = body["replyToken"].as_str()
            && !self.reply_tokens.lock().remove(token)
        {
            return refusal(400, "Invalid reply token");
        }
        let known = key.as_ref().and_then(|key| self.pushes.lock().get(key).cloned());
        if let Some(answer) = known {
            let mut answer = answer;
            answer["message"] = json!("The retry key is already accepted");
            return answer_of(409, &answer);
        }
        let id = format!("{}", 90_000 + self.number());
        let answer = json!({"sentMessages": [{"id": id, "quoteToken": "q"}]});
        if let Some(key) = key {
            self.pushes.lock().insert(key, answer.clone());
        }
        self.calls.lock().push(LineCall { path, body });
        match scripted {
            Some(LineScript::TakenInSilence) => broken(),
            _ => answer_of(200, &answer),
        }
    }
}

/// Asserts that LINE would accept the message: its type, its fields and their bounds.
fn check_message(message: &Value) {
    let kind = message["type"].as_str().expect("a type");
    let units = |key: &str| message[key].as_str().expect("a text").encode_utf16().count();
    match kind {
        "text" => {
            only_fields(message, &["type", "text", "quickReply"]);
            assert!((1..=5000).contains(&units("text")));
            let items = message["quickReply"]["items"].as_array();
            let items = items.map(Vec::as_slice).unwrap_or_default();
            assert!(items.len() <= 13);
            items.iter().for_each(|it| check_action(&it["action"]));
        }
        "image" => {
            only_fields(message, &["type", "originalContentUrl", "previewImageUrl"]);
            for key in ["originalContentUrl", "previewImageUrl"] {
                assert!(message[key].as_str().is_some_and(|it| it.starts_with("https://")));
            }
        }
        "location" => {
            only_fields(message, &["type", "title", "address", "latitude", "longitude"]);
            assert!(units("title") <= 100 && units("address") <= 100);
        }
        "template" => {
            only_fields(message, &["type", "altText", "template"]);
            let template = &message["template"];
            let known = ["type", "text", "actions", "thumbnailImageUrl", "title"];
            only_fields(template, &known);
            let most = if template["thumbnailImageUrl"].is_null() { 160 } else { 60 };
            let text = template["text"].as_str().expect("a text");
            assert!((1..=most).contains(&text.encode_utf16().count()));
            let actions = template["actions"].as_array().expect("actions");
            assert!((1..=4).contains(&actions.len()));
            actions.iter().for_each(check_action);
        }
        _ => panic!("an unknown type: {message}"),
    }
}

fn check_action(action: &Value) {
    let label = action["label"].as_str().expect("a label");
    assert!((1..=20).contains(&label.encode_utf16().count()));
    match action["type"].as_str() {
        Some("postback") => {
            only_fields(action, &["type", "label", "data", "displayText"]);
            assert!(action["data"].as_str().is_some_and(|it| it.len() <= 300));
        }
        Some("uri") => only_fields(action, &["type", "label", "uri"]),
        _ => panic!("an unknown action: {action}"),
    }
}

fn only_fields(value: &Value, known: &[&str]) {
    let fields = value.as_object().expect("an object");
    let unknown = fields.keys().find(|key| !known.contains(&key.as_str()));
    assert_eq!(unknown, None, "an unknown field in {value}");
}

fn broken() -> Response {
    let broken = futures_util::stream::once(async {
        Err::<Bytes, _>(std::io::Error::other("the connection ends"))
    });
    Body::from_stream(broken).into_response()
}

fn refusal(status: u16, message: &str) -> Response {
    answer_of(status, &json!({"message": message}))
}

fn answer_of(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}
