//! `confab check`: reads all stored data and reports damage.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_runtime::config::{Effective, files_folder, location, secrets_file};
use confab_runtime::counted::counted;
use confab_runtime::failures::chain;
use confab_runtime::files;
use confab_store::{Location, ReadOnlyData};

use crate::arguments::location_flags;
use crate::command_error::CommandError;

pub(crate) fn command() -> Command {
    Command::new("check")
        .about("Read all stored data and uploaded files, and report damage")
        .after_help(
            "The server may be running or stopped. In PostgreSQL, only the chains of messages are \
             checked; use pg_amcheck for its pages. The command also checks that the key file \
             (secrets_key_file) belongs to the data.\n\
             Exit code 0: no problems; 1: something is damaged or missing.",
        )
        .arg(Arg::new("accept_loss").long("accept-loss").action(ArgAction::SetTrue).help(
            "Accept that acknowledged messages are lost, after the server refused to start \
             because of them; a copy of the write-ahead log is kept",
        ))
        .args(location_flags())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
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
        say!("No problems found.");
        return Ok(());
    }
    for problem in &problems {
        say!("WRONG: {problem}");
    }
    Err("something is damaged or missing; `confab backup` can copy the data that is intact".into())
}

/// Returns the reason why the key file does not match the data, which would prevent a server from
/// starting; `None` if it matches. Data that cannot be opened is not checked, because the check of
/// the store has already reported it.
async fn check_keys(settings: &Effective, location: &Location) -> Option<String> {
    let data = ReadOnlyData::open(location).await.ok()??;
    let proven = data.prove_keys(Box::new(secrets_file(settings))).await;
    proven.err().map(|error| chain(&error))
}

fn check_files(folder: &Path) -> Result<Vec<String>, CommandError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let (count, problems) = files::check_stored(folder, &|progress| say!("{progress}"))?;
    say!("checked {}", counted(count as usize, "uploaded file"));
    Ok(problems)
}

fn accept_loss(location: &Location) -> Result<(), CommandError> {
    let Location::Folder(folder) = location else {
        return Err("--accept-loss does not apply: the data is in PostgreSQL, which restores its \
            commits itself"
            .into());
    };
    confab_store::accept_loss(folder)?;
    say!("The loss is accepted; the server can now start without the missing messages.");
    Ok(())
}
