//! Compares two binaries: the cost of a change for posts, pages, customers' messages and webhooks.
//!
//! Each binary has its own folder, filled by the bench of its version (`confab-bench fill FOLDER
//! MESSAGES`), because the schema may differ. Runs alternate, and so does their order, so that a
//! slow minute affects both alike: the old binary is first in odd rounds. An uncounted round
//! precedes them. On a shared machine, CPU time per request is the reliable figure.
//!
//! The medians are printed to the standard output, the figures of each round to the standard error.
//! A customer's message includes the webhook that delivers it to the bot, and a delivery includes
//! the request that triggers it; the rate of both is that of the deliveries.

use std::path::Path;
use std::time::Duration;

use crate::channels::{self, Meta};
use crate::deliveries;
use crate::failure::Failure;
use crate::throughput::Throughput;
use crate::wrk::{self, Load};

/// Default number of rounds.
pub(crate) const ROUNDS: usize = 9;

const PORTS: [u16; 2] = [18_789, 18_790];
const LOADS: [Load; 4] = [Load::PostSpread, Load::PostOneRoom, Load::FirstPage, Load::DeepPage];
const CONNECTIONS: usize = 64;
const SECONDS: u32 = 3;

/// One of the two compared binaries, with its data folder.
pub(crate) struct Side<'a> {
    pub(crate) binary: &'a Path,
    pub(crate) folder: &'a str,
}

/// Rate per second, and CPU time per request in µs.
#[derive(Clone, Copy)]
struct Figures {
    rate: f64,
    cpu_us: f64,
}

/// Measures both binaries alternately and prints the medians of each with their ratio.
pub(crate) fn run(sides: [Side<'_>; 2], rounds: usize) -> Result<(), Failure> {
    let work = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let metas = both(|_| runtime.block_on(Meta::start()))?;
    let servers = both(|at| {
        let Side { binary, folder } = sides[at];
        channels::server(binary, ["--data", folder], PORTS[at], &metas[at])
    })?;
    let span = Duration::from_secs(SECONDS.into());
    println!("| | before /s | after /s | ratio | before CPU µs | after CPU µs | ratio |");
    println!("|---|---|---|---|---|---|---|");
    for load in LOADS {
        row(load.name(), rounds, |at| {
            let seen = wrk::run(load, &servers[at], CONNECTIONS, SECONDS, work.path())?;
            Ok(Figures { rate: seen.per_second, cpu_us: seen.cpu_us })
        })?;
    }
    let benches = both(|at| {
        runtime.block_on(channels::Bench::start(&servers[at], &metas[at], &channels::FULL))
    })?;
    row("customer's WhatsApp message", rounds, |at| {
        runtime.block_on(benches[at].throughput(span)).map(Figures::from)
    })?;
    let benches = both(|at| runtime.block_on(deliveries::Bench::start(&servers[at])))?;
    row("webhook delivery", rounds, |at| {
        runtime.block_on(benches[at].throughput(span)).map(Figures::from)
    })?;
    servers.into_iter().try_for_each(|server| server.stop())
}

/// Returns the results of `make` for the old and the new binary.
fn both<T>(mut make: impl FnMut(usize) -> Result<T, Failure>) -> Result<[T; 2], Failure> {
    Ok([make(0)?, make(1)?])
}

/// Measures a load in all rounds, and prints the figures of each round and their medians.
fn row(
    name: &str,
    rounds: usize,
    mut measure: impl FnMut(usize) -> Result<Figures, Failure>,
) -> Result<(), Failure> {
    both(&mut measure)?;
    let mut seen: [Vec<Figures>; 2] = Default::default();
    for round in 0..rounds {
        for turn in 0..2 {
            let at = (round + turn) % 2;
            seen[at].push(measure(at)?);
        }
        eprintln!("| {name}, round {} {}", round + 1, cells([seen[0][round], seen[1][round]]));
    }
    println!("| {name} {}", cells(seen.map(|runs| median(&runs))));
    Ok(())
}

fn cells([before, after]: [Figures; 2]) -> String {
    format!(
        "| {:.0} | {:.0} | {:.3} | {:.1} | {:.1} | {:.3} |",
        before.rate,
        after.rate,
        after.rate / before.rate,
        before.cpu_us,
        after.cpu_us,
        after.cpu_us / before.cpu_us
    )
}

fn median(runs: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| {
        let mut figures: Vec<f64> = runs.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    Figures { rate: of(|it| it.rate), cpu_us: of(|it| it.cpu_us) }
}

impl From<Throughput> for Figures {
    fn from(seen: Throughput) -> Self {
        Self { rate: seen.delivered, cpu_us: seen.cpu_us }
    }
}
