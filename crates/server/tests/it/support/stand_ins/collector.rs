//! An OpenTelemetry trace collector on a real socket, which decodes the posted spans.

use std::collections::BTreeMap;

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use prost::{Message, Oneof};
use serde_json::{Value, json};

/// A collector that accepts spans for as long as the test runs.
pub struct Collector {
    pub receiver: Receiver,
}

/// A decoded span. Ids are hexadecimal; the parent of a root span is empty.
#[derive(Debug, Clone)]
pub struct ReadSpan {
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub name: String,
    pub is_failed: bool,
    pub attributes: BTreeMap<String, Value>,
    /// Attributes of the process that sent the span.
    pub resource: BTreeMap<String, Value>,
    /// 1: internal, 2: server, 3: client.
    pub kind: i32,
    pub nanos: (u64, u64),
}

impl Collector {
    pub async fn start() -> Self {
        Self { receiver: Receiver::start().await }
    }

    /// Returns the collector's URL, for the server's settings.
    pub fn otlp_url(&self) -> &str {
        &self.receiver.base
    }

    /// Waits for a span of this name and returns the first one.
    pub async fn span(&self, name: &str) -> ReadSpan {
        let what = format!("a span {name:?} arrives");
        let is_it = |span: &ReadSpan| span.name == name;
        self.receiver.until(&what, |seen| read(seen).into_iter().find(is_it)).await
    }

    /// Waits for the parent of a span and returns it.
    pub async fn parent_of(&self, part: &ReadSpan) -> ReadSpan {
        let what = format!("the parent of {:?} arrives", part.name);
        let is_it = |span: &ReadSpan| span.id == part.parent && span.trace == part.trace;
        self.receiver.until(&what, |seen| read(seen).into_iter().find(is_it)).await
    }

    /// Returns all spans received so far.
    pub fn spans(&self) -> Vec<ReadSpan> {
        read(&self.receiver.seen())
    }

    /// Whether any request body received so far contains this text.
    pub fn has_seen(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let is_in = |it: &ReceivedRequest| it.body().windows(text.len()).any(|part| part == text);
        self.receiver.seen().iter().any(is_in)
    }
}

fn read(seen: &[ReceivedRequest]) -> Vec<ReadSpan> {
    let requests = seen.iter().map(|it| Request::decode(it.body()).expect("an OTLP request"));
    let of_servers = requests.flat_map(|it| it.resource_spans).flat_map(|of_server| {
        let resource = attributes(of_server.resource.expect("a resource").attributes);
        let scopes = of_server.scope_spans.into_iter().flat_map(|scope| scope.spans);
        scopes.map(move |span| span.read(resource.clone())).collect::<Vec<_>>()
    });
    of_servers.collect()
}

fn attributes(pairs: Vec<Pair>) -> BTreeMap<String, Value> {
    let value = |pair: &Pair| match pair.value.as_ref().and_then(|it| it.value.as_ref()) {
        Some(Plain::Text(text)) => json!(text),
        Some(Plain::Number(number)) => json!(number),
        None => Value::Null,
    };
    pairs.into_iter().map(|pair| (pair.key.clone(), value(&pair))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Span {
    fn read(self, resource: BTreeMap<String, Value>) -> ReadSpan {
        const ERROR: i32 = 2;
        ReadSpan {
            trace: hex(&self.trace_id),
            id: hex(&self.span_id),
            parent: hex(&self.parent_span_id),
            name: self.name,
            is_failed: self.status.is_some_and(|status| status.code == ERROR),
            attributes: attributes(self.attributes),
            resource,
            kind: self.kind,
            nanos: (self.begin_nanos, self.end_nanos),
        }
    }
}

// The fields of OTLP messages that tests read.

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<OfServer>,
}

#[derive(Clone, PartialEq, Message)]
struct OfServer {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<Scope>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<Pair>,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message)]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    begin_nanos: u64,
    #[prost(fixed64, tag = "8")]
    end_nanos: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<Pair>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(oneof = "Plain", tags = "1, 3")]
    value: Option<Plain>,
}

#[derive(Clone, PartialEq, Oneof)]
enum Plain {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Number(i64),
}
