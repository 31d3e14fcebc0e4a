//! Files in an S3-compatible store: signed requests, bodies streamed both ways.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::ids::AppId;
use futures_util::{TryStreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, RANGE};
use hyper::{Method, Request, StatusCode};
use rusty_s3::actions::{DeleteObject, GetObject, PutObject};
use rusty_s3::{Credentials, S3Action, UrlStyle};

use crate::config::S3;
use crate::files::disk::Disk;
use crate::outbound::{OutboundTls, TlsRoots, send_trusted};

/// How long a signature is good.
const GOOD_FOR: Duration = Duration::from_secs(60);
/// How long the store may take until its answer begins.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(25);

/// The bucket. No `Debug`: keys.
pub(super) struct S3Bucket {
    bucket: rusty_s3::Bucket,
    credentials: Credentials,
    tls: OutboundTls,
}

impl S3Bucket {
    /// As the settings have it; nothing if its address cannot be one.
    pub(super) fn new(settings: &S3) -> Option<Self> {
        let S3 { endpoint, bucket, region, access_key, secret_key } = settings.clone();
        let bucket = rusty_s3::Bucket::new(endpoint, UrlStyle::Path, bucket, region).ok()?;
        let credentials = Credentials::new(access_key, secret_key);
        Some(Self { bucket, credentials, tls: OutboundTls::new(TlsRoots::Platform) })
    }

    /// Puts a file there.
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
        let url = PutObject::new(&self.bucket, Some(&self.credentials), &key).sign(GOOD_FOR);
        let mut request = Request::new(body);
        *request.method_mut() = Method::PUT;
        request.headers_mut().insert(CONTENT_LENGTH, size.into());
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, send_trusted(&self.tls, &url, request));
        let status = sent.await.map_err(late)??.status();
        if status.is_success() { Ok(()) } else { Err(refused(status)) }
    }

    /// The bytes from `first` on, `left` of them; nothing without such a file.
    pub(super) async fn get(
        &self,
        app: AppId,
        hash: &str,
        (first, left): (u64, u64),
    ) -> io::Result<Option<Incoming>> {
        let key = format!("{app}/{hash}");
        let url = GetObject::new(&self.bucket, Some(&self.credentials), &key).sign(GOOD_FOR);
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
            StatusCode::NOT_FOUND => Ok(None),
            // A whole answer to a part of it would be too much.
            StatusCode::OK if first == 0 => Ok(Some(response.into_body())),
            StatusCode::PARTIAL_CONTENT => Ok(Some(response.into_body())),
            status => Err(refused(status)),
        }
    }
}

impl S3Bucket {
    /// Puts a small file there, reads it and removes it.
    pub(super) async fn try_out(&self) -> io::Result<()> {
        // No app has this number, and no file this name.
        let (app, name) = (AppId(0), "confab-doctor");
        let bytes = Bytes::from_static(b"confab doctor was here");
        let size = bytes.len() as u64;
        let body = Full::new(bytes.clone()).map_err(|never| match never {}).boxed_unsync();
        self.put_body(app, name, body, size).await?;
        let read = self.get(app, name, (0, size)).await?;
        let read = read.ok_or_else(|| io::Error::other("what was put there is not there"))?;
        let read = Limited::new(read, bytes.len()).collect().await.map_err(io::Error::other)?;
        if read.to_bytes() != bytes {
            return Err(io::Error::other("what was put there is not what is read"));
        }
        self.remove(app, name).await
    }

    /// Removes a file; whether it was there does not matter.
    pub(super) async fn remove(&self, app: AppId, hash: &str) -> io::Result<()> {
        let key = format!("{app}/{hash}");
        let url = DeleteObject::new(&self.bucket, Some(&self.credentials), &key).sign(GOOD_FOR);
        let body = Empty::<Bytes>::new().map_err(|never| match never {}).boxed_unsync();
        let mut request = Request::new(body);
        *request.method_mut() = Method::DELETE;
        let sent = tokio::time::timeout(ANSWER_TIMEOUT, send_trusted(&self.tls, &url, request));
        match sent.await.map_err(late)??.status() {
            status if status.is_success() || status == StatusCode::NOT_FOUND => Ok(()),
            status => Err(refused(status)),
        }
    }
}

fn late(_: tokio::time::error::Elapsed) -> io::Error {
    io::ErrorKind::TimedOut.into()
}

fn refused(status: StatusCode) -> io::Error {
    io::Error::other(format!("the store of files answered with status {status}"))
}
