//! A server with a custom channel, real receivers of its webhooks, and people who work there.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use confab_domain::agents::agent::DashboardUser;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode};
use confab_domain::decision::change::{Change, NewUser, OmniChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{DashboardUserId, RoomId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::people::user::{Realm, User, UserId};
use confab_domain::service::customer_room::WorkingUser;
use confab_domain::service::serving::{Desk, Words};
use confab_domain::service::{allocating, resolving};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::notice::{Channel, DashboardProfile};
use confab_wire::webhooks::RoomOptions;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use crate::answer::{Answer, text};
use crate::caller::{Caller, sent, urlencoded};
use crate::test_server::TestServer;
use crate::webhooks::hooks::Hooks;

/// What a receiver got.
pub struct Letter {
    pub path: String,
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

impl Letter {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    /// The app's key signed it.
    #[track_caller]
    pub fn check_signature(&self) {
        let signature = self.headers["service-signature-key"].to_str().expect("text");
        let key = "secret-key-of-shop";
        assert_eq!(confab_verify::verify(key, &self.bytes, signature), Ok(()));
    }
}

/// A real HTTP receiver.
pub struct Receiver {
    pub base: String,
    letters: mpsc::UnboundedReceiver<Letter>,
}

impl Receiver {
    pub async fn start() -> Self {
        let (got, letters) = mpsc::unbounded_channel();
        let handler = move |uri: Uri, headers: HeaderMap, bytes: Bytes| async move {
            let _ = got.send(Letter { path: uri.path().to_owned(), headers, bytes });
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(handler);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, letters }
    }

    pub async fn next(&mut self) -> Letter {
        let next = tokio::time::timeout(Duration::from_secs(60), self.letters.recv());
        next.await.expect("within a minute").expect("a letter")
    }

    /// So many, by path.
    pub async fn take(&mut self, count: usize) -> Vec<Letter> {
        let mut letters = Vec::new();
        for _ in 0..count {
            letters.push(self.next().await);
        }
        letters.sort_by(|a, b| a.path.cmp(&b.path));
        letters
    }

    /// Nothing came that was not taken.
    pub fn is_empty(&mut self) -> bool {
        self.letters.try_recv().is_err()
    }
}

/// The app shop with a custom channel, whose gateway is `gateway`.
pub struct Shop {
    pub server: TestServer,
    pub hooks: Receiver,
    pub gateway: Receiver,
    pub channel: i64,
    pub key: String,
}

impl Shop {
    /// All three webhooks of a customer's message are registered.
    pub async fn open() -> Self {
        let shop = Self::without_webhooks().await;
        for kind in ["new_session", "agent_allocation", "bot"] {
            shop.register(kind).await;
        }
        shop
    }

    pub async fn without_webhooks() -> Self {
        let server = TestServer::start().await;
        let (hooks, gateway) = (Receiver::start().await, Receiver::start().await);
        let body = json!({"name": "SMS", "webhook_url": format!("{}/answers", gateway.base)});
        let made = omni(&server, Method::POST, "/api/v2/custom_channels", body).await;
        let channel = made.data()["custom_channel"].take();
        let id = channel["id"].as_i64().expect("an id");
        let key = text(&channel["identifier_key"]).to_owned();
        Self { server, hooks, gateway, channel: id, key }
    }

    pub async fn register(&self, kind: &str) {
        let body = json!({"url": format!("{}/{kind}", self.hooks.base)});
        Hooks::of(&self.server).put(&format!("/endpoints/{kind}"), body).await.data();
    }

    /// A customer writes through the channel.
    pub async fn write(&self, user: &str, message: &str) -> Answer {
        let body = json!({"user_id": user, "name": user.to_uppercase(), "message": message});
        self.send(body).await
    }

    /// The gateway brings something.
    pub async fn send(&self, mut body: Value) -> Answer {
        if body.get("identifier_key").is_none() {
            body["identifier_key"] = json!(self.key);
        }
        let path = "/shop/api/v2/custom_channel/send";
        sent(with_json(self.server.bare(Method::POST, path), &body)).await
    }

    /// Whether anybody has this name, in whichever realm.
    pub async fn knows(&self, user: &str) -> bool {
        let (app, user) = (self.app().await.id, UserId::from_stored(user.to_owned()));
        !self.server.store.users_named(app, &user).await.expect("read").is_empty()
    }

    /// What a customer would connect with, whom no call by name leads to.
    pub async fn customer_token(&self, user: &str) -> String {
        let (app, user) = (self.app().await.id, UserId::from_stored(user.to_owned()));
        let named = self.server.store.users_named(app, &user).await.expect("read");
        let customer = named.iter().find(|it| it.realm != Realm::App).expect("a customer");
        self.server.store.token_of(customer.key).await.expect("read").expect("a token")
    }

    /// A customer writes; the room they are in.
    pub async fn room_of(&self, user: &str) -> String {
        let data = self.write(user, "hello").await.data();
        text(&data["room_log"]["room_id"]).to_owned()
    }

    /// The bot says something.
    pub async fn bot_says(&self, room: &str, message: &str) -> Answer {
        let body = json!({
            "sender_email": "shop_admin@bot.example", "room_id": room, "message": message,
        });
        omni(&self.server, Method::POST, "/shop/bot", body).await
    }

    /// Somebody with a token replies.
    pub async fn reply(&self, token: &str, room: &str, message: &str) -> Answer {
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        let request = self.server.bare(Method::POST, &path).header("Authorization", token);
        sent(with_json(request, &json!({"message": message}))).await
    }

    /// The kinds of all deliveries, in the order they were made.
    pub async fn kinds(&self) -> Vec<String> {
        let list = Hooks::of(&self.server).get("/deliveries", &[("limit", "100")]).await.data();
        let mut listed: Vec<_> = list["deliveries"].as_array().expect("a list").clone();
        listed.sort_by_key(|it| it["id"].as_i64());
        listed.iter().map(|it| text(&it["kind"]).to_owned()).collect()
    }

    pub async fn app(&self) -> App {
        let code = AppCode::parse("shop").expect("a code");
        self.server.store.app(&code).await.expect("read").expect("it is there")
    }

    async fn change(&self, changes: Vec<Change>) {
        let rule =
            move |_: &Facts, _: &Stamp<'_>| Ok(Decision { changes: changes.clone(), outcome: () });
        let app = self.app().await.id;
        self.server.store.decide(app, Question::default(), rule).await.expect("written");
    }

    pub async fn set(&self, name: &str, value: &str) {
        let (name, value) = (name.to_owned(), Some(value.to_owned()));
        self.change(vec![OmniChange::SetSetting { name, value }.into()]).await;
    }

    /// A nonce that is good until then.
    pub async fn add_nonce(&self, nonce: &str, until: Timestamp) {
        self.change(vec![OmniChange::AddNonce { nonce: nonce.to_owned(), until }.into()]).await;
    }

    /// Somebody works in the app from now on; their profile and token.
    pub async fn employ(&self, id: i64, role: Role) -> (DashboardProfile, String) {
        let app = self.app().await;
        let user_id = UserId::from_stored(format!("shop_{id}@dashboard"));
        let (now, name) = (app.created_at, format!("{} {id}", role.as_str()));
        let speaker = User {
            key: UserKey(id),
            app: app.id,
            realm: Realm::App,
            user_id: user_id.clone(),
            username: name.clone(),
            avatar_url: String::new(),
            extras: None,
            is_active: true,
            created_at: now,
            updated_at: now,
        };
        let user = DashboardUser {
            id: DashboardUserId(id),
            app: app.id,
            email: format!("worker-{id}@shop.example"),
            name,
            role,
            created_at: now,
        };
        let profile = DashboardProfile {
            user,
            avatar_url: None,
            is_forced_offline: false,
            is_available: true,
            is_verified: true,
            last_login_at: None,
            sdk_user: user_id,
            sdk_key: format!("sdk-key-{id}"),
            updated_at: now,
        };
        let worker = WorkingUser {
            profile: profile.clone(),
            speaker: UserKey(id),
            serves_max: None,
            channels: vec![],
            away_since: None,
            deleted_at: None,
        };
        let token = format!("token-{id}");
        let hash = Sha256::digest(token.as_bytes());
        let hash = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let new = NewUser { user: speaker, token: format!("sdk-key-{id}"), password_hash: None };
        let (user, until) = (DashboardUserId(id), now.days_later(30));
        self.change(vec![
            Change::InsertUser(new),
            OmniChange::PutDashboardUser(worker).into(),
            OmniChange::AddSignIn { hash, user, until }.into(),
        ])
        .await;
        (profile, token)
    }

    /// The agent serves the room.
    pub async fn assign(&self, room: &str, agent: DashboardUserId) {
        let (room, app, words) = (room_id(room), self.app().await, words());
        let desk = Desk { app: &app, words: &words, depth_before: 0 };
        let question = allocating::question(&desk, room, &[agent]);
        let (id, its_app) = (app.id, app.clone());
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let words = self::words();
            let desk = Desk { app: &its_app, words: &words, depth_before: 0 };
            allocating::assign(&desk, facts, room, agent, allocating::Wish::default(), stamp)
        };
        self.server.store.decide(id, question, rule).await.expect("assigned");
    }

    /// Somebody resolves the room's session.
    pub async fn resolve(&self, room: &str, by: &DashboardProfile) {
        let (room, app, words) = (room_id(room), self.app().await, words());
        let desk = Desk { app: &app, words: &words, depth_before: 0 };
        let question = resolving::question(&desk, room, &by.user, &Default::default());
        let (id, its_app, by) = (app.id, app.clone(), by.clone());
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let words = self::words();
            let desk = Desk { app: &its_app, words: &words, depth_before: 0 };
            resolving::resolve(&desk, facts, room, &by, &Default::default(), stamp)
        };
        self.server.store.decide(id, question, rule).await.expect("resolved");
    }
}

fn room_id(text: &str) -> RoomId {
    RoomId(text.parse().expect("a number"))
}

fn words() -> Words {
    Words {
        complete: confab_wire::complete_payload,
        body: confab_wire::webhooks::body,
        options,
        widget_source: "service".to_owned(),
    }
}

fn options(channel: &Channel, is_resolved: bool, is_waiting: bool) -> JsonText {
    RoomOptions { channel, phone: "", is_resolved, is_waiting }.to_json()
}

/// A call of the omnichannel API with the app's key.
pub async fn omni(caller: &Caller, method: Method, path: &str, body: Value) -> Answer {
    let request = caller
        .bare(method, path)
        .header("SERVICE-App-Id", &caller.code)
        .header("SERVICE-Secret-Key", format!("secret-key-of-{}", caller.code));
    sent(with_json(request, &body)).await
}

pub fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header("Content-Type", "application/json").body(body.to_string())
}

pub fn with_form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let kind = "application/x-www-form-urlencoded";
    request.header("Content-Type", kind).body(urlencoded(fields))
}

/// The same keys with the same types; nothing fits everything.
#[track_caller]
pub fn check_shape(found: &Value, golden: &Value, place: &str) {
    match (found, golden) {
        (Value::Object(found), Value::Object(golden)) => {
            let keys = |it: &serde_json::Map<String, Value>| -> Vec<String> {
                it.keys().cloned().collect()
            };
            assert_eq!(keys(found), keys(golden), "{place}");
            for (key, value) in found {
                check_shape(value, &golden[key], &format!("{place}.{key}"));
            }
        }
        (Value::Array(found), Value::Array(golden)) => {
            for (found, golden) in found.iter().zip(golden) {
                check_shape(found, golden, &format!("{place}[]"));
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (found, golden) => {
            let kind = std::mem::discriminant::<Value>;
            assert_eq!(kind(found), kind(golden), "{place}: {found} and {golden}");
        }
    }
}
