//! The load generator: customers who write to WhatsApp numbers, at a fixed rate or as fast as
//! possible, and a bot that answers them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_verify::hex;
use hyper::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::meta::{APP_SECRET, BUSINESS, FILE, number};
use crate::deliveries::SENT_AT;
use crate::failure::Failure;
use crate::fill::APP;
use crate::line::{Call, Line};
use crate::tasks::all;

/// Number of connections that post as fast as possible.
const AT_ONCE: usize = 64;
/// Number of connections that together post 1,000 messages a second: each posts every 50 ms.
const AT_RATE: usize = 50;

/// The content of a customer's message.
#[derive(Clone, Copy)]
pub(super) enum Webhook {
    Text,
    /// An image with this file number, from a customer who sends only this image.
    File(usize),
}

#[derive(Clone)]
pub(super) struct Load(Arc<Inner>);

struct Inner {
    address: SocketAddr,
    /// Channel ids, by the index of their WhatsApp number.
    channels: Vec<i64>,
    customers: usize,
    /// Sequence number of the next webhook, which makes its message id unique.
    next: AtomicUsize,
}

impl Load {
    pub(super) fn new(address: SocketAddr, channels: Vec<i64>, customers: usize) -> Self {
        Self(Arc::new(Inner { address, channels, customers, next: AtomicUsize::new(0) }))
    }

    /// Returns a signed webhook request, as Meta sends it.
    pub(super) fn webhook(&self, what: Webhook) -> Call {
        let Inner { channels, customers, next, .. } = &*self.0;
        let at = next.fetch_add(1, Ordering::Relaxed);
        let now = jiff::Timestamp::now();
        let (customer, message) = match what {
            Webhook::Text => {
                let text = format!("{SENT_AT}{}", now.as_microsecond());
                (at % customers, json!({"type": "text", "text": {"body": text}}))
            }
            Webhook::File(file) => {
                let image = json!({"id": format!("{FILE}{file}"), "mime_type": "image/jpeg"});
                (customers + file, json!({"type": "image", "image": image}))
            }
        };
        let channel = customer % channels.len();
        let body =
            webhook_body(message, at, &format!("6281{customer:08}"), channel, now).to_string();
        let signature = format!("sha256={}", hex::sign(APP_SECRET, body.as_bytes()));
        let headers = [("content-type", "application/json"), ("x-hub-signature-256", &signature)];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let path = format!("/api/v2/hooks/wa/{}", channels[channel]);
        Call { method: Method::POST, path, headers, body: body.into() }
    }

    /// Posts 1,000 messages a second. Returns the response times in ms, sorted.
    pub(super) async fn at_rate(&self, span: Duration) -> Result<Vec<f64>, Failure> {
        let (every, start) = (Duration::from_millis(AT_RATE as u64), tokio::time::Instant::now());
        let count = (span.as_millis() / every.as_millis()) as usize;
        let mut tasks = JoinSet::new();
        for at in 0..AT_RATE {
            let (load, begins) = (self.clone(), start + every / AT_RATE as u32 * at as u32);
            tasks.spawn(async move {
                let (mut line, mut took) = (Line::open(load.0.address).await?, Vec::new());
                let mut ticks = tokio::time::interval_at(begins, every);
                for _ in 0..count {
                    // Measure from the due time, so that a delayed request counts its delay.
                    let due = ticks.tick().await;
                    line.call(&load.webhook(Webhook::Text)).await?;
                    took.push(due.elapsed().as_secs_f64() * 1000.0);
                }
                Ok(took)
            });
        }
        let mut took = all(tasks).await?.concat();
        took.sort_unstable_by(f64::total_cmp);
        Ok(took)
    }

    /// Posts messages for a time, as fast as the server accepts them. Returns the number of
    /// messages.
    pub(super) async fn while_it_goes(&self, span: Duration) -> Result<usize, Failure> {
        let end = Instant::now() + span;
        let mut tasks = JoinSet::new();
        for _ in 0..AT_ONCE {
            let load = self.clone();
            tasks.spawn(async move {
                let (mut line, mut count) = (Line::open(load.0.address).await?, 0);
                while Instant::now() < end {
                    line.call(&load.webhook(Webhook::Text)).await?;
                    count += 1;
                }
                Ok(count)
            });
        }
        Ok(all(tasks).await?.into_iter().sum())
    }

    /// Posts `times` answers of the bot to each room. Returns the number of answers.
    pub(super) async fn answer(&self, rooms: &[String], times: usize) -> Result<usize, Failure> {
        let mut tasks = JoinSet::new();
        for part in rooms.chunks(rooms.len().div_ceil(AT_ONCE).max(1)) {
            let (load, part) = (self.clone(), part.to_vec());
            tasks.spawn(async move {
                let mut line = Line::open(load.0.address).await?;
                for room in part.iter().cycle().take(part.len() * times) {
                    let text = format!("{SENT_AT}{}", jiff::Timestamp::now().as_microsecond());
                    let body = json!({"sender_email": format!("{APP}_admin@bot.example"),
                        "room_id": room, "message": text});
                    let path = format!("/{APP}/bot");
                    line.call(&Call::by_app(APP, Method::POST, &path, body.to_string())).await?;
                }
                Ok(())
            });
        }
        all(tasks).await?;
        Ok(rooms.len() * times)
    }
}

fn webhook_body(
    mut message: Value,
    at: usize,
    from: &str,
    place: usize,
    now: jiff::Timestamp,
) -> Value {
    message["id"] = json!(format!("wamid.in.{at}"));
    message["from"] = json!(from);
    message["timestamp"] = json!(now.as_second().to_string());
    let metadata =
        json!({"display_phone_number": "628111111111", "phone_number_id": number(place)});
    let contact = json!({"profile": {"name": "Customer"}, "wa_id": from});
    let value = json!({"messaging_product": "whatsapp", "metadata": metadata,
        "contacts": [contact], "messages": [message]});
    json!({"object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "changes": [{"field": "messages", "value": value}]}]})
}
