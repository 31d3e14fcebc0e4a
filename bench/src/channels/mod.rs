//! Channels: the rates and response times of WhatsApp messages in both directions.
//!
//! Measures messages received by webhook per second, the response time to Meta, the time until the
//! bot's webhook arrives, and answers sent per second. The incoming messages are measured alone,
//! and again while other customers' file downloads hang.
//!
//! Meta is replaced by the fake in [`meta`], in this process. Several phone numbers are used,
//! because each number sends at most 80 messages a second, like a real WhatsApp number.

mod load;
mod meta;

use std::path::Path;
use std::time::{Duration, Instant};

use confab_store::Location;
use hyper::Method;
use serde_json::{Value, json};

use self::load::{Load, Webhook};
pub(crate) use self::meta::Meta;
use self::meta::{APP_SECRET, TOKEN};
use crate::aims::Aims;
use crate::deliveries::Receiver;
use crate::failure::Failure;
use crate::fill::{self, APP};
use crate::line::{Call, Line};
use crate::process::{NO_MQTT, Server, confab_with};
use crate::tasks::quantile;
use crate::throughput::Throughput;

/// Duration and size of the measurement.
pub(crate) struct LoadPlan {
    seconds: u64,
    customers: usize,
    /// Number of customers whose file downloads hang.
    hung: usize,
}

/// The plan for the documented figures.
pub(crate) const FULL: LoadPlan = LoadPlan { seconds: 10, customers: 2000, hung: 1000 };
/// A shorter plan for development.
pub(crate) const QUICK: LoadPlan = LoadPlan { seconds: 4, customers: 500, hung: 200 };

const PORT: u16 = 18_795;
const NUMBERS: usize = 16;
/// Number of answers to each customer.
const ANSWERS: usize = 2;
const STEP_MAX: Duration = Duration::from_secs(120);

/// Measures on a new store and prints the table.
pub(crate) fn run(binary: &Path, plan: &LoadPlan, aims: &mut Aims) -> Result<(), Failure> {
    confab_runtime::process::open_files::raise();
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("channels");
    fill::rooms(&Location::folder(&data))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let meta = runtime.block_on(Meta::start())?;
    let store = ["--data", &data.display().to_string()];
    let server = server(binary, store, PORT, &meta)?;
    runtime.block_on(async {
        let bench = Bench::start(&server, &meta, plan).await?;
        println!("\n| channels on SQLite | measured | aim |\n|---|---|---|");
        let alone = bench.come_in_at_rate("1,000 messages a second come in").await?;
        bench.come_in().await?;
        bench.go_out().await?;
        bench.hang(plan.hung).await?;
        let name = format!("the same with {} customers whose file downloads hang", plan.hung);
        let beside = bench.come_in_at_rate(&name).await?;
        println!("| p99 with them / p99 alone | {:.2} | 1.5 |", beside / alone);
        aims.at_most("1,000 channel messages a second, p99 of the answer, ms", alone, 20.0);
        aims.at_most(
            "the same with file downloads that hang, relative to alone",
            beside / alone,
            1.5,
        );
        println!("| memory after all that | {:.0} MB | |", server.resident_mb()?);
        Ok::<_, Failure>(())
    })?;
    drop(runtime);
    server.stop()
}

/// Starts `confab serve` with the fake of Meta's API.
pub(crate) fn server(
    binary: &Path,
    store: [&str; 2],
    port: u16,
    meta: &Meta,
) -> Result<Server, Failure> {
    confab_with(binary, store, port, &[&NO_MQTT[..], &["--whatsapp-api-url", &meta.base]].concat())
}

pub(crate) struct Bench<'a> {
    server: &'a Server,
    meta: &'a Meta,
    bot: Receiver,
    load: Load,
    seconds: u64,
}

impl<'a> Bench<'a> {
    /// Connects the WhatsApp numbers and registers a bot.
    pub(crate) async fn start(
        server: &'a Server,
        meta: &'a Meta,
        plan: &LoadPlan,
    ) -> Result<Self, Failure> {
        let bot = Receiver::start().await?;
        let mut line = Line::open(server.address).await?;
        let endpoint = json!({"url": bot.url()}).to_string();
        line.call(&Call::of(APP, Method::PUT, "endpoints/bot", endpoint)).await?;
        disconnect(&mut line).await?;
        let mut channels = Vec::new();
        for at in 0..NUMBERS {
            let body = json!({"access_token": TOKEN, "app_secret": APP_SECRET,
                "phone_number_id": meta::number(at), "business_id": meta::BUSINESS});
            let call = Call::by_app(APP, Method::POST, "/api/v2/wa/connect", body.to_string());
            let made: Value = serde_json::from_slice(&line.call(&call).await?)?;
            let id = made["data"]["wa_channel"]["id"].as_i64();
            channels.push(id.ok_or("a number without an id")?);
        }
        let load = Load::new(server.address, channels, plan.customers);
        Ok(Self { server, meta, bot, load, seconds: plan.seconds })
    }

    /// Measures incoming messages at 1,000 a second. Prints the response times and the times until
    /// the bot's webhook arrives; returns the p99 response time in ms.
    async fn come_in_at_rate(&self, name: &str) -> Result<f64, Failure> {
        let before = self.bot.count();
        let warm_up = self.load.at_rate(Duration::from_secs(1)).await?;
        self.bot.note_sent();
        let answered = self.load.at_rate(Duration::from_secs(self.seconds)).await?;
        self.bot_is_told(before + warm_up.len() + answered.len()).await?;
        let told = self.bot.lags_ms();
        let p99 = quantile(&answered, 0.99);
        let p50 = quantile(&answered, 0.5);
        println!("| {name}: response time, p50 and p99 | {p50:.2} ms, {p99:.2} ms | p99 20 ms |");
        let (p50, p99_told) = (quantile(&told, 0.5), quantile(&told, 0.99));
        println!(
            "| from the post until the bot's webhook arrives | {p50:.2} ms, {p99_told:.2} ms | |"
        );
        Ok(p99)
    }

    /// Measures how many incoming messages a second the server accepts at most.
    pub(crate) async fn throughput(&self, span: Duration) -> Result<Throughput, Failure> {
        let before = self.bot.count();
        let load = self.load.while_it_goes(span);
        let told = async |count| self.bot_is_told(before + count).await;
        Throughput::measure(self.server, load, told).await
    }

    /// Prints the maximum rate of incoming messages.
    async fn come_in(&self) -> Result<(), Failure> {
        let span = Duration::from_secs(self.seconds);
        let Throughput { accepted, delivered, cpu_us } = self.throughput(span).await?;
        println!(
            "| maximum rate, committed and answered | {accepted:.0}/s; delivered to the bot \
             {delivered:.0}/s; {cpu_us:.0} µs of CPU each | |"
        );
        Ok(())
    }

    /// Measures how fast the bot's answers to all customers reach Meta.
    async fn go_out(&self) -> Result<(), Failure> {
        let rooms = self.bot.rooms();
        let (before, started) = (self.meta.sent(), Instant::now());
        let count = self.load.answer(&rooms, ANSWERS).await?;
        self.until("answers at Meta", before + count, || self.meta.sent()).await?;
        let rate = count as f64 / started.elapsed().as_secs_f64();
        let lags = self.meta.lags_ms();
        let (p50, p99) = (quantile(&lags, 0.5), quantile(&lags, 0.99));
        println!(
            "| {count} answers through {NUMBERS} numbers | {rate:.0}/s; from the bot's call to \
             Meta {p50:.1} ms, {p99:.1} ms | |"
        );
        Ok(())
    }

    /// Sends one file per customer whose download never finishes, and waits until the first hangs.
    async fn hang(&self, customers: usize) -> Result<(), Failure> {
        let mut line = Line::open(self.server.address).await?;
        for at in 0..customers {
            line.call(&self.load.webhook(Webhook::File(at))).await?;
        }
        self.until("files that hang", 1, || self.meta.hung()).await
    }

    async fn bot_is_told(&self, count: usize) -> Result<(), Failure> {
        self.until("messages at the bot", count, || self.bot.count()).await
    }

    async fn until(
        &self,
        what: &str,
        count: usize,
        seen: impl Fn() -> usize,
    ) -> Result<(), Failure> {
        let deadline = Instant::now() + STEP_MAX;
        while seen() < count {
            if Instant::now() > deadline {
                return Err(format!("{} of {count} {what} in time", seen()).into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

/// Deletes the WhatsApp numbers of an earlier run, because a number can be connected only once.
async fn disconnect(line: &mut Line) -> Result<(), Failure> {
    let list = Call::by_app(APP, Method::GET, "/api/v3/admin/channel/wa", String::new());
    let listed: Value = serde_json::from_slice(&line.call(&list).await?)?;
    for channel in listed["data"]["wa_channels"].as_array().into_iter().flatten() {
        let path = format!("/api/v2/wa/connect/{}/delete", channel["id"]);
        line.call(&Call::by_app(APP, Method::POST, &path, String::new())).await?;
    }
    Ok(())
}
