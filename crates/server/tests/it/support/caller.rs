//! A caller of the message API: the credentials of one app, and its usual requests.

use std::time::Duration;

use confab_domain::limits;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::{Answer, each, text};
use super::documented;

/// A client of a server with the credentials of one app.
#[derive(Clone)]
pub struct Caller {
    pub base: String,
    pub code: String,
    pub secret: String,
    http: reqwest::Client,
}

// Building and sending requests.
impl Caller {
    /// Creates a caller of the server at `base`, such as `http://127.0.0.1:8787`.
    pub fn new(base: &str, code: &str, secret: &str) -> Self {
        // A request on a pooled connection that the server is about to close gets no response.
        let idle = Duration::from_millis(limits::HEADER_TIMEOUT_MS / 2);
        let http = reqwest::Client::builder().no_proxy().pool_idle_timeout(idle);
        let http = http.build().expect("a client");
        Self { base: base.to_owned(), code: code.to_owned(), secret: secret.to_owned(), http }
    }

    /// Returns this caller with another SDK secret.
    pub fn with_secret(&self, secret: &str) -> Self {
        Self { secret: secret.to_owned(), ..self.clone() }
    }

    /// Builds a request without credentials. `call` is the last path segment of a message API call,
    /// or a path that begins with `/`.
    pub fn bare(&self, method: Method, call: &str) -> RequestBuilder {
        let base = &self.base;
        let url = match call.starts_with('/') {
            true => format!("{base}{call}"),
            false => format!("{base}/api/v2.1/rest/{call}"),
        };
        self.http.request(method, url)
    }

    /// Builds a request with the app's SDK secret.
    pub fn request(&self, method: Method, call: &str) -> RequestBuilder {
        self.bare(method, call)
            .header("SERVICE-SDK-APP-ID", &self.code)
            .header("SERVICE-SDK-SECRET", &self.secret)
    }

    /// Builds a request with the app's secret key.
    pub fn keyed(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path)
            .header("SERVICE-App-Id", &self.code)
            .header("SERVICE-Secret-Key", format!("secret-key-of-{}", self.code))
    }

    pub async fn get(&self, call: &str, query: &[(&str, &str)]) -> Answer {
        sent(self.request(Method::GET, &with_query(call, query))).await
    }

    pub async fn post(&self, call: &str, body: Value) -> Answer {
        self.post_text(call, body.to_string()).await
    }

    /// Posts a text as an `application/json` body.
    pub async fn post_text(&self, call: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.post_as(call, "application/json", body).await
    }

    /// Posts a body with this content type.
    pub async fn post_as(
        &self,
        call: &str,
        content_type: &str,
        body: impl Into<reqwest::Body>,
    ) -> Answer {
        let request = self.request(Method::POST, call).header("Content-Type", content_type);
        sent(request.body(body)).await
    }

    pub async fn post_form(&self, call: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_as(call, "application/x-www-form-urlencoded", urlencoded(fields)).await
    }

    pub async fn delete(&self, call: &str, body: Value) -> Answer {
        let request = self.request(Method::DELETE, call).header("Content-Type", "application/json");
        sent(request.body(body.to_string())).await
    }
}

// Requests without credentials.
impl Caller {
    /// Requests the readiness of the server.
    pub async fn ready(&self) -> Answer {
        sent(self.bare(Method::GET, "/ready")).await
    }

    /// Returns the server's metrics as text.
    pub async fn metrics(&self) -> String {
        sent(self.bare(Method::GET, "/metrics")).await.text
    }
}

/// Sends a request. Panics if the OpenAPI document does not list the status of the response.
pub async fn sent(request: RequestBuilder) -> Answer {
    let (client, request) = request.build_split();
    let request = request.expect("a request");
    let (method, path) = (request.method().clone(), request.url().path().to_owned());
    let answer = Answer::of(client.execute(request).await.expect("an answer")).await;
    documented::check(&method, &path, answer.status);
    answer
}

pub fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header("Content-Type", "application/json").body(body.to_string())
}

pub fn with_form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let kind = "application/x-www-form-urlencoded";
    request.header("Content-Type", kind).body(urlencoded(fields))
}

/// Adds a multipart form to a request, in the format of browsers and curl.
pub fn with_multipart(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let mut body = String::new();
    for (name, value) in fields {
        let head = format!("Content-Disposition: form-data; name=\"{name}\"");
        body.push_str(&format!("--limit\r\n{head}\r\n\r\n{value}\r\n"));
    }
    body.push_str("--limit--\r\n");
    request.header("Content-Type", "multipart/form-data; boundary=limit").body(body)
}

/// Appends a query to a call.
pub fn with_query(call: &str, query: &[(&str, &str)]) -> String {
    if query.is_empty() { call.to_owned() } else { format!("{call}?{}", urlencoded(query)) }
}

pub fn urlencoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

// Calls of the message API.
impl Caller {
    /// Registers a user, whose display name is the id with a capital letter.
    pub async fn register(&self, user: &str) -> Value {
        let (first, rest) = user.split_at(1);
        let username = first.to_uppercase() + rest;
        let body = json!({"user_id": user, "username": username});
        self.post("login_or_register", body).await.results()["user"].take()
    }

    pub async fn register_all(&self, users: &[&str]) {
        for user in users {
            self.register(user).await;
        }
    }

    /// Creates a group room with this unique id and a name derived from it.
    pub async fn create_room(&self, unique_id: &str, participants: &[&str]) -> Value {
        let name = format!("The {unique_id} room");
        let body = json!({"room_name": name, "unique_id": unique_id, "participants": participants});
        self.post("create_room", body).await.results()["room"].take()
    }

    /// Posts a text message.
    pub async fn post_comment(&self, user: &str, room: &str, message: &str) -> Value {
        let body = json!({"user_id": user, "room_id": room, "message": message});
        self.post("post_comment", body).await.results()["comment"].take()
    }

    /// Posts a message of this type, without a `message` field.
    pub async fn post_typed(&self, user: &str, room: &str, kind: &str, payload: Value) -> Answer {
        let body = json!({"user_id": user, "room_id": room, "type": kind, "payload": payload});
        self.post("post_comment", body).await
    }

    /// Posts a text message with a unique id.
    pub async fn post_as_unique(&self, user: &str, room: &str, says: &str, id: &str) -> Answer {
        let body = json!({
            "user_id": user, "room_id": room, "message": says, "unique_temp_id": id,
        });
        self.post("post_comment", body).await
    }

    /// Posts a custom system event without payload.
    pub async fn post_system_event(&self, room: &str, message: &str) -> Value {
        let body = json!({"system_event_type": "custom", "room_id": room, "message": message});
        self.post("post_system_event_message", body).await.results()["comment"].take()
    }

    /// Returns the newest comments of a room, up to 100, newest first.
    pub async fn load_comments(&self, room: &str) -> Vec<Value> {
        let query = [("room_id", room), ("limit", "100")];
        let mut results = self.get("load_comments", &query).await.results();
        match results["comments"].take() {
            Value::Array(comments) => comments,
            other => panic!("no comments: {other}"),
        }
    }

    /// Returns the texts of one page of a room's comments, newest first.
    pub async fn page(&self, room: &str, query: &[(&str, &str)]) -> Vec<String> {
        let query: Vec<_> = [("room_id", room)].into_iter().chain(query.iter().copied()).collect();
        let results = self.get("load_comments", &query).await.results();
        each(&results["comments"], "message").into_iter().map(str::to_owned).collect()
    }

    /// Returns the newest texts of a room, up to 100, newest first.
    pub async fn texts(&self, room: &str) -> Vec<String> {
        self.page(room, &[("limit", "100")]).await
    }

    pub async fn delete_messages(&self, unique_ids: &[&str]) -> Answer {
        self.delete("delete_messages", json!({"unique_ids": unique_ids})).await
    }

    /// Returns the ids of a room's participants.
    pub async fn participants(&self, room: &str) -> Vec<String> {
        let query = [("room_id", room), ("limit", "100")];
        let results = self.get("get_room_participants", &query).await.results();
        let users = each(&results["participants"], "user_id");
        users.into_iter().map(str::to_owned).collect()
    }

    /// Returns the number of unread messages of a user in one room.
    pub async fn unread(&self, user: &str, room: &str) -> u64 {
        let query = [("user_id", user), ("room_ids[]", room)];
        let results = self.get("get_unread_count", &query).await.results();
        results["unread_counts"][0]["unread_count"].as_u64().expect("a count")
    }

    /// Returns a user's access token.
    pub async fn token(&self, user: &str) -> String {
        text(&self.get("get_user_token", &[("user_id", user)]).await.results()["token"]).to_owned()
    }
}

/// Returns the unique id of a comment.
pub fn unique_id(comment: &Value) -> &str {
    text(&comment["unique_temp_id"])
}
