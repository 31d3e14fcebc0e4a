//! Outgoing hints: numbered when they are sent, and queued until a transport accepts them.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_runtime::clock;
use confab_store::{PacketSealer, Store};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::packet::{OpenPacket, PacketHead, SealedPacket, Sender};

/// Interval at which an idle node sends the number of its next hint.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);

pub(super) struct HintOutbox {
    sender: Sender,
    /// The store, which assigns this node's number and may change it.
    store: Store,
    sealer: PacketSealer,
    waiting: Mutex<QueuedHints>,
    wake: Notify,
}

struct QueuedHints {
    /// Number of the next hint.
    next: u64,
    /// Sequence number of the last packet.
    sequence: u64,
    hints: VecDeque<(u64, Bytes)>,
}

impl HintOutbox {
    pub(super) fn new(sender: Sender, store: Store) -> Self {
        let waiting = QueuedHints { next: 1, sequence: 0, hints: VecDeque::new() };
        let (sealer, waiting) = (store.packet_sealer(), Mutex::new(waiting));
        Self { sender, store, sealer, waiting, wake: Notify::new() }
    }

    /// Queues a hint, or drops it if it is too long or the queue is full. A dropped hint also uses
    /// up a number, so that receivers detect the loss.
    pub(super) fn put(&self, hint: Bytes) {
        let is_short = hint.len() <= limits::BUS_FRAME_BYTES_MAX;
        let mut waiting = self.waiting.lock();
        let number = waiting.next;
        waiting.next += 1;
        if is_short && waiting.hints.len() < limits::BUS_QUEUE_MAX {
            waiting.hints.push_back((number, hint));
            drop(waiting);
            self.wake.notify_one();
        } else {
            drop(waiting);
            count_dropped(1);
        }
    }

    /// Skips a hint number, so that receivers detect a gap.
    pub(super) fn skip(&self) {
        self.waiting.lock().next += 1;
    }

    /// Waits for a hint and returns the next packet. After `HEARTBEAT_EVERY` without hints, returns
    /// a packet without any.
    pub(super) async fn next(&self) -> SealedPacket {
        loop {
            if !self.waiting.lock().hints.is_empty() {
                return self.take();
            }
            if timeout(HEARTBEAT_EVERY, self.wake.notified()).await.is_err() {
                return self.take();
            }
        }
    }

    /// Returns a packet with as many consecutively numbered hints as fit, possibly none.
    fn take(&self) -> SealedPacket {
        let mut waiting = self.waiting.lock();
        let first = waiting.hints.front().map_or(waiting.next, |(number, _)| *number);
        waiting.sequence += 1;
        let mut filling = OpenPacket::new(PacketHead {
            sender: self.sender,
            node: self.store.node(),
            sequence: waiting.sequence,
            sealed_at: clock::now(),
            first,
        });
        let mut expected = first;
        while let Some((_, hint)) = waiting
            .hints
            .pop_front_if(|(number, hint)| *number == expected && filling.has_room_for(hint))
        {
            filling.add(&hint);
            expected += 1;
        }
        drop(waiting);
        filling.seal(&self.sealer)
    }
}

/// Counts hints that the transport accepted.
pub(super) fn count_sent(hints: u64) {
    metrics::counter!("confab_bus_sent_total").increment(hints);
}

/// Counts hints that were dropped.
pub(super) fn count_dropped(hints: u64) {
    metrics::counter!("confab_bus_dropped_total").increment(hints);
}
