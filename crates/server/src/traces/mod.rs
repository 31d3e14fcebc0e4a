//! Traces for OpenTelemetry, if the operator names a collector (D-0167).
//!
//! `http` begins a span for each request, `decide` one for its decision, `delivery` one for each
//! attempt (D-0168). A [`Tracer`] begins them, and a [`Span`] that ends waits in a bounded queue
//! until the [`TraceExporter`] posts it, by OTLP over HTTP. Promises: nobody who ends a span waits;
//! what finds no place is dropped and counted; without the setting there is no tracer, and nothing
//! is done. Never: a secret, a text, an e-mail address, or who somebody is, in a span.

mod collector;
mod exporting;
mod otlp;
mod span;
mod trace_context;
mod traced_deliveries;
mod tracer;

pub(crate) use collector::reach_collector;
pub(crate) use exporting::TraceExporter;
pub(crate) use otlp::SpanKind;
pub(crate) use span::Span;
pub(crate) use trace_context::TraceContext;
pub(crate) use tracer::Tracer;
