//! Response times of one app while a user of another app searches in loops (D-0207).
//!
//! `confab-bench neighbors CONFAB_BINARY LOCATION USERS` registers this many users of one app,
//! in a folder or a `postgres://…`, and measures the calls of a second app alone and during
//! [`ATTACKERS`] loops of searches by one user.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use hyper::Method;

use crate::failure::Failure;
use crate::fill::{self, APP, person, token_of};
use crate::line::{Call, Line};
use crate::process::confab;

const ATTACKERS: usize = 24;
const TIMES: usize = 500;
const QUIET: &str = "quiet";
const PORT: u16 = 18_796;

pub(crate) fn run(binary: &Path, place: &str, users: usize) -> Result<(), Failure> {
    let location = fill::location(place)?;
    let started = Instant::now();
    fill::people(&location, users, &[])?;
    fill::apps(&location, |_| QUIET.to_owned(), 1)?;
    eprintln!("{users} users: {:.0} s", started.elapsed().as_secs_f64());
    let server = confab(binary, fill::flag(place), PORT)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(compare(server.address))?;
    server.stop()
}

async fn compare(address: SocketAddr) -> Result<(), Failure> {
    let alone = measure(address).await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let answered = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let attack = |_| tokio::spawn(attack(address, is_over.clone(), answered.clone()));
    let attacks: Vec<_> = (0..ATTACKERS).map(attack).collect();
    let loaded = measure(address).await?;
    is_over.store(true, Ordering::Relaxed);
    for attack in attacks {
        attack.await??;
    }
    let [found, refused] = [0, 1].map(|at| answered[at].load(Ordering::Relaxed));
    eprintln!("searches: {found} answered, {refused} refused");
    println!("| what | alone: p50 ms | p99 | during the searches: p50 ms | p99 | times |");
    println!("|---|---|---|---|---|---|");
    for ((what, [p50, p99]), (_, [p50_loaded, p99_loaded])) in alone.iter().zip(&loaded) {
        let times = p99_loaded / p99;
        println!(
            "| {what} | {p50:.1} | {p99:.1} | {p50_loaded:.1} | {p99_loaded:.1} | {times:.1} |"
        );
    }
    Ok(())
}

/// Returns the median and the 99th percentile of the response times of each call of the second app,
/// in milliseconds.
async fn measure(address: SocketAddr) -> Result<Vec<(&'static str, [f64; 2])>, Failure> {
    let mut line = Line::open(address).await?;
    let by_app = |path| Call::by_app(QUIET, Method::GET, path, String::new());
    let mut figures = Vec::new();
    for (what, call) in [
        ("settings", by_app("/api/v2/app/configs")),
        ("channels", by_app("/api/v2/channels")),
        ("inbox", by_app("/api/v2/customer_rooms")),
        ("contacts", by_app("/api/v2/contacts")),
    ] {
        line.call(&call).await?;
        let mut took = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let started = Instant::now();
            line.call(&call).await?;
            took.push(started.elapsed().as_secs_f64() * 1_000.0);
        }
        took.sort_by(f64::total_cmp);
        figures.push((what, [took[TIMES / 2], took[TIMES * 99 / 100]]));
    }
    Ok(figures)
}

/// Sends searches in a loop until `is_over` is set. Counts answered and refused searches in
/// `answered`.
async fn attack(
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    answered: Arc<[AtomicUsize; 2]>,
) -> Result<(), Failure> {
    let mut line = Line::open(address).await?;
    let headers =
        [("service-sdk-app-id", APP.to_owned()), ("service-sdk-token", token_of(&person(0)))];
    let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let path = "/api/v2/sdk/get_user_list?query=zzqq".to_owned();
    let call = Call { method: Method::GET, path, headers, body: Bytes::new() };
    while !is_over.load(Ordering::Relaxed) {
        let is_refused = line.call(&call).await.is_err();
        answered[usize::from(is_refused)].fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
