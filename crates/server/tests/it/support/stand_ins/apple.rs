//! A local push service: HTTP/2, as strict about requests as Apple's (APNs).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

const KEY_ID: &str = "ABC123DEFG";
const TEAM_ID: &str = "DEF123GHIJ";
const TOPIC: &str = "com.example.chat";
/// Longest wait for an expected event.
const SOON: Duration = Duration::from_secs(60);

/// The push service, with the requests that it received.
pub struct Apple {
    address: String,
    key_file: String,
    books: Arc<Books>,
    asked: tokio::sync::Mutex<mpsc::UnboundedReceiver<Asked>>,
    hang_up: watch::Sender<()>,
    _folder: TempDir,
}

struct Books {
    key: DecodingKey,
    answers: Mutex<VecDeque<(u16, Value)>>,
    asked: mpsc::UnboundedSender<Asked>,
    connections: AtomicUsize,
    open: AtomicUsize,
}

/// A push request, and the status of its response.
#[derive(Debug, Clone)]
pub struct Asked {
    pub device: String,
    pub id: String,
    pub push_type: String,
    pub token: String,
    pub expiration_s: i64,
    pub text: String,
    pub status: u16,
}

impl Asked {
    /// Returns the request body, the notification for the phone.
    pub fn shown(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// Returns the title and the text of the alert.
    pub fn lines(&self) -> (String, String) {
        let alert = &self.shown()["aps"]["alert"];
        let line = |key: &str| alert[key].as_str().unwrap_or_default().to_owned();
        (line("title"), line("body"))
    }
}

impl Apple {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).expect("a key");
        let key_file = folder.path().join("AuthKey.p8");
        std::fs::write(&key_file, key.serialize_pem()).expect("written");
        let (asked, receiver) = mpsc::unbounded_channel();
        let books = Arc::new(Books {
            key: DecodingKey::from_ec_pem(key.public_key_pem().as_bytes()).expect("a key"),
            answers: Mutex::default(),
            asked,
            connections: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (hang_up, hung_up) = watch::channel(());
        let its = books.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                its.connections.fetch_add(1, Ordering::Relaxed);
                its.open.fetch_add(1, Ordering::Relaxed);
                let (books, hung_up) = (its.clone(), hung_up.clone());
                tokio::spawn(async move {
                    serve(stream, books.clone(), hung_up).await;
                    books.open.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        let key_file = key_file.to_str().expect("a path").to_owned();
        let asked = tokio::sync::Mutex::new(receiver);
        Self { address, key_file, books, asked, hang_up, _folder: folder }
    }

    /// Returns the settings with which a Confab server pushes to this service.
    pub fn settings(&self) -> [(&str, &str); 5] {
        [
            ("apns_key_file", &self.key_file),
            ("apns_key_id", KEY_ID),
            ("apns_team_id", TEAM_ID),
            ("apns_topic", TOPIC),
            ("apns_host", &self.address),
        ]
    }

    /// Queues an error response for the next valid request.
    pub fn answer(&self, status: u16, reason: &str) {
        self.books.answers.lock().push_back((status, json!({"reason": reason})));
    }

    /// Waits for the next request.
    pub async fn next(&self) -> Asked {
        self.next_within(SOON).await.expect("a request arrives in time")
    }

    /// Returns the next request, or `None` if none arrives in time.
    pub async fn next_within(&self, time: Duration) -> Option<Asked> {
        let mut asked = self.asked.lock().await;
        tokio::time::timeout(time, asked.recv()).await.ok().flatten()
    }

    /// Waits for the next request, and asserts that it was accepted.
    pub async fn taken(&self) -> Asked {
        let asked = self.next().await;
        assert_eq!(asked.status, 200, "{asked:?}");
        asked
    }

    /// Whether no further request has arrived.
    pub async fn is_quiet(&self) -> bool {
        self.asked.lock().await.try_recv().is_err()
    }

    /// Returns the number of connections accepted so far.
    pub fn connections(&self) -> usize {
        self.books.connections.load(Ordering::Relaxed)
    }

    /// Closes all connections gracefully and waits until they are closed.
    pub async fn hang_up(&self) {
        self.hang_up.send_replace(());
        let mut pause = tokio::time::interval(Duration::from_millis(5));
        let closed = async {
            while self.books.open.load(Ordering::Relaxed) > 0 {
                pause.tick().await;
            }
        };
        tokio::time::timeout(SOON, closed).await.expect("all connections are closed in time");
    }
}

async fn serve(stream: TcpStream, books: Arc<Books>, mut hung_up: watch::Receiver<()>) {
    let service = service_fn(move |request| {
        let books = books.clone();
        async move { Ok::<_, Infallible>(books.take(request).await) }
    });
    hung_up.mark_unchanged();
    let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    let mut served = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = &mut served => return,
        _ = hung_up.changed() => served.as_mut().graceful_shutdown(),
    }
    // The result of a closing connection does not matter.
    let _ = served.await;
}

impl Books {
    async fn take(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let header = |name: &str| {
            let value = head.headers.get(name).and_then(|it| it.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let path = head.uri.path().to_owned();
        let device = path.strip_prefix("/3/device/").unwrap_or_default().to_owned();
        let token = header("authorization").strip_prefix("bearer ").unwrap_or_default().to_owned();
        let mut asked = Asked {
            device,
            id: header("apns-id"),
            push_type: header("apns-push-type"),
            token,
            expiration_s: header("apns-expiration").parse().unwrap_or(0),
            text: String::from_utf8_lossy(&body).into_owned(),
            status: 200,
        };
        let is_post = head.method == Method::POST;
        let found = if is_post {
            self.problem(&asked, &header, body.len())
        } else {
            Some((405, "MethodNotAllowed"))
        };
        let answer = match found {
            Some((status, reason)) => Some((status, json!({"reason": reason}))),
            None => self.answers.lock().pop_front(),
        };
        let (status, body) = answer.unwrap_or((200, Value::Null));
        asked.status = status;
        let response = Response::builder().status(status).header("apns-id", &asked.id);
        // The receiver is gone when a test is over.
        let _ = self.asked.send(asked);
        let body = if status == 200 { Bytes::new() } else { Bytes::from(body.to_string()) };
        response.body(Full::new(body)).expect("an answer")
    }

    /// Returns the status and reason with which Apple would reject the request.
    fn problem(
        &self,
        asked: &Asked,
        header: &impl Fn(&str) -> String,
        bytes: usize,
    ) -> Option<(u16, &'static str)> {
        let id: Vec<_> = asked.id.split('-').map(str::len).collect();
        let is_hex = asked.id.bytes().all(|it| it == b'-' || it.is_ascii_hexdigit());
        let priority = if asked.push_type == "background" { "5" } else { "10" };
        match () {
            () if header("content-length") == "0" || bytes == 0 => Some((400, "PayloadEmpty")),
            () if bytes > 4096 => Some((413, "PayloadTooLarge")),
            () if asked.device.is_empty() => Some((400, "MissingDeviceToken")),
            () if header("apns-topic") != TOPIC => Some((400, "BadTopic")),
            () if !["alert", "background"].contains(&&*asked.push_type) => {
                Some((400, "InvalidPushType"))
            }
            () if header("apns-priority") != priority => Some((400, "BadPriority")),
            () if id != [8, 4, 4, 4, 12] || !is_hex => Some((400, "BadMessageId")),
            () if asked.expiration_s <= now_s() => Some((400, "BadExpirationDate")),
            () => self.token_problem(&asked.token).map(|reason| (403, reason)),
        }
    }

    fn token_problem(&self, token: &str) -> Option<&'static str> {
        let mut wanted = Validation::new(Algorithm::ES256);
        wanted.required_spec_claims.clear();
        wanted.validate_exp = false;
        let Ok(read) = decode::<Value>(token, &self.key, &wanted) else {
            return Some("InvalidProviderToken");
        };
        let age_s = read.claims["iat"].as_i64().map(|iat| now_s() - iat);
        let is_ours = read.header.kid.as_deref() == Some(KEY_ID) && read.claims["iss"] == TEAM_ID;
        match age_s {
            _ if !is_ours => Some("InvalidProviderToken"),
            Some(-60..3600) => None,
            _ => Some("ExpiredProviderToken"),
        }
    }
}

fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    since.as_secs() as i64
}
