//! One room with a thousand listeners: messages delivered per second.
//!
//! Publishers keep at most `WINDOW` messages in flight: they post a new message whenever the
//! listeners have received as many deliveries as one message causes. All servers are measured in
//! this way, so none disconnects listeners or drops messages, and each can write several messages
//! at once.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::party::{Confab, HALL, HALL_LISTENERS, TEXT_LENGTH, WAYS, own_cpu_seconds};
use super::wire::{Way, Wire};
use crate::aims::Aims;
use crate::failure::Failure;
use crate::fill::person;
use crate::line::{Call, Line};
use crate::process::Server;

/// Maximum number of messages in flight.
const WINDOW: usize = 128;
/// Number of connections that post to the room.
const POSTERS: usize = 64;
/// Time before the measurement.
const WARM_UP: Duration = Duration::from_secs(1);
const MOSQUITTO_PORT: u16 = 18_792;
const NATS_PORT: u16 = 18_793;

/// Prints the rates of Confab, mosquitto and nats-server.
pub(super) fn measure(
    runtime: &Runtime,
    confab: &Confab,
    seconds: u64,
    folder: &Path,
    aims: &mut Aims,
) -> Result<(), Failure> {
    let mut ours = Vec::new();
    for way in WAYS {
        let flow = runtime.block_on(of_confab(confab, way, seconds))?;
        flow.print(&format!("Confab, {}", way.name()));
        ours.push(flow);
    }
    let as_long_as_ours = ours[0].message_bytes() as usize;
    for length in [TEXT_LENGTH, as_long_as_ours] {
        let mosquitto = mosquitto(folder)?;
        let other = runtime.block_on(of_broker(&mosquitto, Way::Mqtt, length, seconds))?;
        other.print(&format!("mosquitto, {length} bytes"));
        mosquitto.stop()?;
        let nats = nats()?;
        let nats_flow = runtime.block_on(of_broker(&nats, Way::Nats, length, seconds))?;
        nats_flow.print(&format!("nats-server, {length} bytes"));
        nats.stop()?;
        for (way, ours) in WAYS.iter().zip(&ours) {
            println!(
                "| Confab, {}, relative to them | {:.1} times mosquitto, {:.2} of nats-server; by \
                 CPU {:.1} times, {:.2} |",
                way.name(),
                ours.messages / other.messages,
                ours.messages / nats_flow.messages,
                other.cpu_us() / ours.cpu_us(),
                nats_flow.cpu_us() / ours.cpu_us()
            );
            let what = format!("{}, fan-out of {length} bytes, of nats-server", way.name());
            aims.at_least(what, ours.messages / nats_flow.messages, 1.3);
        }
    }
    Ok(())
}

/// Measured rates of one server, per second.
struct Flow {
    messages: f64,
    bytes: f64,
    /// Average number of CPU cores that the server kept busy.
    server_cores: f64,
    own_cores: f64,
}

impl Flow {
    fn print(&self, name: &str) {
        println!(
            "| {HALL_LISTENERS} listeners: {name} | {:.0} deliveries/s, {:.0} MB/s, {:.0} bytes \
             each; {:.2} µs of the server's CPU each; busy cores: server {:.2}, load {:.2} |",
            self.messages,
            self.bytes / 1e6,
            self.message_bytes(),
            self.cpu_us(),
            self.server_cores,
            self.own_cores
        );
    }

    /// Returns the server's CPU time per delivery in µs. Unlike the rate, it is comparable even
    /// when other programs use the cores.
    fn cpu_us(&self) -> f64 {
        self.server_cores * 1e6 / self.messages
    }

    fn message_bytes(&self) -> f64 {
        self.bytes / self.messages
    }
}

/// Counters of all deliveries, and the semaphore that limits messages in flight.
struct WrkResult {
    messages: AtomicU64,
    bytes: AtomicU64,
    turns: Semaphore,
}

impl WrkResult {
    fn new() -> Arc<Self> {
        let (messages, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { messages, bytes, turns: Semaphore::new(WINDOW) })
    }

    fn note(&self, messages: u64, bytes: u64) {
        let before = self.messages.fetch_add(messages, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let all = HALL_LISTENERS as u64;
        let turns = (before + messages) / all - before / all;
        if turns > 0 {
            self.turns.add_permits(turns as usize);
        }
    }

    fn listen(self: &Arc<Self>, wire: Wire) -> impl Future<Output = ()> + Send + 'static {
        let seen = self.clone();
        wire.listen(move |messages| {
            let (mut count, mut bytes) = (0, 0);
            for message in messages {
                count += 1;
                bytes += message.len() as u64;
            }
            seen.note(count, bytes);
        })
    }

    /// Waits for the warm-up, then measures the rates.
    async fn flow(&self, server: &Server, seconds: u64) -> Result<Flow, Failure> {
        let now = || -> Result<_, Failure> {
            let seen = [&self.messages, &self.bytes].map(|it| it.load(Ordering::Relaxed) as f64);
            Ok((Instant::now(), seen, server.cpu_seconds()?, own_cpu_seconds()?))
        };
        tokio::time::sleep(WARM_UP).await;
        let before = now()?;
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let after = now()?;
        let passed = (after.0 - before.0).as_secs_f64();
        if after.1[0] == before.1[0] {
            return Err("nothing flows".into());
        }
        Ok(Flow {
            messages: (after.1[0] - before.1[0]) / passed,
            bytes: (after.1[1] - before.1[1]) / passed,
            server_cores: (after.2 - before.2) / passed,
            own_cores: (after.3 - before.3) / passed,
        })
    }
}

async fn of_confab(confab: &Confab, way: Way, seconds: u64) -> Result<Flow, Failure> {
    let (seen, mut tasks) = (WrkResult::new(), JoinSet::new());
    for at in 0..HALL_LISTENERS {
        tasks.spawn(seen.listen(confab.listener(way, at).await?));
    }
    for _ in 0..POSTERS {
        let (mut line, seen) = (Line::open(confab.server.address).await?, seen.clone());
        let post = Call::post(&person(0), HALL, &"x".repeat(TEXT_LENGTH));
        tasks.spawn(async move {
            while let Ok(turn) = seen.turns.acquire().await {
                turn.forget();
                if let Err(failure) = line.call(&post).await {
                    eprintln!("a post failed: {failure}");
                    return;
                }
            }
        });
    }
    seen.flow(&confab.server, seconds).await
}

async fn of_broker(
    server: &Server,
    way: Way,
    length: usize,
    seconds: u64,
) -> Result<Flow, Failure> {
    let (seen, mut tasks) = (WrkResult::new(), JoinSet::new());
    for at in 0..HALL_LISTENERS {
        tasks.spawn(seen.listen(Wire::open(way, server.address, at, HALL).await?));
    }
    let mut publisher = Wire::open(way, server.address, HALL_LISTENERS, "nothing").await?;
    let (message, turning) = (way.publish(HALL, &"x".repeat(length)), seen.clone());
    tasks.spawn(async move {
        while let Ok(turn) = turning.turns.acquire().await {
            turn.forget();
            let more = turning.turns.forget_permits(WINDOW);
            if publisher.write(&message.repeat(1 + more)).await.is_err() {
                return;
            }
        }
    });
    seen.flow(server, seconds).await
}

fn mosquitto(folder: &Path) -> Result<Server, Failure> {
    let config = folder.join("mosquitto.conf");
    let listener = SocketAddr::from(([127, 0, 0, 1], MOSQUITTO_PORT));
    let settings = format!(
        "listener {} {}\nallow_anonymous true\nset_tcp_nodelay true\nlog_dest none\n",
        listener.port(),
        listener.ip()
    );
    std::fs::write(&config, settings)?;
    let config = config.display().to_string();
    Server::start(&program("mosquitto"), &["-c", &config], MOSQUITTO_PORT)
}

fn nats() -> Result<Server, Failure> {
    let port = NATS_PORT.to_string();
    Server::start(&program("nats-server"), &["--addr", "127.0.0.1", "--port", &port], NATS_PORT)
}

/// Returns the path of a program. Debian installs it in a folder that may not be on the PATH.
fn program(name: &str) -> PathBuf {
    let place = Path::new("/usr/sbin").join(name);
    if place.is_file() { place } else { PathBuf::from(name) }
}
