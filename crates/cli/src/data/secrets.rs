//! `confab secrets`: replaces in steps the key that encrypts the secrets in the database (D-0086).
//!
//! Every step works while servers run, and can be repeated after an interruption. No key is
//! printed.

use std::io::IsTerminal;
use std::time::Duration;

use clap::{ArgMatches, Command};
use confab_runtime::config::{Effective, location, secrets_file};
use confab_runtime::ids;
use confab_runtime::process::secrets_file::{KeyLine, SealingKeys, SecretsFile, Use};
use confab_store::{Location, Registry, Rewritten, Secrets};

use crate::apps::app::print_keys;
use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::with_registry;

/// Maximum time until a running server notices a changed key file, with a margin.
const NOTICED_WITHIN: Duration = Duration::from_secs(2);

pub(crate) fn command() -> Command {
    let step = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args(location_flags())
    };
    Command::new("secrets")
        .about("Replace the key that encrypts the secrets in the database; servers may be running")
        .after_help(
            "The key is in a file outside of the database (secrets_key_file). To replace it, run \
             stage, promote and retire, and copy the file to every other node after each step.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(step("stage", "Add a new key to the file; nothing is encrypted with it yet"))
        .subcommand(step("promote", "Encrypt everything with the new key, old secrets included"))
        .subcommand(step("retire", "Remove the old key from the file once it is unused"))
        .subcommand(step("show", "List the ids of the keys, and how many rows each one encrypts"))
        .subcommand(step("start-over", "Replace all secrets, if the key file is lost").after_help(
            "Stop all servers first. Every secret that the key file cannot decrypt is \
             replaced (without a key file, all of them): apps get new keys, which are \
             printed, channels get new keys, and users get new tokens, so that all must log \
             in again. Unsent webhooks about agents are deleted. Messages, rooms, users and \
             passwords are kept.",
        ))
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, _) = matches.subcommand().ok_or("no command was given")?;
    let file = secrets_file(settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let place = location(settings)?;
    match name {
        "stage" => runtime.block_on(stage(&place, &file)),
        "promote" => runtime.block_on(promote(&place, &file)),
        "retire" => runtime.block_on(retire(&place, &file)),
        "start-over" => {
            runtime.block_on(start_over(&place, &file))?;
            drop(runtime);
            print_all(settings)
        }
        _ => runtime.block_on(show(&place, &file)),
    }
}

async fn open(place: &Location, file: &SecretsFile) -> Result<Secrets, CommandError> {
    Ok(Secrets::open(place, Box::new(file.clone()), &mut report).await?)
}

fn keys(file: &SecretsFile) -> Result<SealingKeys, CommandError> {
    Ok(file.keys()?.ok_or("the key file is missing")?)
}

async fn stage(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    // Check that the file belongs to the database before changing it.
    open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    if let Some(other) = other {
        let next = if other.used == Use::Staged { "promote" } else { "retire" };
        return Err(
            format!("there are two keys already; continue with `confab secrets {next}`").into()
        );
    }
    let new = KeyLine::random(Use::Staged);
    say!("Added the key {} to the file, next to {}.", new.id(), seals.id());
    file.write(&SealingKeys { seals, other: Some(new) })?;
    say!("Next: copy the file to every other node and update your backup of it, then run");
    say!("  confab secrets promote");
    Ok(())
}

async fn promote(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    let secrets = open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    let other = other.ok_or("there is only one key; start with `confab secrets stage`")?;
    // After an interrupted promotion the new key is already first.
    if other.used == Use::Staged {
        let new = other.for_use(Use::Seals);
        file.write(&SealingKeys { seals: new, other: Some(seals.for_use(Use::Old)) })?;
    }
    let new = keys(file)?.seals.id();
    secrets.introduce(&new).await?;
    secrets.reseal(&mut report).await?;
    say!("Everything is now encrypted with the key {new}.");
    say!("Next: copy the file to every other node, then run");
    say!("  confab secrets retire");
    Ok(())
}

/// Waits long enough for all running servers to read the changed key file.
async fn wait_until_noticed() {
    tokio::time::interval_at(tokio::time::Instant::now() + NOTICED_WITHIN, NOTICED_WITHIN)
        .tick()
        .await;
}

async fn retire(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    let secrets = open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    let old = other.ok_or("there is no old key to retire")?;
    if old.used == Use::Staged {
        return Err("the second key is only staged; run `confab secrets promote` first".into());
    }
    // A server that has not yet read the changed file may still encrypt with the old key.
    wait_until_noticed().await;
    secrets.reseal(&mut report).await?;
    wait_until_noticed().await;
    let (old, left) = (old.id(), secrets.sealed_with(&old.id()).await?);
    if left > 0 {
        return Err(format!(
            "{left} rows were just encrypted with the key {old}: a server has an outdated key \
             file. Copy this file to it, then run retire again"
        )
        .into());
    }
    secrets.delete_key(&old).await?;
    file.write(&SealingKeys { seals, other: None })?;
    say!("Removed the key {old} from the file; it no longer decrypts anything.");
    say!("Copy the file to every other node and update your backup of it. Older backups of the");
    say!("database still need the previous key file.");
    Ok(())
}

async fn show(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    let secrets = open(place, file).await?;
    for key in keys(file)?.all() {
        let rows = secrets.sealed_with(&key.id()).await?;
        say!("{}  {}  {rows} rows", key.id(), key.used.as_str());
    }
    Ok(())
}

async fn start_over(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    Secrets::start_over(place, Box::new(file.clone()), ids::secret, &mut report).await?;
    Ok(())
}

fn print_all(settings: &Effective) -> Result<(), CommandError> {
    let apps = with_registry(settings, async |registry: Registry| Ok(registry.apps().await?))?;
    for app in apps {
        print_keys(&app.code, &app.sdk_secret, &app.secret_key);
        say!("");
    }
    say!(
        "Give the new keys to the apps and the gateways of channels. All users must log in again."
    );
    Ok(())
}

/// Prints a line per commit, or updates one line on a terminal.
fn report(far: Rewritten) {
    let Rewritten { what, rows } = far;
    match std::io::stderr().is_terminal() {
        true => eprint!("\r{what}: {rows} rows encrypted again "),
        false => eprintln!("{what}: {rows} rows encrypted again"),
    }
}
