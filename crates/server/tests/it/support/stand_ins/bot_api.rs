//! A local Telegram Bot API, as strict as Telegram's (channel facts 4.1): it rejects unknown fields
//! and wrong tokens, returns updates until they are confirmed, and allows one webhook or one
//! poller. Tests can make it refuse a call, or accept one without answering.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::support::waiting::until;

/// Id of the bot, with which its tokens begin.
pub const BOT: i64 = 123_456_789;
const BODY_BYTES_MAX: usize = 60 * 1024 * 1024;

/// The Bot API with its one bot.
#[derive(Clone)]
pub struct BotApi {
    pub base: String,
    books: Arc<Books>,
}

struct Books {
    token: Mutex<String>,
    updates: Mutex<Vec<Value>>,
    queued: Notify,
    update_id: AtomicI64,
    message_id: AtomicI64,
    webhook: Mutex<Option<(String, String)>>,
    calls: Mutex<Vec<BotCall>>,
    scripted: Mutex<VecDeque<(String, Scripted)>>,
    files: Mutex<HashMap<String, Bytes>>,
    pollers: AtomicUsize,
    conflicts: AtomicUsize,
    polls: AtomicUsize,
}

/// Replaces the response to a call.
#[derive(Clone)]
pub enum Scripted {
    Answer(u16, Value),
    /// Records the call, then breaks off the connection without a response.
    TakenInSilence,
}

/// An accepted call.
#[derive(Debug, Clone)]
pub struct BotCall {
    pub method: String,
    /// Fields of the JSON body or of the form.
    pub body: Value,
    /// Contents of the uploaded file; empty if there is none.
    pub file: Bytes,
}

impl BotApi {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let books = Arc::new(Books {
            token: Mutex::new(format!("{BOT}:AAE-first-token-of-the-bot-1111")),
            updates: Mutex::default(),
            queued: Notify::new(),
            update_id: AtomicI64::new(1000),
            message_id: AtomicI64::new(5000),
            webhook: Mutex::default(),
            calls: Mutex::default(),
            scripted: Mutex::default(),
            files: Mutex::default(),
            pollers: AtomicUsize::new(0),
            conflicts: AtomicUsize::new(0),
            polls: AtomicUsize::new(0),
        });
        let router = Router::new().fallback(answered).with_state(books.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, books }
    }

    pub fn token(&self) -> String {
        self.books.token.lock().clone()
    }

    /// Replaces the bot's token. Calls with the previous token are refused.
    pub fn set_token(&self, rest: &str) -> String {
        let token = format!("{BOT}:{rest}");
        *self.books.token.lock() = token.clone();
        token
    }

    /// Creates an update about a new private message of a customer.
    pub fn message(&self, chat: i64, content: Value) -> Value {
        let mut message = json!({
            "message_id": self.books.message_id.fetch_add(1, Ordering::Relaxed),
            "date": 1_800_000_000,
            "chat": {"id": chat, "type": "private", "first_name": "Ana"},
            "from": {"id": chat, "is_bot": false, "first_name": "Ana", "last_name": "Silva",
                "username": "ana", "language_code": "id"},
        });
        for (key, value) in content.as_object().expect("an object") {
            message[key] = value.clone();
        }
        self.numbered(json!({"message": message}))
    }

    /// Assigns the next `update_id` to an update.
    pub fn numbered(&self, mut update: Value) -> Value {
        update["update_id"] = self.books.update_id.fetch_add(1, Ordering::Relaxed).into();
        update
    }

    /// Queues an update, which `getUpdates` returns.
    pub fn tell(&self, update: &Value) {
        self.books.updates.lock().push(update.clone());
        self.books.queued.notify_waiters();
    }

    /// Queues a text message of a customer.
    pub fn writes(&self, chat: i64, text: &str) -> Value {
        let update = self.message(chat, json!({"text": text}));
        self.tell(&update);
        update
    }

    pub fn add_file(&self, id: &str, bytes: &[u8]) {
        self.books.files.lock().insert(id.to_owned(), Bytes::copy_from_slice(bytes));
    }

    /// Scripts the response to the next call of this method.
    pub fn script(&self, method: &str, scripted: Scripted) {
        self.books.scripted.lock().push_back((method.to_owned(), scripted));
    }

    pub fn refuse(&self, method: &str, code: u16, description: &str) {
        let body = json!({"ok": false, "error_code": code, "description": description});
        self.script(method, Scripted::Answer(code, body));
    }

    /// Returns the calls of these methods so far.
    pub fn calls(&self, methods: &[&str]) -> Vec<BotCall> {
        let calls = self.books.calls.lock();
        calls.iter().filter(|it| methods.contains(&it.method.as_str())).cloned().collect()
    }

    /// Returns all calls that sent something to a customer.
    pub fn sent(&self) -> Vec<BotCall> {
        let calls = self.books.calls.lock();
        calls.iter().filter(|it| it.method.starts_with("send")).cloned().collect()
    }

    /// Returns the texts sent to a customer.
    pub fn texts_to(&self, chat: i64) -> Vec<String> {
        let to = self.sent().into_iter().filter(|it| it.body["chat_id"] == chat);
        to.map(|it| it.body["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until at least `count` messages were sent to customers.
    pub async fn sends(&self, count: usize) -> Vec<BotCall> {
        until("messages are sent", async || Some(self.sent()).filter(|it| it.len() >= count)).await
    }

    /// Waits until this method was called at least `count` times.
    pub async fn called(&self, method: &str, count: usize) -> Vec<BotCall> {
        let called = || Some(self.calls(&[method])).filter(|it| it.len() >= count);
        until(method, async || called()).await
    }

    /// Waits until a webhook is set; returns its URL and secret.
    pub async fn webhook(&self) -> (String, String) {
        until("the webhook is set", async || self.books.webhook.lock().clone()).await
    }

    /// Sets the bot's webhook to another system's URL.
    pub fn take_webhook(&self, url: &str) {
        *self.books.webhook.lock() = Some((url.to_owned(), "theirs".to_owned()));
    }

    /// Returns how many polls were refused because another one was running.
    pub fn conflicts(&self) -> usize {
        self.books.conflicts.load(Ordering::Relaxed)
    }

    /// Returns the number of `getUpdates` calls.
    pub fn polls(&self) -> usize {
        self.books.polls.load(Ordering::Relaxed)
    }
}

async fn answered(State(books): State<Arc<Books>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if let Some(rest) = path.strip_prefix("/file/bot") {
        return books.file(rest);
    }
    let Some((token, method)) = path.strip_prefix("/bot").and_then(|it| it.split_once('/')) else {
        return refusal(404, "Not Found");
    };
    if token != *books.token.lock() {
        return refusal(401, "Unauthorized");
    }
    let content_type = request.headers().get("content-type");
    let content_type = content_type.map_or("", |it| it.to_str().expect("text")).to_owned();
    let length = request.headers().get("content-length").is_some();
    let raw = to_bytes(request.into_body(), BODY_BYTES_MAX).await.expect("a body");
    let (body, file) = match content_type.split_once("boundary=") {
        Some((_, boundary)) => {
            assert!(length, "a form has a content length");
            form(&raw, boundary)
        }
        None if raw.is_empty() => (json!({}), Bytes::new()),
        None => (serde_json::from_slice(&raw).expect("JSON"), Bytes::new()),
    };
    books.call(method, body, file).await
}

impl Books {
    fn file(&self, rest: &str) -> Response {
        let Some((token, path)) = rest.split_once('/') else { return refusal(404, "Not Found") };
        if token != *self.token.lock() {
            return refusal(401, "Unauthorized");
        }
        let id = path.strip_prefix("files/").unwrap_or_default();
        match self.files.lock().get(id) {
            Some(bytes) => bytes.clone().into_response(),
            None => refusal(404, "Not Found"),
        }
    }

    async fn call(&self, method: &str, body: Value, file: Bytes) -> Response {
        if let Some(unknown) = unknown_field(method, &body) {
            return refusal(400, &format!("Bad Request: unknown field {unknown}"));
        }
        let scripted = {
            let mut scripted = self.scripted.lock();
            let place = scripted.iter().position(|(its, _)| its == method);
            place.and_then(|place| scripted.remove(place)).map(|(_, it)| it)
        };
        if let Some(Scripted::Answer(status, answer)) = scripted {
            return answer_of(status, &answer);
        }
        if method == "getUpdates" {
            return self.updates(&body).await;
        }
        self.calls.lock().push(BotCall { method: method.to_owned(), body: body.clone(), file });
        if scripted.is_some() {
            // The body breaks off before its end, so that no client can read the response.
            let broken = futures_util::stream::once(async { Err::<Bytes, _>(broken()) });
            return Body::from_stream(broken).into_response();
        }
        let result = match method {
            "getMe" => {
                json!({"id": BOT, "is_bot": true, "first_name": "Shop", "username": "shop_bot"})
            }
            "getWebhookInfo" => {
                let webhook = self.webhook.lock().clone();
                let url = webhook.map_or(String::new(), |(url, _)| url);
                json!({"url": url, "pending_update_count": 0})
            }
            "setWebhook" => {
                let text = |key: &str| body[key].as_str().expect("a text").to_owned();
                assert_eq!(body["drop_pending_updates"], false);
                *self.webhook.lock() = Some((text("url"), text("secret_token")));
                json!(true)
            }
            "deleteWebhook" => {
                assert_eq!(body["drop_pending_updates"], false);
                *self.webhook.lock() = None;
                json!(true)
            }
            "getFile" => {
                let id = body["file_id"].as_str().expect("an id");
                if !self.files.lock().contains_key(id) {
                    return refusal(400, "Bad Request: file not found");
                }
                json!({"file_id": id, "file_path": format!("files/{id}")})
            }
            "answerCallbackQuery" | "deleteMessage" | "sendChatAction" => json!(true),
            "editMessageText" => json!({
                "message_id": body["message_id"], "chat": {"id": body["chat_id"]},
            }),
            method if method.starts_with("send") => {
                let id = self.message_id.fetch_add(1, Ordering::Relaxed);
                let chat: i64 = match &body["chat_id"] {
                    Value::String(text) => text.parse().expect("a number"),
                    number => number.as_i64().expect("a number"),
                };
                json!({"message_id": id, "chat": {"id": chat}, "text": body["text"]})
            }
            _ => return refusal(404, "Not Found"),
        };
        answer_of(200, &json!({"ok": true, "result": result}))
    }

    async fn updates(&self, body: &Value) -> Response {
        self.polls.fetch_add(1, Ordering::Relaxed);
        if self.webhook.lock().is_some() {
            let description = "Conflict: can't use getUpdates method while webhook is active; use \
                       deleteWebhook to delete the webhook first";
            return refusal(409, description);
        }
        let _one = Poller::of(self);
        if self.pollers.load(Ordering::SeqCst) > 1 {
            self.conflicts.fetch_add(1, Ordering::Relaxed);
            return refusal(409, "Conflict: terminated by other getUpdates request");
        }
        let offset = body["offset"].as_i64().unwrap_or(0);
        let held = Duration::from_secs(body["timeout"].as_u64().unwrap_or(0));
        let deadline = tokio::time::Instant::now() + held;
        loop {
            let queued = self.queued.notified();
            {
                let mut updates = self.updates.lock();
                updates.retain(|it| it["update_id"].as_i64() >= Some(offset));
                if !updates.is_empty() {
                    let some: Vec<_> = updates.iter().take(100).cloned().collect();
                    return answer_of(200, &json!({"ok": true, "result": some}));
                }
            }
            if tokio::time::timeout_at(deadline, queued).await.is_err() {
                return answer_of(200, &json!({"ok": true, "result": []}));
            }
        }
    }
}

/// A running `getUpdates` call, counted until it is dropped.
struct Poller<'a>(&'a AtomicUsize);

impl<'a> Poller<'a> {
    fn of(books: &'a Books) -> Self {
        books.pollers.fetch_add(1, Ordering::SeqCst);
        Self(&books.pollers)
    }
}

impl Drop for Poller<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn broken() -> std::io::Error {
    std::io::Error::other("the connection ends")
}

fn answer_of(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

fn refusal(code: u16, description: &str) -> Response {
    answer_of(code, &json!({"ok": false, "error_code": code, "description": description}))
}

/// Returns a field that the method does not accept.
fn unknown_field(method: &str, body: &Value) -> Option<String> {
    let common = ["chat_id", "reply_parameters", "reply_markup"];
    let own: &[&str] = match method {
        "getMe" | "getWebhookInfo" => &[],
        "getUpdates" => &["offset", "limit", "timeout", "allowed_updates"],
        "setWebhook" => {
            &["url", "secret_token", "allowed_updates", "max_connections", "drop_pending_updates"]
        }
        "deleteWebhook" => &["drop_pending_updates"],
        "getFile" => &["file_id"],
        "answerCallbackQuery" => &["callback_query_id"],
        "deleteMessage" => &["chat_id", "message_id"],
        "editMessageText" => &["chat_id", "message_id", "text", "reply_markup"],
        "sendMessage" => &["text"],
        "sendPhoto" => &["photo", "caption"],
        "sendDocument" => &["document", "caption"],
        "sendVideo" => &["video", "caption"],
        "sendAudio" => &["audio", "caption"],
        "sendVoice" => &["voice", "caption"],
        "sendAnimation" => &["animation", "caption"],
        "sendLocation" => &["latitude", "longitude"],
        "sendVenue" => &["latitude", "longitude", "title", "address"],
        "sendContact" => &["phone_number", "first_name"],
        _ => &[],
    };
    let is_known =
        |key: &str| own.contains(&key) || method.starts_with("send") && common.contains(&key);
    body.as_object()?.keys().find(|key| !is_known(key)).cloned()
}

/// Parses a multipart form into its fields and the contents of its file.
pub fn form(raw: &[u8], boundary: &str) -> (Value, Bytes) {
    let (mut fields, mut file) = (json!({}), Bytes::new());
    let mark = format!("--{boundary}");
    let mut rest = raw;
    while let Some(at) = find(rest, mark.as_bytes()) {
        rest = &rest[at + mark.len()..];
        let Some(end) = find(rest, mark.as_bytes()) else { break };
        let part = &rest[2..end - 2];
        let split = find(part, b"\r\n\r\n").expect("a head");
        let head = std::str::from_utf8(&part[..split]).expect("text");
        let content = &part[split + 4..];
        let quoted = |key: &str| {
            let value = head.split(&format!("{key}=\"")).nth(1)?.split('"').next()?;
            Some(value.to_owned())
        };
        let name = quoted(" name").or_else(|| quoted("name")).expect("a name");
        match quoted("filename") {
            Some(of_file) => {
                fields[name] = json!(of_file);
                file = Bytes::copy_from_slice(content);
            }
            None => {
                let text = String::from_utf8(content.to_vec()).expect("text");
                fields[name] = serde_json::from_str(&text).unwrap_or(Value::String(text));
            }
        }
    }
    (fields, file)
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|it| it == wanted)
}
