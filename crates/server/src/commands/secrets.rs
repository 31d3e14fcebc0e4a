//! `confab secrets`: replaces in steps the key that encrypts the secrets in the database (D-0087).
//!
//! Every step works while servers run, and can be repeated after an interruption. No key is
//! printed.

use std::io::IsTerminal;
use std::time::Duration;

use clap::{ArgMatches, Command};
use confab_store::{Location, Registry, Rewritten, Secrets};

use super::app::print_keys;
use super::arguments::location_flags;
use super::command_error::CommandError;
use super::registry::with_registry;
use crate::config::{Effective, location, secrets_file};
use crate::ids;
use crate::secrets_file::{KeyLine, SealingKeys, SecretsFile, Use};

/// Time in which a running server notices a changed key file, with a margin.
const NOTICED_WITHIN: Duration = Duration::from_secs(2);

pub(super) fn command() -> Command {
    let step = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args(location_flags())
    };
    Command::new("secrets")
        .about("Change the key that seals the secrets in the database; also while servers run")
        .after_help(
            "The key stands in a file outside of the database (secrets_key_file). To change it: \
             stage, copy the file to every node, promote, copy it again, retire, copy it again. \
             With one server there is nothing to copy.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(step("stage", "Put a new key into the file; nothing is sealed with it yet"))
        .subcommand(step(
            "promote",
            "Seal with the new key from now on, and all that is there anew",
        ))
        .subcommand(step("retire", "Take the old key out of the file, once nothing needs it"))
        .subcommand(step("show", "Tell which keys there are and what they seal, without them"))
        .subcommand(
            step("start-over", "For when the key file is lost: new secrets for all").after_help(
                "Stop every server first. Whatever the key file (or a new one, if there is none) \
                 does not open is replaced: every app gets new keys, which are printed, every \
                 channel a new key and every user a new token, so all must log in again. \
                 Webhooks about agents that were not sent yet are removed. Messages, rooms, \
                 people and passwords stay.",
            ),
        )
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
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
    Ok(file.keys()?.ok_or("there is no key file")?)
}

async fn stage(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    // Check that the file belongs to the database before changing it.
    open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    if let Some(other) = other {
        let next = if other.used == Use::Staged { "promote" } else { "retire" };
        return Err(
            format!("there are two keys already; go on with `confab secrets {next}`").into()
        );
    }
    let new = KeyLine::random(Use::Staged);
    say!("The key {} is in the file, beside {}.", new.id(), seals.id());
    file.write(&SealingKeys { seals, other: Some(new) })?;
    say!("Next: copy the file to every other node and to where you keep its copy, then");
    say!("  confab secrets promote");
    Ok(())
}

async fn promote(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    let secrets = open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    let other = other.ok_or("there is one key only; begin with `confab secrets stage`")?;
    // After an interrupted promotion the new key is already first.
    if other.used == Use::Staged {
        let new = other.for_use(Use::Seals);
        file.write(&SealingKeys { seals: new, other: Some(seals.for_use(Use::Old)) })?;
    }
    let new = keys(file)?.seals.id();
    secrets.introduce(&new).await?;
    secrets.reseal(&mut report).await?;
    say!("Everything is sealed with the key {new} now.");
    say!("Next: copy the file to every other node, then");
    say!("  confab secrets retire");
    Ok(())
}

/// Waits until all servers have had time to read the changed key file.
async fn noticed() {
    tokio::time::interval_at(tokio::time::Instant::now() + NOTICED_WITHIN, NOTICED_WITHIN)
        .tick()
        .await;
}

async fn retire(place: &Location, file: &SecretsFile) -> Result<(), CommandError> {
    let secrets = open(place, file).await?;
    let SealingKeys { seals, other } = keys(file)?;
    let old = other.ok_or("there is one key only, so there is no old one")?;
    if old.used == Use::Staged {
        return Err("the second key is staged; `confab secrets promote` makes it the first".into());
    }
    // Until then, a server that has not read the file may still encrypt with the old key.
    noticed().await;
    secrets.reseal(&mut report).await?;
    noticed().await;
    let (old, left) = (old.id(), secrets.sealed_with(&old.id()).await?);
    if left > 0 {
        return Err(format!(
            "{left} rows were sealed with the key {old} just now: a server has another key file. \
             Copy this one to it, then retire again"
        )
        .into());
    }
    secrets.forget_key(&old).await?;
    file.write(&SealingKeys { seals, other: None })?;
    say!("The key {old} is gone from the file, and opens nothing any more.");
    say!("Copy the file to every other node and to where you keep its copy. Copies of the");
    say!("database made before still need the file of then.");
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
    say!("Give the apps and the gateways of channels their new keys; users log in again.");
    Ok(())
}

/// Prints a line per commit, or updates one line on a terminal.
fn report(far: Rewritten) {
    let Rewritten { what, rows } = far;
    match std::io::stderr().is_terminal() {
        true => eprint!("\r{what}: {rows} rows sealed anew "),
        false => eprintln!("{what}: {rows} rows sealed anew"),
    }
}
