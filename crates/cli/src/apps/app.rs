//! `confab app`: creates and lists apps, and changes their keys.

use clap::{Arg, ArgMatches, Command};
use confab_app::process::start;
use confab_domain::agents::account::EmailAddress;
use confab_domain::app::AppCode;
use confab_domain::name;
use confab_runtime::config::Effective;
use confab_runtime::ids;
use confab_store::Registry;
use confab_wire::time::to_the_second;

use crate::apps::app_key;
use crate::arguments::app_id;
use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::{with_new_registry, with_registry};
use crate::inert_text::inert_line;

pub(crate) fn command() -> Command {
    Command::new("app")
        .about("Create and list apps, and change their keys; servers may be running")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create")
                .about("Create an app and print its keys, which are shown only once")
                .arg(app_id(false))
                .arg(Arg::new("name").long("name").value_name("NAME").help("Display name"))
                .arg(Arg::new("admin").long("admin").value_name("EMAIL").help(
                    "Also create an admin who signs in with this e-mail address, and \
                     print a password",
                ))
                .args(location_flags()),
        )
        .subcommand(
            Command::new("list").about("List the apps, without their keys").args(location_flags()),
        )
        .subcommand(
            Command::new("rotate-keys")
                .about(
                    "Replace an app's keys at once and print the new ones; the old ones stop \
                     working within a second",
                )
                .arg(app_id(true))
                .args(location_flags()),
        )
        .subcommand(app_key::command())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    if name == "key" {
        return app_key::run(matches, settings);
    }
    let given = matches.try_get_one::<String>("app_id_argument").ok().flatten();
    match name {
        "create" => {
            let code = given.map(|code| AppCode::parse_new(code)).transpose()?;
            create(settings, code, matches)
        }
        "rotate-keys" => {
            let code = AppCode::parse(given.ok_or("name the app")?)?;
            rotate_keys(settings, &code)
        }
        _ => list(settings),
    }
}

fn create(
    settings: &Effective,
    code: Option<AppCode>,
    matches: &ArgMatches,
) -> Result<(), CommandError> {
    let code = code.unwrap_or_else(ids::app_code);
    let name = matches.get_one::<String>("name");
    let name = name.map_or(code.as_str(), String::as_str).to_owned();
    name::check("name", &name).map_err(|problem| problem.to_string())?;
    let app = start::new_app(code, &name, None, None);
    let email = matches.get_one::<String>("admin");
    let email = email.map(|email| EmailAddress::parse("--admin", email)).transpose();
    let (email, password) = (email.map_err(|problem| problem.to_string())?, ids::password());
    let admin = email.as_ref().map(|email| start::new_admin(email, &password)).transpose()?;
    let create =
        async |mut registry: Registry| Ok(registry.create_app(&app, admin.as_ref()).await?);
    if !with_new_registry(settings, create)? {
        let or_admin = email
            .map(|email| format!(", or {} is already the sign-in name of a user", email.as_str()));
        let or_admin = or_admin.unwrap_or_default();
        return Err(format!("app {} exists already{or_admin}", app.code.as_str()).into());
    }
    print_keys(&app.code, &app.sdk_secret, &app.secret_key);
    match email {
        Some(email) => say!("admin        {}  {password}", email.as_str()),
        None => say!("{}", how_to_create_an_admin(settings, &app.code)),
    }
    Ok(())
}

/// Returns instructions for creating the first admin of an app that was created without one.
fn how_to_create_an_admin(settings: &Effective, code: &AppCode) -> String {
    let brand = settings.text("brands").split(',').next().unwrap_or_default().trim().to_owned();
    format!(
        "admin        none (use --admin EMAIL next time); to create one for this app:\n\
         curl -s http://{}/api/v2/admin/create_agent -H '{brand}-App-Id: {}' -H \
         '{brand}-Secret-Key: THE_SECRET_KEY' -H 'Content-Type: application/json' -d \
         '{{\"name\":\"Admin\",\"email\":\"EMAIL\",\"password\":\"PASSWORD\",\"type\":\"admin\"}}'",
        settings.text("listen"),
        code.as_str(),
    )
}

fn rotate_keys(settings: &Effective, code: &AppCode) -> Result<(), CommandError> {
    let (sdk_secret, secret_key) = (ids::secret(), ids::secret());
    let set =
        async |registry: Registry| Ok(registry.set_keys(code, &sdk_secret, &secret_key).await?);
    if !with_registry(settings, set)? {
        return Err(format!("there is no app {}; see `confab app list`", code.as_str()).into());
    }
    print_keys(code, &sdk_secret, &secret_key);
    Ok(())
}

fn list(settings: &Effective) -> Result<(), CommandError> {
    for app in with_registry(settings, async |registry| Ok(registry.apps().await?))? {
        say!("{}  {}  {}", app.code.as_str(), to_the_second(app.created_at), inert_line(&app.name));
    }
    Ok(())
}

pub(crate) fn print_keys(code: &AppCode, sdk_secret: &str, secret_key: &str) {
    say!("app id       {}", code.as_str());
    say!("SDK secret   {sdk_secret}");
    say!("secret key   {secret_key}");
}
