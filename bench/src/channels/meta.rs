//! A fake of Meta's API: phone numbers in good standing, messages that are accepted, and file
//! downloads that never finish.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::deliveries::sent_at;
use crate::failure::Failure;

pub(super) const BUSINESS: &str = "102290129340398";
pub(super) const APP_SECRET: &str = "app-secret-of-the-meta-app-9999";
pub(super) const TOKEN: &str = "EAAG-token-of-the-numbers-1111";
/// Prefix of the ids of files whose downloads never finish.
pub(super) const FILE: &str = "file-";
const BODY_BYTES_MAX: usize = 1_000_000;

/// Returns the id of the phone number with this index.
pub(super) fn number(at: usize) -> String {
    format!("10654035224{at:04}")
}

pub(crate) struct Meta {
    pub(super) base: String,
    seen: Arc<WrkResult>,
}

#[derive(Default)]
struct WrkResult {
    base: String,
    sent: AtomicUsize,
    hung: AtomicUsize,
    /// Times from the bot's call to Confab until the message arrives at this fake, in microseconds.
    lags: Mutex<Vec<i64>>,
}

impl Meta {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let seen = Arc::new(WrkResult { base: base.clone(), ..WrkResult::default() });
        let router = Router::new().fallback(answered).with_state(seen.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { base, seen })
    }

    /// Returns the number of accepted messages.
    pub(super) fn sent(&self) -> usize {
        self.seen.sent.load(Ordering::Relaxed)
    }

    /// Returns the number of file downloads that hang.
    pub(super) fn hung(&self) -> usize {
        self.seen.hung.load(Ordering::Relaxed)
    }

    /// Returns the recorded lags in ms, sorted, and clears them.
    pub(super) fn lags_ms(&self) -> Vec<f64> {
        let mut lags = std::mem::take(&mut *self.seen.lags.lock());
        lags.sort_unstable();
        lags.into_iter().map(|us| us as f64 / 1000.0).collect()
    }
}

async fn answered(State(seen): State<Arc<WrkResult>>, request: Request) -> Response {
    let at = jiff::Timestamp::now();
    let path = request.uri().path().to_owned();
    let is_post = request.method() == "POST";
    let body = to_bytes(request.into_body(), BODY_BYTES_MAX).await.unwrap_or_default();
    if path.starts_with("/files/") {
        seen.hung.fetch_add(1, Ordering::Relaxed);
        return std::future::pending().await;
    }
    let parts: Vec<_> = path.split('/').skip(2).collect();
    let answer = match parts[..] {
        [_, "messages"] => seen.message(at, &body),
        [id] if id.starts_with(FILE) => {
            json!({"id": id, "url": format!("{}/files/{id}", seen.base), "mime_type": "image/jpeg"})
        }
        [_, "subscribed_apps"] if is_post => json!({"success": true}),
        [_, "subscribed_apps"] => json!({"data": [{}]}),
        [id] => json!({"id": id,
            "display_phone_number": "+62 811-1111-111", "verified_name": "Shop",
            "quality_rating": "GREEN", "status": "CONNECTED"}),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    ([("content-type", "application/json")], answer.to_string()).into_response()
}

impl WrkResult {
    fn message(&self, at: jiff::Timestamp, body: &Bytes) -> Value {
        // Read receipts for customers arrive here, too.
        if body.windows(10).any(|it| it == br#""status":""#.as_slice()) {
            return json!({"success": true});
        }
        self.lags.lock().extend(sent_at(body).map(|sent_at| at.as_microsecond() - sent_at));
        let id = format!("wamid.out.{}", self.sent.fetch_add(1, Ordering::Relaxed));
        json!({"messaging_product": "whatsapp", "contacts": [], "messages": [{"id": id}]})
    }
}
