//! A user's client: the user's token, and requests as the published SDKs send them.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::{Answer, each, text};
use super::caller::{Caller, sent, urlencoded, with_query};
use super::test_server::TestServer;

pub struct Client {
    pub caller: Caller,
    pub user: String,
    pub token: String,
}

/// Logs in or registers a user, as clients do that have only the app's id.
pub async fn log_in(caller: &Caller, user: &str, password: &str) -> Answer {
    let (first, rest) = user.split_at(1);
    let name = first.to_uppercase() + rest;
    let fields = [("email", user), ("password", password), ("username", &name), ("extras", "")];
    let request = caller
        .bare(Method::POST, "/api/v2/sdk/login_or_register")
        .header("service_sdk_app_id", &caller.code)
        .header("Content-Type", "application/x-www-form-urlencoded");
    sent(request.body(urlencoded(&fields))).await
}

impl Client {
    /// Registers a user and returns the user's client.
    pub async fn new(caller: &Caller, user: &str) -> Self {
        let account = log_in(caller, user, "secret").await.results()["user"].take();
        let token = text(&account["token"]).to_owned();
        Self { caller: caller.clone(), user: user.to_owned(), token }
    }

    /// Returns a client of an existing user.
    pub async fn of(caller: &Caller, user: &str) -> Self {
        let token = caller.token(user).await;
        Self { caller: caller.clone(), user: user.to_owned(), token }
    }

    /// Builds a request as the web SDK does.
    pub fn request(&self, method: Method, call: &str) -> RequestBuilder {
        self.caller
            .bare(method, &format!("/api/v2/sdk/{call}"))
            .header("SERVICE-SDK-APP-ID", &self.caller.code)
            .header("SERVICE-SDK-USER-ID", &self.user)
            .header("SERVICE-SDK-TOKEN", &self.token)
            .header("SERVICE-SDK-VERSION", "javascript-3.4.2")
    }

    pub async fn get(&self, call: &str, query: &[(&str, &str)]) -> Answer {
        sent(self.request(Method::GET, &with_query(call, query))).await
    }

    pub async fn post(&self, call: &str, body: Value) -> Answer {
        self.send(Method::POST, call, body).await
    }

    pub async fn delete(&self, call: &str, body: Value) -> Answer {
        self.send(Method::DELETE, call, body).await
    }

    pub async fn send(&self, method: Method, call: &str, body: Value) -> Answer {
        let request = self.request(method, call).header("Content-Type", "application/json");
        sent(request.body(body.to_string())).await
    }

    pub async fn post_form(&self, call: &str, fields: &[(&str, &str)]) -> Answer {
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let request = self.request(Method::POST, call).header(kind.0, kind.1);
        sent(request.body(urlencoded(fields))).await
    }

    /// Creates a group room with the user and `others`; returns its id.
    pub async fn create_room(&self, name: &str, others: &[&str]) -> String {
        let body = json!({"name": name, "participants": others});
        text(&self.post("create_room", body).await.results()["room"]["id_str"]).to_owned()
    }

    /// Posts a text message as qiscus-sdk-core does.
    pub async fn says(&self, room: &str, text: &str, unique_id: &str) -> Value {
        let body = json!({
            "comment": text, "topic_id": room, "unique_temp_id": unique_id, "type": "text",
            "payload": null, "extras": null,
        });
        self.post("post_comment", body).await.results()["comment"].take()
    }

    /// Returns comments of a room, newest first.
    pub async fn comments(&self, room: &str, query: &[(&str, &str)]) -> Value {
        let query: Vec<_> = [("topic_id", room)].into_iter().chain(query.iter().copied()).collect();
        self.get("load_comments", &query).await.results()["comments"].take()
    }

    /// Returns the newest texts of a room, up to 100, newest first.
    pub async fn texts(&self, room: &str) -> Vec<String> {
        let comments = self.comments(room, &[("limit", "100")]).await;
        each(&comments, "message").into_iter().map(str::to_owned).collect()
    }

    /// Marks messages up to this one as read.
    pub async fn reads(&self, room: &str, comment: &Value) -> Value {
        let id = comment["id"].to_string();
        let fields = [("room_id", room), ("last_comment_read_id", &id)];
        self.post_form("update_comment_status", &fields).await.results()
    }

    /// Marks messages up to this one as received.
    pub async fn receives(&self, room: &str, comment: &Value) -> Value {
        let id = comment["id"].to_string();
        let fields = [("room_id", room), ("last_comment_received_id", &id)];
        self.post_form("update_comment_status", &fields).await.results()
    }

    /// Returns the message events after an event id.
    pub async fn events_after(&self, after: &str) -> Vec<Value> {
        let answer = self.get("sync_event", &[("start_event_id", after)]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let mut json = answer.json();
        assert_eq!(json["is_start_event_id_found"], true);
        match json["events"].take() {
            Value::Array(events) => events,
            other => panic!("no events: {other}"),
        }
    }
}

/// Starts a server with ana and bob in a group room; returns both clients and the room's id.
pub async fn two_people() -> (TestServer, Client, Client, String) {
    let server = TestServer::start().await;
    server.register("ana").await;
    server.register("bob").await;
    let room = server.create_room("support", &["ana", "bob"]).await;
    let (ana, bob) = (Client::of(&server, "ana").await, Client::of(&server, "bob").await);
    (server, ana, bob, room["room_id"].as_str().expect("an id").to_owned())
}

/// Creates an identity token as an app's server does.
pub fn identity_token(secret: &str, nonce: &str, user: &str, name: &str) -> String {
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
    let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
    let claims = json!({"iss": "shop", "iat": now, "nbf": now - 5, "exp": now + 60, "nce": nonce,
        "prn": user, "name": name});
    let key = EncodingKey::from_secret(secret.as_bytes());
    encode(&Header::new(Algorithm::HS256), &claims, &key).expect("signed")
}
