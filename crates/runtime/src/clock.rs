//! The only clock, and the ids derived from it (D-0013).

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::ID_EPOCH_MS;
use confab_domain::time::Timestamp;

/// Node number of a server until its store assigns another one.
pub const SERVING_NODE: i64 = 0;
/// Node number of commands that run next to a server.
pub const COMMAND_NODE: i64 = 63;

const NODE_BITS: u32 = 6;
const SEQUENCE_BITS: u32 = 6;

/// The system clock, and ids derived from it: milliseconds, sequence, node.
///
/// A tick is an id without its node: milliseconds and sequence. Ticks only increase, even if the
/// clock is set back; when the 64 ticks of a millisecond are used up, ticks of the next millisecond
/// are used early. The node is in the lowest bits, so that a later tick yields a greater id than an
/// earlier one of any node.
pub struct SystemStamps {
    node: AtomicI64,
    last_tick: AtomicI64,
}

impl SystemStamps {
    /// Creates the clock and id source of the node with this number, 0 to 63.
    pub fn new(node: i64) -> Self {
        let stamps = Self { node: AtomicI64::new(0), last_tick: AtomicI64::new(0) };
        stamps.serve_as(node);
        stamps
    }
}

/// Returns the current time.
pub fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(since_1970.as_micros() as i64)
}

impl Stamps for SystemStamps {
    fn now(&self) -> Timestamp {
        now()
    }

    fn next_id(&self, after: i64) -> i64 {
        let now_tick = (self.now().unix_ms() - ID_EPOCH_MS).max(1) << SEQUENCE_BITS;
        let least = now_tick.max((after >> NODE_BITS) + 1);
        let next = |last: i64| Some(least.max(last + 1));
        let last = self.last_tick.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let tick = least.max(last.unwrap_or_else(|last| last) + 1);
        (tick << NODE_BITS) | self.node.load(Ordering::Relaxed)
    }

    fn serve_as(&self, node: i64) {
        self.node.store(node & ((1 << NODE_BITS) - 1), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::ids::ID_END;

    use super::*;

    #[test]
    fn ids_rise_and_stay_below_two_to_the_53() {
        let stamps = SystemStamps::new(0);
        let mut last = 0;
        for _ in 0..100_000 {
            let id = stamps.next_id(0);
            assert!(id > last && id < ID_END, "{id} after {last}");
            last = id;
        }
    }

    #[test]
    fn an_id_exceeds_its_predecessor_even_if_that_is_in_the_future() {
        let (behind, ahead) = (SystemStamps::new(0), SystemStamps::new(63));
        let an_hour = 3_600_000 << (NODE_BITS + SEQUENCE_BITS);
        let future = ahead.next_id(0) + an_hour;
        let id = behind.next_id(future);
        assert!(id > future);
        assert!(behind.next_id(0) > id, "later ids do not go back");
    }

    #[test]
    fn two_nodes_never_create_the_same_id() {
        let (a, b) = (SystemStamps::new(1), SystemStamps::new(2));
        let future = a.next_id(0) + (1 << 40);
        let ids: std::collections::HashSet<i64> =
            (0..1000).flat_map(|_| [a.next_id(future), b.next_id(future)]).collect();
        assert_eq!(ids.len(), 2000);
    }
}
