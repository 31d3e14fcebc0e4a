//! The rounds of a run. Each round runs every load once, so that a slow minute affects all loads.

use std::path::Path;

use confab_store::Location;
use confab_test_servers::postgres::{self, Setup};

use crate::aims::Aims;
use crate::failure::Failure;
use crate::process::{Server, confab, time_to_first_message};
use crate::table::{Cell, Stage, Table};
use crate::wrk::{self, Load, WrkResult};
use crate::{channels, deliveries, fill, pgbench, realtime, synapse};

/// Duration and size of the measurement.
pub(crate) struct LoadPlan {
    rounds: usize,
    seconds: u32,
    connections: &'static [usize],
    stored: usize,
    deliveries: &'static deliveries::LoadPlan,
    channels: &'static channels::LoadPlan,
    realtime: &'static realtime::LoadPlan,
    synapse: &'static synapse::LoadPlan,
}

/// The plan for the documented figures.
pub(crate) const FULL: LoadPlan = LoadPlan {
    rounds: 3,
    seconds: 5,
    connections: &[64, 256],
    stored: 10_000_000,
    deliveries: &deliveries::FULL,
    channels: &channels::FULL,
    realtime: &realtime::FULL,
    synapse: &synapse::FULL,
};
/// A shorter plan for development.
pub(crate) const QUICK: LoadPlan = LoadPlan {
    rounds: 1,
    seconds: 3,
    connections: &[64],
    stored: 2_000_000,
    deliveries: &deliveries::QUICK,
    channels: &channels::QUICK,
    realtime: &realtime::QUICK,
    synapse: &synapse::QUICK,
};

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
pub(crate) fn run(
    binary: &Path,
    plan: &LoadPlan,
    is_only_postgres: bool,
    aims: &mut Aims,
) -> Result<(), Failure> {
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let mut table = Table::default();
    if !is_only_postgres {
        let data = work.path().join("data");
        let location = Location::folder(&data);
        let data = data.display().to_string();
        let store = ["--data", &data];
        eprintln!("filling: {} messages in one room", fill::BIG_ROOM_MESSAGES);
        fill::fill(&location, 0)?;
        let mut measured = Measured { binary, store, work: work.path(), plan, table: &mut table };
        measured.sqlite(Stage::Sqlite)?;
        eprintln!("filling up to {} messages", plan.stored);
        fill::fill(&location, plan.stored)?;
        measured.sqlite(Stage::SqliteFilled)?;
        let name = Stage::SqliteFilled.name(plan.stored);
        deliveries::measure(binary, store, &location, &deliveries::BESIDE, (&name, aims))?;
    }
    measure_postgres(binary, work.path(), plan, &mut table, aims)?;
    table.print(plan.stored);
    table.judge(plan.stored, aims);
    if !is_only_postgres {
        deliveries::run(binary, plan.deliveries, aims)?;
        channels::run(binary, plan.channels, aims)?;
        realtime::run(binary, plan.realtime, aims)?;
        synapse::run(binary, plan.synapse)?;
    }
    Ok(())
}

/// A server under measurement with its data, and the table that collects its figures.
struct Measured<'a> {
    binary: &'a Path,
    /// The server's flag for the location of its data.
    store: [&'a str; 2],
    work: &'a Path,
    plan: &'a LoadPlan,
    table: &'a mut Table,
}

impl Measured<'_> {
    fn sqlite(&mut self, stage: Stage) -> Result<(), Failure> {
        self.idle(stage)?;
        let (ceilings, server) = (ceilings(self.work)?, self.start()?);
        for round in 0..self.plan.rounds {
            for connections in self.plan.connections {
                for load in LOADS {
                    let target = if load.is_ceiling() { &ceilings } else { &server };
                    let seen = self.wrk(load, target, *connections)?;
                    self.note(Cell { stage, load, connections: *connections }, round, seen);
                }
            }
        }
        self.table.loaded(stage, server.resident_mb()?);
        server.stop()
    }

    fn postgres(&mut self, stage: Stage, postgres: &postgres::Server) -> Result<(), Failure> {
        self.idle(stage)?;
        let (ceilings, server) = (ceilings(self.work)?, self.start()?);
        let (work, seconds) = (self.work, self.plan.seconds);
        // Fail before the load if the server has no metrics.
        server.metric("confab_store_commit_writes_sum")?;
        for round in 0..self.plan.rounds {
            for connections in self.plan.connections {
                let mut batch = 1;
                for load in POSTGRES_LOADS {
                    let seen = match load {
                        Load::BareInserts => {
                            WrkResult::rate(pgbench::bare(postgres, batch, seconds, work)?)
                        }
                        Load::OneByOne => {
                            WrkResult::rate(pgbench::one_by_one(postgres, seconds, work)?)
                        }
                        Load::HttpCeiling => self.wrk(load, &ceilings, *connections)?,
                        _ => {
                            let before = commits(&server)?;
                            let seen = self.wrk(load, &server, *connections)?;
                            let after = commits(&server)?;
                            if load == Load::PostSpread {
                                let size = (after.0 - before.0) / (after.1 - before.1);
                                batch = size.round() as usize;
                                eprintln!("{batch} messages in a commit");
                            }
                            seen
                        }
                    };
                    self.note(Cell { stage, load, connections: *connections }, round, seen);
                }
            }
        }
        self.table.loaded(stage, server.resident_mb()?);
        server.stop()
    }

    /// Measures, once per round, the time from start to first accepted message and the memory after
    /// it.
    fn idle(&mut self, stage: Stage) -> Result<(), Failure> {
        for _ in 0..self.plan.rounds {
            let (first_message_ms, server) =
                time_to_first_message(self.binary, self.store, CONFAB_PORT)?;
            self.table.idle(stage, server.resident_mb()?, first_message_ms);
            server.stop()?;
        }
        Ok(())
    }

    fn start(&self) -> Result<Server, Failure> {
        confab(self.binary, self.store, CONFAB_PORT)
    }

    fn wrk(&self, load: Load, server: &Server, connections: usize) -> Result<WrkResult, Failure> {
        wrk::run(load, server, connections, self.plan.seconds, self.work)
    }

    fn note(&mut self, cell: Cell, round: usize, seen: WrkResult) {
        let Cell { stage, load, connections } = cell;
        let (round, name, rate) = (round + 1, load.name(), seen.per_second);
        eprintln!("{stage:?}, round {round}: {name}, {connections} connections: {rate:.0}/s");
        self.table.add(cell, seen);
    }
}

fn ceilings(work: &Path) -> Result<Server, Failure> {
    let this = std::env::current_exe()?;
    let (address, log) = (format!("127.0.0.1:{CEILINGS_PORT}"), work.join("ceiling.log"));
    let log = log.display().to_string();
    Server::start(&this, &["ceilings", &address, &log], CEILINGS_PORT)
}

const POSTGRES_LOADS: [Load; 7] = [
    Load::HttpCeiling,
    Load::PostSpread,
    Load::BareInserts,
    Load::OneByOne,
    Load::PostOneRoom,
    Load::FirstPage,
    Load::DeepPage,
];

/// Measures on a temporary PostgreSQL server with fsync, sized for a small installation; its other
/// settings are the defaults.
fn measure_postgres(
    binary: &Path,
    work: &Path,
    plan: &LoadPlan,
    table: &mut Table,
    aims: &mut Aims,
) -> Result<(), Failure> {
    let settings = [("shared_buffers", "1GB"), ("max_wal_size", "8GB")];
    let postgres = Setup::new().keep_fsync().settings(&settings).start();
    let (url, location) = (postgres.url(), Location::database(&postgres.url())?);
    let store = ["--database-url", url.as_str()];
    let stages = [(Stage::Postgres, fill::BIG_ROOM_MESSAGES), (Stage::PostgresFilled, plan.stored)];
    for (stage, messages) in stages {
        eprintln!("filling PostgreSQL up to {messages} messages");
        fill::fill(&location, messages)?;
        pgbench::prepare(&postgres);
        Measured { binary, store, work, plan, table }.postgres(stage, &postgres)?;
        let name = stage.name(plan.stored);
        deliveries::measure(binary, store, &location, &deliveries::BESIDE, (&name, aims))?;
    }
    Ok(())
}

fn commits(server: &Server) -> Result<(f64, f64), Failure> {
    let writes = server.metric("confab_store_commit_writes_sum")?;
    Ok((writes, server.metric("confab_store_commit_writes_count")?))
}
