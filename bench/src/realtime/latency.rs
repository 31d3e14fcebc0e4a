//! Latency of deliveries: a thousand posts per second into rooms of ten listeners.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::party::{Confab, TABLE_LISTENERS, TABLES, TEXT_LENGTH, table_name};
use super::wire::{Way, find};
use crate::failure::Failure;
use crate::fill::person;
use crate::line::{Call, Line};
use crate::tasks::{all, quantile};

/// Number of connections that together post 1,000 messages a second: each posts every 50 ms.
const POSTERS: usize = 50;
const POST_EVERY: Duration = Duration::from_millis(50);
/// Time before the measurement.
const WARM_UP: Duration = Duration::from_secs(1);
/// Maximum wait for outstanding deliveries after the last post.
const SEEN_MAX: Duration = Duration::from_secs(10);
/// Marker in a message's text; the time of posting in µs follows it.
const MARK: &[u8] = b"posted-at-";
const MARK_DIGITS: usize = 12;
const FSYNCS: usize = 200;

/// Prints p50 and p99 of the time from a message's post until a listener receives it, and of an
/// fsync.
pub(super) async fn measure(
    confab: &Confab,
    way: Way,
    seconds: u64,
    folder: &Path,
) -> Result<(), Failure> {
    let clock = Instant::now();
    let seen: Arc<Mutex<Vec<(u64, u64)>>> = Arc::default();
    let mut listening = JoinSet::new();
    for at in 0..TABLES * TABLE_LISTENERS {
        let (wire, seen) = (confab.listener(way, at).await?, seen.clone());
        listening.spawn(wire.listen(move |messages| {
            let now = clock.elapsed().as_micros() as u64;
            for message in messages {
                seen.lock().extend(posted_at(message).map(|posted| (posted, now)));
            }
        }));
    }
    let fsyncs_before = fsyncs_ms(folder)?;
    let begins_us = (clock.elapsed() + WARM_UP).as_micros() as u64;
    let span = WARM_UP + Duration::from_secs(seconds);
    let posted = post(confab.server.address, clock, span).await?;
    let (wanted, deadline) = (posted * TABLE_LISTENERS, Instant::now() + SEEN_MAX);
    while seen.lock().len() < wanted && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let seen = std::mem::take(&mut *seen.lock());
    if seen.len() != wanted {
        return Err(format!("{} of {wanted} were seen", seen.len()).into());
    }
    let counting = seen.iter().filter(|(posted, _)| *posted >= begins_us);
    let mut lags: Vec<f64> = counting.map(|(from, to)| (to - from) as f64 / 1000.0).collect();
    lags.sort_unstable_by(f64::total_cmp);
    let mut fsyncs = [fsyncs_before, fsyncs_ms(folder)?].concat();
    fsyncs.sort_unstable_by(f64::total_cmp);
    let (p99, fsync) = (quantile(&lags, 0.99), quantile(&fsyncs, 0.5));
    println!(
        "| {}: post to delivery at 1,000/s into rooms of 10 | p50 {:.2} ms, p99 {p99:.2} ms; \
         an fsync: p50 {fsync:.2} ms, p99 {:.2} ms; p99 less a median fsync {:.2} ms |",
        way.name(),
        quantile(&lags, 0.5),
        quantile(&fsyncs, 0.99),
        p99 - fsync
    );
    Ok(())
}

/// Posts 1,000 messages a second, each with the time of posting in its text. Returns their number.
async fn post(
    address: std::net::SocketAddr,
    clock: Instant,
    span: Duration,
) -> Result<usize, Failure> {
    let (start, mut tasks) = (tokio::time::Instant::now(), JoinSet::new());
    for poster in 0..POSTERS {
        let begins = start + POST_EVERY / POSTERS as u32 * poster as u32;
        tasks.spawn(async move {
            let mut line = Line::open(address).await?;
            let mut ticks = tokio::time::interval_at(begins, POST_EVERY);
            let count = (span.as_millis() / POST_EVERY.as_millis()) as usize;
            for turn in 0..count {
                ticks.tick().await;
                let table = (turn * POSTERS + poster) % TABLES;
                let (mark, now) = (String::from_utf8_lossy(MARK), clock.elapsed().as_micros());
                let text = format!("{mark}{now:0MARK_DIGITS$}{:.<TEXT_LENGTH$}", "");
                let text = &text[..TEXT_LENGTH];
                let sender = person(table * TABLE_LISTENERS);
                line.call(&Call::post(&sender, &table_name(table), text)).await?;
            }
            Ok(count)
        });
    }
    Ok(all(tasks).await?.into_iter().sum())
}

fn posted_at(message: &[u8]) -> Option<u64> {
    let from = find(message, MARK)? + MARK.len();
    std::str::from_utf8(message.get(from..from + MARK_DIGITS)?).ok()?.parse().ok()
}

/// Appends messages to a file and syncs it after each. Returns the times of each append and sync,
/// in ms.
fn fsyncs_ms(folder: &Path) -> Result<Vec<f64>, Failure> {
    let mut file = File::create(folder.join("fsync"))?;
    let (mut times, message) = (Vec::new(), [b'x'; TEXT_LENGTH]);
    for _ in 0..FSYNCS {
        let started = Instant::now();
        file.write_all(&message)?;
        file.sync_data()?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(times)
}
