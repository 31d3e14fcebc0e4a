//! Checks the configured server: whether it runs, where it listens, whether it is ready.

use std::net::{SocketAddr, TcpListener};

use confab_app::process::address_file;
use confab_runtime::config::{Config, Effective};
use confab_store::Location;
use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use serde::Deserialize;
use url::{Host, Url};

use super::finding::{Findings, Level};
use crate::inert_text::inert_line;
use crate::remote::api_client::{ApiResponse, Call, NoResponse, exchange};
use crate::remote::running_server::configured_server;

/// Time limit for responses; a working server answers sooner.
const ANSWER_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// The body of `/health` and `/ready`.
#[derive(Deserialize)]
struct HealthAnswered {
    status: String,
    warning: Option<String>,
}

/// The body of `/ready` when the server is not ready.
#[derive(Deserialize)]
struct NotReady {
    error: NotReadyWords,
}

#[derive(Deserialize)]
struct NotReadyWords {
    message: String,
}

/// Whether the server at the configured address uses this data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServedData {
    /// The server uses this data.
    Ours,
    /// The server uses other data.
    Others,
    /// It is unknown which data the server uses.
    Unknown,
}

impl ServedData {
    /// Determines whether the server uses this data. `is_served` is whether any server uses the
    /// data, if known; `is_in_address_file` is whether the data folder's address file contains the
    /// server's address. A folder has one server process; a PostgreSQL database may be used by
    /// another node, whose address file is in another folder.
    fn of(location: &Location, is_served: Option<bool>, is_in_address_file: bool) -> Self {
        match (location, is_served, is_in_address_file) {
            (_, Some(false), _) => Self::Others,
            (_, _, true) => Self::Ours,
            (Location::Folder(_), Some(true), false) => Self::Others,
            _ => Self::Unknown,
        }
    }
}

/// A Confab server that responds at the configured address.
pub(super) struct RespondingServer {
    pub(super) url: Url,
    pub(super) data: ServedData,
}

/// Checks the server at the configured address, and returns it if it is a Confab server that
/// responds.
pub(super) async fn check(
    settings: &Effective,
    config: &Config,
    is_served: Option<bool>,
    findings: &mut Findings,
) -> Option<RespondingServer> {
    warn_of_plain_text(config, findings);
    let url = match configured_server(settings) {
        Ok(url) => url,
        Err(error) => {
            findings.trouble("server", error.to_string(), "correct listen or public_url");
            return None;
        }
    };
    match exchange(get(&url, "/health")).await {
        Ok(answer) if is_confab(&answer) => {
            let listed = address_file::read(&config.address_file);
            let is_in_address_file = listed
                .and_then(|it| Url::parse(&it).ok())
                .is_some_and(|it| is_same_server(&it, &url));
            let data = ServedData::of(&config.location, is_served, is_in_address_file);
            report(data, &url, findings);
            if data != ServedData::Others {
                check_readiness(&url, findings).await;
            }
            Some(RespondingServer { url, data })
        }
        Ok(answer) => {
            let found = format!("{url} responded with {}, but not as Confab does", answer.status);
            findings.trouble("server", found, "another program uses the address: change listen");
            None
        }
        Err(NoResponse::Refused) => {
            findings.ok("server", "not running");
            check_addresses(config, findings);
            None
        }
        Err(why) => {
            let advice = "see its log; with tls_cert, the host of public_url must be a name in \
                the certificate";
            findings.trouble("server", format!("{url} does not respond: {why}"), advice);
            None
        }
    }
}

fn report(data: ServedData, url: &Url, findings: &mut Findings) {
    let advice = "if that is another server, set listen to another port; if it should use this \
        data, start it with the same --data or database_url";
    match data {
        ServedData::Ours => findings.ok("server", format!("running at {url}")),
        ServedData::Others => {
            let found = format!("the Confab server at {url} uses other data");
            findings.warning("server", found, advice);
        }
        ServedData::Unknown => {
            let found = format!(
                "a Confab server responds at {url}; it is unknown whether it uses this data"
            );
            findings.warning("server", found, advice);
        }
    }
}

/// Whether both URLs are equal, or name the same port of this machine.
fn is_same_server(listed: &Url, called: &Url) -> bool {
    let is_here = |url: &Url| match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        _ => false,
    };
    let port = |url: &Url| (url.scheme().to_owned(), url.port_or_known_default());
    listed == called || is_here(listed) && is_here(called) && port(listed) == port(called)
}

/// Returns a GET request for a path of the server.
pub(crate) fn get(server: &Url, path: &str) -> Call {
    let mut url = server.clone();
    url.set_path(path);
    let (method, headers, body) = (Method::GET, HeaderMap::new(), bytes::Bytes::new());
    Call { method, url, headers, body, limit: ANSWER_LIMIT }
}

/// Whether `answer` is the `/health` response of a Confab server.
pub(super) fn is_confab(answer: &ApiResponse) -> bool {
    let standing = serde_json::from_slice::<HealthAnswered>(&answer.body);
    answer.status == StatusCode::OK && standing.is_ok_and(|standing| standing.status == "ok")
}

async fn check_readiness(url: &Url, findings: &mut Findings) {
    let answer = match exchange(get(url, "/ready")).await {
        Ok(answer) => answer,
        Err(why) => {
            findings.trouble("ready", format!("/ready does not respond: {why}"), "see its log");
            return;
        }
    };
    let warning =
        serde_json::from_slice::<HealthAnswered>(&answer.body).ok().and_then(|it| it.warning);
    match (answer.status, warning) {
        (StatusCode::OK, None) => {
            findings.ok("ready", "the store accepts writes, and deliveries make progress")
        }
        (StatusCode::OK, Some(warning)) => {
            findings.warning("ready", inert_line(&warning), "see its log");
        }
        (status, _) => {
            let said = serde_json::from_slice::<NotReady>(&answer.body);
            let said = said.map_or_else(|_| status.to_string(), |it| it.error.message);
            findings.trouble("ready", inert_line(&said), "see its log");
        }
    }
}

/// Checks whether a server that starts now could listen on the configured addresses.
fn check_addresses(config: &Config, findings: &mut Findings) {
    check_address("listen", config.listen, Level::Trouble, findings);
    if let Some(address) = config.mqtt_listen {
        // With the default MQTT address, the server starts without MQTT.
        let is_asked_for = !config.mqtt_listen_is_default;
        let level = if is_asked_for { Level::Trouble } else { Level::Warning };
        check_address("mqtt_listen", address, level, findings);
    }
}

fn check_address(key: &'static str, address: SocketAddr, level: Level, findings: &mut Findings) {
    match TcpListener::bind(address) {
        Ok(_) => findings.ok(key, format!("{address} is free")),
        Err(error) => findings.add(
            key,
            level,
            format!("cannot listen on {address}: {error}"),
            format!(
                "stop the program that uses it, or change {key}; ports below 1024 need a privilege"
            ),
        ),
    }
}

/// Warns of unencrypted listeners that other machines can reach.
fn warn_of_plain_text(config: &Config, findings: &mut Findings) {
    let addresses = [Some(config.listen), config.mqtt_listen];
    let open = addresses.into_iter().flatten().find(|address| !address.ip().is_loopback());
    if let Some(address) = open.filter(|_| config.tls.is_none()) {
        findings.warning(
            "encryption",
            format!("{address} can be reached from other machines and is not encrypted"),
            "set tls_cert and tls_key, or allow only a proxy with TLS to reach it",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_uses_our_data_only_if_the_data_are_in_use_and_name_its_address() {
        let folder = Location::folder("data");
        let postgres = Location::database("postgres://confab@db/chat").expect("an address");
        for (location, is_served, is_in_address_file, expected) in [
            (&folder, Some(true), true, ServedData::Ours),
            (&folder, Some(true), false, ServedData::Others),
            // The address file is left over from a crash.
            (&folder, Some(false), true, ServedData::Others),
            (&folder, None, false, ServedData::Unknown),
            (&postgres, Some(true), true, ServedData::Ours),
            (&postgres, Some(true), false, ServedData::Unknown),
            (&postgres, Some(false), true, ServedData::Others),
            // The database is down, and the server waits for it.
            (&postgres, None, true, ServedData::Ours),
        ] {
            let found = ServedData::of(location, is_served, is_in_address_file);
            assert_eq!(found, expected, "{} {is_served:?} {is_in_address_file}", location.shown());
        }
    }

    #[test]
    fn all_loopback_addresses_with_one_port_name_the_same_server() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let asked = url("http://[::1]:8787");
        for (said, is_it) in [
            ("http://[::1]:8787", true),
            ("http://127.0.0.1:8787", true),
            ("http://127.0.0.1:8788", false),
            ("https://127.0.0.1:8787", false),
            ("http://10.0.0.7:8787", false),
        ] {
            assert_eq!(is_same_server(&url(said), &asked), is_it, "{said}");
        }
    }
}
