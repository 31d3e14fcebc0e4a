//! `confab backup`: a consistent copy of the database, while the server runs. Uploaded files never
//! change once they are there, so any copy of their folder is good.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Arg, ArgMatches, Command};
use confab_store::{Copied, KeyFile as _, Location};

use super::arguments::location_flags;
use super::command_error::CommandError;
use crate::config::{Effective, files_folder, location, secrets_file};

pub(super) fn command() -> Command {
    Command::new("backup")
        .about("Copy the database into a file, consistently, also while the server runs")
        .after_help(
            "Uploaded files are not in it: copy the folder `files` of the data folder after it, \
             with any tool.\n\
             The keys that open its secrets are not in it either: keep a copy of the key file \
             (secrets_key_file), but not beside the copies of the database.\n\
             To restore: stop the server, put the file into an empty data folder as confab.db, \
             the copied folder beside it as `files` and the key file where it was, start the \
             server.\n\
             Data in PostgreSQL are copied with its own pg_dump.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("A file that does not exist yet"),
        )
        .args(location_flags())
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let file = matches.get_one::<PathBuf>("file").ok_or("name a file")?;
    let Location::Folder(folder) = location(settings)? else {
        return Err("the data are in PostgreSQL; copy them with its own pg_dump".into());
    };
    let started = Instant::now();
    let bytes = confab_store::backup(&folder, file, show)?;
    let (mb, seconds) = (megabytes(bytes), started.elapsed().as_secs_f64());
    say!("{} written: {mb:.1} MB in {seconds:.1} s", file.display());
    let files = files_folder(settings);
    if files.exists() {
        say!("Uploaded files are not in it. Copy their folder, too: {}", files.display());
    }
    let keys = secrets_file(settings).shown();
    say!("The keys that open its secrets are not in it. Keep {keys} too, somewhere else.");
    Ok(())
}

fn show(copied: Copied) {
    if std::io::stderr().is_terminal() {
        let (done, total) = (megabytes(copied.done_bytes), megabytes(copied.total_bytes));
        eprint!("\r{done:.0} of about {total:.0} MB ");
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}
