//! Which trace a delivery is of, until it is tried: in memory, and of the newest only (D-0168).

use std::collections::{HashMap, VecDeque};

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use parking_lot::Mutex;

use super::trace_context::TraceContext;

/// Deliveries that requests of this node led to.
#[derive(Default)]
pub(super) struct TracedDeliveries(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    contexts: HashMap<DeliveryId, TraceContext>,
    /// The oldest first.
    order: VecDeque<DeliveryId>,
}

impl TracedDeliveries {
    /// The oldest is forgotten if there are too many.
    pub(super) fn remember(&self, delivery: DeliveryId, context: TraceContext) {
        let mut remembered = self.0.lock();
        if remembered.contexts.insert(delivery, context).is_some() {
            return;
        }
        remembered.order.push_back(delivery);
        if remembered.order.len() > limits::TRACED_DELIVERIES_MAX
            && let Some(oldest) = remembered.order.pop_front()
        {
            remembered.contexts.remove(&oldest);
        }
    }

    /// It is still remembered afterwards: a delivery may be tried again.
    pub(super) fn of(&self, delivery: DeliveryId) -> Option<TraceContext> {
        self.0.lock().contexts.get(&delivery).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_when_there_are_too_many() {
        let deliveries = TracedDeliveries::default();
        let context = TraceContext { trace: [1; 16], span: [2; 8] };
        let most = limits::TRACED_DELIVERIES_MAX as i64;
        for id in (1..=most).chain([1]) {
            deliveries.remember(DeliveryId(id), context);
        }
        assert_eq!(deliveries.of(DeliveryId(1)), Some(context), "they are just not too many");
        deliveries.remember(DeliveryId(most + 1), context);
        let known = [1, 2, most + 1].map(|id| deliveries.of(DeliveryId(id)).is_some());
        assert_eq!(known, [false, true, true]);
    }
}
