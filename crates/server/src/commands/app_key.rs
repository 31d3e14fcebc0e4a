//! `confab app key`: replaces a secret key in steps, so that no receiver rejects a webhook
//! (D-0029).
//!
//! Every step prints a line to standard error with time, app and action, for the operator's
//! records. Only the line in which `stage` prints the new key has a key.

use clap::{Arg, ArgMatches, Command, value_parser};
use confab_domain::app::{App, AppCode, KeyState};
use confab_domain::decision::stamp::Stamps;
use confab_domain::limits::{KEY_OVERLAP_DAYS_DEFAULT, KEY_OVERLAP_DAYS_MAX};
use confab_domain::time::Timestamp;
use confab_store::Registry;
use confab_wire::time::to_the_second;

use super::arguments::location_flags;
use super::command_error::CommandError;
use super::registry::with_registry;
use crate::clock::{COMMAND_NODE, SystemStamps};
use crate::commands::arguments::app_id;
use crate::config::Effective;
use crate::ids;

pub(super) fn command() -> Command {
    let step = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).arg(app_id(true)).args(location_flags())
    };
    let overlap = Arg::new("overlap_days")
        .long("overlap-days")
        .value_name("DAYS")
        .value_parser(value_parser!(u32).range(..=i64::from(KEY_OVERLAP_DAYS_MAX)))
        .default_value(KEY_OVERLAP_DAYS_DEFAULT.to_string())
        .help(format!("How long the old key goes on, 0 to {KEY_OVERLAP_DAYS_MAX}"));
    Command::new("key")
        .about("Change an app's secret key in steps, without a webhook that does not verify")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(step("stage", "Make a new key and print it, once; it signs beside the old one"))
        .subcommand(step("unstage", "Take a staged key back"))
        .subcommand(
            step("promote", "Make the staged key the current one; the old one goes on for a while")
                .arg(overlap),
        )
        .subcommand(step("retire", "End the old key now"))
        .subcommand(step("show", "Tell how far the change is, without keys"))
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    let given = matches.get_one::<String>("app_id_argument").ok_or("name the app")?;
    let code = AppCode::parse(given)?;
    let now = SystemStamps::new(COMMAND_NODE).now();
    match name {
        "stage" => stage(settings, &code, now),
        "unstage" => unstage(settings, &code, now),
        "promote" => {
            let days = matches.get_one("overlap_days").copied();
            promote(settings, &code, now, days.unwrap_or(KEY_OVERLAP_DAYS_DEFAULT))
        }
        "retire" => retire(settings, &code, now),
        _ => show(settings, &code, now),
    }
}

fn stage(settings: &Effective, code: &AppCode, now: Timestamp) -> Result<(), CommandError> {
    let new_key = ids::secret();
    let refused = with_registry(settings, async |registry| {
        let is_done = registry.stage_key(code, &new_key).await?;
        refused(&registry, code, is_done).await
    })?;
    if let Some(app) = refused {
        return Err(not_staged(&app, now).into());
    }
    audit(now, code, "a new secret key is staged");
    say!("app id           {}", code.as_str());
    say!("new secret key   {new_key}");
    say!("");
    say!("It signs webhook-signature from now on, beside the current key, which also signs");
    say!("service-signature-key as before. Next: give it to every receiver and caller, then");
    say!("  confab app key promote {}", code.as_str());
    Ok(())
}

fn unstage(settings: &Effective, code: &AppCode, now: Timestamp) -> Result<(), CommandError> {
    let refused = with_registry(settings, async |registry| {
        let is_done = registry.unstage_key(code).await?;
        refused(&registry, code, is_done).await
    })?;
    if let Some(app) = refused {
        return Err(nothing_staged(&app, now).into());
    }
    audit(now, code, "the staged secret key is taken back");
    say!("The staged key is gone; the current key signs alone, as before.");
    Ok(())
}

fn promote(
    settings: &Effective,
    code: &AppCode,
    now: Timestamp,
    overlap_days: u32,
) -> Result<(), CommandError> {
    let until = now.days_later(overlap_days);
    let refused = with_registry(settings, async |registry| {
        let is_done = registry.promote_key(code, until).await?;
        refused(&registry, code, is_done).await
    })?;
    if let Some(app) = refused {
        return Err(nothing_staged(&app, now).into());
    }
    let end = to_the_second(until);
    audit(now, code, &format!("the staged secret key is promoted, the old one ends at {end}"));
    say!("The new key signs service-signature-key and webhook-signature from now on.");
    if overlap_days > 0 {
        say!("The old key goes on in webhook-signature until {end}. To end it earlier:");
        say!("  confab app key retire {}", code.as_str());
    } else {
        say!("The old key has ended.");
    }
    Ok(())
}

fn retire(settings: &Effective, code: &AppCode, now: Timestamp) -> Result<(), CommandError> {
    let refused = with_registry(settings, async |registry| {
        let is_done = registry.retire_key(code).await?;
        refused(&registry, code, is_done).await
    })?;
    if let Some(app) = refused {
        return Err(not_retired(&app, now).into());
    }
    audit(now, code, "the old secret key is retired");
    say!("The old key is gone; the current key signs alone.");
    Ok(())
}

fn show(settings: &Effective, code: &AppCode, now: Timestamp) -> Result<(), CommandError> {
    let app = with_registry(settings, async |registry| named(&registry, code).await)?;
    say!("{}: {}", code.as_str(), state(&app, now));
    Ok(())
}

/// Returns the app's current state if the step was refused, else `None`.
async fn refused(
    registry: &Registry,
    code: &AppCode,
    is_done: bool,
) -> Result<Option<App>, CommandError> {
    if is_done { Ok(None) } else { named(registry, code).await.map(Some) }
}

async fn named(registry: &Registry, code: &AppCode) -> Result<App, CommandError> {
    let app = registry.apps().await?.into_iter().find(|app| app.code == *code);
    app.ok_or_else(|| format!("there is no app {}; see `confab app list`", code.as_str()).into())
}

fn audit(now: Timestamp, code: &AppCode, what: &str) {
    eprintln!("confab: audit: {} app {}: {what}", to_the_second(now), code.as_str());
}

fn standing(app: &App) -> Option<KeyState> {
    app.other_key.as_ref().map(|other| other.standing)
}

/// Describes the state of a key change.
fn state(app: &App, now: Timestamp) -> String {
    match standing(app) {
        None => "one secret key, no change of it is under way".to_owned(),
        Some(KeyState::Staged) => "a new secret key is staged, not yet promoted".to_owned(),
        Some(KeyState::Old { until }) => {
            let ends = if now < until { "goes on until" } else { "ended at" };
            format!("the new secret key is promoted, the old one {ends} {}", to_the_second(until))
        }
    }
}

fn not_staged(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    let advice = match standing(app) {
        Some(KeyState::Staged) => {
            format!("promote it, or take it back with `confab app key unstage {code}`")
        }
        Some(KeyState::Old { until }) if now < until => {
            format!("wait for that, or end it with `confab app key retire {code}`")
        }
        // A concurrent command changed the state after the refusal.
        _ => "try again".to_owned(),
    };
    format!("nothing was changed. {code}: {}; {advice}", state(app, now))
}

fn nothing_staged(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    format!(
        "no key is staged. {code}: {}; a change begins with `confab app key stage {code}`",
        state(app, now)
    )
}

fn not_retired(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    let advice = match standing(app) {
        Some(KeyState::Staged) => {
            format!("promote it first, or take it back with `confab app key unstage {code}`")
        }
        _ => format!("a change begins with `confab app key stage {code}`"),
    };
    format!("there is no old key to retire. {code}: {}; {advice}", state(app, now))
}
