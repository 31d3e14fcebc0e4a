//! The rounds of a run: everything is measured three times, in turns.

use std::path::Path;

use crate::process::{Server, confab, time_to_first_message};
use crate::table::{Cell, Table};
use crate::wrk::{self, Load};
use crate::{Failure, fill};

/// How long and how much.
pub(crate) struct Plan {
    rounds: usize,
    seconds: u32,
    connections: &'static [usize],
    stored: usize,
}

/// What the documents show.
pub(crate) const FULL: Plan =
    Plan { rounds: 3, seconds: 5, connections: &[64, 256], stored: 10_000_000 };
/// A look while working.
pub(crate) const QUICK: Plan =
    Plan { rounds: 1, seconds: 3, connections: &[64], stored: 2_000_000 };

const CONFAB_PORT: u16 = 18_787;
const CEILINGS_PORT: u16 = 18_788;

const LOADS: [Load; 6] = [
    Load::HttpCeiling,
    Load::DurableCeiling,
    Load::PostSpread,
    Load::PostOneRoom,
    Load::FirstPage,
    Load::DeepPage,
];

/// Measures everything and prints the table.
pub(crate) fn run(binary: &Path, plan: &Plan) -> Result<(), Failure> {
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("data");
    eprintln!("filling: {} messages in one room", fill::BIG_ROOM_MESSAGES);
    fill::fill(&data, 0)?;
    let mut table = Table::default();
    measure(binary, &data, work.path(), plan, "start", &mut table)?;
    eprintln!("filling up to {} messages", plan.stored);
    fill::fill(&data, plan.stored)?;
    measure(binary, &data, work.path(), plan, "filled", &mut table)?;
    table.print(plan.stored);
    Ok(())
}

fn measure(
    binary: &Path,
    data: &Path,
    work: &Path,
    plan: &Plan,
    stage: &'static str,
    table: &mut Table,
) -> Result<(), Failure> {
    for _ in 0..plan.rounds {
        let (first_message_ms, server) = time_to_first_message(binary, data, CONFAB_PORT)?;
        table.idle(stage, server.resident_mb()?, first_message_ms);
        server.stop()?;
    }
    let this = std::env::current_exe()?;
    let (address, log) = (format!("127.0.0.1:{CEILINGS_PORT}"), work.join("ceiling.log"));
    let log = log.display().to_string();
    let ceilings = Server::start(&this, &["ceilings", &address, &log], CEILINGS_PORT)?;
    let server = confab(binary, data, CONFAB_PORT)?;
    for round in 0..plan.rounds {
        for connections in plan.connections {
            for load in LOADS {
                let target = if load.is_ceiling() { &ceilings } else { &server };
                let seen = wrk::run(load, target, *connections, plan.seconds, work)?;
                eprintln!(
                    "{stage}, round {}: {}, {connections} connections: {:.0}/s",
                    round + 1,
                    load.name(),
                    seen.per_second
                );
                table.add(Cell { stage, load, connections: *connections }, seen);
            }
        }
    }
    table.loaded(stage, server.resident_mb()?);
    server.stop()
}
