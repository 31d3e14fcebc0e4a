//! A receiver that keeps all it was sent, and answers as the test wants.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::raw::{Request, listen, read_request};
use super::{linger, until};

/// One request as it arrived, and how it was answered.
#[derive(Clone)]
pub struct Seen {
    pub id: i64,
    /// The room's integer; empty where the notice has no room.
    pub room: String,
    pub sequence: u64,
    pub attempt: u32,
    /// `webhook-timestamp`, in seconds.
    pub timestamp: i64,
    pub depth: u32,
    pub at: Instant,
    pub status: u16,
    pub request: Arc<Request>,
}

impl Seen {
    fn of(request: Request) -> Self {
        let number = |name: &str| request.header(name).parse().unwrap_or_default();
        let body: Value = serde_json::from_slice(&request.body).expect("a body of JSON");
        let id = request.header("webhook-id").strip_prefix("msg_").expect("an id");
        Self {
            id: id.parse().expect("an integer"),
            room: body["payload"]["room"]["id_str"].as_str().unwrap_or_default().to_owned(),
            sequence: number("webhook-sequence") as u64,
            attempt: number("webhook-attempt") as u32,
            timestamp: number("webhook-timestamp"),
            depth: number("webhook-depth") as u32,
            at: Instant::now(),
            status: 0,
            request: Arc::new(request),
        }
    }

    /// The receiver said that it has it.
    pub fn is_taken(&self) -> bool {
        self.status == 200
    }
}

/// A status, and how long the receiver takes to give it.
type Reply = (u16, Duration);

#[derive(Clone)]
pub struct Receiver {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
}

impl Receiver {
    /// Takes everything at once.
    pub async fn start() -> Self {
        Self::replying(|_| (200, Duration::ZERO)).await
    }

    /// Answers each request as the function says.
    pub async fn replying(reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let (seen, connections): (Arc<Mutex<Vec<Seen>>>, Arc<AtomicUsize>) = Default::default();
        let (kept, count, reply) = (seen.clone(), connections.clone(), Arc::new(reply));
        let address = listen(move |stream| {
            let (kept, count, reply) = (kept.clone(), count.clone(), reply.clone());
            count.fetch_add(1, Ordering::SeqCst);
            async move {
                serve(stream, &kept, &*reply).await;
                count.fetch_sub(1, Ordering::SeqCst);
            }
        })
        .await;
        Self { address, seen, connections }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// All that arrived so far, in that order.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("not poisoned").clone()
    }

    pub fn count(&self) -> usize {
        self.seen.lock().expect("not poisoned").len()
    }

    /// Waits until all of these were taken.
    pub async fn takes(&self, ids: &[i64]) {
        let what = format!("{} deliveries are taken", ids.len());
        until(&what, async || {
            let seen = self.seen.lock().expect("not poisoned");
            let taken = seen.iter().filter(|it| it.is_taken()).map(|it| it.id);
            let taken: std::collections::HashSet<_> = taken.collect();
            ids.iter().all(|id| taken.contains(id)).then_some(())
        })
        .await;
    }

    /// Waits for this attempt of a delivery.
    pub async fn sees(&self, id: i64, attempt: u32) -> Seen {
        let what = format!("attempt {attempt} of delivery {id} arrives");
        until(&what, async || {
            let seen = self.seen.lock().expect("not poisoned");
            seen.iter().find(|it| it.id == id && it.attempt == attempt).cloned()
        })
        .await
    }

    /// Waits until so many arrived.
    pub async fn sees_in_all(&self, count: usize) {
        until(&format!("{count} arrive"), async || (self.count() >= count).then_some(())).await;
    }

    /// Waits until nobody is connected: whatever was on its way is here.
    pub async fn is_left_alone(&self) {
        until("nobody is connected", async || {
            (self.connections.load(Ordering::SeqCst) == 0).then_some(())
        })
        .await;
    }
}

async fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Seen>>, reply: &impl Fn(&Seen) -> Reply) {
    while let Some(request) = read_request(&mut stream).await {
        let seen = Seen::of(request);
        let (status, pause) = reply(&seen);
        kept.lock().expect("not poisoned").push(Seen { status, ..seen });
        if pause > Duration::ZERO {
            linger(pause).await;
        }
        let answer = format!("HTTP/1.1 {status} So\r\ncontent-length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
