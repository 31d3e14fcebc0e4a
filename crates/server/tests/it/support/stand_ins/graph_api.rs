//! A local Meta API, as far as WhatsApp, Messenger and Instagram use it (channel facts 3 and 4.2).
//! It is strict about fields and tokens: no URL may contain a token, except where Instagram
//! requires one. Tests can make it refuse a message, delay the response, or accept a message
//! without answering. Tests sign webhooks with [`signature`] and post them; [`send_api`] is the
//! part for Messenger and Instagram.

mod send_api;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};

use crate::support::waiting::until;

/// Id of the connected WhatsApp number.
pub const NUMBER: &str = "106540352242922";
/// Id of another number of the same Meta app.
pub const OTHER_NUMBER: &str = "206540352242923";
pub const BUSINESS: &str = "102290129340398";
/// Id of the Facebook page. [`IG_ACCOUNT`] is the id of the Instagram account in webhooks.
pub const PAGE: &str = "104839281920384";
pub const IG_ACCOUNT: &str = "17841400000000001";
/// Secret with which Meta signs webhooks.
pub const APP_SECRET: &str = "app-secret-of-the-meta-app-9999";
const BODY_BYTES_MAX: usize = 110 * 1024 * 1024;

#[derive(Clone)]
pub struct GraphApi {
    pub base: String,
    books: Arc<Books>,
}

struct Books {
    base: String,
    token: Mutex<String>,
    next: AtomicI64,
    calls: Mutex<Vec<GraphCall>>,
    scripted: Mutex<VecDeque<GraphScript>>,
    files: Mutex<HashMap<String, Bytes>>,
    hook: Mutex<Option<(String, String)>>,
    /// Fields to which the app is subscribed, by page id or `me`.
    subscribed: Mutex<HashMap<String, String>>,
    /// Profiles of customers, by id.
    names: Mutex<HashMap<String, Value>>,
    /// Result of the next token renewal: the new token, or an error code.
    renewal: Mutex<Option<Result<String, i64>>>,
    /// Id of the Facebook page or person that the token belongs to.
    me: Mutex<String>,
    templates: Mutex<Vec<Value>>,
    /// Number of template pages requested. `unlisted` is the error for further requests.
    listings: Mutex<usize>,
    unlisted: Mutex<Option<(u16, i64)>>,
    /// Number of requests that wait for a [`HUNG`] file until `released` is set.
    hung: watch::Sender<usize>,
    released: watch::Sender<bool>,
}

/// Prefix of file ids whose requests hang until they are released.
pub const HUNG: &str = "hung-";

/// Replaces the response to the next message. Only the last two variants accept the message.
#[derive(Clone)]
pub enum GraphScript {
    Refused(u16, i64),
    /// Refused with this status, code and subcode.
    RefusedAs(u16, i64, i64),
    /// An HTML page of an intermediary.
    Page(u16, &'static str),
    /// Accepts the message, then breaks off the connection without a response.
    TakenInSilence,
    /// Accepts the message, and answers once the notification fires.
    Held(Arc<Notify>),
}

/// An accepted call.
#[derive(Debug, Clone)]
pub struct GraphCall {
    pub body: Value,
    /// Id of the message or uploaded file; empty for other calls.
    pub id: String,
}

impl GraphCall {
    /// Returns Confab's own tag of the message.
    pub fn tag(&self) -> String {
        self.body["biz_opaque_callback_data"].as_str().expect("a tag").to_owned()
    }
}

impl GraphApi {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let books = Arc::new(Books {
            base: base.clone(),
            token: Mutex::new("EAAG-first-token-of-the-number-1111".to_owned()),
            next: AtomicI64::new(1),
            calls: Mutex::default(),
            scripted: Mutex::default(),
            files: Mutex::default(),
            hook: Mutex::default(),
            subscribed: Mutex::default(),
            names: Mutex::default(),
            renewal: Mutex::default(),
            me: Mutex::new(PAGE.to_owned()),
            templates: Mutex::default(),
            listings: Mutex::default(),
            unlisted: Mutex::default(),
            hung: watch::channel(0).0,
            released: watch::channel(false).0,
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

    pub fn add_file(&self, id: &str, bytes: &[u8]) {
        self.books.files.lock().insert(id.to_owned(), Bytes::copy_from_slice(bytes));
    }

    /// Waits until at least `count` requests for [`HUNG`] files are waiting.
    pub async fn hang(&self, count: usize) {
        let mut hung = self.books.hung.subscribe();
        hung.wait_for(|it| *it >= count).await.expect("the stand-in is running");
    }

    /// Returns the number of requests waiting for [`HUNG`] files.
    pub fn hung(&self) -> usize {
        *self.books.hung.borrow()
    }

    /// Answers all waiting and later requests for [`HUNG`] files with an error.
    pub fn release(&self) {
        self.books.released.send_replace(true);
    }

    pub fn script(&self, scripted: GraphScript) {
        self.books.scripted.lock().push_back(scripted);
    }

    /// Replaces the templates of the business account.
    pub fn set_templates(&self, templates: Vec<Value>) {
        *self.books.templates.lock() = templates;
    }

    /// Sets the error for template requests, as status and code, or clears it.
    pub fn refuse_templates(&self, refusal: Option<(u16, i64)>) {
        *self.books.unlisted.lock() = refusal;
    }

    /// Returns the number of template pages requested.
    pub fn listings(&self) -> usize {
        *self.books.listings.lock()
    }

    /// Waits until a webhook is set; returns its URL and verify token.
    pub async fn hook(&self) -> (String, String) {
        until("the hook is set", async || self.books.hook.lock().clone()).await
    }

    /// Returns the accepted WhatsApp messages.
    pub fn sent(&self) -> Vec<GraphCall> {
        let calls = self.books.calls.lock();
        let is_message = |it: &&GraphCall| it.body["type"].is_string();
        calls.iter().filter(is_message).cloned().collect()
    }

    pub async fn sends(&self, count: usize) -> Vec<GraphCall> {
        until("messages are sent", async || Some(self.sent()).filter(|it| it.len() >= count)).await
    }

    /// Returns the texts sent to a customer.
    pub fn texts_to(&self, to: &str) -> Vec<String> {
        let to = self.sent().into_iter().filter(|it| it.body["to"] == to);
        to.map(|it| it.body["text"]["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the ids of the messages that were marked as read.
    pub fn read(&self) -> Vec<String> {
        let calls = self.books.calls.lock();
        let read = calls.iter().filter(|it| it.body["status"] == "read");
        read.map(|it| it.body["message_id"].as_str().expect("an id").to_owned()).collect()
    }
}

/// Returns the signature of a webhook body in Meta's format.
pub fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(body.as_bytes());
    let hex: String =
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

async fn answered(State(books): State<Arc<Books>>, request: Request) -> Response {
    let uri = request.uri().to_string();
    let token = books.token.lock().clone();
    if let Some(query) = uri.strip_prefix("/refresh_access_token?") {
        return books.renewed(query);
    }
    assert!(!uri.contains("EAAG") && !uri.contains("token="), "a token in a URL: {uri}");
    // Files of Messenger and Instagram have public URLs.
    if let Some(id) = uri.strip_prefix("/cdn/") {
        assert!(request.headers().get("authorization").is_none(), "a token for a public file");
        return match books.files.lock().get(id) {
            Some(bytes) => bytes.clone().into_response(),
            None => refusal(404, 100),
        };
    }
    let proof = request.headers().get("authorization").map(|it| it.to_str().expect("text"));
    if proof != Some(&format!("Bearer {token}")) {
        // Meta repeats the rejected token in its error message.
        let error = json!({"message": format!("Malformed access token {}", proof.unwrap_or("")),
            "type": "OAuthException", "code": 190, "fbtrace_id": "x"});
        return answer_of(401, &json!({"error": error}));
    }
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let query = request.uri().query().unwrap_or_default().to_owned();
    let content_type = request.headers().get("content-type");
    let content_type = content_type.map_or("", |it| it.to_str().expect("text")).to_owned();
    let raw = to_bytes(request.into_body(), BODY_BYTES_MAX).await.expect("a body");
    if let Some(id) = path.strip_prefix("/files/") {
        return match books.files.lock().get(id) {
            Some(bytes) => bytes.clone().into_response(),
            None => refusal(404, 100),
        };
    }
    let (body, file) = match content_type.split_once("boundary=") {
        Some((_, boundary)) => super::bot_api::form(&raw, boundary),
        None if raw.is_empty() => (json!({}), Bytes::new()),
        None => (serde_json::from_slice(&raw).expect("JSON"), Bytes::new()),
    };
    let Some(rest) = path.strip_prefix("/v25.0/") else { return refusal(400, 2500) };
    let parts: Vec<_> = rest.split('/').collect();
    match (method.as_str(), parts.as_slice()) {
        ("GET", [number @ (NUMBER | OTHER_NUMBER)]) => answer_of(
            200,
            &json!({"id": number, "display_phone_number": "+62 811-1111-111",
                "verified_name": "Shop", "quality_rating": "GREEN", "status": "CONNECTED"}),
        ),
        ("GET", [BUSINESS, "subscribed_apps"]) => answer_of(200, &json!({"data": [{}]})),
        ("POST", [BUSINESS, "subscribed_apps"]) => {
            let text = |key: &str| body[key].as_str().expect("a text").to_owned();
            let hook = (text("override_callback_uri"), text("verify_token"));
            *books.hook.lock() = Some(hook);
            answer_of(200, &json!({"success": true}))
        }
        ("GET", [BUSINESS, "message_templates"]) => books.listed(&query),
        ("POST", [NUMBER, "messages"]) => books.message(body).await,
        ("POST", [NUMBER, "media"]) => {
            assert_eq!(body["messaging_product"], "whatsapp");
            let id = format!("media-{}", books.number());
            assert!(!file.is_empty(), "an upload without a file");
            let call = GraphCall { body, id: id.clone() };
            books.calls.lock().push(call);
            answer_of(200, &json!({"id": id}))
        }
        ("GET", [PAGE | "me", ..]) | ("POST", [PAGE | "me", ..]) => {
            books.send_api(&method, &parts, &query, body, file).await
        }
        ("GET", [id]) if id.starts_with(HUNG) => books.wait_for_release().await,
        ("GET", [id]) if books.names.lock().contains_key(*id) => books.profile(id, &query),
        ("GET", [id]) if books.files.lock().contains_key(*id) => {
            let url = format!("{}/files/{id}", books.base);
            answer_of(200, &json!({"id": id, "url": url, "mime_type": "image/jpeg"}))
        }
        _ => refusal(400, 100),
    }
}

/// A waiting request, counted until it is dropped.
struct Waits<'a>(&'a watch::Sender<usize>);

impl<'a> Waits<'a> {
    fn begin(hung: &'a watch::Sender<usize>) -> Self {
        hung.send_modify(|it| *it += 1);
        Self(hung)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|it| *it -= 1);
    }
}

impl Books {
    fn number(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    async fn wait_for_release(&self) -> Response {
        let _waits = Waits::begin(&self.hung);
        let mut released = self.released.subscribe();
        released.wait_for(|it| *it).await.expect("the stand-in is running");
        refusal(400, 100)
    }

    /// Returns a page of two templates, regardless of the requested limit. The cursor is a number.
    fn listed(&self, query: &str) -> Response {
        *self.listings.lock() += 1;
        if let Some((status, code)) = *self.unlisted.lock() {
            return refusal(status, code);
        }
        let mut after = 0;
        for (key, value) in query.split('&').filter_map(|it| it.split_once('=')) {
            match key {
                "fields" => assert_eq!(value, "name,language,status,category,components"),
                "status" => assert_eq!(value, "APPROVED"),
                "limit" => assert_eq!(value, "100"),
                "after" => after = value.parse().expect("a cursor of the stand-in"),
                _ => panic!("an unknown parameter: {query}"),
            }
        }
        let templates = self.templates.lock();
        let page: Vec<_> = templates.iter().skip(after).take(2).collect();
        let mut paging = json!({"cursors": {"before": "x", "after": (after + 2).to_string()}});
        if templates.len() > after + 2 {
            paging["next"] = json!(format!("{}/next", self.base));
        }
        answer_of(200, &json!({"data": page, "paging": paging}))
    }

    /// Whether a template message has as many parameters as the listed template of its name.
    fn fits(&self, sent: &Value) -> bool {
        let templates = self.templates.lock();
        let is_it =
            |it: &&Value| it["name"] == sent["name"] && it["language"] == sent["language"]["code"];
        let Some(listed) = templates.iter().find(is_it) else { return templates.is_empty() };
        let part = |of: &Value, kind: &str| {
            let all = of["components"].as_array().cloned().unwrap_or_default();
            let is_kind =
                |it: &Value| it["type"].as_str().is_some_and(|it| it.eq_ignore_ascii_case(kind));
            all.into_iter().find(is_kind).unwrap_or_default()
        };
        let given = part(sent, "body")["parameters"].as_array().map_or(0, Vec::len);
        let text = part(listed, "body")["text"].as_str().unwrap_or_default().to_owned();
        (1..=given).all(|it| text.contains(&format!("{{{{{it}}}}}")))
            && !text.contains(&format!("{{{{{}}}}}", given + 1))
    }

    async fn message(&self, body: Value) -> Response {
        if let Some(unknown) = unknown_field(&body) {
            panic!("an unknown field: {unknown} in {body}");
        }
        if body["status"] == "read" {
            let id = String::new();
            self.calls.lock().push(GraphCall { body, id });
            return answer_of(200, &json!({"success": true}));
        }
        if body["type"] == "template" && !self.fits(&body["template"]) {
            return refusal(400, 132_000);
        }
        let id = format!("wamid.out.{}", self.number());
        let to = body["to"].clone();
        if let Some(scripted) = self.accept(body, &id).await {
            return scripted;
        }
        let contact = json!({"input": to, "wa_id": to, "user_id": "ID.1"});
        let contacts = if to.is_string() { json!([contact]) } else { json!([]) };
        answer_of(
            200,
            &json!({"messaging_product": "whatsapp", "contacts": contacts,
                "messages": [{"id": id}]}),
        )
    }
}

impl Books {
    /// Accepts a message unless its response is scripted. Returns the scripted response, if any.
    async fn accept(&self, body: Value, id: &str) -> Option<Response> {
        let scripted = self.scripted.lock().pop_front();
        match scripted {
            Some(GraphScript::Refused(status, code)) => return Some(refusal(status, code)),
            Some(GraphScript::RefusedAs(status, code, subcode)) => {
                let error = json!({"message": "refused by the stand-in", "code": code,
                    "error_subcode": subcode, "type": "OAuthException", "fbtrace_id": "x"});
                return Some(answer_of(status, &json!({"error": error})));
            }
            Some(GraphScript::Page(status, page)) => {
                let status = StatusCode::from_u16(status).expect("a status");
                let head = [("content-type", "text/html")];
                return Some((status, head, page).into_response());
            }
            _ => {}
        }
        self.calls.lock().push(GraphCall { body, id: id.to_owned() });
        match scripted {
            Some(GraphScript::TakenInSilence) => {
                let broken = futures_util::stream::once(async {
                    Err::<Bytes, _>(std::io::Error::other("the connection ends"))
                });
                Some(Body::from_stream(broken).into_response())
            }
            Some(GraphScript::Held(released)) => {
                released.notified().await;
                None
            }
            _ => None,
        }
    }
}

/// Returns a field that a message must not have. Panics if it is not for WhatsApp.
fn unknown_field(body: &Value) -> Option<String> {
    assert_eq!(body["messaging_product"], "whatsapp", "{body}");
    let kind = body["type"].as_str().unwrap_or("status").to_owned();
    let known = [
        "messaging_product",
        "recipient_type",
        "to",
        "recipient",
        "type",
        "context",
        "biz_opaque_callback_data",
        "status",
        "message_id",
        "typing_indicator",
        &kind,
    ];
    body.as_object()?.keys().find(|key| !known.contains(&key.as_str())).cloned()
}

fn refusal(status: u16, code: i64) -> Response {
    let error = json!({"message": "refused by the stand-in", "type": "OAuthException",
        "code": code, "fbtrace_id": "x"});
    answer_of(status, &json!({"error": error}))
}

fn answer_of(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}
