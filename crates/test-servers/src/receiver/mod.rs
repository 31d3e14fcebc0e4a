//! A webhook receiver for tests, on a real socket. It stores requests, answers as the test chooses,
//! and notifies waiting tests of each request, so that tests never wait for a fixed time.

mod received;
mod reply;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;

pub use received::ReceivedRequest;
pub use reply::Reply;

use crate::raw::{listen, read_request};

/// Limit on any wait. No test measures it.
const PATIENCE: Duration = Duration::from_secs(90);

type Handler = dyn Fn(ReceivedRequest) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync;

/// A receiver that accepts webhooks while the test runs. Clones share one receiver.
#[derive(Clone)]
pub struct Receiver {
    pub address: SocketAddr,
    /// URL without a path.
    pub base: String,
    /// URL to register. Every other path of `base` works too.
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    state: watch::Sender<State>,
    is_released: watch::Sender<bool>,
    handler: Mutex<Arc<Handler>>,
    /// Number of requests that [`Receiver::next`] returned.
    returned: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// In the order in which they were answered.
    seen: Vec<ReceivedRequest>,
    connections: usize,
}

// Answers.
impl Receiver {
    /// Starts a receiver that accepts everything immediately.
    pub async fn start() -> Self {
        Self::replying(|_| 200).await
    }

    /// Starts a receiver that answers each request with the result of a function.
    pub async fn replying<R: Into<Reply>>(
        reply: impl Fn(&ReceivedRequest) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::on_a_port(at_once(reply)).await
    }

    /// Starts a receiver that runs a function for each request before it answers. The request
    /// appears in [`Self::seen`] after the function returned.
    pub async fn doing<F, R>(handle: impl Fn(ReceivedRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<Reply>,
    {
        let handler = move |received| -> Pin<Box<dyn Future<Output = Reply> + Send>> {
            let handled = handle(received);
            Box::pin(async move { handled.await.into() })
        };
        Self::on_a_port(Arc::new(handler)).await
    }

    /// Returns the receiver with this path in `url`.
    pub fn at_path(mut self, path: &str) -> Self {
        self.url = format!("{}{path}", self.base);
        self
    }

    /// Changes the answer to later requests.
    pub fn answers(&self, reply: impl Into<Reply>) {
        let reply = reply.into();
        *self.shared.handler.lock().expect("not poisoned") = at_once(move |_| reply.clone());
    }

    /// Sends the answers that wait for the release ([`Reply::once_released`]).
    pub fn release(&self) {
        self.shared.is_released.send_replace(true);
    }

    async fn on_a_port(handler: Arc<Handler>) -> Self {
        let shared = Arc::new(Shared {
            state: watch::Sender::default(),
            is_released: watch::Sender::default(),
            handler: Mutex::new(handler),
            returned: AtomicUsize::new(0),
        });
        let its = shared.clone();
        let address = listen(move |stream| {
            let shared = its.clone();
            shared.state.send_modify(|state| state.connections += 1);
            async move {
                shared.serve(stream).await;
                shared.state.send_modify(|state| state.connections -= 1);
            }
        })
        .await;
        let base = format!("http://{address}");
        let url = format!("{base}/hook");
        Self { address, base, url, shared }
    }
}

// Received requests.
impl Receiver {
    /// Waits for the next request that was not returned yet.
    pub async fn next(&self) -> ReceivedRequest {
        let at = self.shared.returned.fetch_add(1, Ordering::SeqCst);
        self.until("another webhook arrives", |seen| seen.get(at).cloned()).await
    }

    /// Waits for the next requests and sorts them by path, because concurrent ones may arrive in
    /// any order.
    pub async fn next_by_path(&self, count: usize) -> Vec<ReceivedRequest> {
        let mut next = Vec::new();
        for _ in 0..count {
            next.push(self.next().await);
        }
        next.sort_by(|a, b| a.path().cmp(b.path()));
        next
    }

    /// Whether there are requests that [`Self::next`] has not returned.
    pub fn has_more(&self) -> bool {
        self.count() > self.shared.returned.load(Ordering::SeqCst)
    }

    /// Returns all requests so far.
    pub fn seen(&self) -> Vec<ReceivedRequest> {
        self.shared.state.borrow().seen.clone()
    }

    /// Returns the number of requests so far.
    pub fn count(&self) -> usize {
        self.shared.state.borrow().seen.len()
    }

    /// Waits until the function returns a value for the requests so far.
    pub async fn until<T>(
        &self,
        what: &str,
        ask: impl FnMut(&[ReceivedRequest]) -> Option<T>,
    ) -> T {
        let mut ask = ask;
        self.wait(what, |state| ask(&state.seen)).await
    }

    /// Waits until all of these deliveries were accepted.
    pub async fn takes(&self, ids: &[i64]) {
        let what = format!("{} deliveries are accepted", ids.len());
        let (mut missing, mut returned): (HashSet<_>, _) = (ids.iter().copied().collect(), 0);
        self.until(&what, |seen| {
            for it in seen[returned..].iter().filter(|it| it.is_taken()) {
                missing.remove(&it.id);
            }
            returned = seen.len();
            missing.is_empty().then_some(())
        })
        .await;
    }

    /// Waits for this attempt of a delivery.
    pub async fn sees(&self, id: i64, attempt: u32) -> ReceivedRequest {
        let is_it = |it: &&ReceivedRequest| it.id == id && it.attempt == attempt;
        let what = format!("attempt {attempt} of delivery {id} arrives");
        self.until(&what, |seen| seen.iter().find(is_it).cloned()).await
    }

    /// Waits for this number of requests.
    pub async fn sees_in_all(&self, count: usize) {
        let what = format!("{count} requests arrive");
        self.until(&what, |seen| (seen.len() >= count).then_some(())).await;
    }

    /// Waits until no client is connected, so that no request is in flight.
    pub async fn is_left_alone(&self) {
        self.wait("no client is connected", |state| (state.connections == 0).then_some(())).await;
    }

    async fn wait<T>(&self, what: &str, mut ask: impl FnMut(&State) -> Option<T>) -> T {
        let mut state = self.shared.state.subscribe();
        let found = async {
            loop {
                let found = ask(&state.borrow_and_update());
                if let Some(found) = found {
                    return found;
                }
                state.changed().await.expect("the receiver outlives this wait");
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("timed out waiting until {what}"))
    }
}

impl Shared {
    async fn serve(&self, mut stream: TcpStream) {
        while let Some(request) = read_request(&mut stream).await {
            let received = ReceivedRequest::of(request);
            // Read before the request is published, because tests that see it may change the answer
            // to the next one.
            let handler = self.handler.lock().expect("not poisoned").clone();
            let reply = handler(received.clone()).await;
            let seen = ReceivedRequest { status: reply.status, ..received };
            self.state.send_modify(|state| state.seen.push(seen));
            reply.wait(&self.is_released).await;
            if stream.write_all(&reply.bytes()).await.is_err() {
                return;
            }
        }
    }
}

fn at_once<R: Into<Reply>>(
    reply: impl Fn(&ReceivedRequest) -> R + Send + Sync + 'static,
) -> Arc<Handler> {
    Arc::new(move |received| Box::pin(std::future::ready(reply(&received).into())))
}
