//! Limit on the packet rate of a client. A client that exceeds the rate is read more slowly; no
//! packet is dropped.

use std::time::Duration;

use confab_domain::limits;
use tokio::time::Instant;

/// The time at which the packets that the client has sent so far are due at the permitted rate.
pub(super) struct Allowance(Instant);

impl Allowance {
    pub(super) fn new(now: Instant) -> Self {
        Self(now)
    }

    /// Counts packets. Returns the earliest time to read the next one.
    pub(super) fn spend(&mut self, packets: u32, now: Instant) -> Instant {
        let each = Duration::from_secs(1) / limits::MQTT_PACKETS_PER_SECOND;
        self.0 = self.0.max(now) + each * packets;
        let ahead = self.0.saturating_duration_since(now);
        now + ahead.saturating_sub(each * limits::MQTT_PACKETS_BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_not_delayed_and_further_packets_are_paced() {
        let now = Instant::now();
        let mut allowance = Allowance::new(now);
        for _ in 0..limits::MQTT_PACKETS_BURST {
            assert_eq!(allowance.spend(1, now), now);
        }
        let each = Duration::from_secs(1) / limits::MQTT_PACKETS_PER_SECOND;
        assert_eq!(allowance.spend(10, now), now + 10 * each);
        let later = now + Duration::from_secs(3600);
        assert_eq!(allowance.spend(1, later), later, "an idle client regains its burst");
    }
}
