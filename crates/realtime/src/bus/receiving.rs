//! Incoming packets: opens them, drops forged and repeated ones, and detects missing hints.
//!
//! Each sender numbers its hints without gaps. Any loss shows as a missing number, at the latest
//! when the idle sender sends the number of its next hint. A sender that ended may have lost its
//! last hint, so its silence counts as a gap too. A packet that cannot be decrypted, is too old, or
//! arrived before is counted and causes no gap (D-0209).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_runtime::clock;
use confab_store::PacketSealer;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::packet::{Packet, Sender};

const SILENCE_MAX: Duration = Duration::from_millis(limits::BUS_SILENCE_MAX_MS);
/// Time after which the numbers of a silent sender are deleted. It is longer than the age up to
/// which a packet is accepted, so that old packets cannot be replayed.
const REMEMBERED_FOR: Duration = Duration::from_millis(3 * limits::BUS_PACKET_AGE_MAX_MS);
const CHECK_EVERY: Duration = Duration::from_secs(1);
const REFUSAL_LOGGED_EVERY: Duration = Duration::from_secs(60);

/// The nodes whose packets arrive here, as one bit each. Clones share the same state.
#[derive(Clone, Default)]
pub(super) struct ReachableNodes(Arc<AtomicU64>);

impl ReachableNodes {
    /// Whether packets of the node with this number arrive here.
    pub(super) fn has(&self, node: i64) -> bool {
        self.0.load(Ordering::Relaxed) & bit(Some(node)) != 0
    }
}

fn bit(node: Option<i64>) -> u64 {
    node.filter(|node| (0..limits::NODES_MAX).contains(node)).map_or(0, |node| 1 << node)
}

/// A hint with its time of arrival.
pub(crate) type HintArrival = (std::time::Instant, ReceivedHint);

pub(super) struct HintReceiver {
    own: Sender,
    sealer: PacketSealer,
    senders: HashMap<Sender, KnownNode>,
    nodes: ReachableNodes,
    hints: mpsc::Sender<HintArrival>,
    /// Whether a gap must be reported before the next hint.
    gap_is_due: bool,
    look: Interval,
    refused: Refused,
}

struct KnownNode {
    node: Option<i64>,
    /// Sequence number of the last packet received from the sender.
    sequence: u64,
    /// Number of the next hint expected from the sender.
    next: u64,
    last_heard: Instant,
    /// Whether the node is silent and its silence was already reported as a gap.
    is_silent: bool,
}

/// Reason why a packet is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefusalReason {
    /// The packet is malformed, or not sealed with a key of the key file.
    Unsealed,
    /// The packet was sealed too long ago, or the clock of the sending node is wrong.
    Stale,
    /// A packet with this or a higher sequence number arrived before.
    Repeated,
}

impl RefusalReason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Unsealed => "unsealed",
            Self::Stale => "stale",
            Self::Repeated => "repeated",
        }
    }
}

/// Counts dropped packets, and logs them at most once a minute.
#[derive(Default)]
struct Refused {
    count: u64,
    logged_at: Option<Instant>,
}

impl Refused {
    fn note(&mut self, reason: RefusalReason) {
        metrics::counter!("confab_bus_refused_total", "reason" => reason.as_str()).increment(1);
        self.count += 1;
        if self.logged_at.is_none_or(|at| at.elapsed() >= REFUSAL_LOGGED_EVERY) {
            tracing::warn!(
                reason = reason.as_str(),
                count = self.count,
                "bus packets dropped: not sealed by this installation, too old, or repeated"
            );
            (self.count, self.logged_at) = (0, Some(Instant::now()));
        }
    }
}

impl HintReceiver {
    pub(super) fn new(
        own: Sender,
        sealer: PacketSealer,
        nodes: ReachableNodes,
        hints: mpsc::Sender<HintArrival>,
    ) -> Self {
        // Nodes whose packets arrived over an earlier connection do not count.
        nodes.0.store(0, Ordering::Relaxed);
        let mut look = interval(CHECK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (senders, refused) = (HashMap::new(), Refused::default());
        Self { own, sealer, senders, nodes, hints, gap_is_due: false, look, refused }
    }

    /// Accepts a packet that another node of this installation sealed. Drops any other, and counts
    /// those that are forged, too old or repeated.
    pub(super) fn receive(&mut self, sealed: &[u8]) {
        let Some(packet) = Packet::open(sealed, &self.sealer) else {
            return self.refused.note(RefusalReason::Unsealed);
        };
        if packet.head.sender == self.own {
            return;
        }
        match self.refusal(&packet, clock::now()) {
            Some(reason) => self.refused.note(reason),
            None => self.accept(packet),
        }
    }

    /// Counts and drops bytes that are not a packet.
    pub(super) fn refuse(&mut self) {
        self.refused.note(RefusalReason::Unsealed);
    }

    fn refusal(&self, packet: &Packet, now: Timestamp) -> Option<RefusalReason> {
        let age_us = now.0.abs_diff(packet.head.sealed_at.0);
        if age_us > limits::BUS_PACKET_AGE_MAX_MS * 1_000 {
            return Some(RefusalReason::Stale);
        }
        let known = self.senders.get(&packet.head.sender);
        let is_repeated = known.is_some_and(|known| packet.head.sequence <= known.sequence);
        is_repeated.then_some(RefusalReason::Repeated)
    }

    fn accept(&mut self, packet: Packet) {
        let head = packet.head;
        if self.senders.len() >= limits::BUS_SENDERS_MAX && !self.senders.contains_key(&head.sender)
        {
            self.senders.clear();
        }
        let known = KnownNode {
            node: head.node,
            sequence: head.sequence,
            next: packet.next(),
            last_heard: Instant::now(),
            is_silent: false,
        };
        let before = self.senders.insert(head.sender, known);
        let was_heard = before.as_ref().is_some_and(|it| !it.is_silent && it.node == head.node);
        // A new sender starts with hint 1.
        let expected = before.map_or(1, |known| known.next);
        if !was_heard {
            self.note_nodes();
        }
        if head.first != expected {
            self.gap();
        }
        for bytes in packet.hints {
            self.queue_hint(bytes);
        }
    }

    /// Reports that hints may have been lost.
    pub(super) fn gap(&mut self) {
        if !self.gap_is_due {
            metrics::counter!("confab_bus_gaps_total").increment(1);
        }
        self.gap_is_due = true;
        self.settle();
    }

    /// Handles a new connection: restarts the silence timeout of all senders that are not silent,
    /// and reports a gap.
    pub(super) fn joined(&mut self) {
        let now = Instant::now();
        let speaking = self.senders.values_mut().filter(|known| !known.is_silent);
        speaking.for_each(|known| known.last_heard = now);
        self.gap();
    }

    /// Performs one background step: reports a due gap, or checks for silent nodes. May be canceled
    /// without loss.
    pub(super) async fn run_step(&mut self) {
        let hints = self.hints.clone();
        tokio::select! {
            permit = hints.reserve(), if self.gap_is_due => {
                if let Ok(permit) = permit {
                    permit.send(now(ReceivedHint::Gap));
                }
                self.gap_is_due = false;
            }
            _ = self.look.tick() => self.miss_silent(),
        }
    }

    /// Reports a gap if nodes have fallen silent, and deletes the numbers of senders that have been
    /// silent for `REMEMBERED_FOR`.
    fn miss_silent(&mut self) {
        let mut is_missing = false;
        for known in self.senders.values_mut() {
            if !known.is_silent && known.last_heard.elapsed() >= SILENCE_MAX {
                (known.is_silent, is_missing) = (true, true);
            }
        }
        self.senders.retain(|_, known| known.last_heard.elapsed() < REMEMBERED_FOR);
        if is_missing {
            self.note_nodes();
            self.gap();
        }
    }

    fn note_nodes(&self) {
        let speaking = self.senders.values().filter(|known| !known.is_silent);
        let nodes = speaking.fold(0, |nodes, known| nodes | bit(known.node));
        self.nodes.0.store(nodes, Ordering::Relaxed);
    }

    fn queue_hint(&mut self, bytes: Bytes) {
        self.settle();
        // The due gap covers this hint.
        if self.gap_is_due {
            return;
        }
        if self.hints.try_send(now(ReceivedHint::Hint { bytes })).is_err() {
            return self.gap();
        }
        metrics::counter!("confab_bus_received_total").increment(1);
    }

    fn settle(&mut self) {
        if self.gap_is_due && self.hints.try_send(now(ReceivedHint::Gap)).is_ok() {
            self.gap_is_due = false;
        }
    }
}

fn now(hint: ReceivedHint) -> HintArrival {
    (std::time::Instant::now(), hint)
}

/// A hint from another node, or a gap in its hints.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReceivedHint {
    /// A hint arrived.
    Hint {
        /// The hint's bytes, as the other node sent them.
        bytes: Bytes,
    },
    /// Hints may have been lost. The recipient must check the store.
    Gap,
}
