//! The receivers: one that notes what arrives and answers, one that accepts and never answers.

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

/// A receiver and what it saw.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    count: AtomicUsize,
    noted: Mutex<Noted>,
}

/// What is noted of each request.
#[derive(Default)]
enum Noted {
    #[default]
    Nothing,
    /// How long after the message in it was made it arrived, in microseconds.
    Lags(Vec<i64>),
    /// How long after it was sent the text in it arrived, in microseconds, and the rooms.
    Sent(Vec<i64>, BTreeSet<String>),
    /// How far each room is, and how many came after a later one of their room.
    Order(HashMap<String, u64>, usize),
}

impl Receiver {
    /// Starts to answer.
    pub(crate) async fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, seen) = (listener.local_addr()?, Arc::new(Seen::default()));
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

    /// How many arrived.
    pub(crate) fn count(&self) -> usize {
        self.seen.count.load(Ordering::Relaxed)
    }

    /// Notes lags from now on.
    pub(crate) fn note_lags(&self) {
        *self.seen.noted.lock() = Noted::Lags(Vec::new());
    }

    /// Notes the order from now on.
    pub(crate) fn note_order(&self) {
        *self.seen.noted.lock() = Noted::Order(HashMap::new(), 0);
    }

    /// Notes when texts were sent from now on, and their rooms.
    pub(crate) fn note_sent(&self) {
        *self.seen.noted.lock() = Noted::Sent(Vec::new(), BTreeSet::new());
    }

    /// The rooms that were noted.
    pub(crate) fn rooms(&self) -> Vec<String> {
        match &*self.seen.noted.lock() {
            Noted::Sent(_, rooms) => rooms.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// The lags that were noted, shortest first, in milliseconds.
    pub(crate) fn lags_ms(&self) -> Vec<f64> {
        let mut lags = match &mut *self.seen.noted.lock() {
            Noted::Lags(lags) | Noted::Sent(lags, _) => std::mem::take(lags),
            _ => return Vec::new(),
        };
        lags.sort_unstable();
        lags.into_iter().map(|us| us as f64 / 1000.0).collect()
    }

    /// How many came too late.
    pub(crate) fn misordered(&self) -> usize {
        match std::mem::take(&mut *self.seen.noted.lock()) {
            Noted::Order(_, misordered) => misordered,
            _ => 0,
        }
    }
}

async fn serve(stream: TcpStream, seen: Arc<Seen>) {
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
    // Who goes away has its reasons.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl Seen {
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

/// Stands in a text before the time at which it was sent, in microseconds.
pub(crate) const SENT_AT: &str = "sent-at-";

/// When the text in a body was sent.
pub(crate) fn sent_at(body: &[u8]) -> Option<i64> {
    field(body, SENT_AT)?.parse().ok()
}

/// The text after the first such label.
fn field<'a>(body: &'a [u8], label: &str) -> Option<&'a str> {
    let (_, rest) = std::str::from_utf8(body).ok()?.split_once(label)?;
    Some(rest.split_once('"')?.0)
}

/// One that accepts and never answers.
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

    /// How many connections it took.
    pub(crate) fn count(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }
}
