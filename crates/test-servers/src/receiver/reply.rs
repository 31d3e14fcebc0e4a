//! What a receiver answers with, and when.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;

/// A status, and what else the receiver says. A bare status is an answer at once without a body.
#[derive(Clone)]
pub struct Reply {
    pub(super) status: u16,
    headers: String,
    body: Vec<u8>,
    comes: Comes,
}

#[derive(Clone, Copy)]
enum Comes {
    After(Duration),
    OnceReleased,
    Never,
}

impl From<u16> for Reply {
    fn from(status: u16) -> Self {
        let comes = Comes::After(Duration::ZERO);
        Self { status, headers: String::new(), body: Vec::new(), comes }
    }
}

impl Reply {
    /// Nothing but a status, at once.
    pub fn status(status: u16) -> Self {
        status.into()
    }

    /// The receiver hangs: it takes the request and says nothing about it.
    pub fn never() -> Self {
        Self { comes: Comes::Never, ..Self::from(0) }
    }

    /// Also with this header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Also with this body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// It comes so much later.
    pub fn after(mut self, pause: Duration) -> Self {
        self.comes = Comes::After(pause);
        self
    }

    /// It comes when the test says so ([`super::Receiver::release`]).
    pub fn once_released(mut self) -> Self {
        self.comes = Comes::OnceReleased;
        self
    }

    pub(super) async fn wait(&self, is_released: &watch::Sender<bool>) {
        match self.comes {
            Comes::After(Duration::ZERO) => {}
            Comes::After(pause) => drop(tokio::time::timeout(pause, pending::<()>()).await),
            Comes::OnceReleased => {
                drop(is_released.subscribe().wait_for(|is_released| *is_released).await);
            }
            Comes::Never => pending().await,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self { status, headers, body, .. } = self;
        let length = body.len();
        let head = format!("HTTP/1.1 {status} So\r\n{headers}content-length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    }
}
