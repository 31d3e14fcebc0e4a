//! Live streams as WebSocket with JSON frames.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use confab_domain::limits;
use confab_realtime::hub::CutOffReason;
use confab_runtime::failures::chain;
use confab_store::ReaderScope;
use confab_wire::realtime::frames;
use futures_util::SinkExt;
use tokio::time::{Instant, timeout};

use super::allowance::FrameAllowance;
use super::source::{LiveFrame, LiveSource, NextFrames};

/// Size of a connection's read buffer in bytes. It is small, because clients send small frames.
const READ_BYTES: usize = 256;
/// Number of bytes that are buffered before they are written to the socket.
const WRITE_BYTES: usize = 16_384;

/// Maximum time to wait until a client confirms the close of its connection.
const FAREWELL: Duration = Duration::from_secs(1);

/// Upgrades the request to a WebSocket and sends the source's frames by it.
pub(super) fn answer(upgrade: WebSocketUpgrade, source: impl LiveSource) -> Response {
    // Reads of missed events count for the caller.
    let reads = ReaderScope::current();
    upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(WRITE_BYTES)
        .max_message_size(limits::REALTIME_FRAME_BYTES_MAX)
        .max_frame_size(limits::REALTIME_FRAME_BYTES_MAX)
        .on_upgrade(move |socket| {
            reads.run(async move {
                let mut session = WebSocketSession { socket, source };
                let close = session.run().await;
                session.close(close).await;
            })
        })
}

struct WebSocketSession<S> {
    socket: WebSocket,
    source: S,
}

/// The client has disconnected or does not read, so nothing more can be sent.
struct Gone;

/// WebSocket close code and reason of a session's end.
struct Close {
    code: u16,
    reason: &'static str,
}

const POLICY: u16 = 1008;
const AGAIN: u16 = 1012;
const TOO_SLOW: u16 = 1013;

impl<S: LiveSource> WebSocketSession<S> {
    async fn run(&mut self) -> Option<Close> {
        let (hello, _) = self.source.hello();
        self.send(hello).await.ok()?;
        let heartbeat = Duration::from_millis(limits::REALTIME_HEARTBEAT_MS);
        let silence = Duration::from_millis(limits::REALTIME_SILENCE_MS);
        let mut last_inbound_at = Instant::now();
        let mut beat = tokio::time::interval_at(last_inbound_at + heartbeat, heartbeat);
        let mut pace = FrameAllowance::default();
        loop {
            tokio::select! {
                biased;
                next = self.source.next() => match next {
                    Ok(next) => match self.show(next).await {
                        Ok(None) => {}
                        Ok(Some(close)) => return Some(close),
                        Err(Gone) => return None,
                    },
                    Err(error) => {
                        tracing::warn!(
                            error = %chain(&error),
                            "failed to read missed events of a live stream"
                        );
                        return Some(Close { code: AGAIN, reason: "try again later" });
                    }
                },
                came = self.socket.recv() => {
                    last_inbound_at = Instant::now();
                    match came {
                        Some(Ok(Message::Text(text))) => {
                            if !pace.allows_one_more(last_inbound_at) {
                                let reason = "too many frames";
                                return Some(Close { code: POLICY, reason });
                            }
                            // Box the future: most connections only receive, and need no room for
                            // it.
                            let answer = Box::pin(self.source.take(&text));
                            if let Some(answer) = answer.await {
                                self.send(answer).await.ok()?;
                            }
                        }
                        Some(Ok(Message::Binary(_))) => {
                            return Some(Close { code: 1003, reason: "frames must be text" });
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    }
                }
                _ = beat.tick() => {
                    if last_inbound_at.elapsed() > silence {
                        return None;
                    }
                    self.write(vec![Message::Ping(Default::default())]).await.ok()?;
                }
            }
        }
    }

    async fn show(&mut self, next: NextFrames) -> Result<Option<Close>, Gone> {
        match next {
            NextFrames::Frames(frames) => {
                let frames = frames.into_iter().map(LiveFrame::into_text).map(Message::Text);
                self.write(frames.collect()).await?;
                Ok(None)
            }
            NextFrames::TooMuchMissed => {
                self.send(frames::resync("Too many events were missed. Load the rooms again."))
                    .await?;
                Ok(None)
            }
            NextFrames::Ended(ending) => Ok(Some(match ending {
                CutOffReason::Lagged => {
                    self.send(frames::resync("The client read events too slowly.")).await?;
                    Close { code: TOO_SLOW, reason: "too slow" }
                }
                CutOffReason::AccessEnded => Close { code: POLICY, reason: "access has ended" },
                CutOffReason::Stopping => Close { code: AGAIN, reason: "the server is stopping" },
            })),
        }
    }

    async fn send(&mut self, frame: String) -> Result<(), Gone> {
        self.write(vec![Message::Text(Utf8Bytes::from(frame))]).await
    }

    /// Sends several frames, in a single write to the socket if they are small enough.
    async fn write(&mut self, frames: Vec<Message>) -> Result<(), Gone> {
        let write = async {
            for frame in frames {
                self.socket.feed(frame).await?;
            }
            self.socket.flush().await
        };
        match timeout(Duration::from_millis(limits::REALTIME_WRITE_MS), write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    async fn close(mut self, close: Option<Close>) {
        let Some(Close { code, reason }) = close else { return };
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        // A client that does not receive it is gone anyway.
        let _ = self.write(vec![Message::Close(Some(frame))]).await;
        // Read what still arrives, else the kernel would reset the connection and discard the close
        // frame.
        let farewell = async { while let Some(Ok(_)) = self.socket.recv().await {} };
        let _ = timeout(FAREWELL, farewell).await;
    }
}
