//! Sends requests of provider adapters through `outbound`. Credentials are never logged.

use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_outbound::{
    AttemptFailure, AttemptReport, BadHeader, BodyPieces, OutboundRequest, Timings,
};
use confab_providers::{CheckAnswer, Method, ProviderHost, Step, StepBody, UploadedFile};
use confab_runtime::files::{OutgoingFile, served_hash};
use confab_runtime::ids;
use futures_util::{StreamExt, stream};

use super::sender::ChannelSender;

/// The part of an answer that adapters read.
pub struct StepAnswer {
    /// Status code, or `None` if there is no answer.
    pub status: Option<u16>,
    pub body: Bytes,
}

impl StepAnswer {
    pub fn of(report: &AttemptReport) -> Self {
        let answer = match &report.outcome {
            Ok(answer) => Some(answer),
            Err(failed) => failed.answer.as_deref(),
        };
        let body = answer.map(|answer| answer.body.clone()).unwrap_or_default();
        Self { status: answer.map(|answer| answer.status), body }
    }

    pub fn checked(&self) -> CheckAnswer<'_> {
        CheckAnswer { status: self.status, body: &self.body }
    }
}

impl ChannelSender {
    /// Sends the request of a step, which a provider adapter described. Bounds the size of the
    /// answer; the caller interprets it.
    pub async fn call(&self, step: &Step, timeout: Duration) -> AttemptReport {
        match self.request(step, timeout).await {
            Ok(request) => {
                let request = request.keeping(limits::SERVICE_ANSWER_BYTES_MAX);
                self.client.outbound.post(request).await
            }
            Err(why) => unsent(why),
        }
    }

    /// Builds the HTTP request of a step.
    pub async fn request(&self, step: &Step, timeout: Duration) -> Result<OutboundRequest, String> {
        let url = match &step.host {
            ProviderHost::Api => format!("{}{}", self.base(), step.path().expose()),
            ProviderHost::Data => format!("{}{}", self.data_base(), step.path().expose()),
            ProviderHost::Given(url) => url.clone(),
        };
        let request = match (&step.body, step.method) {
            (StepBody::Empty, Method::Get) => OutboundRequest::get(url, timeout),
            (StepBody::Empty, _) => OutboundRequest::new(url, Bytes::new(), timeout),
            (StepBody::Json(body), _) => {
                let request = OutboundRequest::new(url, body.to_string().into(), timeout);
                request.header("content-type", "application/json").map_err(header_problem)?
            }
            (StepBody::Multipart { fields, file }, _) => {
                let boundary = ids::page_nonce();
                let body = self.form(&boundary, fields, file).await?;
                let kind = format!("multipart/form-data; boundary={boundary}");
                let request = OutboundRequest::streamed(url, body, timeout);
                request.header("content-type", &kind).map_err(header_problem)?
            }
        };
        let mut request = match step.method {
            Method::Put => request.putting(),
            Method::Get | Method::Post => request,
        };
        for (name, value) in &step.headers {
            request = request.header(name, value).map_err(header_problem)?;
        }
        match &step.bearer {
            Some(token) => {
                let bearer = format!("Bearer {}", token.expose());
                request.header("authorization", &bearer).map_err(header_problem)
            }
            None => Ok(request),
        }
    }

    /// Returns a multipart body as a stream, and its length: the fields, then the file as it is
    /// read.
    async fn form(
        &self,
        boundary: &str,
        fields: &[(&'static str, String)],
        file: &UploadedFile,
    ) -> Result<(BodyPieces, u64), String> {
        let mut head = String::new();
        for (name, value) in fields {
            head.push_str(&format!(
                "--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            ));
        }
        let (name, kind) = (quoted(&file.name), inert_type(&file.mime_type));
        head.push_str(&format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"{}\"; \
             filename=\"{name}\"\r\ncontent-type: {kind}\r\n\r\n",
            file.field
        ));
        let tail = format!("\r\n--{boundary}--\r\n");
        let (outgoing, size) = self.own_file(&file.url).await?;
        let length = (head.len() + tail.len()) as u64 + size;
        let content = stream::try_unfold(outgoing, OutgoingFile::next);
        let piece = |text: String| stream::once(async move { Ok(Bytes::from(text)) });
        let pieces = piece(head).chain(content).chain(piece(tail));
        Ok((Box::pin(pieces), length))
    }

    /// Opens a file that this server stores. Returns it with its size.
    pub async fn own_file(&self, url: &str) -> Result<(OutgoingFile, u64), String> {
        let gone = || "the file no longer exists".to_owned();
        let public_url = &self.client.config.public_url;
        let hash = served_hash(public_url, &self.app.code, url).ok_or_else(gone)?;
        let unread = |_| "the file cannot be read".to_owned();
        let file = self.client.store.file(self.app.id, hash).await.map_err(unread)?;
        let size = file.ok_or_else(gone)?.size;
        let opened = self.client.files.open(self.app.id, hash, (0, size)).await;
        let opened = opened.map_err(|_| "the file cannot be read".to_owned())?;
        Ok((opened.ok_or_else(gone)?, size))
    }
}

/// Whether a request that failed with this error may have reached the provider.
pub fn may_have_arrived(class: Option<ErrorClass>) -> bool {
    use ErrorClass::{BodyTimeout, BodyTooLarge, HeaderTimeout, Write};
    matches!(class, Some(BodyTimeout | BodyTooLarge | HeaderTimeout | Write))
}

/// Prints a request instead of sending it, for channels that are tried without an account. Prints
/// to standard output and not to the log, because the request contains a message.
pub fn print(linked: &ChannelSender, step: &Step) {
    use std::io::Write as _;
    let (word, path) = (linked.provider.word(), step.shown_path());
    let shown = match &step.body {
        StepBody::Empty => String::new(),
        StepBody::Json(body) => body.to_string(),
        StepBody::Multipart { fields, file } => format!("{fields:?} and the file {}", file.url),
    };
    let _ = writeln!(std::io::stdout(), "{word} {}: {path} {shown}", linked.channel.id);
}

/// Returns the report of a request that could not be built.
fn unsent(why: String) -> AttemptReport {
    let failed = AttemptFailure { class: ErrorClass::PayloadTooLarge, detail: why, answer: None };
    let timings = Timings::default();
    AttemptReport { outcome: Err(failed), peer: None, timings, is_reused: false }
}

fn header_problem(bad: BadHeader) -> String {
    bad.to_string()
}

/// Returns a file name without the characters that could end its quoted header value.
fn quoted(name: &str) -> String {
    name.chars().filter(|c| !c.is_control() && *c != '"' && *c != '\\').collect()
}

pub fn inert_type(text: &str) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '+' | '.');
    if !text.is_empty() && text.chars().all(is_plain) { text } else { "application/octet-stream" }
}
