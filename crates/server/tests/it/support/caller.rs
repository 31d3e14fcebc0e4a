//! A caller of the message API: one app's credentials, and the words of the product.

use std::time::Duration;

use confab_domain::limits;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::{Answer, each, text};
use super::documented;

/// Speaks to a server as one app.
#[derive(Clone)]
pub struct Caller {
    pub base: String,
    pub code: String,
    pub secret: String,
    http: reqwest::Client,
}

// How a request is made.
impl Caller {
    /// Calls the server at `base`, such as `http://127.0.0.1:8787`.
    pub fn new(base: &str, code: &str, secret: &str) -> Self {
        // Who uses a connection again that the server is about to close gets no answer.
        let idle = Duration::from_millis(limits::HEADER_TIMEOUT_MS / 2);
        let http = reqwest::Client::builder().no_proxy().pool_idle_timeout(idle);
        let http = http.build().expect("a client");
        Self { base: base.to_owned(), code: code.to_owned(), secret: secret.to_owned(), http }
    }

    /// The same caller with another secret.
    pub fn with_secret(&self, secret: &str) -> Self {
        Self { secret: secret.to_owned(), ..self.clone() }
    }

    /// A request without credentials. A call is named by its last segment, anything else by path.
    pub fn bare(&self, method: Method, call: &str) -> RequestBuilder {
        let base = &self.base;
        let url = match call.starts_with('/') {
            true => format!("{base}{call}"),
            false => format!("{base}/api/v2.1/rest/{call}"),
        };
        self.http.request(method, url)
    }

    /// A request with this app's credentials.
    pub fn request(&self, method: Method, call: &str) -> RequestBuilder {
        self.bare(method, call)
            .header("SERVICE-SDK-APP-ID", &self.code)
            .header("SERVICE-SDK-SECRET", &self.secret)
    }

    /// A request of the app itself, with its secret key.
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

    /// Posts a body as it is written, as JSON.
    pub async fn post_text(&self, call: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.post_as(call, "application/json", body).await
    }

    /// Posts a body as it is written, as this type.
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

// What is asked without credentials.
impl Caller {
    /// Whether the server says that it is well.
    pub async fn ready(&self) -> Answer {
        sent(self.bare(Method::GET, "/ready")).await
    }

    /// All numbers that the server counts.
    pub async fn metrics(&self) -> String {
        sent(self.bare(Method::GET, "/metrics")).await.text
    }
}

/// Sends a request.
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

/// A multipart form, as browsers and curl write it.
pub fn with_multipart(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let mut body = String::new();
    for (name, value) in fields {
        let head = format!("Content-Disposition: form-data; name=\"{name}\"");
        body.push_str(&format!("--limit\r\n{head}\r\n\r\n{value}\r\n"));
    }
    body.push_str("--limit--\r\n");
    request.header("Content-Type", "multipart/form-data; boundary=limit").body(body)
}

/// A call with its query.
pub fn with_query(call: &str, query: &[(&str, &str)]) -> String {
    if query.is_empty() { call.to_owned() } else { format!("{call}?{}", urlencoded(query)) }
}

pub fn urlencoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

// What is said.
impl Caller {
    /// Registers a user; the display name is the id with a capital letter.
    pub async fn register(&self, user: &str) -> Value {
        let (first, rest) = user.split_at(1);
        let username = first.to_uppercase() + rest;
        let body = json!({"user_id": user, "username": username});
        self.post("login_or_register", body).await.results()["user"].take()
    }

    /// Registers several users.
    pub async fn register_all(&self, users: &[&str]) {
        for user in users {
            self.register(user).await;
        }
    }

    /// Creates a group room with this unique id and a name made from it.
    pub async fn create_room(&self, unique_id: &str, participants: &[&str]) -> Value {
        let name = format!("The {unique_id} room");
        let body = json!({"room_name": name, "unique_id": unique_id, "participants": participants});
        self.post("create_room", body).await.results()["room"].take()
    }

    /// Posts a text.
    pub async fn post_comment(&self, user: &str, room: &str, message: &str) -> Value {
        let body = json!({"user_id": user, "room_id": room, "message": message});
        self.post("post_comment", body).await.results()["comment"].take()
    }

    /// Posts a message of a type, without `message`.
    pub async fn post_typed(&self, user: &str, room: &str, kind: &str, payload: Value) -> Answer {
        let body = json!({"user_id": user, "room_id": room, "type": kind, "payload": payload});
        self.post("post_comment", body).await
    }

    /// Posts a text with a unique id.
    pub async fn post_as_unique(&self, user: &str, room: &str, says: &str, id: &str) -> Answer {
        let body = json!({
            "user_id": user, "room_id": room, "message": says, "unique_temp_id": id,
        });
        self.post("post_comment", body).await
    }

    /// Posts a system event without payload.
    pub async fn post_system_event(&self, room: &str, message: &str) -> Value {
        let body = json!({"system_event_type": "custom", "room_id": room, "message": message});
        self.post("post_system_event_message", body).await.results()["comment"].take()
    }

    /// The newest comments of a room, as many as fit on the largest page.
    pub async fn load_comments(&self, room: &str) -> Vec<Value> {
        let query = [("room_id", room), ("limit", "100")];
        let mut results = self.get("load_comments", &query).await.results();
        match results["comments"].take() {
            Value::Array(comments) => comments,
            other => panic!("no comments: {other}"),
        }
    }

    /// The texts of a page, newest first.
    pub async fn page(&self, room: &str, query: &[(&str, &str)]) -> Vec<String> {
        let query: Vec<_> = [("room_id", room)].into_iter().chain(query.iter().copied()).collect();
        let results = self.get("load_comments", &query).await.results();
        each(&results["comments"], "message").into_iter().map(str::to_owned).collect()
    }

    /// The texts of a room, newest first.
    pub async fn texts(&self, room: &str) -> Vec<String> {
        self.page(room, &[("limit", "100")]).await
    }

    /// Deletes messages by their unique ids.
    pub async fn delete_messages(&self, unique_ids: &[&str]) -> Answer {
        self.delete("delete_messages", json!({"unique_ids": unique_ids})).await
    }

    /// Who is in a room.
    pub async fn participants(&self, room: &str) -> Vec<String> {
        let query = [("room_id", room), ("limit", "100")];
        let results = self.get("get_room_participants", &query).await.results();
        let users = each(&results["participants"], "user_id");
        users.into_iter().map(str::to_owned).collect()
    }

    /// How much a user has not read in one room.
    pub async fn unread(&self, user: &str, room: &str) -> u64 {
        let query = [("user_id", user), ("room_ids[]", room)];
        let results = self.get("get_unread_count", &query).await.results();
        results["unread_counts"][0]["unread_count"].as_u64().expect("a count")
    }

    /// What a user connects with.
    pub async fn token(&self, user: &str) -> String {
        text(&self.get("get_user_token", &[("user_id", user)]).await.results()["token"]).to_owned()
    }
}

/// The unique id of a comment.
pub fn unique_id(comment: &Value) -> &str {
    text(&comment["unique_temp_id"])
}
