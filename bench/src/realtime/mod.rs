//! Realtime: memory of those who only listen, how soon a message is seen, and how many are seen.
//!
//! The load is one thread in this process, on the other end of loopback: raw sockets, frames
//! counted by their lengths. The same load drives mosquitto and nats-server, which do the same
//! fan-out in the same run.

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

/// How long and how much.
pub(crate) struct LoadPlan {
    seconds: u64,
    idle: usize,
}

/// What the documents show.
pub(crate) const FULL: LoadPlan = LoadPlan { seconds: 8, idle: 10_000 };
/// A look while working.
pub(crate) const QUICK: LoadPlan = LoadPlan { seconds: 3, idle: 10_000 };

/// Measures in a folder of its own, and prints.
pub(crate) fn run(binary: &Path, plan: &LoadPlan, aims: &mut Aims) -> Result<(), Failure> {
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
