//! A client of `/realtime`.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::caller::Caller;

/// Longest wait for an expected frame.
pub const SOON: Duration = Duration::from_secs(60);

/// A WebSocket with JSON frames.
pub struct Watcher {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Id of the last frame that had one.
    pub seen: String,
}

impl Watcher {
    /// Connects as a user.
    pub async fn start(app: &Caller, user: &str) -> Self {
        Self::resume(app, user, "").await
    }

    /// Connects as a user, and first receives the events after this id.
    pub async fn resume(app: &Caller, user: &str, after: &str) -> Self {
        let token = app.token(user).await;
        let mut watcher = Self::try_start(app, &token, after).await.expect("connects");
        let hello = watcher.next().await;
        assert_eq!(hello["type"], "hello");
        assert_eq!(hello["data"]["user_id"], user);
        watcher
    }

    /// Tries to connect with a token.
    pub async fn try_start(app: &Caller, token: &str, after: &str) -> Result<Self, Error> {
        Self::try_with(app, &format!("token={token}&last_event_id={after}")).await
    }

    /// Tries to connect with this query.
    pub async fn try_with(app: &Caller, query: &str) -> Result<Self, Error> {
        let base = app.base.replace("http://", "ws://");
        let (socket, _) = connect_async(format!("{base}/realtime?{query}")).await?;
        Ok(Self { socket, seen: String::new() })
    }

    /// Waits for the next frame.
    pub async fn next(&mut self) -> Value {
        match self.next_message().await {
            Some(Message::Text(text)) => self.read(&text),
            other => panic!("a frame is expected, not {other:?}"),
        }
    }

    /// Waits for the next frame, however long it takes.
    pub async fn next_patiently(&mut self) -> Value {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return serde_json::from_str(&text).expect("JSON");
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("a frame is expected, not {other:?}"),
            }
        }
    }

    /// Waits for the next frame; returns its type and text.
    pub async fn next_text(&mut self) -> (String, String) {
        let frame = self.next().await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&frame["type"]), text(&frame["data"]["message"]))
    }

    /// Waits until the server closes the connection; returns the close code.
    pub async fn closed(&mut self) -> CloseCode {
        self.until_closed().await.1
    }

    /// Waits until the server closes the connection; returns the frames before that and the close
    /// code.
    pub async fn until_closed(&mut self) -> (Vec<Value>, CloseCode) {
        let mut frames = Vec::new();
        loop {
            match self.next_or_closed().await {
                Ok(frame) => frames.push(frame),
                Err(code) => return (frames, code),
            }
        }
    }

    /// Waits for the next frame; `None` if the server is gone.
    pub async fn next_or_gone(&mut self) -> Option<Value> {
        match self.next_message().await? {
            Message::Text(text) => Some(self.read(&text)),
            other => panic!("a frame is expected, not {other:?}"),
        }
    }

    /// Waits for the next frame, or returns the close code.
    pub async fn next_or_closed(&mut self) -> Result<Value, CloseCode> {
        match self.next_message().await {
            Some(Message::Close(Some(frame))) => Err(frame.code),
            Some(Message::Text(text)) => Ok(self.read(&text)),
            other => panic!("a frame or a close is expected, not {other:?}"),
        }
    }

    fn read(&mut self, text: &str) -> Value {
        let frame: Value = serde_json::from_str(text).expect("JSON");
        if let Some(id) = frame["id"].as_str() {
            self.seen = id.to_owned();
        }
        frame
    }

    async fn next_message(&mut self) -> Option<Message> {
        loop {
            let next = tokio::time::timeout(SOON, self.socket.next()).await.expect("in time");
            match next? {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(message) => return Some(message),
                Err(_) => return None,
            }
        }
    }

    /// Sends a frame.
    pub async fn say(&mut self, frame: &str) {
        self.socket.send(Message::text(frame)).await.expect("sent");
    }

    /// Follows a public channel, from the end of this call on.
    pub async fn follow(&mut self, channel: &str) {
        self.say(&serde_json::json!({"type": "follow", "unique_id": channel}).to_string()).await;
        self.say(r#"{"type":"ping"}"#).await;
        assert_eq!(self.next().await["type"], "pong");
    }

    /// Sends a frame this many times in one batch.
    pub async fn say_often(&mut self, frame: &str, times: usize) {
        for _ in 0..times {
            self.socket.feed(Message::text(frame)).await.expect("queued");
        }
        self.socket.flush().await.expect("sent");
    }

    /// Drops the connection without a close frame; returns the id of the last event.
    pub fn vanish(self) -> String {
        self.seen
    }
}
