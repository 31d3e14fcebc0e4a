//! The dashboard's requests after a year: with 1,000,000 conversations, compared with 10,000.
//!
//! [`year`] fills a store directly with changes, [`calls`] measures a real server on it. The last
//! column of the table is the ratio of the medians: it shows which requests become slower as
//! conversations accumulate.
//!
//! `confab-bench office CONFAB_BINARY [--quick]` does all this on SQLite in a temporary folder.
//! `confab-bench office-fill LOCATION CONVERSATIONS [EACH]` only fills a folder or a `postgres://…`
//! database, with `EACH` conversations per customer. `confab-bench office-calls CONFAB_BINARY
//! LOCATION` only measures.

mod calls;
mod words;
mod year;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use self::calls::Figure;
use crate::failure::Failure;
use crate::fill::{self, APP};
use crate::process::confab;

/// The numbers of conversations in the smaller and in the larger store.
pub(crate) type LoadPlan = [usize; 2];

pub(crate) const FULL: LoadPlan = [10_000, 1_000_000];
pub(crate) const QUICK: LoadPlan = [1_000, 10_000];

/// Default number of conversations per customer.
pub(crate) const EACH: usize = 5;

const PORT: u16 = 18_795;

/// Fills two stores, measures both, and prints the table.
pub(crate) fn run(binary: &Path, plan: &LoadPlan) -> Result<(), Failure> {
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let mut offices = Vec::new();
    for conversations in plan {
        let folder = work.path().join(conversations.to_string()).display().to_string();
        fill(&folder, *conversations, EACH)?;
        offices.push(ask(binary, &folder)?);
    }
    let [few, many] = plan;
    println!("| what | {few}: p50 ms | p95 | {many}: p50 ms | p95 | times |");
    println!("|---|---|---|---|---|---|");
    for (few, many) in offices[0].iter().zip(&offices[1]) {
        let Figure { what, p50_ms, p95_ms } = few;
        let times = many.p50_ms / p50_ms;
        println!(
            "| {what} | {p50_ms:.1} | {p95_ms:.1} | {:.1} | {:.1} | {times:.1} |",
            many.p50_ms, many.p95_ms
        );
    }
    Ok(())
}

/// Fills one store, with `each` conversations per customer.
pub(crate) fn fill(location: &str, conversations: usize, each: usize) -> Result<(), Failure> {
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(year::fill(&fill::location(location)?, conversations, each))?;
    eprintln!("{conversations} conversations: {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Measures one store and prints the figures.
pub(crate) fn print(binary: &Path, location: &str) -> Result<(), Failure> {
    for Figure { what, p50_ms, p95_ms } in ask(binary, location)? {
        println!("| {what} | {p50_ms:.1} | {p95_ms:.1} |");
    }
    Ok(())
}

fn ask(binary: &Path, location: &str) -> Result<Vec<Figure>, Failure> {
    let place = fill::flag(location);
    let started = Instant::now();
    let rebuild = Command::new(binary)
        .args(["analytics", "rebuild", "--app", APP])
        .args(place)
        .stdout(std::process::Stdio::null())
        .status()?;
    if !rebuild.success() {
        return Err("analytics cannot be rebuilt".into());
    }
    eprintln!("analytics rebuild: {:.1} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let server = confab(binary, place, PORT)?;
    let start_ms = started.elapsed().as_secs_f64() * 1_000.0;
    let what = "startup until listening".to_owned();
    let mut figures = vec![Figure { what, p50_ms: start_ms, p95_ms: start_ms }];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let asked = runtime.block_on(calls::ask(server.address, binary, place));
    eprintln!("memory after all calls: {:.0} MB", server.resident_mb()?);
    server.stop()?;
    figures.extend(asked?);
    Ok(figures)
}
