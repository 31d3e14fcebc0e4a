//! Files in an S3-compatible bucket: signed requests, and bodies streamed in both directions.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::ids::AppId;
use confab_outbound::{OutboundTls, TlsRoots, send_trusted};
use futures_util::{TryStreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, RANGE};
use hyper::{Method, Request, Response, StatusCode};
use rusty_s3::actions::{DeleteObject, GetObject, PutObject};
use rusty_s3::{Credentials, S3Action, UrlStyle};

use crate::config::S3;
use crate::files::disk::Disk;

/// Validity of a signed URL.
const SIGNATURE_VALIDITY: Duration = Duration::from_secs(60);
/// Time limit until the headers of a response arrive.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(25);
/// Time limit for the next bytes of a file.
const PIECE_TIMEOUT: Duration = Duration::from_secs(25);
/// Time limit for reading the body of an error response.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
const REFUSAL_BYTES_MAX: usize = 16 * 1024;

/// Client of one S3 bucket. Not `Debug`, because it contains keys.
pub(super) struct S3Bucket {
    bucket: rusty_s3::Bucket,
    credentials: Credentials,
    tls: OutboundTls,
}

impl S3Bucket {
    /// Creates the client, or returns `None` if the bucket's URL is invalid.
    pub(super) fn new(settings: &S3) -> Option<Self> {
        let S3 { endpoint, bucket, region, access_key, secret_key } = settings.clone();
        let bucket = rusty_s3::Bucket::new(endpoint, UrlStyle::Path, bucket, region).ok()?;
        let credentials = Credentials::new(access_key, secret_key);
        Some(Self { bucket, credentials, tls: OutboundTls::new(TlsRoots::Platform) })
    }

    /// Uploads a file.
    pub(super) async fn put(
        &self,
        app: AppId,
        hash: &str,
        file: Disk,
        size: u64,
    ) -> io::Result<()> {
        let pieces = stream::try_unfold(file, Disk::next).map_ok(Frame::data);
        self.put_body(app, hash, StreamBody::new(pieces).boxed_unsync(), size).await
    }

    async fn put_body(
        &self,
        app: AppId,
        hash: &str,
        body: UnsyncBoxBody<Bytes, io::Error>,
        size: u64,
    ) -> io::Result<()> {
        let key = format!("{app}/{hash}");
        let url =
            PutObject::new(&self.bucket, Some(&self.credentials), &key).sign(SIGNATURE_VALIDITY);
        let mut request = Request::new(body);
        *request.method_mut() = Method::PUT;
        request.headers_mut().insert(CONTENT_LENGTH, size.into());
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, send_trusted(&self.tls, &url, request));
        let response = sent.await.map_err(late)??;
        match response.status().is_success() {
            true => Ok(()),
            false => Err(StoreRefusal::of(response).await.into()),
        }
    }

    /// Opens `left` bytes of a file from position `first`. Returns `None` if the file does not
    /// exist.
    pub(super) async fn get(
        &self,
        app: AppId,
        hash: &str,
        (first, left): (u64, u64),
    ) -> io::Result<Option<Incoming>> {
        let key = format!("{app}/{hash}");
        let url =
            GetObject::new(&self.bucket, Some(&self.credentials), &key).sign(SIGNATURE_VALIDITY);
        let body = Empty::<Bytes>::new().map_err(|never| match never {}).boxed_unsync();
        let mut request = Request::new(body);
        if left > 0 {
            let range = format!("bytes={first}-{}", first + left - 1);
            let range = range.parse().map_err(io::Error::other)?;
            request.headers_mut().insert(RANGE, range);
        }
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, send_trusted(&self.tls, &url, request));
        let response = sent.await.map_err(late)??;
        match response.status() {
            // A response with the whole file to a request for a part is an error.
            StatusCode::OK if first == 0 => Ok(Some(response.into_body())),
            StatusCode::PARTIAL_CONTENT => Ok(Some(response.into_body())),
            _ => match StoreRefusal::of(response).await {
                refusal if refusal.is_missing() => Ok(None),
                refusal => Err(refusal.into()),
            },
        }
    }
}

/// Returns the next bytes of a file, or `None` at its end.
pub(super) async fn next_piece(body: &mut Incoming) -> io::Result<Option<Bytes>> {
    while let Some(frame) = tokio::time::timeout(PIECE_TIMEOUT, body.frame()).await.map_err(late)? {
        if let Ok(bytes) = frame.map_err(io::Error::other)?.into_data() {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

impl S3Bucket {
    /// Uploads, reads and removes a small file, to check the access to the bucket.
    pub(super) async fn try_out(&self) -> io::Result<()> {
        // No app has this id, and no stored file has this name.
        let (app, name) = (AppId(0), "confab-doctor");
        let bytes = Bytes::from_static(b"confab doctor was here");
        let size = bytes.len() as u64;
        let body = Full::new(bytes.clone()).map_err(|never| match never {}).boxed_unsync();
        self.put_body(app, name, body, size).await?;
        let read = self.get(app, name, (0, size)).await?;
        let mut read = read.ok_or_else(|| io::Error::other("the uploaded file does not exist"))?;
        let mut found = Vec::new();
        while found.len() <= bytes.len()
            && let Some(piece) = next_piece(&mut read).await?
        {
            found.extend_from_slice(&piece);
        }
        if found != bytes {
            return Err(io::Error::other("the uploaded file has other contents when it is read"));
        }
        self.remove(app, name).await
    }

    /// Removes a file. Succeeds if the file does not exist.
    pub(super) async fn remove(&self, app: AppId, hash: &str) -> io::Result<()> {
        let key = format!("{app}/{hash}");
        let url =
            DeleteObject::new(&self.bucket, Some(&self.credentials), &key).sign(SIGNATURE_VALIDITY);
        let body = Empty::<Bytes>::new().map_err(|never| match never {}).boxed_unsync();
        let mut request = Request::new(body);
        *request.method_mut() = Method::DELETE;
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, send_trusted(&self.tls, &url, request));
        let response = sent.await.map_err(late)??;
        if response.status().is_success() {
            return Ok(());
        }
        match StoreRefusal::of(response).await {
            refusal if refusal.is_missing() => Ok(()),
            refusal => Err(refusal.into()),
        }
    }
}

fn late(_: tokio::time::error::Elapsed) -> io::Error {
    io::ErrorKind::TimedOut.into()
}

/// An error response of the object store: its status, and its code, such as `NoSuchBucket`.
struct StoreRefusal {
    status: StatusCode,
    code: String,
}

impl StoreRefusal {
    async fn of(response: Response<Incoming>) -> Self {
        let status = response.status();
        let body = Limited::new(response.into_body(), REFUSAL_BYTES_MAX).collect();
        let body = tokio::time::timeout(REFUSAL_TIMEOUT, body).await;
        let bytes = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
        let is_plain = |c: &char| c.is_ascii_alphanumeric();
        let code = code.map_or("", |(code, _)| code).chars().filter(is_plain).collect();
        Self { status, code }
    }

    /// Whether the file does not exist. A missing bucket is another error.
    fn is_missing(&self) -> bool {
        self.status == StatusCode::NOT_FOUND && self.code != "NoSuchBucket"
    }
}

impl From<StoreRefusal> for io::Error {
    fn from(StoreRefusal { status, code }: StoreRefusal) -> Self {
        Self::other(format!("the bucket answered with status {status} {code}"))
    }
}
