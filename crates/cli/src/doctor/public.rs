//! Checks the public URL as a client does: whether it reaches the server, and what the proxy there
//! passes on.

use std::time::Duration;

use confab_domain::time::Timestamp;
use confab_runtime::admission::peer::PROBE_ADDRESS;
use confab_runtime::clock;
use confab_runtime::config::Config;
use confab_wire::probe::{ProbeReport, ProbedAddress};
use hyper::StatusCode;
use hyper::header::{
    CONNECTION, DATE, FORWARDED, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use url::{Host, Url};

use super::clock_difference;
use super::finding::Findings;
use super::server::{get, is_confab};
use crate::remote::api_client::{ApiResponse, NoResponse, ResponseStart, begin, parse_url};

/// Time limit for the first event of `/health/stream`. The server keeps the response open for
/// longer (`http/health.rs`), so a late first event means that a proxy buffers responses.
const FIRST_EVENT_LIMIT: Duration = Duration::from_secs(4);

pub(super) async fn check(
    config: &Config,
    given: Option<String>,
    running: Option<&Url>,
    findings: &mut Findings,
) {
    if given.is_none() {
        let url = running.map_or(config.public_url.as_str(), Url::as_str).trim_end_matches('/');
        findings.ok("public_url", format!("not set: clients call {url}"));
        return;
    }
    let url = match parse_url(&config.public_url) {
        Ok(url) => url,
        Err(error) => return findings.trouble("public_url", error, "correct public_url"),
    };
    warn_of_plain_text(&url, findings);
    warn_of_proxies(config, findings);
    if running.is_none() {
        findings.skipped("public_url", "no server is running here with this data");
        return;
    }
    let headers = match check_address(&url, findings).await {
        Some(headers) => headers,
        None => return,
    };
    if let Some(theirs) = headers.get(DATE).and_then(time_of) {
        clock_difference::check(findings, "public_url", clock::now(), theirs);
    }
    check_websocket(&url, findings).await;
    check_stream(&url, config, findings).await;
}

/// Requests `/health`. Returns the response headers if a Confab server answered.
async fn check_address(url: &Url, findings: &mut Findings) -> Option<HeaderMap> {
    let ResponseStart { status, headers, first } = match begin(get(url, "/health")).await {
        Ok(answer) => answer,
        Err(why) => {
            let advice = "check DNS, the firewall, the proxy and its certificate; if this network \
                cannot reach its own public address, try from elsewhere";
            findings.trouble("public_url", format!("{url} cannot be reached: {why}"), advice);
            return None;
        }
    };
    let body = first.unwrap_or_default();
    let answer = ApiResponse { status, headers, body, took: Duration::ZERO };
    if !is_confab(&answer) {
        let found = format!("{url} responded with {status}, but not as Confab does");
        let advice = "make the proxy forward every path of this host to the server, with its query";
        findings.trouble("public_url", found, advice);
        return None;
    }
    findings.ok("public_url", format!("a Confab server responds at {url}"));
    Some(answer.headers)
}

/// Checks that a WebSocket can be opened. Uses `/mqtt`, which needs no token before the upgrade.
async fn check_websocket(url: &Url, findings: &mut Findings) {
    let mut call = get(url, "/mqtt");
    for (name, value) in [
        (CONNECTION, "Upgrade"),
        (UPGRADE, "websocket"),
        (SEC_WEBSOCKET_VERSION, "13"),
        (SEC_WEBSOCKET_KEY, "Y29uZmFiLWRvY3Rvci4uLg=="),
        (SEC_WEBSOCKET_PROTOCOL, "mqtt"),
    ] {
        call.headers.insert(name, HeaderValue::from_static(value));
    }
    let why = match begin(call).await {
        Ok(answer) if answer.status == StatusCode::SWITCHING_PROTOCOLS => {
            findings.ok("WebSocket", "works");
            return;
        }
        Ok(answer) => format!("the response was {}", answer.status),
        Err(why) => why.to_string(),
    };
    findings.trouble(
        "WebSocket",
        format!("cannot be opened: {why}"),
        "make the proxy forward the headers Upgrade and Connection with HTTP/1.1 (examples in \
         docs/operating/tls-and-proxies.md)",
    );
}

async fn check_stream(url: &Url, config: &Config, findings: &mut Findings) {
    let mut call = get(url, "/health/stream");
    call.headers.insert(&config.client_address_header, spoofed(&config.client_address_header));
    call.limit = FIRST_EVENT_LIMIT;
    let probe = HeaderName::from_static("confab_probe");
    call.headers.insert(probe, HeaderValue::from_static("1"));
    let (status, first) = match begin(call).await {
        Ok(ResponseStart { status, first, .. }) => (Some(status), first),
        // A proxy that buffers responses delays the status and headers as well.
        Err(NoResponse::TooLate(_)) => (None, None),
        Err(why) => {
            let advice = "see the log of the proxy";
            return findings.trouble("event stream", format!("was interrupted: {why}"), advice);
        }
    };
    let Some(first) = first else {
        let limit = FIRST_EVENT_LIMIT.as_secs();
        findings.trouble(
            "event stream",
            format!("no event arrived within {limit} s: the proxy buffers responses"),
            "disable buffering (nginx: proxy_buffering off, or do not ignore X-Accel-Buffering)",
        );
        return;
    };
    let text = String::from_utf8_lossy(&first);
    let event = text.trim().strip_prefix("data: ");
    let event = event.and_then(|event| serde_json::from_str::<ProbeReport>(event).ok());
    match event {
        None => {
            let status = status.map_or_else(String::new, |status| status.to_string());
            let found = format!("the response was {status}, but not that of the server");
            findings.trouble(
                "event stream",
                found,
                "make the proxy forward /health/stream to the server",
            );
        }
        Some(ProbeReport { underscores, client_address }) => {
            findings.ok("event stream", "events arrive immediately");
            check_underscores(underscores, findings);
            if let Some(found) = client_address {
                check_client_address(found, &config.client_address_header, findings);
            }
        }
    }
}

fn check_underscores(come_through: bool, findings: &mut Findings) {
    match come_through {
        true => findings.ok("headers", "headers with underscores are forwarded"),
        false => findings.warning(
            "headers",
            "the proxy drops headers with underscores, such as SDK_APP_ID of some clients, which \
             get 401",
            "nginx: underscores_in_headers on, in the server block; other proxies have a similar \
             setting",
        ),
    }
}

/// Returns the value of a client address header that a client might forge.
fn spoofed(name: &HeaderName) -> HeaderValue {
    let text = match *name == FORWARDED {
        true => format!("for={PROBE_ADDRESS}"),
        false => PROBE_ADDRESS.to_string(),
    };
    HeaderValue::from_str(&text).expect("an address is a header value")
}

fn check_client_address(found: ProbedAddress, header: &HeaderName, findings: &mut Findings) {
    match found {
        ProbedAddress::Written => {
            findings.ok("client address", format!("a spoofed {header} is ignored"));
        }
        ProbedAddress::NotRead => {
            let found =
                format!("{header} is ignored, because no trusted proxy made the connection");
            findings.ok("client address", found);
        }
        ProbedAddress::Missing => findings.warning(
            "client address",
            format!(
                "a trusted proxy does not send {header}: all clients share the limits per address"
            ),
            "make the proxy set it, or set client_address_header to the header that it sets",
        ),
        ProbedAddress::Spoofed => findings.trouble(
            "client address",
            format!("a spoofed {header} is accepted: clients can evade the limits per address"),
            "make the proxy set it, or set client_address_header to the header that it sets \
             (examples in docs/operating/tls-and-proxies.md)",
        ),
    }
}

/// Warns of a public URL without TLS, with which all that clients send can be read in transit.
fn warn_of_plain_text(url: &Url, findings: &mut Findings) {
    let is_here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if url.scheme() == "http" && !is_here {
        let found = format!(
            "{url} is not encrypted: passwords, tokens and messages can be read in transit"
        );
        findings.warning(
            "encryption",
            found,
            "enable TLS in the proxy, and use https in public_url",
        );
    }
}

/// Warns of wrong `trusted_proxies`: if it is empty, all clients behind a proxy count as one
/// address; if it contains every address, each client can forge its address.
fn warn_of_proxies(config: &Config, findings: &mut Findings) {
    if let Some(all) = config.trusted_proxies.iter().find(|it| it.prefix_len() == 0) {
        findings.trouble(
            "proxy",
            format!("trusted_proxies contains {all}: clients can evade the limits per address"),
            "set trusted_proxies to the addresses from which the proxies connect",
        );
    }
    if config.listen.ip().is_loopback() && config.trusted_proxies.is_empty() {
        findings.warning(
            "proxy",
            "there is a proxy in front of the server, but trusted_proxies is empty: all clients \
             share the limits per address",
            "set trusted_proxies to the address from which the proxy connects, such as 127.0.0.1",
        );
    }
}

fn time_of(value: &HeaderValue) -> Option<Timestamp> {
    let text = value.to_str().ok()?;
    let time = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(Timestamp(time.as_microsecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_header_is_parsed() {
        let time = time_of(&HeaderValue::from_static("Tue, 17 Nov 2026 17:50:18 GMT"));
        assert_eq!(time, Some(Timestamp(1_794_937_818_000_000)));
        assert_eq!(time_of(&HeaderValue::from_static("now")), None);
    }
}
