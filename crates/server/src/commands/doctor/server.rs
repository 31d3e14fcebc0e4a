//! The server of these settings: whether it runs, where it listens, whether it is ready.

use std::net::{SocketAddr, TcpListener};

use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use serde::Deserialize;
use url::Url;

use super::finding::{Findings, Level};
use crate::commands::api_client::{ApiResponse, Call, Unanswered, exchange};
use crate::commands::inert_text::inert_line;
use crate::commands::running_server::configured_server;
use crate::config::{Config, Effective};

/// A server that answers at all answers sooner.
const ANSWER_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// What `/health` and `/ready` say.
#[derive(Deserialize)]
struct HealthAnswered {
    status: String,
    warning: Option<String>,
}

/// The same when they say no.
#[derive(Deserialize)]
struct NotReady {
    error: NotReadyWords,
}

#[derive(Deserialize)]
struct NotReadyWords {
    message: String,
}

/// Where the server is, if it runs.
pub(super) async fn look(
    settings: &Effective,
    config: &Config,
    findings: &mut Findings,
) -> Option<Url> {
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
            findings.ok("server", format!("it runs at {url}"));
            look_at_readiness(&url, findings).await;
            Some(url)
        }
        Ok(answer) => {
            let found = format!("{url} answers with {}, and not as Confab does", answer.status);
            findings.trouble("server", found, "another program has its address: change listen");
            None
        }
        Err(Unanswered::Refused) => {
            findings.ok("server", "it does not run");
            look_at_addresses(config, findings);
            None
        }
        Err(why) => {
            let advice = "see its log; with tls_cert, public_url must be a name of the certificate";
            findings.trouble("server", format!("{url} does not answer: {why}"), advice);
            None
        }
    }
}

/// The request for a path of the server.
pub(in crate::commands) fn get(server: &Url, path: &str) -> Call {
    let mut url = server.clone();
    url.set_path(path);
    let (method, headers, body) = (Method::GET, HeaderMap::new(), bytes::Bytes::new());
    Call { method, url, headers, body, limit: ANSWER_LIMIT }
}

/// Whether this is what `/health` of a Confab says.
pub(super) fn is_confab(answer: &ApiResponse) -> bool {
    let standing = serde_json::from_slice::<HealthAnswered>(&answer.body);
    answer.status == StatusCode::OK && standing.is_ok_and(|standing| standing.status == "ok")
}

async fn look_at_readiness(url: &Url, findings: &mut Findings) {
    let answer = match exchange(get(url, "/ready")).await {
        Ok(answer) => answer,
        Err(why) => {
            findings.trouble("ready", format!("/ready does not answer: {why}"), "see its log");
            return;
        }
    };
    let warning =
        serde_json::from_slice::<HealthAnswered>(&answer.body).ok().and_then(|it| it.warning);
    match (answer.status, warning) {
        (StatusCode::OK, None) => findings.ok("ready", "the store takes writes, deliveries move"),
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

/// Whether the server could listen, if it were started now.
fn look_at_addresses(config: &Config, findings: &mut Findings) {
    look_at_address("listen", config.listen, Level::Trouble, findings);
    if let Some(address) = config.mqtt_listen {
        // Where nobody asked for it, the server goes on without (D-0063).
        let is_asked_for = !config.mqtt_listen_is_default;
        let level = if is_asked_for { Level::Trouble } else { Level::Warning };
        look_at_address("mqtt_listen", address, level, findings);
    }
}

fn look_at_address(key: &'static str, address: SocketAddr, level: Level, findings: &mut Findings) {
    match TcpListener::bind(address) {
        Ok(_) => findings.ok(key, format!("{address} is free")),
        Err(error) => findings.add(
            key,
            level,
            format!("{address} cannot be listened on: {error}"),
            format!("end what has it, or change {key}; ports below 1024 need a right of their own"),
        ),
    }
}

/// Whoever is on the way reads what is not encrypted.
fn warn_of_plain_text(config: &Config, findings: &mut Findings) {
    let addresses = [Some(config.listen), config.mqtt_listen];
    let open = addresses.into_iter().flatten().find(|address| !address.ip().is_loopback());
    if let Some(address) = open.filter(|_| config.tls.is_none()) {
        findings.warning(
            "encryption",
            format!("{address} is not only for this machine, and not encrypted"),
            "set tls_cert and tls_key, or let only a proxy that encrypts reach it",
        );
    }
}
