//! Selects the running server that a command calls, the app, and its secret key.
//!
//! The server is `--server`, else the listen address in `CONFAB_LISTEN`, else the URL in the data
//! folder's address file (design/operations), else the URL that follows from the settings. The app
//! is `--app` or the only app. The key is `CONFAB_SECRET_KEY` or the stored one; it is never
//! printed.

use std::net::{IpAddr, SocketAddr};

use clap::{Arg, ArgMatches};
use confab_app::process::address_file;
use confab_domain::app::App;
use confab_runtime::config::{Effective, SettingSource, address, address_file, location};
use confab_store::Location;
use url::Url;

use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::with_registry;
use crate::remote::api_client::parse_url;
use crate::remote::server_api::{AppCredentials, ServerApi};

/// Returns the flags of all commands that call a running server.
pub(crate) fn server_flags() -> Vec<Arg> {
    let server = Arg::new("server").long("server").value_name("URL").help(
        "URL of the running server [default: the server that uses --data, or the listen address]",
    );
    // The argument id is the setting's key, so that a preset app id counts as well.
    let app = Arg::new("app_id")
        .long("app")
        .value_name("APP_ID")
        .help("App id; not needed if there is only one app");
    let all = [vec![server, app], location_flags()].concat();
    all.into_iter().map(|flag| flag.help_heading("Server and app")).collect()
}

/// Last paragraph of the help of commands that call a running server.
pub(crate) const AFTER_HELP: &str = "\
The app's secret key is read from the environment variable CONFAB_SECRET_KEY or, if that is not
set, from where the server keeps its data (--data, --database-url).";

/// Runs `work` with a client for the server and app that flags and settings select.
pub(crate) fn with_server<T>(
    matches: &ArgMatches,
    settings: &Effective,
    work: impl AsyncFnOnce(ServerApi) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let server = match matches.get_one::<String>("server") {
        Some(url) => parse_url(url)?,
        None => configured_server(settings)?,
    };
    let api = ServerApi::new(server, credentials(settings)?)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work(api))
}

/// Returns the URL of the server that runs with these settings. With TLS, it is `public_url`,
/// because a certificate rarely contains the listen address.
pub(crate) fn configured_server(settings: &Effective) -> Result<Url, CommandError> {
    let is_named = *settings.source("listen") == SettingSource::Environment;
    let said = || address_file::read(&address_file(settings));
    if let Some(url) = (!is_named).then(said).flatten() {
        return Ok(parse_url(&url)?);
    }
    let is_encrypted = settings.given("tls_cert").is_some();
    match settings.given("public_url").filter(|_| is_encrypted) {
        Some(url) => Ok(parse_url(&url)?),
        None => {
            let scheme = if is_encrypted { "https" } else { "http" };
            own_server(scheme, settings.parsed("listen", address)?)
        }
    }
}

/// Returns the URL at which this machine reaches a server with this listen address.
fn own_server(scheme: &str, listen: SocketAddr) -> Result<Url, CommandError> {
    let mut reachable = listen;
    if listen.ip().is_unspecified() {
        let loopback = if listen.is_ipv4() { "127.0.0.1" } else { "::1" };
        reachable.set_ip(loopback.parse::<IpAddr>()?);
    }
    Ok(parse_url(&format!("{scheme}://{reachable}"))?)
}

fn credentials(settings: &Effective) -> Result<AppCredentials, CommandError> {
    let brand = settings.text("brands").split(',').next().unwrap_or_default().trim().to_owned();
    let named = settings.given("app_id");
    // A key in `confab.toml` is a preset for the first start and may be outdated.
    let is_given = *settings.source("secret_key") == SettingSource::Environment;
    let key = settings.given("secret_key").filter(|_| is_given);
    if let (Some(app_code), Some(secret_key)) = (&named, &key) {
        let (app_code, secret_key) = (app_code.clone(), secret_key.clone());
        return Ok(AppCredentials { brand, app_code, secret_key });
    }
    let app = chosen(stored_apps(settings)?, named.as_deref())?;
    let secret_key = key.unwrap_or(app.secret_key);
    Ok(AppCredentials { brand, app_code: app.code.as_str().to_owned(), secret_key })
}

fn stored_apps(settings: &Effective) -> Result<Vec<App>, CommandError> {
    let place = location(settings)?;
    // Opening the data would create the folder, which would hide a wrong path.
    if let Location::Folder(folder) = &place
        && !folder.exists()
    {
        return Err(format!(
            "there is no data in {}; name its location with --data or --database-url, or set \
             --app and the environment variable CONFAB_SECRET_KEY",
            place.shown()
        )
        .into());
    }
    with_registry(settings, async |registry| Ok(registry.apps().await?))
}

fn chosen(mut apps: Vec<App>, named: Option<&str>) -> Result<App, CommandError> {
    let codes = apps.iter().map(|app| app.code.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(named) = named {
        apps.retain(|app| app.code.as_str() == named);
    }
    match (apps.pop(), apps.len(), named) {
        (Some(app), 0, _) => Ok(app),
        (None, _, _) if codes.is_empty() => {
            Err("there is no app yet; start the server or run `confab app create`".into())
        }
        (None, _, Some(named)) => {
            Err(format!("there is no app {named}; the apps are {codes}").into())
        }
        _ => Err(format!("there are several apps; name one with --app: {codes}").into()),
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::app::AppCode;
    use confab_domain::ids::{AppId, UserKey};
    use confab_domain::time::Timestamp;

    use super::*;
    use confab_runtime::config::from_everywhere;

    fn app(code: &str) -> App {
        App {
            id: AppId(1),
            code: AppCode::parse(code).expect("a code"),
            name: code.to_owned(),
            sdk_secret: "planted".to_owned(),
            secret_key: format!("planted-{code}"),
            other_key: None,
            system_user: UserKey(1),
            created_at: Timestamp(0),
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        }
    }

    fn refusal(codes: &[&str], named: Option<&str>) -> String {
        let refused = chosen(codes.iter().map(|code| app(code)).collect(), named);
        refused.err().expect("refused").to_string()
    }

    #[test]
    fn the_only_app_needs_no_name_and_a_named_app_is_chosen_among_several() {
        let chosen = |codes: &[&str], named| {
            let chosen = chosen(codes.iter().map(|code| app(code)).collect(), named);
            chosen.expect("an app").secret_key
        };
        assert_eq!(chosen(&["shop"], None), "planted-shop");
        assert_eq!(chosen(&["shop", "bank", "zoo"], Some("bank")), "planted-bank");
    }

    #[test]
    fn an_ambiguous_app_is_refused_with_the_app_ids_but_without_keys() {
        for (codes, named, said) in [
            (&["shop", "bank"][..], None, "several apps; name one with --app: shop, bank"),
            (&["shop", "bank"], Some("zoo"), "there is no app zoo; the apps are shop, bank"),
            (&[], None, "there is no app yet"),
            (&[], Some("zoo"), "there is no app yet"),
        ] {
            let refusal = refusal(codes, named);
            assert!(refusal.contains(said) && !refusal.contains("planted"), "{refusal}");
        }
    }

    #[test]
    fn a_server_on_the_unspecified_address_is_called_on_loopback() {
        for (listen, url) in [
            ("127.0.0.1:8787", "http://127.0.0.1:8787/"),
            ("0.0.0.0:80", "http://127.0.0.1/"),
            ("[::]:8787", "http://[::1]:8787/"),
            ("10.0.0.7:1234", "http://10.0.0.7:1234/"),
        ] {
            let listen = listen.parse().expect("an address");
            assert_eq!(own_server("http", listen).expect("a URL").as_str(), url);
        }
    }

    #[test]
    fn a_server_with_tls_is_called_at_its_public_url() {
        let found = |public_url: &str| {
            let given = |variable: &str| match variable {
                "CONFAB_TLS_CERT" => Some("cert.pem".to_owned()),
                "CONFAB_PUBLIC_URL" => Some(public_url.to_owned()),
                _ => None,
            };
            let settings = from_everywhere(|_| None, given, None).expect("settings");
            configured_server(&settings).expect("a URL").to_string()
        };
        assert_eq!(found("https://chat.example"), "https://chat.example/");
        assert_eq!(found(""), "https://127.0.0.1:8787/");
    }

    #[test]
    fn a_given_app_and_key_need_no_data_folder() {
        let given = |variable: &str| match variable {
            "CONFAB_SECRET_KEY" => Some("the-key".to_owned()),
            "CONFAB_APP_ID" => Some("shop".to_owned()),
            "CONFAB_BRANDS" => Some("OTHER, SERVICE".to_owned()),
            "CONFAB_DATA" => Some("/nowhere/at/all".to_owned()),
            _ => None,
        };
        let settings = from_everywhere(|_| None, given, None).expect("settings");
        let found = credentials(&settings).expect("credentials");
        assert_eq!((found.brand.as_str(), found.app_code.as_str()), ("OTHER", "shop"));
        assert_eq!(found.secret_key, "the-key");
        let no_app = |variable: &str| given(variable).filter(|_| variable == "CONFAB_DATA");
        let settings = from_everywhere(|_| None, no_app, None).expect("settings");
        let said = credentials(&settings).err().expect("refused").to_string();
        assert!(said.contains("no data in /nowhere/at/all"), "{said}");
    }
}
