//! The PostgreSQL transport: LISTEN and NOTIFY on the database that nodes share (D-0040).
//!
//! Commits that notify are serialized in the whole database, so all queued hints are sent as one
//! packet in one commit. A notification is a text below 8,000 bytes, so a packet is split into
//! numbered pieces of base64. PostgreSQL delivers the pieces of a commit together.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use confab_domain::limits;
use confab_runtime::failures::chain;
use confab_store::{Notifications, Notifier, StoreError};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::outbox::{count_dropped, count_sent};
use super::receiving::HintReceiver;
use crate::bus::line::BusLine;

const RETRY_EVERY: Duration = Duration::from_millis(500);
const PIECE_CHARS: usize = 7_800;
/// Maximum number of pieces into which a packet is split.
const PIECES_MAX: usize = (limits::BUS_PACKET_BYTES_MAX * 4 / 3 + 2).div_ceil(PIECE_CHARS);

/// Connects to PostgreSQL and passes hints in both directions until the future is dropped.
pub(super) async fn run(notices: Notifications, line: Arc<BusLine>, hearing: HintReceiver) {
    tokio::join!(receive(&notices, &line, hearing), send(&notices, &line));
}

async fn receive(notices: &Notifications, line: &BusLine, mut hearing: HintReceiver) {
    let mut tries = ConnectTries::new("LISTEN");
    loop {
        tries.next().await;
        let mut listening = match notices.listen().await {
            Ok(listening) => listening,
            Err(error) => {
                line.is_deaf.store(true, Ordering::Relaxed);
                tries.failed(&error);
                continue;
            }
        };
        tries.succeeded();
        line.is_deaf.store(false, Ordering::Relaxed);
        hearing.joined();
        let mut pieces = Pieces::default();
        loop {
            tokio::select! {
                piece = listening.next() => match piece {
                    Some(piece) => match pieces.add(&piece) {
                        Added::Whole(packet) => hearing.receive(&packet),
                        Added::Part => {}
                        // A lost piece of a packet shows as a missing number.
                        Added::Unfit => hearing.refuse(),
                    },
                    None => break,
                },
                () = hearing.run_step() => {}
            }
        }
        line.is_deaf.store(true, Ordering::Relaxed);
        tracing::warn!(bus = "postgres", operation = "LISTEN", "bus connection lost; reconnecting");
    }
}

async fn send(notices: &Notifications, line: &BusLine) {
    let mut tries = ConnectTries::new("NOTIFY");
    loop {
        tries.next().await;
        let error = match notices.notifier().await {
            Ok(notifier) => {
                tries.succeeded();
                line.is_mute.store(false, Ordering::Relaxed);
                publish_until_lost(&notifier, line).await
            }
            Err(error) => error,
        };
        line.is_mute.store(true, Ordering::Relaxed);
        tries.failed(&error);
    }
}

/// Sends packets until the connection is lost, and returns the error. A packet that was being sent
/// is not resent, because it may have arrived; if it did not, receivers detect the missing numbers.
async fn publish_until_lost(notifier: &Notifier, line: &BusLine) -> StoreError {
    loop {
        let packet = line.outbox.next().await;
        if let Err(error) = notifier.notify(&cut(&packet.bytes)).await {
            count_dropped(packet.hints);
            return error;
        }
        count_sent(packet.hints);
    }
}

/// Connection attempts at a fixed interval. Only the first of consecutive failures is logged as a
/// warning.
struct ConnectTries {
    /// `LISTEN` or `NOTIFY`.
    operation: &'static str,
    every: Interval,
    is_told: bool,
}

impl ConnectTries {
    fn new(operation: &'static str) -> Self {
        let mut every = interval(RETRY_EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { operation, every, is_told: false }
    }

    async fn next(&mut self) {
        self.every.tick().await;
    }

    fn succeeded(&mut self) {
        self.is_told = false;
    }

    fn failed(&mut self, error: &StoreError) {
        let (operation, reason) = (self.operation, chain(error));
        if self.is_told {
            tracing::debug!(bus = "postgres", operation, %reason, "bus connection failed again");
        } else {
            tracing::warn!(bus = "postgres", operation, %reason, "bus connection failed; retrying");
        }
        self.is_told = true;
    }
}

/// Splits a packet into pieces such as `1/2 QUJD`. The piece numbers make the pieces differ:
/// PostgreSQL delivers identical notifications of one commit only once.
fn cut(packet: &Bytes) -> Vec<String> {
    let text = STANDARD_NO_PAD.encode(packet);
    let of = text.len().div_ceil(PIECE_CHARS);
    let mut pieces = Vec::with_capacity(of);
    for at in 0..of {
        let piece = &text[at * PIECE_CHARS..text.len().min((at + 1) * PIECE_CHARS)];
        pieces.push(format!("{}/{of} {piece}", at + 1));
    }
    pieces
}

/// Received pieces of an incomplete packet.
#[derive(Default)]
struct Pieces {
    count: usize,
    text: String,
}

/// Result of adding a piece.
#[derive(Debug, PartialEq, Eq)]
enum Added {
    Whole(Bytes),
    Part,
    /// The piece is malformed, or earlier pieces are missing.
    Unfit,
}

impl Pieces {
    fn add(&mut self, notice: &str) -> Added {
        self.try_add(notice).unwrap_or_else(|| {
            *self = Self::default();
            Added::Unfit
        })
    }

    fn try_add(&mut self, notice: &str) -> Option<Added> {
        let (place, piece) = notice.split_once(' ')?;
        let (at, of) = place.split_once('/')?;
        let (at, of): (usize, usize) = (at.parse().ok()?, of.parse().ok()?);
        if at == 1 {
            *self = Self::default();
        }
        if at != self.count + 1 || at > of || of > PIECES_MAX {
            return None;
        }
        self.count = at;
        self.text.push_str(piece);
        if at < of {
            return Some(Added::Part);
        }
        let packet = STANDARD_NO_PAD.decode(std::mem::take(&mut self.text)).ok()?;
        self.count = 0;
        Some(Added::Whole(packet.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_of_any_size_is_reassembled_from_its_pieces() {
        for size in [0, 1, 25, 5_849, 5_850, 5_851, 7_027, limits::BUS_PACKET_BYTES_MAX] {
            // Without their numbers, all pieces of zeros would be equal.
            let packet = Bytes::from(vec![0; size]);
            let cut = cut(&packet);
            assert!(cut.iter().all(|piece| piece.len() < 7_900) && cut.len() <= PIECES_MAX);
            let mut pieces = Pieces::default();
            let mut added: Vec<_> = cut.iter().map(|piece| pieces.add(piece)).collect();
            if size > 0 {
                assert_eq!(added.pop(), Some(Added::Whole(packet)));
            }
            assert!(added.iter().all(|it| *it == Added::Part));
        }
    }

    #[test]
    fn an_unexpected_piece_is_detected_and_the_next_packet_is_complete() {
        let packet = Bytes::from(vec![7; 20_000]);
        let cut = cut(&packet);
        let mut pieces = Pieces::default();
        for unfit in ["", "x", "1/1 %", "2/3 QUJD", "1/99999 QUJD", "-1/1 A", "0/0 A", &cut[1]] {
            assert_eq!(pieces.add(unfit), Added::Unfit, "{unfit}");
        }
        assert_eq!(pieces.add(&cut[0]), Added::Part);
        assert_eq!(pieces.add(&cut[2]), Added::Unfit);
        let added: Vec<_> = cut.iter().map(|piece| pieces.add(piece)).collect();
        assert_eq!(added.last(), Some(&Added::Whole(packet)));
    }
}
