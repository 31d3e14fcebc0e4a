//! What this node has to tell: numbered when it is told, held until a transport takes it.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_store::{PacketSealer, Store};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::packet::{Filling, PacketHead, SealedPacket, Sender};
use crate::clock;

/// A node that tells nothing says so often how far it is.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(1);

pub(super) struct HintOutbox {
    sender: Sender,
    /// Gives the number of this node, which may change.
    store: Store,
    sealer: PacketSealer,
    waiting: Mutex<QueuedHints>,
    wake: Notify,
}

struct QueuedHints {
    /// The number of the hint to come.
    next: u64,
    /// The number of the last packet.
    sequence: u64,
    hints: VecDeque<(u64, Bytes)>,
}

impl HintOutbox {
    pub(super) fn new(sender: Sender, store: Store) -> Self {
        let waiting = QueuedHints { next: 1, sequence: 0, hints: VecDeque::new() };
        let (sealer, waiting) = (store.packet_sealer(), Mutex::new(waiting));
        Self { sender, store, sealer, waiting, wake: Notify::new() }
    }

    /// Takes a hint, or drops it. It has its number in any case, so that others miss it.
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

    /// Takes a number for a hint that nobody will hear, so that others miss it.
    pub(super) fn skip(&self) {
        self.waiting.lock().next += 1;
    }

    /// The next packet, as soon as there is a hint to tell; after a while one without.
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

    /// Hints that follow each other without a gap, as many as fit; or none.
    fn take(&self) -> SealedPacket {
        let mut waiting = self.waiting.lock();
        let first = waiting.hints.front().map_or(waiting.next, |(number, _)| *number);
        waiting.sequence += 1;
        let mut filling = Filling::new(PacketHead {
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

/// Hints that reached the transport.
pub(super) fn count_told(hints: u64) {
    metrics::counter!("confab_bus_sent_total").increment(hints);
}

/// Hints that did not.
pub(super) fn count_dropped(hints: u64) {
    metrics::counter!("confab_bus_dropped_total").increment(hints);
}
