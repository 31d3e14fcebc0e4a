//! A receiver of webhooks, as a developer would write one: it takes them, or says that it cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long a webhook may take to arrive.
const DEADLINE: Duration = Duration::from_secs(60);

pub struct Receiver {
    pub url: String,
    status: Arc<AtomicU16>,
    received: mpsc::UnboundedReceiver<Received>,
}

/// What arrived.
pub struct Received {
    pub path: String,
    headers: HeaderMap,
    pub body: Bytes,
}

impl Receiver {
    pub async fn start() -> Self {
        let status = Arc::new(AtomicU16::new(200));
        let (sender, received) = mpsc::unbounded_channel();
        let answers = status.clone();
        let handler = move |uri: Uri, headers: HeaderMap, body: Bytes| async move {
            // Read before anybody is told: who sees it may change what the next one gets.
            let status = answers.load(Ordering::SeqCst);
            let _ = sender.send(Received { path: uri.to_string(), headers, body });
            // Who says no wants to be left alone until somebody has it sent again.
            let later = [(RETRY_AFTER, "3600")];
            (StatusCode::from_u16(status).expect("a status"), later, "my answer")
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook?a=b", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(handler);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, status, received }
    }

    /// From now on it answers so.
    pub fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The next webhook.
    pub async fn next(&mut self) -> Received {
        let received = timeout(DEADLINE, self.received.recv()).await;
        received.expect("a webhook arrives").expect("it receives")
    }

    /// Whether something arrived that nobody looked at.
    pub fn has_more(&self) -> bool {
        !self.received.is_empty()
    }
}

impl Received {
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).unwrap_or_else(|| panic!("{name} is there"));
        value.to_str().expect("text")
    }

    /// Its id, and which attempt it is.
    pub fn id_and_attempt(&self) -> (&str, &str) {
        (self.header("webhook-id"), self.header("webhook-attempt"))
    }

    /// The names of the headers that are the webhook's own.
    pub fn own_headers(&self) -> Vec<&str> {
        let names = self.headers.keys().map(|name| name.as_str());
        let is_own = |name: &&str| name.starts_with("webhook-") || name.starts_with("service-");
        let mut names: Vec<_> = names.filter(is_own).collect();
        names.sort_unstable();
        names
    }
}
