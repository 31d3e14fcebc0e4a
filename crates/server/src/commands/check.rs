//! `confab check`: reads all stored data and reports damage.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_store::{Location, ReadOnlyData};

use super::arguments::location_flags;
use super::command_error::CommandError;
use crate::config::{Effective, files_folder, location, secrets_file};
use crate::counted::counted;
use crate::failures::chain;
use crate::files;

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Read every page, message and uploaded file, and say what is wrong")
        .after_help(
            "Works on the folder of a stopped server, and beside a running one. Of data in \
             PostgreSQL only the chains of messages are read; pg_amcheck reads its pages. That the \
             key file (secrets_key_file) is the one of the data is proven as well.\n\
             Exit code 0: all is well; 1: something is damaged or missing.",
        )
        .arg(Arg::new("accept_loss").long("accept-loss").action(ArgAction::SetTrue).help(
            "Go on without acknowledged messages that are missing, after the server refused to \
             start because of them; a copy of the write-ahead log is kept",
        ))
        .args(location_flags())
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let location = location(settings)?;
    if matches.get_flag("accept_loss") {
        return accept_loss(&location);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = |progress: String| say!("{progress}");
    let mut problems = runtime.block_on(confab_store::check(&location, &report))?;
    problems.extend(runtime.block_on(check_keys(settings, &location)));
    problems.extend(check_files(&files_folder(settings))?);
    if problems.is_empty() {
        say!("Nothing is wrong.");
        return Ok(());
    }
    for problem in &problems {
        say!("WRONG: {problem}");
    }
    Err("something is damaged or missing; what is still whole can be copied by `confab backup`"
        .into())
}

/// Checks that the key file belongs to the data, as a server start requires. Data that cannot be
/// opened are skipped, because the check of the store already reported them.
async fn check_keys(settings: &Effective, location: &Location) -> Option<String> {
    let data = ReadOnlyData::open(location).await.ok()??;
    let proven = data.prove_keys(Box::new(secrets_file(settings))).await;
    proven.err().map(|error| chain(&error))
}

fn check_files(folder: &Path) -> Result<Vec<String>, CommandError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let (count, problems) = files::check_kept(folder, &|progress| say!("{progress}"))?;
    say!("{} read", counted(count as usize, "uploaded file"));
    Ok(problems)
}

fn accept_loss(location: &Location) -> Result<(), CommandError> {
    let Location::Folder(folder) = location else {
        return Err("the data are in PostgreSQL, which looks after its own commits".into());
    };
    confab_store::accept_loss(folder)?;
    say!("What is missing is given up; the server starts without it.");
    Ok(())
}
