//! Realtime: memory of idle clients, latency of deliveries, and deliveries per second.
//!
//! The load generator is one thread in this process, connected by loopback. It uses raw sockets and
//! counts frames by their lengths. It also drives mosquitto and nats-server, in the same run and
//! with the same number of listeners.

mod fan_out;
mod idle;
mod latency;
mod party;
mod wire;

use std::path::Path;

use confab_store::Location;

use self::party::{Confab, HALL, HALL_LISTENERS, TABLE_LISTENERS, TABLES, WAYS, table_name};
use crate::aims::Aims;
use crate::failure::Failure;
use crate::fill::{self, Party};

/// Duration and size of the measurement.
pub(crate) struct LoadPlan {
    seconds: u64,
    idle: usize,
}

/// The plan for the documented figures.
pub(crate) const FULL: LoadPlan = LoadPlan { seconds: 8, idle: 10_000 };
/// A shorter plan for development.
pub(crate) const QUICK: LoadPlan = LoadPlan { seconds: 3, idle: 10_000 };

/// Measures on a new store and prints the table.
pub(crate) fn run(binary: &Path, plan: &LoadPlan, aims: &mut Aims) -> Result<(), Failure> {
    confab_runtime::process::open_files::raise();
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("realtime");
    let tables = (0..TABLES).map(|at| (table_name(at), at * TABLE_LISTENERS));
    let tables = tables.map(|(name, from)| (name, from..from + TABLE_LISTENERS));
    let parties: Vec<Party> = tables.chain([(HALL.to_owned(), 0..HALL_LISTENERS)]).collect();
    fill::people(&Location::folder(&data), plan.idle, &parties)?;
    let data = data.display().to_string();
    // One thread, which leaves the other core to the server.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build()?;
    println!("\n| realtime | measured |\n|---|---|");
    for way in WAYS {
        let confab = Confab::start(binary, &data)?;
        runtime.block_on(idle::measure(&confab, way, plan.idle, aims))?;
        confab.server.stop()?;
    }
    let confab = Confab::start(binary, &data)?;
    for way in WAYS {
        runtime.block_on(latency::measure(&confab, way, plan.seconds, work.path()))?;
    }
    fan_out::measure(&runtime, &confab, plan.seconds, work.path(), aims)?;
    confab.server.stop()
}
