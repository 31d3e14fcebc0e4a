//! Tests of the client with real sockets, and of the guard with all notations of forbidden
//! addresses.

mod allow_list;
mod dns_faults;
mod hostile_answers;
mod http2;
mod keep_alive;
mod many_at_once;
mod rebinding;
mod redirects;
mod request_headers;
mod slow_receivers;
mod ssrf_corpus;
mod target_guard;
mod tls_faults;

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use confab_test_servers::raw::{Canary, OK, accept, answer_all, answering, listen, read_request};

use super::{
    AllowList, AttemptReport, OutboundClient, OutboundRequest, Resolver, ScriptedAnswer,
    TargetGuard, TlsRoots,
};

/// Long enough for a busy machine.
const PATIENT: Duration = Duration::from_secs(20);

/// The guard of a public server.
fn public_guard() -> TargetGuard {
    TargetGuard::new(false, AllowList::default())
}

fn loopback_guard() -> TargetGuard {
    TargetGuard::new(true, AllowList::default())
}

fn every_name_is(address: IpAddr) -> Resolver {
    Resolver::scripted(move |_| ScriptedAnswer::Addresses(vec![address]))
}

fn client(guard: TargetGuard, resolver: Resolver) -> OutboundClient {
    OutboundClient::new(guard, resolver, TlsRoots::Only(Vec::new()))
}

/// A client that may call receivers on this machine.
fn local_client() -> OutboundClient {
    client(loopback_guard(), every_name_is([127, 0, 0, 1].into()))
}

fn request(url: impl Into<String>, timeout: Duration) -> OutboundRequest {
    OutboundRequest::new(url, Bytes::from_static(b"{}"), timeout)
}

async fn post(client: &OutboundClient, url: impl Into<String>) -> AttemptReport {
    client.post(request(url, PATIENT)).await
}

/// Returns the status, or the class of the failure.
fn word(attempted: &AttemptReport) -> String {
    match &attempted.outcome {
        Ok(answer) => answer.status.to_string(),
        Err(failed) => failed.class.as_str().to_owned(),
    }
}
