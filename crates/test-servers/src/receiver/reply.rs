//! Answers of a receiver, and when they are sent.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;

/// An answer to a webhook. A bare status is sent immediately, without a body.
#[derive(Clone)]
pub struct Reply {
    pub(super) status: u16,
    headers: String,
    body: Vec<u8>,
    timing: Timing,
}

#[derive(Clone, Copy)]
enum Timing {
    After(Duration),
    OnceReleased,
    Never,
}

impl From<u16> for Reply {
    fn from(status: u16) -> Self {
        let timing = Timing::After(Duration::ZERO);
        Self { status, headers: String::new(), body: Vec::new(), timing }
    }
}

impl Reply {
    /// Creates an answer with only a status, sent immediately.
    pub fn status(status: u16) -> Self {
        status.into()
    }

    /// Creates an answer that is never sent: the receiver hangs.
    pub fn never() -> Self {
        Self { timing: Timing::Never, ..Self::from(0) }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Delays the answer.
    pub fn after(mut self, pause: Duration) -> Self {
        self.timing = Timing::After(pause);
        self
    }

    /// Delays the answer until the test calls [`super::Receiver::release`].
    pub fn once_released(mut self) -> Self {
        self.timing = Timing::OnceReleased;
        self
    }

    pub(super) async fn wait(&self, is_released: &watch::Sender<bool>) {
        match self.timing {
            Timing::After(Duration::ZERO) => {}
            Timing::After(pause) => drop(tokio::time::timeout(pause, pending::<()>()).await),
            Timing::OnceReleased => {
                drop(is_released.subscribe().wait_for(|is_released| *is_released).await);
            }
            Timing::Never => pending().await,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self { status, headers, body, .. } = self;
        let length = body.len();
        let head = format!("HTTP/1.1 {status} So\r\n{headers}content-length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    }
}
