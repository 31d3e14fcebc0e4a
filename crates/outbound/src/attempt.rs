//! The report of a request: its outcome and the duration of its phases.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::webhooks::delivery::ErrorClass;
use hyper::HeaderMap;
use tokio::time::Instant;

use super::request::{AnswerBytes, OutboundRequest};

/// Maximum number of characters in a failure's detail, to which a certificate can add text of any
/// length.
const DETAIL_CHARS_MAX: usize = 300;

/// The report of one request.
#[derive(Debug)]
pub struct AttemptReport {
    /// The answer if it was a success, otherwise the failure.
    pub outcome: Result<OutboundResponse, AttemptFailure>,
    /// The address of the receiver, if a connection was established.
    pub peer: Option<SocketAddr>,
    /// Durations of the phases.
    pub timings: Timings,
    /// Whether the connection had served an earlier request.
    pub is_reused: bool,
}

/// The receiver's answer, which is untrusted and not interpreted by the client.
#[derive(Debug, Clone)]
pub struct OutboundResponse {
    pub status: u16,
    /// Headers of the answer, at most 16 KiB.
    pub headers: HeaderMap,
    /// The beginning of the body as sent, at most 16 KiB unless the request allows more;
    /// `content-encoding` is not decoded.
    pub body: Bytes,
    /// Number of bytes read from the body.
    pub body_bytes: u64,
}

/// Reason why an attempt failed.
#[derive(Debug)]
pub struct AttemptFailure {
    pub class: ErrorClass,
    /// One sentence for the attempt log.
    pub detail: String,
    /// The answer, if a status was received.
    pub answer: Option<Box<OutboundResponse>>,
}

impl AttemptFailure {
    pub(super) fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        let detail = detail.into().chars().take(DETAIL_CHARS_MAX).collect();
        Self { class, detail, answer: None }
    }
}

/// Durations of the phases in microseconds; `None` for a phase that did not happen or did not
/// finish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Name resolution; `None` for a reused connection or a literal address.
    pub dns_us: Option<u64>,
    /// TCP connect.
    pub connect_us: Option<u64>,
    /// TLS handshake.
    pub tls_us: Option<u64>,
    /// Writing the request to the connection.
    pub write_us: Option<u64>,
    /// From the last byte of the request to the first byte of the answer.
    pub wait_us: Option<u64>,
    /// From the first byte of the answer to its last.
    pub body_us: Option<u64>,
    /// The whole attempt; always set.
    pub total_us: Option<u64>,
}

/// The state of an unfinished attempt: its deadline, and the parts of its report that are already
/// determined.
pub(super) struct RunningAttempt {
    pub(super) started: Instant,
    pub(super) deadline: Instant,
    pub(super) peer: Option<SocketAddr>,
    pub(super) timings: Timings,
    pub(super) is_reused: bool,
    pub(super) answer_bytes_max: AnswerBytes,
}

impl RunningAttempt {
    pub(super) fn start(request: &OutboundRequest) -> Self {
        let started = Instant::now();
        Self {
            started,
            deadline: started + request.timeout,
            peer: None,
            timings: Timings::default(),
            is_reused: false,
            answer_bytes_max: request.answer_bytes_max,
        }
    }

    pub(super) fn end(
        mut self,
        outcome: Result<OutboundResponse, AttemptFailure>,
    ) -> AttemptReport {
        self.timings.total_us = Some(micros(self.started.elapsed()));
        let Self { peer, timings, is_reused, .. } = self;
        AttemptReport { outcome, peer, timings, is_reused }
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
