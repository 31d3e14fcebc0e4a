//! The traces of recent deliveries, in memory, so that delivery attempts become part of the trace
//! of the request that created the delivery (D-0167).

use std::collections::{HashMap, VecDeque};

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use parking_lot::Mutex;

use super::trace_context::TraceContext;

/// The trace contexts of deliveries that requests of this node created.
#[derive(Default)]
pub(super) struct TracedDeliveries(Mutex<TracedState>);

#[derive(Default)]
struct TracedState {
    contexts: HashMap<DeliveryId, TraceContext>,
    /// Ids of the deliveries in `contexts`, oldest first.
    order: VecDeque<DeliveryId>,
}

impl TracedDeliveries {
    /// Stores a delivery's context, and evicts the oldest one if there are too many.
    pub(super) fn remember(&self, delivery: DeliveryId, context: TraceContext) {
        let mut state = self.0.lock();
        if state.contexts.insert(delivery, context).is_some() {
            return;
        }
        state.order.push_back(delivery);
        if state.order.len() > limits::TRACED_DELIVERIES_MAX
            && let Some(oldest) = state.order.pop_front()
        {
            state.contexts.remove(&oldest);
        }
    }

    /// Returns a delivery's context. The context is not removed, because a delivery may have
    /// several attempts.
    pub(super) fn of(&self, delivery: DeliveryId) -> Option<TraceContext> {
        self.0.lock().contexts.get(&delivery).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_delivery_is_evicted_at_the_limit() {
        let deliveries = TracedDeliveries::default();
        let context = TraceContext { trace: [1; 16], span: [2; 8] };
        let most = limits::TRACED_DELIVERIES_MAX as i64;
        for id in (1..=most).chain([1]) {
            deliveries.remember(DeliveryId(id), context);
        }
        assert_eq!(deliveries.of(DeliveryId(1)), Some(context), "the limit is not exceeded yet");
        deliveries.remember(DeliveryId(most + 1), context);
        let known = [1, 2, most + 1].map(|id| deliveries.of(DeliveryId(id)).is_some());
        assert_eq!(known, [false, true, true]);
    }
}
