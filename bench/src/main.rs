//! `make bench`: how fast Confab is, as a share of ceilings measured in the same run.
//!
//! Machines are shared and noisy, so a figure alone says little; the ratio to a ceiling taken a
//! moment before says more. Three programs take part: the real `confab` binary, the [`ceilings`]
//! server (the same HTTP stack without a store) and wrk on the other end of loopback. On PostgreSQL
//! a fourth one takes part: pgbench, writing the same rows into the same server. Every figure is
//! the median of three runs, interleaved so that a slow minute hits all of them alike.
//!
//! `confab-bench run CONFAB_BINARY` prints the table. `--quick` takes one short run of each,
//! `--postgres` only those on PostgreSQL. `confab-bench deliveries CONFAB_BINARY` measures the
//! deliveries of webhooks alone, `confab-bench channels CONFAB_BINARY` what comes in and goes out
//! by WhatsApp, `confab-bench realtime CONFAB_BINARY` what listeners see.
//! `confab-bench office CONFAB_BINARY` measures what pages ask for in an office of 1,000,000
//! conversations (see [`office`]).
//! `confab-bench compare OLD_BINARY FOLDER NEW_BINARY FOLDER` shows what a change costs.

mod ceilings;
mod channels;
mod compare;
mod deliveries;
mod failure;
mod fill;
mod line;
mod office;
mod pgbench;
mod process;
mod realtime;
mod rounds;
mod table;
mod tasks;
mod wrk;

use std::path::Path;

use confab_store::Location;

use self::failure::Failure;

/// The allocator of the real program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["run", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &rounds::QUICK } else { &rounds::FULL };
            rounds::run(Path::new(binary), plan, options.contains(&"--postgres"))
        }
        ["deliveries", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &deliveries::QUICK } else { &deliveries::FULL };
            deliveries::run(Path::new(binary), plan)
        }
        ["channels", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &channels::QUICK } else { &channels::FULL };
            channels::run(Path::new(binary), plan)
        }
        ["realtime", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            let plan = if is_quick { &realtime::QUICK } else { &realtime::FULL };
            realtime::run(Path::new(binary), plan)
        }
        ["office", binary, ref options @ ..] => {
            let is_quick = options.contains(&"--quick");
            office::run(Path::new(binary), if is_quick { &office::QUICK } else { &office::FULL })
        }
        ["office-fill", location, conversations] => office::fill(location, conversations.parse()?),
        ["office-calls", binary, location] => office::print(Path::new(binary), location),
        ["compare", before, its, after, others] => {
            let side = |binary, folder| compare::Side { binary: Path::new(binary), folder };
            compare::run([side(before, its), side(after, others)], 9)
        }
        ["ceilings", address, file] => ceilings::serve(address, Path::new(file)),
        ["fill", folder, messages] => fill::fill(&Location::folder(folder), messages.parse()?),
        _ => {
            let words = "run|deliveries|channels|realtime|office";
            Err(format!("usage: confab-bench {words} CONFAB_BINARY [--quick] [--postgres]").into())
        }
    }
}
