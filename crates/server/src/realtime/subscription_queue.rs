//! Where something is heard, and what waits for one connection: a bounded queue that takes several
//! signals at a time.
//!
//! The hub puts in, one connection takes out; nobody waits to put in. Many hear the same few
//! signals at once, so each gets them with one lock and one wake. Whoever waits holds no buffer.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use confab_domain::ids::{AgentId, AppId, RoomId, UserKey};
use confab_domain::limits;
use parking_lot::Mutex;

use super::signal::Signal;

/// Where something can be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    /// What a user is shown of their rooms.
    User(UserKey),
    /// What people do in a room: typing, receipts, custom events.
    Room(RoomId),
    /// Messages of a public channel.
    Channel(RoomId),
    /// Whether a user is there.
    Presence(UserKey),
    /// Which conversations of an app look different now.
    Inbox(AppId),
    /// What happens in a customer's room, for those who look on.
    Conversation(RoomId),
    /// Whether an agent is still who they were.
    Agent(AgentId),
}

/// Something heard, and where.
#[derive(Clone)]
pub(crate) struct AddressedSignal {
    pub(crate) at: Address,
    pub(crate) signal: Arc<Signal>,
}

/// Where the hub puts what a connection hears. Once the last one is dropped, the queue ends.
#[derive(Clone)]
pub(super) struct SubscriptionQueue(Arc<PutSide>);

struct PutSide(Arc<Mutex<Waiting>>);

/// Where a connection takes what it hears.
pub(crate) struct SubscriptionReceiver(Arc<Mutex<Waiting>>);

/// More waits than may.
#[derive(Debug)]
pub(super) struct QueueFull;

#[derive(Default)]
struct Waiting {
    signals: VecDeque<AddressedSignal>,
    /// Who waits for more.
    waker: Option<Waker>,
    /// Nothing more comes.
    has_ended: bool,
    /// Nobody takes anything any more.
    is_left: bool,
}

/// A queue that is empty.
pub(super) fn queue() -> (SubscriptionQueue, SubscriptionReceiver) {
    let waiting = Arc::default();
    (SubscriptionQueue(Arc::new(PutSide(Arc::clone(&waiting)))), SubscriptionReceiver(waiting))
}

impl SubscriptionQueue {
    /// Puts in all of them, or none.
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
    /// Takes at most so many, once there are some; none at the end. Nothing is lost if the caller
    /// stops waiting.
    pub(crate) async fn some(&mut self, count_max: usize) -> Vec<AddressedSignal> {
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

    /// Whether nothing more comes, whatever still waits.
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
    use crate::realtime::signal::Shown;

    fn signals(count: usize) -> impl ExactSizeIterator<Item = AddressedSignal> {
        let signal = Arc::new(Signal::new(Shown::Tags));
        let at = Address::Room(RoomId(1));
        (0..count).map(move |_| AddressedSignal { at, signal: signal.clone() })
    }

    #[tokio::test]
    async fn what_is_put_in_comes_out_and_the_end_comes_after_it() {
        let (queue, mut heard) = queue();
        assert!(heard.some(10).now_or_never().is_none(), "nothing was put in");
        queue.put(signals(3)).expect("there is room");
        assert_eq!(heard.some(2).await.len(), 2);
        drop(queue);
        assert!(heard.has_ended());
        assert_eq!([heard.some(2).await.len(), heard.some(2).await.len()], [1, 0]);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_what_comes_and_by_the_end() {
        let (queue, mut heard) = queue();
        let takes = tokio::spawn(async move { [heard.some(9).await, heard.some(9).await] });
        tokio::task::yield_now().await;
        queue.put(signals(4)).expect("there is room");
        tokio::task::yield_now().await;
        drop(queue);
        assert_eq!(takes.await.expect("it ends").map(|taken| taken.len()), [4, 0]);
    }

    #[tokio::test]
    async fn a_full_queue_takes_nothing_more_and_who_left_needs_no_room() {
        let (queue, mut heard) = queue();
        queue.put(signals(limits::REALTIME_QUEUE_MAX - 1)).expect("there is room");
        queue.put(signals(2)).expect_err("all of them, or none");
        queue.put(signals(1)).expect("one more fits");
        assert_eq!(heard.some(usize::MAX).await.len(), limits::REALTIME_QUEUE_MAX);
        drop(heard);
        queue.put(signals(limits::REALTIME_QUEUE_MAX + 1)).expect("nobody is there");
    }
}
