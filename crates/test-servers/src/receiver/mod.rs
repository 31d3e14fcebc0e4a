//! The receiver of webhooks of all tests, on a real socket: it keeps what it was sent, answers as
//! the test wants, and says when something came. Who waits for it waits for that, not for a time.

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

pub use received::Received;
pub use reply::Reply;

use crate::raw::{listen, read_request};

/// How long anything may take that is waited for. Nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(90);

type Handler = dyn Fn(Received) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync;

/// Takes webhooks as long as the test runs. Clones are the same receiver.
#[derive(Clone)]
pub struct Receiver {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it is, without a path.
    pub base: String,
    /// The address to register. Every other path of `base` is as good.
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    state: watch::Sender<State>,
    is_released: watch::Sender<bool>,
    handler: Mutex<Arc<Handler>>,
    /// How many of what arrived [`Receiver::next`] gave.
    looked_at: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// In the order in which they were answered.
    seen: Vec<Received>,
    connections: usize,
}

// How it answers.
impl Receiver {
    /// Takes everything at once.
    pub async fn start() -> Self {
        Self::replying(|_| 200).await
    }

    /// Answers each request as the function says.
    pub async fn replying<R: Into<Reply>>(
        reply: impl Fn(&Received) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::on_a_port(at_once(reply)).await
    }

    /// Does something for each request before it answers. It is among what was seen when that is
    /// done.
    pub async fn doing<F, R>(handle: impl Fn(Received) -> F + Send + Sync + 'static) -> Self
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

    /// The same receiver, registered at this path.
    pub fn at_path(mut self, path: &str) -> Self {
        self.url = format!("{}{path}", self.base);
        self
    }

    /// From now on it answers so. Who was seen before has the answer of before.
    pub fn answers(&self, reply: impl Into<Reply>) {
        let reply = reply.into();
        *self.shared.handler.lock().expect("not poisoned") = at_once(move |_| reply.clone());
    }

    /// Lets go of those who wait for it ([`Reply::once_released`]).
    pub fn release(&self) {
        self.shared.is_released.send_replace(true);
    }

    async fn on_a_port(handler: Arc<Handler>) -> Self {
        let shared = Arc::new(Shared {
            state: watch::Sender::default(),
            is_released: watch::Sender::default(),
            handler: Mutex::new(handler),
            looked_at: AtomicUsize::new(0),
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

// What it saw.
impl Receiver {
    /// The next one that was not looked at.
    pub async fn next(&self) -> Received {
        let at = self.shared.looked_at.fetch_add(1, Ordering::SeqCst);
        self.until("another webhook arrives", |seen| seen.get(at).cloned()).await
    }

    /// The next ones, by their paths: where several are told at once, any may be the first.
    pub async fn next_by_path(&self, count: usize) -> Vec<Received> {
        let mut next = Vec::new();
        for _ in 0..count {
            next.push(self.next().await);
        }
        next.sort_by(|a, b| a.path().cmp(b.path()));
        next
    }

    /// Whether something arrived that nobody looked at.
    pub fn has_more(&self) -> bool {
        self.count() > self.shared.looked_at.load(Ordering::SeqCst)
    }

    /// All that arrived so far.
    pub fn seen(&self) -> Vec<Received> {
        self.shared.state.borrow().seen.clone()
    }

    /// How many arrived so far.
    pub fn count(&self) -> usize {
        self.shared.state.borrow().seen.len()
    }

    /// Waits until what was seen is as the function wants it.
    pub async fn until<T>(&self, what: &str, ask: impl FnMut(&[Received]) -> Option<T>) -> T {
        let mut ask = ask;
        self.wait(what, |state| ask(&state.seen)).await
    }

    /// Waits until all of these deliveries were taken.
    pub async fn takes(&self, ids: &[i64]) {
        let what = format!("{} deliveries are taken", ids.len());
        let (mut missing, mut looked_at): (HashSet<_>, _) = (ids.iter().copied().collect(), 0);
        self.until(&what, |seen| {
            for it in seen[looked_at..].iter().filter(|it| it.is_taken()) {
                missing.remove(&it.id);
            }
            looked_at = seen.len();
            missing.is_empty().then_some(())
        })
        .await;
    }

    /// Waits for this attempt of a delivery.
    pub async fn sees(&self, id: i64, attempt: u32) -> Received {
        let is_it = |it: &&Received| it.id == id && it.attempt == attempt;
        let what = format!("attempt {attempt} of delivery {id} arrives");
        self.until(&what, |seen| seen.iter().find(is_it).cloned()).await
    }

    /// Waits until so many arrived.
    pub async fn sees_in_all(&self, count: usize) {
        let what = format!("{count} arrive");
        self.until(&what, |seen| (seen.len() >= count).then_some(())).await;
    }

    /// Waits until nobody is connected: whatever was on its way is here.
    pub async fn is_left_alone(&self) {
        self.wait("nobody is connected", |state| (state.connections == 0).then_some(())).await;
    }

    async fn wait<T>(&self, what: &str, mut ask: impl FnMut(&State) -> Option<T>) -> T {
        let mut state = self.shared.state.subscribe();
        let found = async {
            loop {
                let found = ask(&state.borrow_and_update());
                if let Some(found) = found {
                    return found;
                }
                state.changed().await.expect("the receiver lives");
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("waited in vain until {what}"))
    }
}

impl Shared {
    async fn serve(&self, mut stream: TcpStream) {
        while let Some(request) = read_request(&mut stream).await {
            let received = Received::of(request);
            // Taken before anybody is told: who sees it may change what the next one gets.
            let handler = self.handler.lock().expect("not poisoned").clone();
            let reply = handler(received.clone()).await;
            let seen = Received { status: reply.status, ..received };
            self.state.send_modify(|state| state.seen.push(seen));
            reply.wait(&self.is_released).await;
            if stream.write_all(&reply.bytes()).await.is_err() {
                return;
            }
        }
    }
}

fn at_once<R: Into<Reply>>(reply: impl Fn(&Received) -> R + Send + Sync + 'static) -> Arc<Handler> {
    Arc::new(move |received| Box::pin(std::future::ready(reply(&received).into())))
}
