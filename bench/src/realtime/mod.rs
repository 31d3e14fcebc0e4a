//! Realtime: memory of those who only listen, how soon a message is seen, and how many are seen.
//!
//! The load is one thread in this process, on the other end of loopback: raw sockets, frames
//! counted by their lengths. The same load drives mosquitto and nats-server, which do the same
//! fan-out in the same run.

mod fan_out;
mod idle;
mod latency;
mod wire;

use std::net::SocketAddr;
use std::path::Path;

use confab_store::Location;
use tokio::task::JoinSet;

use self::wire::{Way, Wire};
use crate::Failure;
use crate::fill::{self, Party, person, token_of};
use crate::process::{Server, confab_with_mqtt};

/// How long and how much.
pub(crate) struct Plan {
    seconds: u64,
    idle: usize,
}

/// What the documents show.
pub(crate) const FULL: Plan = Plan { seconds: 8, idle: 10_000 };
/// A look while working.
pub(crate) const QUICK: Plan = Plan { seconds: 3, idle: 10_000 };

/// The ways in.
const WAYS: [Way; 2] = [Way::WebSocket, Way::Mqtt];
const PORT: u16 = 18_790;
const MQTT_PORT: u16 = 18_791;
/// A room with many listeners.
const HALL: &str = "hall";
const HALL_LISTENERS: usize = 1_000;
/// Rooms of a few listeners, each of whom is in one.
const TABLES: usize = 100;
const TABLE_LISTENERS: usize = 10;
/// Characters of a message.
const TEXT_LENGTH: usize = 300;

fn table_name(at: usize) -> String {
    format!("table-{at}")
}

/// Measures in a folder of its own, and prints.
pub(crate) fn run(binary: &Path, plan: &Plan) -> Result<(), Failure> {
    confab_server::open_files::raise();
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("realtime");
    let tables = (0..TABLES).map(|at| (table_name(at), at * TABLE_LISTENERS));
    let tables = tables.map(|(name, from)| (name, from..from + TABLE_LISTENERS));
    let parties: Vec<Party> = tables.chain([(HALL.to_owned(), 0..HALL_LISTENERS)]).collect();
    fill::people(&Location::folder(&data), plan.idle, &parties)?;
    let data = data.display().to_string();
    // One thread, so that the server has the other core.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build()?;
    println!("\n| realtime | measured |\n|---|---|");
    for way in WAYS {
        let confab = Confab::start(binary, &data)?;
        runtime.block_on(idle::measure(&confab, way, plan.idle))?;
        confab.server.stop()?;
    }
    let confab = Confab::start(binary, &data)?;
    for way in WAYS {
        runtime.block_on(latency::measure(&confab, way, plan.seconds, work.path()))?;
    }
    fan_out::measure(&runtime, &confab, plan.seconds, work.path())?;
    confab.server.stop()
}

/// The server, and where it listens for MQTT.
struct Confab {
    server: Server,
    mqtt: SocketAddr,
}

impl Confab {
    fn start(binary: &Path, data: &str) -> Result<Self, Failure> {
        let mqtt = SocketAddr::from(([127, 0, 0, 1], MQTT_PORT));
        let server = confab_with_mqtt(binary, ["--data", data], PORT, &mqtt.to_string())?;
        Ok(Self { server, mqtt })
    }

    /// Connects one of the people.
    fn listener(
        &self,
        way: Way,
        at: usize,
    ) -> impl Future<Output = Result<Wire, Failure>> + Send + 'static {
        let token = token_of(&person(at));
        let (address, name) = match way {
            Way::Mqtt => (self.mqtt, format!("{token}/c")),
            _ => (self.server.address, token),
        };
        async move { Wire::open(way, address, at, &name).await }
    }
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "WebSocket",
            Self::Mqtt => "MQTT",
            Self::Nats => "NATS",
        }
    }
}

/// CPU time of this process so far, in seconds.
fn own_cpu_seconds() -> Result<f64, Failure> {
    crate::process::cpu_seconds_of(std::process::id())
}

/// What stands at this part of a sorted list.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len().saturating_sub(1) as f64 * part) as usize).copied().unwrap_or(f64::NAN)
}

/// Waits for all of them; the first failure ends it.
async fn all<T: 'static>(mut tasks: JoinSet<Result<T, Failure>>) -> Result<Vec<T>, Failure> {
    let mut done = Vec::new();
    while let Some(task) = tasks.join_next().await {
        done.push(task??);
    }
    Ok(done)
}
