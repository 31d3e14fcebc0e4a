//! Spans: timed operations with attributes.

use std::time::Instant;

use tokio::sync::mpsc;

use super::otlp::{AttributeValue, KeyValue, SpanKind, SpanMessage, SpanStatus, StatusCode};
use super::trace_context::TraceContext;
use crate::{clock, ids};

/// A running span. It is exported when it ends; a span that is dropped before it ends is discarded.
pub struct Span {
    context: TraceContext,
    message: SpanMessage,
    begun: Instant,
    queue: mpsc::Sender<SpanMessage>,
}

impl Span {
    /// Starts a span as a child of the parent or, without a parent, as the root of its trace.
    pub(super) fn begin(
        trace: [u8; 16],
        parent: Option<TraceContext>,
        kind: SpanKind,
        queue: mpsc::Sender<SpanMessage>,
    ) -> Self {
        // The standard's flags: sampled, without a statement whether the parent is remote.
        const SAMPLED: u32 = 1;
        let context = TraceContext { trace, span: ids::span() };
        let message = SpanMessage {
            trace_id: trace.to_vec(),
            span_id: context.span.to_vec(),
            parent_span_id: parent.map_or_else(Vec::new, |parent| parent.span.to_vec()),
            kind: kind.into(),
            start_time_unix_nano: clock::now().0.unsigned_abs().saturating_mul(1_000),
            flags: SAMPLED,
            ..SpanMessage::default()
        };
        Self { context, message, begun: Instant::now(), queue }
    }

    /// Returns the span's ids, which child spans need to name it as their parent.
    pub fn context(&self) -> TraceContext {
        self.context
    }

    /// Sets the span's name, which all spans of one kind share.
    pub fn name(&mut self, name: String) {
        self.message.name = name;
    }

    /// Sets the side of the call on which the span is recorded.
    pub fn kind(&mut self, kind: SpanKind) {
        self.message.kind = kind.into();
    }

    /// Adds an attribute.
    pub fn set(&mut self, key: &str, value: impl Into<AttributeValue>) {
        self.message.attributes.push(KeyValue::new(key, value));
    }

    /// Marks the span as failed. `class` becomes its `error.type` attribute.
    pub fn fail(&mut self, class: &str) {
        self.set("error.type", class);
        self.message.status = Some(SpanStatus { code: StatusCode::Error.into() });
    }

    /// Ends the span and queues it for export, without waiting. The span is dropped if the queue is
    /// full.
    pub fn end(mut self) {
        let took = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let began = self.message.start_time_unix_nano;
        self.message.end_time_unix_nano = began.saturating_add(took);
        if self.queue.try_send(self.message).is_err() {
            metrics::counter!("confab_trace_spans_dropped_total", "reason" => "queue").increment(1);
        }
    }
}
