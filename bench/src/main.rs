//! `make bench`: how fast Confab is, as a share of ceilings measured in the same run.
//!
//! Machines are shared and noisy, so a figure alone says little; the ratio to a ceiling taken a
//! moment before says more. Three programs take part: the real `confab` binary, the [`ceilings`]
//! server (the same HTTP stack without a store) and wrk on the other end of loopback. Every figure
//! is the median of three runs, interleaved so that a slow minute hits all of them alike.
//!
//! `confab-bench run CONFAB_BINARY` prints the table. `--quick` takes one short run of each.

mod ceilings;
mod fill;
mod process;
mod rounds;
mod table;
mod wrk;

use std::path::Path;

/// The allocator of the real program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What goes wrong ends the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["run", binary] => rounds::run(Path::new(binary), &rounds::FULL),
        ["run", binary, "--quick"] => rounds::run(Path::new(binary), &rounds::QUICK),
        ["ceilings", address, file] => ceilings::serve(address, Path::new(file)),
        ["fill", folder, messages] => fill::fill(Path::new(folder), messages.parse()?),
        _ => Err("usage: confab-bench run CONFAB_BINARY [--quick]".into()),
    }
}
