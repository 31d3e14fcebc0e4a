//! Sends spans to the collector: some at a time, one post after the other.
//!
//! Kept by `background`. A post that the collector cannot take now is made again a few times, with
//! longer and longer pauses; meanwhile spans wait in the bounded queue, and those that find no
//! place are dropped. So a collector that is gone costs a fixed amount of memory and nobody's time.

use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use prost::Message;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::collector::{Collector, NotTaken};
use super::otlp::{ExportTraceServiceRequest, KeyValue, Resource, SpanMessage};

/// How long a span may wait for others, to be sent with them.
const GATHER_FOR: Duration = Duration::from_secs(1);
/// The pause before a post is made again; the next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// How often the log may say that spans are lost.
const SAY_EVERY: Duration = Duration::from_secs(60);
/// How long a server that stops waits for the collector.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);

/// Sends what ended. There is one.
pub(crate) struct TraceExporter {
    queue: mpsc::Receiver<SpanMessage>,
    spans: Vec<SpanMessage>,
    /// To be posted next. It outlives a run that is broken off.
    post: Option<SpanPost>,
    collector: Collector,
    resource: Resource,
    complaint: Complaint,
}

struct SpanPost {
    body: Bytes,
    spans: u64,
}

impl TraceExporter {
    /// For a server that listens on this port.
    pub(super) fn new(queue: mpsc::Receiver<SpanMessage>, collector: Collector, port: u16) -> Self {
        let (spans, post, resource) = (Vec::new(), None, resource(port));
        Self { queue, spans, post, collector, resource, complaint: Complaint::default() }
    }

    /// Sends what ends, for as long as the server runs.
    pub(crate) async fn run(&mut self) {
        begin_at_zero();
        loop {
            if self.post.is_none() {
                self.gather().await;
            }
            self.send(limits::SPAN_POSTS_MAX).await;
        }
    }

    /// Sends what is left, each once and all within a short time.
    pub(crate) async fn flush(&mut self) {
        let all = async {
            loop {
                self.send(1).await;
                while self.has_room()
                    && let Ok(span) = self.queue.try_recv()
                {
                    self.spans.push(span);
                }
                if self.spans.is_empty() {
                    return;
                }
                self.write_post();
            }
        };
        if timeout(FLUSH_WITHIN, all).await.is_err() {
            tracing::warn!("the last traces are not sent: the collector takes too long");
        }
    }

    /// Waits for spans, and a little longer for more of them.
    async fn gather(&mut self) {
        if self.spans.is_empty() {
            self.take().await;
        }
        let until = Instant::now() + GATHER_FOR;
        while self.has_room() && timeout_at(until, self.take()).await.is_ok() {}
        self.write_post();
    }

    fn has_room(&self) -> bool {
        self.spans.len() < limits::SPANS_POSTED_MAX
    }

    async fn take(&mut self) {
        let room = limits::SPANS_POSTED_MAX - self.spans.len();
        if self.queue.recv_many(&mut self.spans, room).await == 0 {
            // Nobody is left who could end a span.
            std::future::pending().await
        }
    }

    fn write_post(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        let count = spans.len() as u64;
        let request = ExportTraceServiceRequest::of(self.resource.clone(), spans);
        self.post = Some(SpanPost { body: request.encode_to_vec().into(), spans: count });
    }

    /// Posts what is to be posted, so often at most; then it is sent, or lost.
    async fn send(&mut self, posts_max: u32) {
        let Some(post) = &self.post else { return };
        let (spans, mut pause) = (post.spans, FIRST_PAUSE);
        for number in 1..=posts_max {
            match self.collector.post(post.body.clone()).await {
                Ok(rejected) => {
                    let rejected = rejected.min(spans);
                    metrics::counter!("confab_trace_spans_sent_total").increment(spans - rejected);
                    self.complaint.lose(rejected, "it rejects some");
                    break;
                }
                Err(NotTaken { is_passing, why }) if !is_passing || number == posts_max => {
                    self.complaint.lose(spans, &why);
                    break;
                }
                Err(NotTaken { why, .. }) => self.complaint.say(&why),
            }
            sleep(pause).await;
            pause *= 2;
        }
        self.post = None;
    }
}

/// What is said about a collector that does not take spans: not more than a line a minute.
#[derive(Default)]
struct Complaint {
    said_at: Option<Instant>,
    /// Since then.
    lost: u64,
}

impl Complaint {
    fn lose(&mut self, spans: u64, why: &str) {
        if spans > 0 {
            dropped(spans);
            self.lost += spans;
            self.say(why);
        }
    }

    fn say(&mut self, why: &str) {
        if self.said_at.is_some_and(|said_at| said_at.elapsed() < SAY_EVERY) {
            return;
        }
        let lost = std::mem::take(&mut self.lost);
        tracing::warn!("the collector does not take traces: {why}; {lost} spans are lost");
        self.said_at = Some(Instant::now());
    }
}

fn dropped(spans: u64) {
    metrics::counter!("confab_trace_spans_dropped_total", "reason" => "collector").increment(spans);
}

/// From nothing to one would be no increase to Prometheus.
fn begin_at_zero() {
    metrics::counter!("confab_trace_spans_sent_total").increment(0);
    metrics::counter!("confab_trace_spans_dropped_total", "reason" => "queue").increment(0);
    dropped(0);
}

/// Who sends: this server, one of several that may run on this machine.
fn resource(port: u16) -> Resource {
    let machine = rustix::system::uname();
    let host = machine.nodename().to_string_lossy();
    let attributes = vec![
        KeyValue::new("service.name", "confab"),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("service.instance.id", format!("{host}:{port}")),
    ];
    Resource { attributes }
}
