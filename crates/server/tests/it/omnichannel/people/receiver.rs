//! A real receiver of webhooks.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::sync::{Mutex, mpsc};

/// What it got: the path, the headers, and the body byte for byte.
pub type Received = (String, HeaderMap, String);

/// It takes everything and keeps it in order.
pub struct Receiver {
    pub base: String,
    received: Mutex<mpsc::UnboundedReceiver<Received>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let (sender, received) = mpsc::unbounded_channel();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(take).with_state(Arc::new(sender));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, received: Mutex::new(received) }
    }

    /// The next webhook.
    pub async fn next(&self) -> Received {
        let mut received = self.received.lock().await;
        let next = tokio::time::timeout(Duration::from_secs(60), received.recv()).await;
        next.expect("a webhook arrives").expect("the receiver runs")
    }
}

async fn take(
    State(sender): State<Arc<mpsc::UnboundedSender<Received>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let body = String::from_utf8(body.to_vec()).expect("text");
    let _ = sender.send((uri.path().to_owned(), headers, body));
    StatusCode::OK
}
