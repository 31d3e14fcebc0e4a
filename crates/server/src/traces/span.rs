//! A span: something that took a while, and what it was.

use std::time::Instant;

use tokio::sync::mpsc;

use super::otlp::{AttributeValue, KeyValue, SpanKind, SpanMessage, SpanStatus, StatusCode};
use super::trace_context::TraceContext;
use crate::{clock, ids};

/// Something that began and is recorded. It is sent when it ends; dropped before, it is not.
pub(crate) struct Span {
    context: TraceContext,
    message: SpanMessage,
    begun: Instant,
    queue: mpsc::Sender<SpanMessage>,
}

impl Span {
    /// Begins now, as a part of what the parent is; without one, its trace begins with it.
    pub(super) fn begin(
        trace: [u8; 16],
        parent: Option<TraceContext>,
        kind: SpanKind,
        queue: mpsc::Sender<SpanMessage>,
    ) -> Self {
        // The standard's flags: recorded, and whether the parent is elsewhere is not said.
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

    /// What is a part of it has this parent.
    pub(crate) fn context(&self) -> TraceContext {
        self.context
    }

    /// What it is called: one name for all that are alike.
    pub(crate) fn name(&mut self, name: String) {
        self.message.name = name;
    }

    /// It turned out to be on another side of a call.
    pub(crate) fn kind(&mut self, kind: SpanKind) {
        self.message.kind = kind.into();
    }

    /// Says something about it.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<AttributeValue>) {
        self.message.attributes.push(KeyValue::new(key, value));
    }

    /// It went wrong, in this way.
    pub(crate) fn fail(&mut self, class: &str) {
        self.set("error.type", class);
        self.message.status = Some(SpanStatus { code: StatusCode::Error.into() });
    }

    /// It ends now. Nobody waits: if others wait already, it is dropped.
    pub(crate) fn end(mut self) {
        let took = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let began = self.message.start_time_unix_nano;
        self.message.end_time_unix_nano = began.saturating_add(took);
        if self.queue.try_send(self.message).is_err() {
            metrics::counter!("confab_trace_spans_dropped_total", "reason" => "queue").increment(1);
        }
    }
}
