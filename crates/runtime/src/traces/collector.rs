//! The client of the OpenTelemetry collector that the operator configured.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_outbound::{OutboundTls, TlsRoots, send_trusted};
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};
use prost::Message;
use tokio::time::timeout;

use super::otlp::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use crate::config::TraceSettings;
use crate::failures::chain;

/// Time limit of one request to the collector.
const POST_TIMEOUT: Duration = Duration::from_secs(10);

/// The collector client. Not `Debug`, because its headers may contain a password.
pub(super) struct Collector {
    settings: TraceSettings,
    tls: OutboundTls,
}

/// Reason why the collector did not accept posted spans.
#[derive(Debug)]
pub(super) struct PostRejection {
    /// Whether the failure is temporary, so that the spans may be posted again.
    pub(super) is_temporary: bool,
    /// The reason in plain words, for the log.
    pub(super) why: String,
}

/// Posts an empty request to check whether the collector accepts it.
pub async fn reach_collector(settings: &TraceSettings) -> Result<(), String> {
    let nothing = ExportTraceServiceRequest::default().encode_to_vec();
    let posted = Collector::new(settings).post(nothing.into()).await;
    posted.map(|_| ()).map_err(|problem| problem.why)
}

impl Collector {
    pub(super) fn new(settings: &TraceSettings) -> Self {
        Self { settings: settings.clone(), tls: OutboundTls::new(TlsRoots::Platform) }
    }

    /// Posts an encoded request. Returns the number of spans that the collector rejected.
    pub(super) async fn post(&self, body: Bytes) -> Result<u64, PostRejection> {
        let failed = |why: String| PostRejection { is_temporary: true, why };
        let answered = timeout(POST_TIMEOUT, self.exchange(body)).await;
        let (status, answer) = answered
            .map_err(|_| failed(format!("no answer within {} s", POST_TIMEOUT.as_secs())))?
            .map_err(|error| failed(chain(&error)))?;
        if status.is_success() {
            return Ok(rejected(&answer));
        }
        // The statuses after which the OTLP standard allows a retry.
        let is_temporary = matches!(status.as_u16(), 429 | 502..=504);
        Err(PostRejection { is_temporary, why: format!("it answered {status}") })
    }

    async fn exchange(&self, body: Bytes) -> io::Result<(StatusCode, Bytes)> {
        let length = body.len();
        let body = Full::new(body).map_err(|never| match never {}).boxed_unsync();
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        let headers = request.headers_mut();
        headers.extend(self.settings.headers.iter().cloned());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        headers.insert(CONTENT_LENGTH, length.into());
        let response = send_trusted(&self.tls, &self.settings.url, request).await?;
        let status = response.status();
        let answer = Limited::new(response.into_body(), limits::COLLECTOR_ANSWER_BYTES_MAX);
        // The body is optional: an unreadable one counts as empty.
        let answer = answer.collect().await.map(|all| all.to_bytes()).unwrap_or_default();
        Ok((status, answer))
    }
}

/// Returns the number of rejected spans in the collector's response. An empty response means none.
fn rejected(answer: &[u8]) -> u64 {
    let response = ExportTraceServiceResponse::decode(answer).ok();
    let partly = response.and_then(|it| it.partial_success);
    partly.map_or(0, |partly| u64::try_from(partly.rejected_spans).unwrap_or(0))
}
