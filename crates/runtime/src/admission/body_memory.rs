//! Memory of request bodies, from their first byte until their request is answered.
//!
//! Memory is counted as bytes arrive, never reserved (design/sign-in-and-limits). If none is left,
//! the body that needs more is refused, and bodies that have been arriving for too long are aborted
//! to free theirs: slow senders block others for a moment at most.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use confab_domain::limits;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::admission::peer::Peer;
use crate::admission::shares::{Share, Shares};

/// The memory counters of this process. Cheap to clone; all clones share the counters.
#[derive(Clone, Default)]
pub struct BodyMemory(Arc<BodyMemoryInner>);

#[derive(Default)]
struct BodyMemoryInner {
    held: AtomicUsize,
    of_peers: Shares<Peer>,
    /// Signaled when a body was refused for lack of memory.
    is_short: Notify,
}

/// Reason why a body may not grow.
#[derive(Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// All bodies together use the whole memory budget.
    ForAnybody,
    /// The bodies from the client's address use its whole share.
    ForPeer,
}

impl BodyMemory {
    /// Starts counting the memory of a new, empty body.
    pub fn begin(&self) -> HeldBytes {
        HeldBytes { memory: self.clone(), bytes: 0, begun: Instant::now(), of_peer: None }
    }
}

/// The memory of one body, released on drop.
pub struct HeldBytes {
    memory: BodyMemory,
    bytes: usize,
    begun: Instant,
    /// The client address's share, counted only once the body exceeds the size of a small one.
    /// Smaller bodies, which are most, cost a single addition.
    of_peer: Option<Share<Peer>>,
}

impl HeldBytes {
    /// Counts the body as having this many bytes, or fails if there is no memory for them.
    pub fn grow_to(&mut self, bytes: usize, peer: impl FnOnce() -> Peer) -> Result<(), NoRoom> {
        let memory = &*self.memory.0;
        let more = bytes.saturating_sub(self.bytes);
        let before = memory.held.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
        if before + more > limits::BODIES_BYTES_MAX {
            memory.is_short.notify_waiters();
            return Err(refused(NoRoom::ForAnybody));
        }
        if self.bytes <= limits::SMALL_BODY_BYTES {
            return Ok(());
        }
        let (share, taken) = match &mut self.of_peer {
            Some(share) => (share, more),
            None => {
                let share = memory.of_peers.of(peer(), limits::BODIES_OF_PEER_BYTES_MAX);
                (self.of_peer.insert(share), self.bytes)
            }
        };
        // A proxy on this machine may forward all clients.
        if share.key().is_loopback() || share.take(taken) {
            return Ok(());
        }
        Err(refused(NoRoom::ForPeer))
    }

    /// Waits until memory runs out for another body while this one has been arriving for too long.
    pub async fn is_wanted_back(&self) {
        loop {
            self.memory.0.is_short.notified().await;
            if self.begun.elapsed() >= Duration::from_millis(limits::BODY_PATIENCE_MS) {
                return;
            }
        }
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.memory.0.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn refused(why: NoRoom) -> NoRoom {
    let bound = match why {
        NoRoom::ForAnybody => "process",
        NoRoom::ForPeer => "address",
    };
    metrics::counter!("confab_bodies_refused_total", "bound" => bound).increment(1);
    why
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn peer(address: &str) -> impl Fn() -> Peer {
        let address: IpAddr = address.parse().expect("an address");
        move || Peer::of_socket(address)
    }

    #[test]
    fn body_memory_is_limited_per_address_except_for_small_bodies() {
        let memory = BodyMemory::default();
        let mut one = memory.begin();
        assert_eq!(one.grow_to(limits::BODIES_OF_PEER_BYTES_MAX, peer("192.0.2.1")), Ok(()));
        let mut small = memory.begin();
        assert_eq!(small.grow_to(limits::SMALL_BODY_BYTES, peer("192.0.2.1")), Ok(()));
        assert_eq!(
            small.grow_to(limits::SMALL_BODY_BYTES + 1, peer("192.0.2.1")),
            Err(NoRoom::ForPeer)
        );
        drop(small);
        let mut other = memory.begin();
        assert_eq!(other.grow_to(limits::SMALL_BODY_BYTES + 1, peer("192.0.2.2")), Ok(()));
        drop((one, other));
        assert_eq!(memory.0.held.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_memory_reclaims_the_space_of_a_slow_body() {
        let memory = BodyMemory::default();
        let (mut slow, mut new) = (memory.begin(), memory.begin());
        assert_eq!(slow.grow_to(limits::BODIES_BYTES_MAX, peer("127.0.0.1")), Ok(()));
        tokio::time::advance(Duration::from_millis(limits::BODY_PATIENCE_MS)).await;
        let come = async { assert_eq!(new.grow_to(1, peer("127.0.0.1")), Err(NoRoom::ForAnybody)) };
        tokio::join!(slow.is_wanted_back(), come);
    }
}
