//! Ten thousand clients that connect at once and then only listen, while other clients post.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::party::{Confab, TABLE_LISTENERS, TABLES, TEXT_LENGTH, table_name};
use super::wire::{Way, Wire};
use crate::aims::Aims;
use crate::failure::Failure;
use crate::fill::person;
use crate::line::{Call, Line};
use crate::tasks::{all, quantile};

/// Number of connections that post at the same time, each every `POST_EVERY`.
const POSTERS: usize = 8;
const POST_EVERY: Duration = Duration::from_millis(20);
/// Number of connections that are opened and closed before the measurement, so that one-time
/// allocations are not measured.
const WARM_UP: usize = 100;
/// Wait after which the server has released freed memory to the operating system.
const SETTLE: Duration = Duration::from_secs(2);

/// Prints the memory per idle connection, and the response times of posts while all clients
/// connect.
pub(super) async fn measure(
    confab: &Confab,
    way: Way,
    count: usize,
    aims: &mut Aims,
) -> Result<(), Failure> {
    drop(connect(confab, way, WARM_UP).await?);
    settle(confab).await?;
    let before = confab.server.resident_mb()?;
    let (started, is_over) = (Instant::now(), Arc::new(AtomicBool::new(false)));
    let posting = tokio::spawn(post(confab.server.address, is_over.clone()));
    let connected = connect(confab, way, count).await?;
    let seconds = started.elapsed().as_secs_f64();
    is_over.store(true, Ordering::Relaxed);
    let posts = posting.await??;
    settle(confab).await?;
    let after = confab.server.resident_mb()?;
    let each = (after - before) * 1e3 / connected.len() as f64;
    println!(
        "| {}: {count} idle connections | {each:.1} kB each ({before:.0} MB before, {after:.0} MB \
         with them) |",
        way.name()
    );
    println!(
        "| {}: all of them connect at once | {seconds:.1} s; meanwhile {} posts, all accepted, \
         p50 {:.1} ms, p99 {:.1} ms |",
        way.name(),
        posts.len(),
        quantile(&posts, 0.5),
        quantile(&posts, 0.99)
    );
    aims.at_most(format!("{}, an idle connection, kB", way.name()), each, 8.0);
    aims.at_most(format!("{}, {count} connect at once, s", way.name()), seconds, 4.0);
    Ok(())
}

/// Posts for a while, because the allocator releases freed memory only while it is used.
async fn settle(confab: &Confab) -> Result<(), Failure> {
    let is_over = Arc::new(AtomicBool::new(false));
    let posting = tokio::spawn(post(confab.server.address, is_over.clone()));
    tokio::time::sleep(SETTLE).await;
    is_over.store(true, Ordering::Relaxed);
    posting.await??;
    Ok(())
}

async fn connect(confab: &Confab, way: Way, count: usize) -> Result<Vec<Wire>, Failure> {
    let mut tasks = JoinSet::new();
    for at in 0..count {
        tasks.spawn(confab.listener(way, at));
    }
    all(tasks).await
}

/// Posts until `is_over` is set. Returns the response times in ms, sorted.
async fn post(
    address: std::net::SocketAddr,
    is_over: Arc<AtomicBool>,
) -> Result<Vec<f64>, Failure> {
    let mut tasks = JoinSet::new();
    for poster in 0..POSTERS {
        let is_over = is_over.clone();
        tasks.spawn(async move {
            let mut line = Line::open(address).await?;
            let mut ticks = tokio::time::interval(POST_EVERY);
            let (mut times, mut turn) = (Vec::new(), poster);
            while !is_over.load(Ordering::Relaxed) {
                ticks.tick().await;
                let table = turn % TABLES;
                let sender = person(table * TABLE_LISTENERS);
                let text = "x".repeat(TEXT_LENGTH);
                let started = Instant::now();
                line.call(&Call::post(&sender, &table_name(table), &text)).await?;
                times.push(started.elapsed().as_secs_f64() * 1000.0);
                turn += POSTERS;
            }
            Ok(times)
        });
    }
    let mut times: Vec<f64> = all(tasks).await?.into_iter().flatten().collect();
    times.sort_unstable_by(f64::total_cmp);
    Ok(times)
}
