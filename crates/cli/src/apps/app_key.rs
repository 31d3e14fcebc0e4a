//! `confab app key`: replaces a secret key in steps, so that no receiver rejects a webhook
//! (design/sign-in-and-limits).
//!
//! Every step prints a line to standard error with time, app and action, for the operator's
//! records. The only output that contains a key is the line in which `stage` prints the new key.

use clap::{Arg, ArgMatches, Command, value_parser};
use confab_domain::app::{App, AppCode, KeyState};
use confab_domain::decision::stamp::Stamps;
use confab_domain::limits::{KEY_OVERLAP_DAYS_DEFAULT, KEY_OVERLAP_DAYS_MAX};
use confab_domain::time::Timestamp;
use confab_runtime::clock::{COMMAND_NODE, SystemStamps};
use confab_runtime::config::Effective;
use confab_runtime::ids;
use confab_store::Registry;
use confab_wire::time::to_the_second;

use crate::arguments::app_id;
use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::with_registry;

pub(crate) fn command() -> Command {
    let step = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).arg(app_id(true)).args(location_flags())
    };
    let overlap = Arg::new("overlap_days")
        .long("overlap-days")
        .value_name("DAYS")
        .value_parser(value_parser!(u32).range(..=i64::from(KEY_OVERLAP_DAYS_MAX)))
        .default_value(KEY_OVERLAP_DAYS_DEFAULT.to_string())
        .help(format!("Days for which the old key stays valid, 0 to {KEY_OVERLAP_DAYS_MAX}"));
    Command::new("key")
        .about("Replace an app's secret key in steps, so that receivers can verify every webhook")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(step(
            "stage",
            "Create a new key and print it once; both keys sign webhooks from now on",
        ))
        .subcommand(step("unstage", "Discard the staged key"))
        .subcommand(
            step(
                "promote",
                "Make the staged key the current one; the old one stays valid for a while",
            )
            .arg(overlap),
        )
        .subcommand(step("retire", "Revoke the old key now"))
        .subcommand(step("show", "Show the state of the change, without keys"))
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
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
    audit(now, code, "staged a new secret key");
    say!("app id           {}", code.as_str());
    say!("new secret key   {new_key}");
    say!("");
    say!("From now on, webhook-signature has signatures of both keys; service-signature-key has");
    say!("one of the current key. Next: give the new key to all receivers and callers, then run");
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
    audit(now, code, "discarded the staged secret key");
    say!("The staged key was discarded; only the current key signs webhooks.");
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
    audit(now, code, &format!("promoted the staged secret key; the old one expires at {end}"));
    say!("The new key now signs service-signature-key and webhook-signature.");
    if overlap_days > 0 {
        say!("The old key also signs webhook-signature until {end}. To revoke it earlier, run");
        say!("  confab app key retire {}", code.as_str());
    } else {
        say!("The old key has expired.");
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
    audit(now, code, "retired the old secret key");
    say!("The old key was revoked; only the current key signs webhooks.");
    Ok(())
}

fn show(settings: &Effective, code: &AppCode, now: Timestamp) -> Result<(), CommandError> {
    let app = with_registry(settings, async |registry| named(&registry, code).await)?;
    say!("{}: {}", code.as_str(), state(&app, now));
    Ok(())
}

/// Returns the app, with its current keys, if the step was refused; else `None`.
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
        None => "one secret key, and no change is in progress".to_owned(),
        Some(KeyState::Staged) => "a new secret key is staged and not yet promoted".to_owned(),
        Some(KeyState::Old { until }) => {
            let ends = if now < until { "expires at" } else { "expired at" };
            format!("the new secret key is promoted; the old one {ends} {}", to_the_second(until))
        }
    }
}

fn not_staged(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    let advice = match standing(app) {
        Some(KeyState::Staged) => {
            format!("promote it, or discard it with `confab app key unstage {code}`")
        }
        Some(KeyState::Old { until }) if now < until => {
            format!("wait, or revoke the old key with `confab app key retire {code}`")
        }
        // A concurrent command changed the state after the refusal.
        _ => "try again".to_owned(),
    };
    format!("nothing was changed. {code}: {}; {advice}", state(app, now))
}

fn nothing_staged(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    format!(
        "no key is staged. {code}: {}; to change the key, start with `confab app key stage {code}`",
        state(app, now)
    )
}

fn not_retired(app: &App, now: Timestamp) -> String {
    let code = app.code.as_str();
    let advice = match standing(app) {
        Some(KeyState::Staged) => {
            format!("promote it first, or discard it with `confab app key unstage {code}`")
        }
        _ => format!("to change the key, start with `confab app key stage {code}`"),
    };
    format!("there is no old key to retire. {code}: {}; {advice}", state(app, now))
}
