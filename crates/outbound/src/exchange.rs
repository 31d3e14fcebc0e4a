//! One request and its answer on one connection.

use bytes::Bytes;
use confab_domain::webhooks::delivery::ErrorClass;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::attempt::{AttemptFailure, OutboundResponse, RunningAttempt, micros};
use super::connection::OutboundConnection;
use super::request::{AnswerBytes, HttpMessage};
use super::tls::is_tls;
use super::wire::Marks;

/// The result of an exchange.
pub(super) enum ExchangeOutcome {
    /// No byte was written, for the given reason, so the message may be sent on another connection.
    NotSent(HttpMessage, AttemptFailure),
    /// The exchange finished. The connection is returned if it can be used again.
    Done(Result<OutboundResponse, AttemptFailure>, Option<OutboundConnection>),
}

/// The result of sending a message.
pub(super) enum SendOutcome {
    /// No byte was written, for the given reason.
    NotSent(HttpMessage, AttemptFailure),
    Failed(AttemptFailure),
    /// The header section of the answer was received, but not its body.
    Answered(Response<Incoming>, Marks, OutboundConnection),
}

/// Sends a message and reads its answer, before the deadline of the attempt.
pub(super) async fn exchange(
    connection: OutboundConnection,
    message: HttpMessage,
    attempt: &mut RunningAttempt,
) -> ExchangeOutcome {
    match send(connection, message, attempt).await {
        SendOutcome::NotSent(message, why) => ExchangeOutcome::NotSent(message, why),
        SendOutcome::Failed(why) => ExchangeOutcome::Done(Err(why), None),
        SendOutcome::Answered(response, marks, connection) => {
            let (outcome, is_whole) = receive(response, &marks, attempt).await;
            ExchangeOutcome::Done(outcome, is_whole.then_some(connection))
        }
    }
}

/// Sends a message and waits for the header section of its answer.
pub(super) async fn send(
    mut connection: OutboundConnection,
    message: HttpMessage,
    attempt: &mut RunningAttempt,
) -> SendOutcome {
    let deadline = attempt.deadline;
    if !matches!(timeout_at(deadline, connection.sender.ready()).await, Ok(Ok(()))) {
        let why = why_closed(connection, deadline).await;
        return SendOutcome::NotSent(message, why);
    }
    *connection.marks.lock() = Marks::begin();
    let sent = timeout_at(deadline, connection.sender.try_send_request(message)).await;
    let marks = *connection.marks.lock();
    record_write(&marks, attempt);
    match sent {
        Err(_) => SendOutcome::Failed(late(&marks)),
        Ok(Err(mut error)) => match error.take_message() {
            Some(message) => SendOutcome::NotSent(message, broken(&error.into_error())),
            None => SendOutcome::Failed(broken(&error.into_error())),
        },
        Ok(Ok(response)) => SendOutcome::Answered(response, marks, connection),
    }
}

async fn why_closed(connection: OutboundConnection, deadline: Instant) -> AttemptFailure {
    match timeout_at(deadline, connection.end()).await {
        Ok(Some(error)) => broken(&error),
        _ => {
            AttemptFailure::new(ErrorClass::Write, "the receiver closed the connection immediately")
        }
    }
}

pub(super) fn record_write(marks: &Marks, attempt: &mut RunningAttempt) {
    let wrote = marks.last_write.filter(|_| !marks.is_write_stuck);
    attempt.timings.write_us = wrote.map(|at| micros(at.duration_since(marks.begun)));
    let both = wrote.zip(marks.first_read);
    // An answer can arrive before the request is fully written; then the wait is zero.
    attempt.timings.wait_us =
        both.map(|(wrote, read)| micros(read.saturating_duration_since(wrote)));
}

fn late(marks: &Marks) -> AttemptFailure {
    if marks.is_write_stuck {
        AttemptFailure::new(ErrorClass::Write, "the receiver did not accept the request in time")
    } else {
        AttemptFailure::new(ErrorClass::HeaderTimeout, "the receiver did not answer in time")
    }
}

/// Returns the failure for a connection error. The request may already have arrived; the caller
/// decides whether to repeat it.
pub(super) fn broken(error: &hyper::Error) -> AttemptFailure {
    if is_tls(error) {
        return AttemptFailure::new(ErrorClass::Tls, format!("the TLS connection failed: {error}"));
    }
    if error.is_parse_too_large() {
        return AttemptFailure::new(ErrorClass::BodyTooLarge, "the answer's headers are too large");
    }
    if error.is_parse() {
        return AttemptFailure::new(ErrorClass::Write, format!("the answer is not HTTP: {error}"));
    }
    AttemptFailure::new(
        ErrorClass::Write,
        format!("the connection broke before an answer: {error}"),
    )
}

enum BodyEnd {
    Whole,
    TooLarge,
    Late,
    Broken(hyper::Error),
}

/// Reads the body of an answer. Returns the answer or the failure, and whether the body was read to
/// its end.
pub(super) async fn receive(
    response: Response<Incoming>,
    marks: &Marks,
    attempt: &mut RunningAttempt,
) -> (Result<OutboundResponse, AttemptFailure>, bool) {
    let (head, body) = response.into_parts();
    let bytes_max = attempt.answer_bytes_max;
    let (kept, body_bytes, end) = read(body, bytes_max, attempt.deadline).await;
    let status = head.status.as_u16();
    let answer = OutboundResponse { status, headers: head.headers, body: kept, body_bytes };
    let is_whole = matches!(end, BodyEnd::Whole);
    if is_whole {
        attempt.timings.body_us = marks.first_read.map(|at| micros(at.elapsed()));
    }
    // A failure status is more important than a problem with its body.
    let (class, detail) = match (ErrorClass::of_status(status), end) {
        (None, BodyEnd::Whole) => return (Ok(answer), true),
        (Some(class), _) => (class, format!("the receiver answered with status {status}")),
        (None, BodyEnd::TooLarge) => {
            let detail = format!("the answer has more than {} bytes", bytes_max.read);
            (ErrorClass::BodyTooLarge, detail)
        }
        (None, BodyEnd::Late) => {
            (ErrorClass::BodyTimeout, "the answer did not finish in time".to_owned())
        }
        (None, BodyEnd::Broken(error)) if is_tls(&error) => {
            (ErrorClass::Tls, format!("the TLS connection failed: {error}"))
        }
        (None, BodyEnd::Broken(error)) => {
            (ErrorClass::BodyTimeout, format!("the answer was incomplete: {error}"))
        }
    };
    (Err(AttemptFailure { class, detail, answer: Some(Box::new(answer)) }), is_whole)
}

/// Reads a body. Returns its first bytes, the number of bytes read, and the reason why reading
/// ended.
async fn read(
    mut body: Incoming,
    bytes_max: AnswerBytes,
    deadline: Instant,
) -> (Bytes, u64, BodyEnd) {
    let (mut kept, mut count) = (Vec::new(), 0);
    let end = loop {
        let frame = match timeout_at(deadline, body.frame()).await {
            Err(_) => break BodyEnd::Late,
            Ok(None) => break BodyEnd::Whole,
            Ok(Some(Err(error))) => break BodyEnd::Broken(error),
            Ok(Some(Ok(frame))) => frame,
        };
        let Some(bytes) = frame.data_ref() else { continue };
        let room = bytes_max.kept - kept.len();
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        count += bytes.len() as u64;
        if count > bytes_max.read {
            break BodyEnd::TooLarge;
        }
    };
    (Bytes::from(kept), count, end)
}
