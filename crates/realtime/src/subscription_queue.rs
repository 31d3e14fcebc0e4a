//! Addresses of the hub, and the bounded queue of one connection's signals.
//!
//! The hub adds signals and one connection removes them; adding never blocks. Many connections
//! receive the same signals at once, so a batch of signals costs only one lock and one wake per
//! connection. A waiting connection holds no buffer.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use confab_domain::ids::{AgentId, AppId, RoomId, UserKey};
use confab_domain::limits;
use parking_lot::Mutex;

use super::signal::Signal;

/// A subject to which a connection can subscribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// Events of a user's rooms.
    User(UserKey),
    /// Typing, receipts and custom events in a room.
    Room(RoomId),
    /// Messages of a public channel.
    Channel(RoomId),
    /// Presence of a user.
    Presence(UserKey),
    /// Changed inbox rows of an app.
    Inbox(AppId),
    /// Events of a customer's room, for agents who have it open.
    Conversation(RoomId),
    /// Changes of an agent's rights.
    Agent(AgentId),
}

/// A signal with the address at which it was published.
#[derive(Clone)]
pub struct AddressedSignal {
    pub at: Address,
    pub signal: Arc<Signal>,
}

/// The sending side of a connection's queue. The queue ends when the last clone is dropped.
#[derive(Clone)]
pub(super) struct SubscriptionQueue(Arc<PutSide>);

struct PutSide(Arc<Mutex<Waiting>>);

/// The receiving side of a connection's queue.
pub struct SubscriptionReceiver(Arc<Mutex<Waiting>>);

/// The queue has no room for all of the signals.
#[derive(Debug)]
pub(super) struct QueueFull;

#[derive(Default)]
struct Waiting {
    signals: VecDeque<AddressedSignal>,
    /// Waker of the task that waits for signals.
    waker: Option<Waker>,
    /// Whether all senders are dropped.
    has_ended: bool,
    /// Whether the receiver is dropped.
    is_left: bool,
}

/// Creates an empty queue.
pub(super) fn queue() -> (SubscriptionQueue, SubscriptionReceiver) {
    let waiting = Arc::default();
    (SubscriptionQueue(Arc::new(PutSide(Arc::clone(&waiting)))), SubscriptionReceiver(waiting))
}

impl SubscriptionQueue {
    /// Adds all signals, or none if they do not all fit.
    pub(super) fn put(
        &self,
        signals: impl ExactSizeIterator<Item = AddressedSignal>,
    ) -> Result<(), QueueFull> {
        let mut waiting = self.0.0.lock();
        if waiting.is_left {
            return Ok(());
        }
        if waiting.signals.len() + signals.len() > limits::REALTIME_QUEUE_MAX {
            return Err(QueueFull);
        }
        waiting.signals.extend(signals);
        if let Some(waker) = waiting.waker.take() {
            drop(waiting);
            waker.wake();
        }
        Ok(())
    }
}

impl Drop for PutSide {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.has_ended = true;
        if let Some(waker) = waiting.waker.take() {
            drop(waiting);
            waker.wake();
        }
    }
}

impl SubscriptionReceiver {
    /// Waits for signals and takes at most `count_max` of them. Returns none when the queue has
    /// ended. May be canceled without loss.
    pub async fn some(&mut self, count_max: usize) -> Vec<AddressedSignal> {
        poll_fn(|context| self.poll_some(context, count_max)).await
    }

    fn poll_some(&mut self, context: &Context<'_>, count_max: usize) -> Poll<Vec<AddressedSignal>> {
        let mut waiting = self.0.lock();
        if waiting.signals.is_empty() && !waiting.has_ended {
            waiting.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(if waiting.signals.len() <= count_max {
            std::mem::take(&mut waiting.signals).into()
        } else {
            waiting.signals.drain(..count_max).collect()
        })
    }

    /// Whether the queue takes no more signals because all senders are dropped. Earlier signals may
    /// still be queued.
    pub(crate) fn has_ended(&self) -> bool {
        self.0.lock().has_ended
    }
}

impl Drop for SubscriptionReceiver {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.is_left = true;
        let left = std::mem::take(&mut waiting.signals);
        drop(waiting);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::signal::SignalContent;

    fn signals(count: usize) -> impl ExactSizeIterator<Item = AddressedSignal> {
        let signal = Arc::new(Signal::new(SignalContent::Tags));
        let at = Address::Room(RoomId(1));
        (0..count).map(move |_| AddressedSignal { at, signal: signal.clone() })
    }

    #[tokio::test]
    async fn queued_signals_are_received_before_the_end_of_the_queue() {
        let (queue, mut receiver) = queue();
        assert!(receiver.some(10).now_or_never().is_none(), "the queue is empty");
        queue.put(signals(3)).expect("there is room");
        assert_eq!(receiver.some(2).await.len(), 2);
        drop(queue);
        assert!(receiver.has_ended());
        assert_eq!([receiver.some(2).await.len(), receiver.some(2).await.len()], [1, 0]);
    }

    #[tokio::test]
    async fn a_waiting_receiver_is_woken_by_signals_and_by_the_end() {
        let (queue, mut receiver) = queue();
        let receiving =
            tokio::spawn(async move { [receiver.some(9).await, receiver.some(9).await] });
        tokio::task::yield_now().await;
        queue.put(signals(4)).expect("there is room");
        tokio::task::yield_now().await;
        drop(queue);
        assert_eq!(receiving.await.expect("the task succeeds").map(|taken| taken.len()), [4, 0]);
    }

    #[tokio::test]
    async fn a_full_queue_rejects_signals_and_a_dropped_receiver_needs_no_room() {
        let (queue, mut receiver) = queue();
        queue.put(signals(limits::REALTIME_QUEUE_MAX - 1)).expect("there is room");
        queue.put(signals(2)).expect_err("signals are queued all or none");
        queue.put(signals(1)).expect("one more fits");
        assert_eq!(receiver.some(usize::MAX).await.len(), limits::REALTIME_QUEUE_MAX);
        drop(receiver);
        queue.put(signals(limits::REALTIME_QUEUE_MAX + 1)).expect("the receiver is dropped");
    }
}
