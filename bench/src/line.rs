//! An HTTP connection that stays open, with one request at a time.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::failure::Failure;

pub(crate) struct Line(SendRequest<Full<Bytes>>);

/// An HTTP request: method, path, headers and body.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

impl Call {
    /// Returns a request to the webhook API.
    pub(crate) fn of(app: &str, method: Method, path: &str, body: String) -> Self {
        Self::by_app(app, method, &format!("/api/v2/webhooks/{path}"), body)
    }

    /// Returns a request that authenticates with the app's secret key.
    pub(crate) fn by_app(app: &str, method: Method, path: &str, body: String) -> Self {
        let headers = [
            ("service-app-id", app),
            ("service-secret-key", crate::fill::SECRET_KEY),
            ("content-type", "application/json"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { method, path: path.to_owned(), headers, body: body.into() }
    }

    /// Returns a request to the message API that posts a message.
    pub(crate) fn post(user: &str, room: &str, text: &str) -> Self {
        let headers = [
            ("service-sdk-app-id", crate::fill::APP),
            ("service-sdk-secret", crate::fill::SDK_SECRET),
            ("content-type", "application/json"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let body = format!(r#"{{"user_id":"{user}","room_id":"{room}","message":"{text}"}}"#);
        let path = "/api/v2.1/rest/post_comment".to_owned();
        Self { method: Method::POST, path, headers, body: body.into() }
    }

    /// Returns a request that triggers an example delivery, in a room if one is given.
    pub(crate) fn trigger(app: &str, kind: &str, room: Option<&str>) -> Self {
        let body = match room {
            Some(room) => format!(r#"{{"kind":"{kind}","room_id":"{room}"}}"#),
            None => format!(r#"{{"kind":"{kind}"}}"#),
        };
        Self::of(app, Method::POST, "trigger", body)
    }
}

impl Line {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Sends a request. Returns the cookie that the response sets.
    pub(crate) async fn cookie(&mut self, call: &Call) -> Result<String, Failure> {
        let answer = self.send(call).await?;
        let set = answer.headers().get("set-cookie").ok_or("no cookie was set")?.to_str()?;
        let cookie = set.split(';').next().unwrap_or_default().to_owned();
        answer.into_body().collect().await?;
        Ok(cookie)
    }

    /// Sends a request. Returns the response body; an error status is an error.
    pub(crate) async fn call(&mut self, call: &Call) -> Result<Bytes, Failure> {
        let answer = self.send(call).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            let body = String::from_utf8_lossy(&body);
            return Err(format!("{}: {status} {body}", call.path).into());
        }
        Ok(body)
    }

    async fn send(&mut self, call: &Call) -> Result<Response<Incoming>, Failure> {
        let mut request = Request::builder().method(&call.method).uri(&call.path);
        request = request.header("host", "bench");
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        self.0.ready().await?;
        let request = request.body(Full::new(call.body.clone()))?;
        Ok(self.0.send_request(request).await?)
    }
}
