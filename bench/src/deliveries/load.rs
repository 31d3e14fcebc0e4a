//! The load generator: posts triggers in many rooms, at a fixed rate or as fast as possible, and
//! measures the ceiling for sending webhooks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_verify::{header_name, sign, standard};
use hyper::Method;
use tokio::task::JoinSet;

use super::receiver::Receiver;
use crate::failure::Failure;
use crate::fill::{APP, SECRET_KEY, room_name};
use crate::line::{Call, Line};
use crate::tasks::all;

/// Number of rooms in which deliveries are triggered.
const ROOMS: usize = 256;
/// Number of connections that post as fast as possible, and that measure the ceiling.
const AT_ONCE: usize = 64;
/// Number of connections that together post 1,000 triggers a second: each posts every 50 ms.
const AT_RATE: usize = 50;
/// Length in bytes of the text in the ceiling's request bodies, about the size of a bot webhook.
const BODY_BYTES: usize = 1100;

/// Returns the call that triggers delivery number `at`, in the next room in turn.
fn trigger(at: usize) -> Call {
    Call::trigger(APP, "bot", Some(&room_name(at % ROOMS)))
}

/// Posts triggers for a time, as fast as the server accepts them. Returns their number.
pub(super) async fn post_while(address: SocketAddr, span: Duration) -> Result<usize, Failure> {
    let end = Instant::now() + span;
    post(address, move |_| Instant::now() < end).await
}

/// Posts `count` triggers as fast as the server accepts them. Returns their number.
pub(super) async fn post_many(address: SocketAddr, count: usize) -> Result<usize, Failure> {
    post(address, move |at| at < count).await
}

async fn post(
    address: SocketAddr,
    goes_on: impl Fn(usize) -> bool + Copy + Send + 'static,
) -> Result<usize, Failure> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let next = next.clone();
        tasks.spawn(async move {
            let (mut line, mut posted) = (Line::open(address).await?, 0);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if !goes_on(at) {
                    return Ok(posted);
                }
                line.call(&trigger(at)).await?;
                posted += 1;
            }
        });
    }
    sum(tasks).await
}

/// Posts 1,000 triggers a second. Returns their number.
pub(super) async fn post_at_rate(address: SocketAddr, span: Duration) -> Result<usize, Failure> {
    let (every, start) = (Duration::from_millis(AT_RATE as u64), tokio::time::Instant::now());
    let mut tasks = JoinSet::new();
    for at in 0..AT_RATE {
        let begins = start + every / AT_RATE as u32 * at as u32;
        tasks.spawn(async move {
            let mut line = Line::open(address).await?;
            let mut ticks = tokio::time::interval_at(begins, every);
            let count = (span.as_millis() / every.as_millis()) as usize;
            for turn in 0..count {
                ticks.tick().await;
                line.call(&trigger(turn * AT_RATE + at)).await?;
            }
            Ok(count)
        });
    }
    sum(tasks).await
}

/// Returns how many requests per second the HTTP client alone sends to the receiver, each signed
/// like a webhook.
pub(super) async fn ceiling(receiver: &Receiver, span: Duration) -> Result<f64, Failure> {
    let (address, started) = (receiver.address, Instant::now());
    let body = format!(r#"{{"text":"{}"}}"#, "x".repeat(BODY_BYTES));
    let mut tasks = JoinSet::new();
    for task in 0..AT_ONCE {
        let body = body.clone();
        tasks.spawn(async move {
            let (mut line, mut posted) = (Line::open(address).await?, 0);
            while started.elapsed() < span {
                line.call(&signed(&body, &format!("msg_{task}_{posted}"))).await?;
                posted += 1;
            }
            Ok(posted)
        });
    }
    Ok(sum(tasks).await? as f64 / started.elapsed().as_secs_f64())
}

fn signed(body: &str, id: &str) -> Call {
    let seconds = jiff::Timestamp::now().as_second();
    let bytes = body.as_bytes();
    let headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("webhook-id".to_owned(), id.to_owned()),
        ("webhook-timestamp".to_owned(), seconds.to_string()),
        ("webhook-signature".to_owned(), standard::sign(SECRET_KEY, id, seconds, bytes)),
        (header_name("SERVICE"), sign(SECRET_KEY, bytes)),
    ];
    let (path, body) = ("/hook".to_owned(), body.to_owned().into());
    Call { method: Method::POST, path, headers, body }
}

async fn sum(tasks: JoinSet<Result<usize, Failure>>) -> Result<usize, Failure> {
    Ok(all(tasks).await?.into_iter().sum())
}
