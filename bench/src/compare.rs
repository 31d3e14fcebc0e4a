//! Compares two binaries: the cost of a change for posting and for loading pages.
//!
//! Each binary has its own folder, filled by the bench of its version (`confab-bench fill FOLDER
//! MESSAGES`), because the schema may differ. Runs alternate, and so does their order, so that a
//! slow minute affects both alike. On a shared machine, CPU time per request is the reliable
//! figure.

use std::path::Path;

use crate::failure::Failure;
use crate::process::confab;
use crate::wrk::{self, Load, WrkResult};

const PORTS: [u16; 2] = [18_789, 18_790];
const LOADS: [Load; 4] = [Load::PostSpread, Load::PostOneRoom, Load::FirstPage, Load::DeepPage];
const CONNECTIONS: usize = 64;
const SECONDS: u32 = 3;

/// One of the two compared binaries, with its data folder.
pub(crate) struct Side<'a> {
    pub(crate) binary: &'a Path,
    pub(crate) folder: &'a str,
}

/// Measures both binaries alternately and prints the medians of each with their ratio.
pub(crate) fn run(sides: [Side<'_>; 2], rounds: usize) -> Result<(), Failure> {
    let work = tempfile::tempdir()?;
    println!("| | before /s | after /s | ratio | before CPU µs | after CPU µs | ratio |");
    println!("|---|---|---|---|---|---|---|");
    let start = |at: usize| confab(sides[at].binary, ["--data", sides[at].folder], PORTS[at]);
    let servers = [start(0)?, start(1)?];
    for load in LOADS {
        let mut seen: [Vec<WrkResult>; 2] = Default::default();
        for round in 0..rounds {
            for turn in 0..2 {
                let at = (round + turn) % 2;
                seen[at].push(wrk::run(load, &servers[at], CONNECTIONS, SECONDS, work.path())?);
            }
        }
        let [before, after] = seen;
        let rate = [&before, &after].map(|runs| median(runs, |it| it.per_second));
        let cpu = [&before, &after].map(|runs| median(runs, |it| it.cpu_us));
        println!(
            "| {} | {:.0} | {:.0} | {:.3} | {:.1} | {:.1} | {:.3} |",
            load.name(),
            rate[0],
            rate[1],
            rate[1] / rate[0],
            cpu[0],
            cpu[1],
            cpu[1] / cpu[0]
        );
    }
    servers.into_iter().try_for_each(|server| server.stop())
}

fn median(runs: &[WrkResult], figure: impl Fn(&WrkResult) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
