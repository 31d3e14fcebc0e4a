//! Receivers of webhooks: one that records requests and answers, one that accepts and never
//! answers.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};

use crate::failure::Failure;

/// A receiver with its records.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    seen: Arc<WrkResult>,
}

#[derive(Default)]
struct WrkResult {
    count: AtomicUsize,
    noted: Mutex<Noted>,
}

/// The recorded property of requests.
#[derive(Default)]
enum Noted {
    #[default]
    Nothing,
    /// Times in µs from the creation of a message until its arrival.
    Lags(Vec<i64>),
    /// Times in µs from the sending of a text until its arrival, and the rooms.
    Sent(Vec<i64>, BTreeSet<String>),
    /// The last sequence number of each room, and the number of requests that arrived out of order.
    Order(HashMap<String, u64>, usize),
}

impl Receiver {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, seen) = (listener.local_addr()?, Arc::new(WrkResult::default()));
        let noting = seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, noting.clone()));
            }
        });
        Ok(Self { address, seen })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Returns the number of requests.
    pub(crate) fn count(&self) -> usize {
        self.seen.count.load(Ordering::Relaxed)
    }

    /// Records lags from now on.
    pub(crate) fn note_lags(&self) {
        *self.seen.noted.lock() = Noted::Lags(Vec::new());
    }

    /// Records the order from now on.
    pub(crate) fn note_order(&self) {
        *self.seen.noted.lock() = Noted::Order(HashMap::new(), 0);
    }

    /// From now on, records the room of each received text and the time since it was sent.
    pub(crate) fn note_sent(&self) {
        *self.seen.noted.lock() = Noted::Sent(Vec::new(), BTreeSet::new());
    }

    /// Returns the recorded rooms.
    pub(crate) fn rooms(&self) -> Vec<String> {
        match &*self.seen.noted.lock() {
            Noted::Sent(_, rooms) => rooms.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns and clears the recorded lags in ms, sorted.
    pub(crate) fn lags_ms(&self) -> Vec<f64> {
        let mut lags = match &mut *self.seen.noted.lock() {
            Noted::Lags(lags) | Noted::Sent(lags, _) => std::mem::take(lags),
            _ => return Vec::new(),
        };
        lags.sort_unstable();
        lags.into_iter().map(|us| us as f64 / 1000.0).collect()
    }

    /// Returns the number of requests that arrived out of order, and stops recording.
    pub(crate) fn misordered(&self) -> usize {
        match std::mem::take(&mut *self.seen.noted.lock()) {
            Noted::Order(_, misordered) => misordered,
            _ => 0,
        }
    }
}

async fn serve(stream: TcpStream, seen: Arc<WrkResult>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let seen = seen.clone();
        let at = jiff::Timestamp::now().as_microsecond();
        async move {
            let sequence = request.headers().get("webhook-sequence");
            let sequence = sequence.and_then(|it| it.to_str().ok()?.parse().ok());
            if let Ok(body) = request.into_body().collect().await {
                seen.note(at, sequence, &body.to_bytes());
            }
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"ok"))))
        }
    });
    // A connection that the server closes is not an error.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl WrkResult {
    fn note(&self, at: i64, sequence: Option<u64>, body: &[u8]) {
        match &mut *self.noted.lock() {
            Noted::Nothing => {}
            Noted::Lags(lags) => {
                let made_at = field(body, r#""created_at":""#);
                let made_at = made_at.and_then(|it| it.parse::<jiff::Timestamp>().ok());
                lags.extend(made_at.map(|made_at| at - made_at.as_microsecond()));
            }
            Noted::Sent(lags, rooms) => {
                lags.extend(sent_at(body).map(|sent_at| at - sent_at));
                rooms.extend(room(body).map(str::to_owned));
            }
            Noted::Order(rooms, misordered) => {
                let room = room(body).unwrap_or_default().to_owned();
                let (last, sequence) = (rooms.entry(room).or_default(), sequence.unwrap_or(0));
                *misordered += usize::from(sequence <= *last);
                *last = sequence.max(*last);
            }
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

fn room(body: &[u8]) -> Option<&str> {
    field(body, r#""topic_id_str":""#)
}

/// Marker in a message's text; the send time in µs follows it.
pub(crate) const SENT_AT: &str = "sent-at-";

/// Returns the send time in µs that follows [`SENT_AT`] in a body.
pub(crate) fn sent_at(body: &[u8]) -> Option<i64> {
    field(body, SENT_AT)?.parse().ok()
}

/// Returns the text between the first occurrence of the label and the next quote.
fn field<'a>(body: &'a [u8], label: &str) -> Option<&'a str> {
    let (_, rest) = std::str::from_utf8(body).ok()?.split_once(label)?;
    Some(rest.split_once('"')?.0)
}

/// A receiver that accepts connections and never answers.
pub(crate) struct Hung {
    pub(crate) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl Hung {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, accepted) = (listener.local_addr()?, Arc::new(AtomicUsize::new(0)));
        let counting = accepted.clone();
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
                counting.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(Self { address, accepted })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Returns the number of accepted connections.
    pub(crate) fn count(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }
}
