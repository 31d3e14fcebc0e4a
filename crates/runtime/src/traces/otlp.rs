//! The OTLP messages for traces, as `opentelemetry/proto` version 1 defines and names them. Unused
//! fields are omitted, which the format allows (D-0167).

use prost::{Enumeration, Message, Oneof};

/// The request that is posted to the collector.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) resource_spans: Vec<ResourceSpans>,
}

/// The collector's response.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExportTraceServiceResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) partial_success: Option<ExportTracePartialSuccess>,
}

/// The part of the collector's response that states how many spans it rejected.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExportTracePartialSuccess {
    #[prost(int64, tag = "1")]
    pub(super) rejected_spans: i64,
}

/// The spans of one server.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_spans: Vec<ScopeSpans>,
}

/// The attributes of a server.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

/// The spans of one component of a server.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) scope: Option<InstrumentationScope>,
    #[prost(message, repeated, tag = "2")]
    pub(super) spans: Vec<SpanMessage>,
}

/// The component that creates spans.
#[derive(Clone, PartialEq, Message)]
pub(super) struct InstrumentationScope {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// A recorded span, which the standard names `Span`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SpanMessage {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(super) name: String,
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub(super) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(super) start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    pub(super) end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub(super) attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    pub(super) status: Option<SpanStatus>,
    #[prost(fixed32, tag = "16")]
    pub(super) flags: u32,
}

/// The side of a call on which a span was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum SpanKind {
    Unspecified = 0,
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// Whether a span failed.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SpanStatus {
    #[prost(enumeration = "StatusCode", tag = "3")]
    pub(super) code: i32,
}

/// The status codes in use. Successful spans have `Unset`, as the standard requires of servers and
/// clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(super) enum StatusCode {
    Unset = 0,
    Error = 2,
}

/// An attribute of a span or server.
#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Message)]
pub(super) struct AnyValue {
    #[prost(oneof = "AttributeValue", tags = "1, 3")]
    pub(super) value: Option<AttributeValue>,
}

/// The types of attribute values in use.
#[derive(Clone, PartialEq, Oneof)]
pub enum AttributeValue {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Number(i64),
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl KeyValue {
    pub(super) fn new(key: &str, value: impl Into<AttributeValue>) -> Self {
        let value = Some(AnyValue { value: Some(value.into()) });
        Self { key: key.to_owned(), value }
    }
}

impl ExportTraceServiceRequest {
    /// Creates a request with the spans of one server.
    pub(super) fn of(resource: Resource, spans: Vec<SpanMessage>) -> Self {
        let scope = Some(InstrumentationScope { name: "confab".to_owned() });
        let scope_spans = vec![ScopeSpans { scope, spans }];
        Self { resource_spans: vec![ResourceSpans { resource: Some(resource), scope_spans }] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::hex;

    /// The request below as encoded by the crate opentelemetry-proto 0.33, which is generated from
    /// the standard.
    const REQUEST: &str = "0ab7010a1a0a180a0c736572766963652e6e616d6512080a06636f6e6661621298010a\
        080a06636f6e666162128b010a100102030405060708090a0b0c0d0e0f1012081112131415161718220821\
        222324252627282a0b504f5354202f726f757465300239e8032a36fe9c971741ac0d2a36fe9c97174a160a\
        0a687474702e726f75746512080a062f726f7574654a200a19687474702e726573706f6e73652e73746174\
        75735f636f6465120318f4037a021802850101000000";

    #[test]
    fn a_request_has_the_bytes_of_the_standard() {
        let span = SpanMessage {
            trace_id: (1..=16).collect(),
            span_id: (17..=24).collect(),
            parent_span_id: (33..=40).collect(),
            name: "POST /route".to_owned(),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: 1_700_000_000_000_001_000,
            end_time_unix_nano: 1_700_000_000_000_003_500,
            attributes: vec![
                KeyValue::new("http.route", "/route"),
                KeyValue::new("http.response.status_code", 500_i64),
            ],
            status: Some(SpanStatus { code: StatusCode::Error.into() }),
            flags: 1,
        };
        let resource = Resource { attributes: vec![KeyValue::new("service.name", "confab")] };
        let request = ExportTraceServiceRequest::of(resource, vec![span]);
        assert_eq!(hex(&request.encode_to_vec()), REQUEST);
    }

    #[test]
    fn a_standard_response_is_decoded() {
        // Written by the same crate: three rejected spans, with the reason.
        let answer = b"\x0a\x0b\x08\x03\x12\x07too old";
        let read = ExportTraceServiceResponse::decode(&answer[..]).expect("the response is valid");
        assert_eq!(
            read.partial_success.expect("the response has a partial success").rejected_spans,
            3
        );
    }
}
