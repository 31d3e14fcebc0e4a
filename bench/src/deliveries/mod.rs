//! Deliveries: webhooks per second, their lag, hanging receivers, and catching up after a pause.
//!
//! The load generator and the [`receiver`]s are in this process and connected by loopback; the
//! server is the real one. The printed ceiling (s) is the rate of the HTTP client alone: it posts
//! signed bodies of the same size to the receiver over 64 persistent connections. A delivery counts
//! once the server has stored it as delivered, not when it arrives.

mod load;
mod receiver;

use std::path::Path;
use std::time::{Duration, Instant};

use confab_store::Location;
use hyper::Method;

use self::load::{ceiling, post_at_rate, post_many, post_while};
use self::receiver::Hung;
pub(crate) use self::receiver::{Receiver, SENT_AT, sent_at};
use crate::aims::Aims;
use crate::failure::Failure;
use crate::fill::{self, APP};
use crate::line::{Call, Line};
use crate::process::{Server, confab};
use crate::throughput::Throughput;

/// Duration and size of the measurement.
pub(crate) struct LoadPlan {
    seconds: u64,
    /// Number of hanging endpoints; 0 to skip that step.
    hung: usize,
    waiting: usize,
}

/// The plan for the documented figures.
pub(crate) const FULL: LoadPlan = LoadPlan { seconds: 10, hung: 1000, waiting: 100_000 };
/// A shorter plan for development.
pub(crate) const QUICK: LoadPlan = LoadPlan { seconds: 4, hung: 200, waiting: 20_000 };
/// The plan for the store in which posts and pages were measured before.
pub(crate) const BESIDE: LoadPlan = LoadPlan { seconds: 5, hung: 0, waiting: 20_000 };

const PORT: u16 = 18_789;
const KINDS: [&str; 6] =
    ["bot", "agent_allocation", "custom_button", "mark_as_resolved", "new_session", "logout"];
/// Number of deliveries to each hanging endpoint.
const HUNG_WAITING: usize = 3;
const STEP_MAX: Duration = Duration::from_secs(60);

/// Measures on a new store.
pub(crate) fn run(binary: &Path, plan: &LoadPlan, aims: &mut Aims) -> Result<(), Failure> {
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("deliveries");
    let location = Location::folder(&data);
    fill::rooms(&location)?;
    let store = ["--data", &data.display().to_string()];
    measure(binary, store, &location, plan, ("SQLite", aims))
}

/// Measures on a store that has the app and its rooms, and prints the table.
pub(crate) fn measure(
    binary: &Path,
    store: [&str; 2],
    location: &Location,
    plan: &LoadPlan,
    (engine, aims): (&str, &mut Aims),
) -> Result<(), Failure> {
    confab_runtime::process::open_files::raise();
    fill::apps(location, hung_app, plan.hung.div_ceil(KINDS.len()))?;
    let server = confab(binary, store, PORT)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let bench = Bench::start(&server).await?;
        println!("\n| deliveries on {engine} | measured |\n|---|---|");
        let (share, cpu_us) = bench.sustained(plan).await?;
        aims.at_least(format!("deliveries on {engine}, relative to the bare client"), share, 0.35);
        aims.at_most(format!("a delivery on {engine}, µs of CPU"), cpu_us, 60.0);
        let alone = bench.lag(plan, "p50 and p99 of the lag at 1,000/s").await?;
        if plan.hung > 0 {
            bench.hang(plan.hung).await?;
            let name = format!("the same with {} endpoints that hang", plan.hung);
            let beside = bench.lag(plan, &name).await?;
            println!("| p99 with them / p99 alone | {:.2} |", beside / alone);
            aims.at_most(
                "webhooks with endpoints that hang, p99 relative to alone",
                beside / alone,
                1.5,
            );
        }
        bench.catch_up(plan.waiting).await?;
        println!("| memory after all that | {:.0} MB |", server.resident_mb()?);
        Ok::<_, Failure>(())
    })?;
    drop(runtime);
    server.stop()
}

fn hung_app(at: usize) -> String {
    format!("hung-{at}")
}

pub(crate) struct Bench<'a> {
    server: &'a Server,
    receiver: Receiver,
}

impl<'a> Bench<'a> {
    /// Registers an endpoint with a receiver.
    pub(crate) async fn start(server: &'a Server) -> Result<Self, Failure> {
        let bench = Self { server, receiver: Receiver::start().await? };
        bench.put_endpoint(APP, "bot", &bench.receiver.url()).await?;
        Ok(bench)
    }

    async fn call(&self, call: &Call) -> Result<String, Failure> {
        let answer = Line::open(self.server.address).await?.call(call).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    async fn put_endpoint(&self, app: &str, kind: &str, url: &str) -> Result<(), Failure> {
        let (path, body) = (format!("endpoints/{kind}"), format!(r#"{{"url":"{url}"}}"#));
        self.call(&Call::of(app, Method::PUT, &path, body)).await.map(drop)
    }

    /// Measures the ceiling, then the maximum delivery rate. Returns the rate relative to the
    /// ceiling, and the server's CPU time per delivery in µs.
    async fn sustained(&self, plan: &LoadPlan) -> Result<(f64, f64), Failure> {
        let span = Duration::from_secs(plan.seconds);
        let top = ceiling(&self.receiver, span / 2).await?;
        println!("| (s) the bare HTTP client, signed bodies, 64 at once | {top:.0}/s |");
        let Throughput { accepted, delivered, cpu_us } = self.throughput(span).await?;
        let share = delivered / top;
        println!(
            "| accepted, sent, answered and logged | {delivered:.0}/s, {share:.2} of (s); accepted \
             {accepted:.0}/s; {cpu_us:.0} µs of CPU each |"
        );
        Ok((share, cpu_us))
    }

    /// Measures the maximum delivery rate.
    pub(crate) async fn throughput(&self, span: Duration) -> Result<Throughput, Failure> {
        let before = self.receiver.count();
        let load = post_while(self.server.address, span);
        let delivered = async |count| self.all_delivered(before + count).await;
        Throughput::measure(self.server, load, delivered).await
    }

    /// Waits until `count` deliveries have arrived and none is pending.
    async fn all_delivered(&self, count: usize) -> Result<(), Failure> {
        let deadline = Instant::now() + STEP_MAX;
        while self.receiver.count() < count || self.waiting().await? > 0 {
            if Instant::now() > deadline {
                let arrived = self.receiver.count();
                return Err(format!("{arrived} of {count} arrived in time").into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    /// Returns the number of pending deliveries of the working endpoint.
    async fn waiting(&self) -> Result<u64, Failure> {
        let answer = self.call(&Call::of(APP, Method::GET, "endpoints", String::new())).await?;
        let answer: serde_json::Value = serde_json::from_str(&answer)?;
        answer["data"]["endpoints"][0]["waiting"].as_u64().ok_or("no endpoint is listed".into())
    }

    /// Prints p50 and p99 of the time from a delivery's creation until its request arrives, at
    /// 1,000 a second. Returns p99 in ms.
    async fn lag(&self, plan: &LoadPlan, name: &str) -> Result<f64, Failure> {
        let before = self.receiver.count();
        let warm_up = post_at_rate(self.server.address, Duration::from_secs(1)).await?;
        self.receiver.note_lags();
        let span = Duration::from_secs(plan.seconds);
        let accepted = post_at_rate(self.server.address, span).await?;
        self.all_delivered(before + warm_up + accepted).await?;
        let lags = self.receiver.lags_ms();
        let at = |part: f64| lags[((lags.len() - 1) as f64 * part) as usize];
        let rate = accepted as f64 / span.as_secs_f64();
        println!("| {name} | {:.2} ms, {:.2} ms ({rate:.0}/s) |", at(0.5), at(0.99));
        Ok(at(0.99))
    }

    /// Registers endpoints that hang, and triggers deliveries to each.
    async fn hang(&self, endpoints: usize) -> Result<(), Failure> {
        let hung = Hung::start().await?;
        let address = |at: usize| (hung_app(at / KINDS.len()), KINDS[at % KINDS.len()]);
        for at in 0..endpoints {
            let (app, kind) = address(at);
            self.put_endpoint(&app, kind, &hung.url()).await?;
        }
        for at in 0..endpoints {
            let (app, kind) = address(at);
            let trigger = Call::trigger(&app, kind, None);
            for _ in 0..HUNG_WAITING {
                self.call(&trigger).await?;
            }
        }
        let deadline = Instant::now() + STEP_MAX;
        while hung.count() < endpoints {
            if Instant::now() > deadline {
                return Err(format!("{} of {endpoints} hang in time", hung.count()).into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Pauses the endpoint, queues deliveries, resumes it, and measures the time to deliver them.
    async fn catch_up(&self, waiting: usize) -> Result<(), Failure> {
        let turn = |turn: &str| {
            Call::of(APP, Method::POST, &format!("endpoints/bot/{turn}"), "{}".to_owned())
        };
        self.call(&turn("pause")).await?;
        // The delivery engine notices the pause within a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let before = self.receiver.count();
        self.receiver.note_order();
        post_many(self.server.address, waiting).await?;
        let early = self.receiver.count() - before;
        let started = Instant::now();
        self.call(&turn("resume")).await?;
        self.all_delivered(before + waiting).await?;
        let seconds = started.elapsed().as_secs_f64();
        let (rate, misordered) = (waiting as f64 / seconds, self.receiver.misordered());
        println!(
            "| {waiting} waiting after a pause | {seconds:.1} s, {rate:.0}/s, {misordered} out of \
             order, {early} too early |"
        );
        Ok(())
    }
}
