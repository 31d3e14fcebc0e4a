//! A server that answers as the webhook API does, with what a test wants.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use serde_json::{Value, json};

use crate::process::{Ended, Folder};

pub const KEY: &str = "secret-key-of-shop";

type Request = (String, String);

#[derive(Clone)]
struct Script {
    answers: Arc<Vec<(&'static str, Value)>>,
    seen: Arc<Mutex<Vec<Request>>>,
}

/// It answers `GET /listen?after=1` and the like, each with the `data` of its line.
pub struct Stub {
    pub base: String,
    script: Script,
}

impl Stub {
    pub async fn start(answers: Vec<(&'static str, Value)>) -> Self {
        let script = Script { answers: Arc::new(answers), seen: Arc::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, script }
    }

    /// Runs a command against it, as the app shop, with the key in the environment.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        let all = [arguments, &["--server", &self.base, "--app", "shop"]].concat();
        Folder::embedded().run_with(&all, &[("CONFAB_SECRET_KEY", KEY)])
    }

    /// What it was asked so far: the line without the path that all have, and the body.
    pub fn seen(&self) -> Vec<Request> {
        self.script.seen.lock().expect("not poisoned").clone()
    }
}

async fn answer(
    State(script): State<Script>,
    (method, uri): (Method, Uri),
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let refused = |status: StatusCode, message: &str| {
        let errors = json!({"message": message, "code": "x", "detailed_messages": ["detail"]});
        (status, json!({"errors": errors, "status": status.as_u16()}).to_string())
    };
    let is_named = |name: &str, value: &str| headers.get(name).is_some_and(|it| it == value);
    if !is_named("service-app-id", "shop") || !is_named("service-secret-key", KEY) {
        return refused(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    let line = format!("{method} {uri}").replacen("/api/v2/webhooks", "", 1);
    let body = String::from_utf8(body.to_vec()).expect("text");
    let key = if method == Method::GET { line.clone() } else { format!("{line} {body}") };
    script.seen.lock().expect("not poisoned").push((line, body));
    let found = script.answers.iter().find(|(known, _)| *known == key);
    match found {
        Some((_, data)) => (StatusCode::OK, json!({"data": data, "status": 200}).to_string()),
        // A poll that goes on for ever: nothing more happens.
        None if key.starts_with("GET /listen") => std::future::pending().await,
        None => refused(StatusCode::NOT_FOUND, &format!("nothing at {key}")),
    }
}
