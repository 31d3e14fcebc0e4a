//! Posts spans to the collector in batches, one after the other.
//!
//! Supervised by `background`. A post that fails temporarily is repeated a few times with
//! increasing delays. Meanwhile, spans wait in a bounded queue, and those that do not fit are
//! dropped. An unavailable collector therefore uses a fixed amount of memory and delays no request.

use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use prost::Message;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::collector::{Collector, PostRejection};
use super::otlp::{ExportTraceServiceRequest, KeyValue, Resource, SpanMessage};

/// Maximum time that a span waits for others of its batch.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Delay before the first repetition of a post; it doubles with each repetition.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Minimum interval between two warnings about the collector.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);
/// Time limit for posting the remaining spans when the server stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Exports ended spans. There is one per server.
pub struct TraceExporter {
    queue: mpsc::Receiver<SpanMessage>,
    spans: Vec<SpanMessage>,
    /// The batch to post next. It survives a restart of the task.
    post: Option<SpanPost>,
    collector: Collector,
    resource: Resource,
    warnings: CollectorWarnings,
}

struct SpanPost {
    body: Bytes,
    spans: u64,
}

impl TraceExporter {
    /// Creates the exporter of a server that listens on this port.
    pub(super) fn new(queue: mpsc::Receiver<SpanMessage>, collector: Collector, port: u16) -> Self {
        let (spans, post, resource) = (Vec::new(), None, resource(port));
        Self { queue, spans, post, collector, resource, warnings: CollectorWarnings::default() }
    }

    /// Exports ended spans until it is aborted.
    pub async fn run(&mut self) {
        start_counters();
        loop {
            if self.post.is_none() {
                self.gather().await;
            }
            self.send(limits::SPAN_POSTS_MAX).await;
        }
    }

    /// Posts the remaining spans when the server stops. Each batch is attempted once, all within
    /// `FLUSH_TIMEOUT`.
    pub async fn flush(&mut self) {
        let all = async {
            loop {
                self.send(1).await;
                while self.has_capacity()
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
        if timeout(FLUSH_TIMEOUT, all).await.is_err() {
            let timeout_s = FLUSH_TIMEOUT.as_secs();
            tracing::warn!(timeout_s, "failed to send the last traces before the timeout");
        }
    }

    /// Waits for a span, then collects more for a short time.
    async fn gather(&mut self) {
        if self.spans.is_empty() {
            self.take().await;
        }
        let until = Instant::now() + BATCH_INTERVAL;
        while self.has_capacity() && timeout_at(until, self.take()).await.is_ok() {}
        self.write_post();
    }

    fn has_capacity(&self) -> bool {
        self.spans.len() < limits::SPANS_POSTED_MAX
    }

    async fn take(&mut self) {
        let room = limits::SPANS_POSTED_MAX - self.spans.len();
        if self.queue.recv_many(&mut self.spans, room).await == 0 {
            // All tracers are dropped, so no further spans arrive.
            std::future::pending().await
        }
    }

    fn write_post(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        let count = spans.len() as u64;
        let request = ExportTraceServiceRequest::of(self.resource.clone(), spans);
        self.post = Some(SpanPost { body: request.encode_to_vec().into(), spans: count });
    }

    /// Posts the next batch in at most this many attempts. Afterwards, the batch is either sent or
    /// dropped.
    async fn send(&mut self, posts_max: u32) {
        let Some(post) = &self.post else { return };
        let (spans, mut pause) = (post.spans, FIRST_PAUSE);
        for number in 1..=posts_max {
            match self.collector.post(post.body.clone()).await {
                Ok(rejected) => {
                    let rejected = rejected.min(spans);
                    metrics::counter!("confab_trace_spans_sent_total").increment(spans - rejected);
                    self.warnings.lose(rejected, "the collector rejected some of them");
                    break;
                }
                Err(PostRejection { is_temporary, why })
                    if !is_temporary || number == posts_max =>
                {
                    self.warnings.lose(spans, &why);
                    break;
                }
                Err(PostRejection { why, .. }) => self.warnings.warn(&why),
            }
            sleep(pause).await;
            pause *= 2;
        }
        self.post = None;
    }
}

/// Logs warnings about a failing collector, at most one a minute.
#[derive(Default)]
struct CollectorWarnings {
    warned_at: Option<Instant>,
    /// Number of spans lost since the last warning.
    lost: u64,
}

impl CollectorWarnings {
    fn lose(&mut self, spans: u64, why: &str) {
        if spans > 0 {
            dropped(spans);
            self.lost += spans;
            self.warn(why);
        }
    }

    fn warn(&mut self, why: &str) {
        if self.warned_at.is_some_and(|warned_at| warned_at.elapsed() < WARNING_INTERVAL) {
            return;
        }
        let lost = std::mem::take(&mut self.lost);
        tracing::warn!(reason = why, lost, "failed to send traces to the collector");
        self.warned_at = Some(Instant::now());
    }
}

fn dropped(spans: u64) {
    metrics::counter!("confab_trace_spans_dropped_total", "reason" => "collector").increment(spans);
}

/// Creates the counters with the value zero. Otherwise they would first appear with the value one,
/// in which Prometheus sees no increase.
fn start_counters() {
    metrics::counter!("confab_trace_spans_sent_total").increment(0);
    metrics::counter!("confab_trace_spans_dropped_total", "reason" => "queue").increment(0);
    dropped(0);
}

/// Returns the attributes that identify this server among several on the same machine.
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
