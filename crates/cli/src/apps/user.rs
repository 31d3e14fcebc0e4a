//! `confab user`: lists dashboard users and restores their access.

use std::io::{IsTerminal, Read};

use clap::{Arg, ArgMatches, Command};
use confab_app::credentials::passwords;
use confab_app::process::start::sign_in_link;
use confab_domain::agents::password::NewPassword;
use confab_domain::limits;
use confab_runtime::config::{Config, Effective};
use confab_runtime::{clock, ids};
use confab_store::Registry;

use crate::arguments::{flags, location_flags};
use crate::command_error::CommandError;
use crate::data::registry::with_registry;
use crate::inert_text::inert_line;
use crate::remote::running_server::configured_server;

pub(crate) fn command() -> Command {
    Command::new("user")
        .about("List dashboard users, and restore access after a lost password")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("List the dashboard users").args(location_flags()))
        .subcommand(
            Command::new("reset-password")
                .about(
                    "Set a new password for a dashboard user: the one on standard input, or a \
                     random one that is printed",
                )
                .arg(
                    Arg::new("email")
                        .value_name("EMAIL")
                        .required(true)
                        .help("The user's e-mail address"),
                )
                .args(location_flags()),
        )
        .subcommand(
            Command::new("link")
                .about(
                    "Print a link that signs a user in to the dashboard; it works once, within a \
                     day",
                )
                .arg(
                    Arg::new("email")
                        .value_name("EMAIL")
                        .required(true)
                        .help("The user's e-mail address"),
                )
                .args(flags(|setting| {
                    ["data", "database_url", "secrets_key_file", "public_url", "listen"]
                        .contains(&setting.key)
                })),
        )
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    match (name, matches.try_get_one::<String>("email").ok().flatten()) {
        ("link", Some(email)) => print_link(settings, email),
        (_, Some(email)) => reset_password(settings, email),
        (_, None) => list(settings),
    }
}

fn list(settings: &Effective) -> Result<(), CommandError> {
    let (apps, users) = with_registry(settings, async |registry| {
        Ok((registry.apps().await?, registry.dashboard_users().await?))
    })?;
    for user in users {
        let app = apps.iter().find(|app| app.id == user.app);
        let code = app.map_or("-", |app| app.code.as_str());
        // Names that were stored before control characters were forbidden may affect the terminal.
        let (email, name) = (inert_line(&user.email), inert_line(&user.name));
        say!("{email}  {}  {code}  {name}", user.role.as_str());
    }
    Ok(())
}

fn reset_password(settings: &Effective, email: &str) -> Result<(), CommandError> {
    let given = password_from_input()?;
    let password = given.clone().unwrap_or_else(ids::password);
    let checked = NewPassword::parse("the password", &password).map_err(|it| it.to_string())?;
    let (hash, sdk_key) = (passwords::hash_now(&checked.into_text())?, ids::secret());
    // Addresses are stored in lower case.
    let kept = email.trim().to_lowercase();
    let set = async |registry: Registry| Ok(registry.set_password(&kept, &hash, &sdk_key).await?);
    if !with_registry(settings, set)? {
        return Err(format!("there is no user {email}; see `confab user list`").into());
    }
    match given {
        Some(_) => say!("The password of {email} is changed."),
        None => say!("The new password of {email} is {password}"),
    }
    Ok(())
}

fn print_link(settings: &Effective, email: &str) -> Result<(), CommandError> {
    let code = ids::secret();
    let (kept, hash) = (email.trim().to_lowercase(), ids::token_hash(&code));
    let until = clock::now().days_later(limits::SIGN_IN_CODE_DAYS);
    let add = async |registry: Registry| Ok(registry.add_sign_in_code(&kept, &hash, until).await?);
    if !with_registry(settings, add)? {
        return Err(format!("there is no user {email}; see `confab user list`").into());
    }
    let base = match settings.given("public_url") {
        Some(_) => Config::from_effective(settings)?.public_url,
        None => configured_server(settings)?.to_string(),
    };
    say!("{}", sign_in_link(base.trim_end_matches('/'), &code));
    Ok(())
}

/// Reads a piped password, without its line break.
fn password_from_input() -> Result<Option<String>, CommandError> {
    let mut input = std::io::stdin();
    if input.is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()).filter(|text| !text.is_empty()))
}
