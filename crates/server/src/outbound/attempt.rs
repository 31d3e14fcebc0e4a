//! What came of a request, and how long each part of it took.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::webhooks::delivery::ErrorClass;
use hyper::HeaderMap;
use tokio::time::Instant;

use super::request::{AnswerBytes, OutboundRequest};

/// A certificate can bring its own text into a detail.
const DETAIL_CHARS_MAX: usize = 300;

/// One request, however it ended.
#[derive(Debug)]
pub struct AttemptReport {
    /// The answer if it was a success, else what went wrong.
    pub outcome: Result<OutboundResponse, Failed>,
    /// Who was connected to.
    pub peer: Option<SocketAddr>,
    /// How long it took.
    pub timings: Timings,
    /// Whether the connection had served an earlier request.
    pub is_reused: bool,
}

/// What the receiver said. Hostile input: it is kept and shown, never understood.
#[derive(Debug, Clone)]
pub struct OutboundResponse {
    /// The status as a number.
    pub status: u16,
    /// At most 16 KiB of headers.
    pub headers: HeaderMap,
    /// The first 16 KiB of the body, as sent: `content-encoding` is not undone.
    pub body: Bytes,
    /// How much of the body was read.
    pub body_bytes: u64,
}

/// Why an attempt is no success.
#[derive(Debug)]
pub struct Failed {
    /// The kind of failure.
    pub class: ErrorClass,
    /// One sentence for the log of attempts.
    pub detail: String,
    /// What the receiver said, if it came as far as a status.
    pub answer: Option<Box<OutboundResponse>>,
}

impl Failed {
    pub(super) fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        let detail = detail.into().chars().take(DETAIL_CHARS_MAX).collect();
        Self { class, detail, answer: None }
    }
}

/// The parts of an attempt in microseconds. What did not happen or did not end is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Resolving the name. None for a reused connection and for an address.
    pub dns_us: Option<u64>,
    /// Connecting.
    pub connect_us: Option<u64>,
    /// The handshake.
    pub tls_us: Option<u64>,
    /// Handing the request over to the connection.
    pub write_us: Option<u64>,
    /// From the last byte of the request to the first byte of the answer.
    pub wait_us: Option<u64>,
    /// From the first byte of the answer to its last.
    pub body_us: Option<u64>,
    /// All of it, always there.
    pub total_us: Option<u64>,
}

/// An attempt under way.
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

    pub(super) fn end(mut self, outcome: Result<OutboundResponse, Failed>) -> AttemptReport {
        self.timings.total_us = Some(micros(self.started.elapsed()));
        let Self { peer, timings, is_reused, .. } = self;
        AttemptReport { outcome, peer, timings, is_reused }
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
