//! `make bench`: the speed of Confab, relative to ceilings measured in the same run.
//!
//! Machines are shared and noisy, so a figure alone means little; its ratio to a ceiling measured a
//! moment before means more. Three programs take part: the real `confab` binary, the [`ceilings`]
//! server (the same HTTP stack without a store), and wrk, connected by loopback. On PostgreSQL
//! there is a fourth: pgbench, which writes the same rows to the same server. Every figure is the
//! median of three runs, interleaved so that a slow minute affects all of them alike.
//!
//! `confab-bench run CONFAB_BINARY` prints the table. `--quick` does one short run of each load,
//! `--postgres` measures on PostgreSQL only. Parts can be measured alone: `confab-bench deliveries
//! CONFAB_BINARY` for webhooks, `confab-bench channels CONFAB_BINARY` for WhatsApp messages,
//! `confab-bench realtime CONFAB_BINARY` for live connections, `confab-bench synapse CONFAB_BINARY`
//! for a comparison with Synapse (see [`synapse`]), and `confab-bench office CONFAB_BINARY` for the
//! dashboard's requests with 1,000,000 conversations (see [`office`]). `confab-bench neighbors
//! CONFAB_BINARY PLACE USERS` measures one app while another one searches.
//!
//! `confab-bench fill PLACE MESSAGES` fills a folder or a database (given by its URL) for other
//! uses; `confab-bench deliveries-at CONFAB_BINARY PLACE` measures deliveries there. `confab-bench
//! compare OLD_BINARY FOLDER NEW_BINARY FOLDER [ROUNDS]` shows the cost of a change (see
//! [`compare`]).

mod aims;
mod ceilings;
mod channels;
mod compare;
mod deliveries;
mod failure;
mod fill;
mod line;
mod neighbors;
mod office;
mod pgbench;
mod process;
mod realtime;
mod rounds;
mod synapse;
mod table;
mod tasks;
mod throughput;
mod wrk;

use std::path::Path;

use self::aims::Aims;
use self::failure::Failure;

/// The allocator of the real server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["run", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &rounds::QUICK } else { &rounds::FULL };
            let is_only_postgres = options.contains(&"--postgres");
            judged(|aims| rounds::run(Path::new(binary), plan, is_only_postgres, aims))
        }
        ["deliveries", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &deliveries::QUICK } else { &deliveries::FULL };
            judged(|aims| deliveries::run(Path::new(binary), plan, aims))
        }
        ["channels", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &channels::QUICK } else { &channels::FULL };
            judged(|aims| channels::run(Path::new(binary), plan, aims))
        }
        ["realtime", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &realtime::QUICK } else { &realtime::FULL };
            judged(|aims| realtime::run(Path::new(binary), plan, aims))
        }
        ["synapse", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            synapse::run(Path::new(binary), if is_quick { &synapse::QUICK } else { &synapse::FULL })
        }
        ["office", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            office::run(Path::new(binary), if is_quick { &office::QUICK } else { &office::FULL })
        }
        ["office-fill", location, conversations, ref each @ ..] => {
            let each = each.first().map_or(Ok(office::EACH), |each| each.parse())?;
            office::fill(location, conversations.parse()?, each)
        }
        ["office-calls", binary, location] => office::print(Path::new(binary), location),
        ["neighbors", binary, place, users] => {
            neighbors::run(Path::new(binary), place, users.parse()?)
        }
        ["compare", before, its, after, others, ref rounds @ ..] => {
            let rounds = rounds.first().map_or(Ok(compare::ROUNDS), |rounds| rounds.parse())?;
            let side = |binary, folder| compare::Side { binary: Path::new(binary), folder };
            compare::run([side(before, its), side(after, others)], rounds)
        }
        ["ceilings", address, file] => ceilings::serve(address, Path::new(file)),
        ["deliveries-at", binary, place] => {
            let (store, location) = (fill::flag(place), fill::location(place)?);
            let plan = &deliveries::BESIDE;
            judged(|aims| {
                deliveries::measure(Path::new(binary), store, &location, plan, (place, aims))
            })
        }
        ["fill", place, messages] => fill::fill(&fill::location(place)?, messages.parse()?),
        _ => {
            let words = "run|deliveries|channels|realtime|synapse|office";
            Err(format!("usage: confab-bench {words} CONFAB_BINARY [--quick] [--postgres]").into())
        }
    }
}

/// Runs a measurement, then prints which aims were met.
fn judged(measure: impl FnOnce(&mut Aims) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut aims = Aims::default();
    measure(&mut aims)?;
    aims.print();
    Ok(())
}
