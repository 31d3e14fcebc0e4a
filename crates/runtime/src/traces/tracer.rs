//! The tracer: starts spans and decides which traces are recorded.

use std::sync::Arc;

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use hyper::HeaderMap;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use url::Url;

use super::collector::Collector;
use super::exporting::TraceExporter;
use super::otlp::{SpanKind, SpanMessage};
use super::span::Span;
use super::trace_context::{TraceContext, TraceParent};
use super::traced_deliveries::TracedDeliveries;
use crate::config::Config;
use crate::ids;

/// Starts spans. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Tracer(Arc<TracerInner>);

struct TracerInner {
    queue: mpsc::Sender<SpanMessage>,
    /// Traces are recorded if the last 63 bits of their id are below this value, so that all
    /// servers make the same choice.
    sampled_below: u64,
    deliveries: TracedDeliveries,
    exporter: Mutex<Option<TraceExporter>>,
    /// Host and port of the public URL, for the spans' attributes.
    server: (String, Option<u16>),
}

impl Tracer {
    /// Creates the tracer, or returns `None` if no collector is configured.
    pub fn new(config: &Config) -> Option<Self> {
        let settings = config.traces.as_ref()?;
        let (queue, waiting) = mpsc::channel(limits::SPANS_QUEUED_MAX);
        let exporter = TraceExporter::new(waiting, Collector::new(settings), config.listen.port());
        let url = Url::parse(&config.public_url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        Some(Self(Arc::new(TracerInner {
            queue,
            sampled_below: (settings.sampled_share * (1_u64 << 63) as f64) as u64,
            deliveries: TracedDeliveries::default(),
            exporter: Mutex::new(Some(exporter)),
            server: (host, url.and_then(|url| url.port_or_known_default())),
        })))
    }

    /// Takes the exporter. Returns `None` from the second call on.
    pub fn exporter(&self) -> Option<TraceExporter> {
        self.0.exporter.lock().take()
    }

    /// Starts the span of a request with these headers. If the caller sent a `traceparent` header,
    /// the caller decides whether the trace is recorded.
    pub fn request(&self, headers: &HeaderMap) -> Option<Span> {
        let mut given = headers.get_all("traceparent").iter();
        let parent = match (given.next(), given.next()) {
            (Some(one), None) => one.to_str().ok().and_then(TraceParent::parse),
            _ => None,
        };
        let mut span = match parent {
            Some(parent) if !parent.is_sampled => return None,
            Some(parent) => self.part_of(parent.context, SpanKind::Server),
            None => self.root(SpanKind::Server)?,
        };
        let (host, port) = &self.0.server;
        span.set("server.address", host.as_str());
        if let Some(port) = port {
            span.set("server.port", i64::from(*port));
        }
        Some(span)
    }

    /// Starts a span as a child of `parent`.
    pub fn part_of(&self, parent: TraceContext, kind: SpanKind) -> Span {
        Span::begin(parent.trace, Some(parent), kind, self.0.queue.clone())
    }

    /// Starts the span of a delivery attempt: as a child of the decision that created the delivery
    /// if that is recorded, otherwise as the root of a new trace.
    pub fn attempt(&self, delivery: DeliveryId) -> Option<Span> {
        match self.0.deliveries.of(delivery) {
            Some(cause) => Some(self.part_of(cause, SpanKind::Client)),
            None => self.root(SpanKind::Client),
        }
    }

    /// Records the span in which a delivery is created. Must be called before the delivery is
    /// committed, because the delivery may be attempted immediately afterwards.
    pub fn remember(&self, delivery: DeliveryId, cause: TraceContext) {
        self.0.deliveries.remember(delivery, cause);
    }

    fn root(&self, kind: SpanKind) -> Option<Span> {
        let trace = ids::trace();
        let [.., a, b, c, d, e, f, g, h] = trace;
        let is_sampled = u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 < self.0.sampled_below;
        is_sampled.then(|| Span::begin(trace, None, kind, self.0.queue.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_everywhere;

    /// Returns a tracer without an exporter task.
    fn tracer(percent: &str) -> Tracer {
        let folder = tempfile::tempdir().expect("a temporary folder is created");
        let file = folder.path().join("confab.toml");
        let text =
            format!("otlp_url = \"http://127.0.0.1:1/\"\notlp_sample_percent = \"{percent}\"\n");
        std::fs::write(&file, text).expect("the file is written");
        let settings =
            from_everywhere(|_| None, |_| None, Some(&file)).expect("the settings are valid");
        Tracer::new(&Config::from_effective(&settings).expect("the configuration is valid"))
            .expect("a collector is configured")
    }

    #[test]
    fn spans_are_dropped_without_waiting_when_the_queue_is_full() {
        let tracer = tracer("100");
        for _ in 0..limits::SPANS_QUEUED_MAX + 10 {
            tracer.root(SpanKind::Internal).expect("the span is recorded").end();
        }
        assert_eq!(tracer.0.queue.capacity(), 0, "the queue is full and bounded");
    }

    #[test]
    fn the_sampling_setting_applies_to_traces_that_start_here() {
        let recorded = |percent| {
            let tracer = tracer(percent);
            (0..2_000).filter(|_| tracer.root(SpanKind::Internal).is_some()).count()
        };
        assert_eq!((recorded("0"), recorded("100")), (0, 2_000));
        // By chance, this fails less than once in a trillion runs.
        assert!((800..1_200).contains(&recorded("50")));
    }

    #[test]
    fn the_caller_decides_whether_its_trace_is_recorded() {
        let parent = |flags: &str| {
            let header = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-{flags}");
            HeaderMap::from_iter([(
                hyper::header::HeaderName::from_static("traceparent"),
                header.parse().expect("the header is valid"),
            )])
        };
        let trace = |percent, flags| {
            let span = tracer(percent).request(&parent(flags));
            span.map(|span| span.context().trace_id())
        };
        let theirs = Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned());
        assert_eq!((trace("0", "01"), trace("100", "00")), (theirs, None));
        let mut twice = parent("00");
        twice.append("traceparent", parent("01")["traceparent"].clone());
        assert!(tracer("0").request(&twice).is_none() && tracer("100").request(&twice).is_some());
    }
}
