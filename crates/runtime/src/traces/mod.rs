//! OpenTelemetry traces, if the operator configures a collector (D-0167).
//!
//! `http` starts a span for each request, `decide` one for its decision, and `delivery` one for
//! each attempt (D-0167). A [`Tracer`] starts spans. A [`Span`] that ends is put into a bounded
//! queue, from which the [`TraceExporter`] posts it with OTLP over HTTP. Guarantees: ending a span
//! never waits; spans that do not fit into the queue are dropped and counted; without the setting
//! there is no tracer and no cost. Spans never contain secrets, message texts, e-mail addresses or
//! users.

mod collector;
mod exporting;
mod otlp;
mod span;
mod trace_context;
mod traced_deliveries;
mod tracer;

pub use collector::reach_collector;
pub use exporting::TraceExporter;
pub use otlp::SpanKind;
pub use span::Span;
pub use trace_context::TraceContext;
pub use tracer::Tracer;
